"""Reads mails, with the attachments that are of kinds that are read."""

import email
import email.policy
import io
import struct
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import MIMEPart
from email.utils import format_datetime
from functools import partial

from markitdown.converters import OutlookMsgConverter
from olefile import OleFileIO

from schemas.clean_text import clean_line
from services.search.files.content_type import decode_page
from services.search.files.conversion import Content

MAX_ATTACHMENTS = 20
"""Attachments of a mail that are read."""
_CODE_PAGES = (0x3FFD, 0x3FDE)
"""Outlook's properties of the encoding of a mail and of its text."""
_SENT = 0x0039_0040
_SUBJECT, _FROM, _TO, _CC, _PLAIN, _HTML, _DATA = "0037", "0C1F", "0E04", "0E03", "1000", "1013", "3701"
_NAMES = ("3707", "3704", "3001")
"""Outlook's properties that name an attachment, the best first."""

MAX_DEPTH = 3
"""Mails within mails that are read."""

Attached = tuple[str, bytes | str]
"""A name and what the file holds; of a mail within the mail, its text."""
Read = Callable[[str, bytes], str]
"""Returns the text of a file; empty if it is not read."""


def mail_text(data: bytes, read: Read) -> Content:
    """Return the header and the text of a mail, and below their names the texts of its attachments."""
    return _message(email.message_from_bytes(data, policy=email.policy.default), read, MAX_DEPTH)


def _message(mail: MIMEPart, read: Read, depth: int) -> Content:
    texts: list[str] = []
    attached: list[Attached] = []
    for part in _shown(mail):
        if _is_text(part, "plain"):
            texts.append(_written(part).strip())
        elif _is_text(part, "html"):
            texts.append(read("mail.html", _written(part).encode()))
        elif depth and (inner := _forwarded(part)):
            attached.append(
                (part.get_filename() or _field(inner, "Subject") or "mail", _message(inner, read, depth - 1).text)
            )
        else:
            content = part.get_payload(decode=True)
            attached.append((part.get_filename() or part.get_content_type(), content if isinstance(content, bytes) else b""))  # fmt: skip
    return _content(
        [(name, _field(mail, name)) for name in ("Subject", "From", "To", "Cc", "Date")], texts, attached, read
    )


def outlook_text(data: bytes, read: Read) -> Content:
    """Return the same of a mail that Outlook saved."""
    reader = OutlookMsgConverter()
    with OleFileIO(io.BytesIO(data)) as mail:

        def stream(path: str) -> bytes:
            return mail.openstream(path).read() if mail.exists(path) else b""

        def text(tag: str, codec: str | None, folder: str = "") -> str:
            path = f"{folder}__substg1.0_{tag}"
            wide = reader._get_stream_data(mail, f"{path}001F")
            return wide or reader._get_ansi_stream_data(mail, f"{path}001E", codec) or ""

        pages = reader._get_long_properties(mail)
        own, of_text = (reader._get_codec_name(pages.get(page)) for page in _CODE_PAGES)
        head = partial(text, codec=own or of_text)
        fixed = stream("__properties_version1.0")[32:]
        sent = {tag: time for tag, _, time in struct.iter_unpack("<IIQ", fixed[: len(fixed) // 16 * 16])}.get(_SENT)
        date = format_datetime(datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=sent // 10)) if sent else ""
        fields = [
            ("Subject", head(_SUBJECT)),
            ("From", head(_FROM)),
            ("To", head(_TO)),
            ("Cc", head(_CC)),
            ("Date", date),
        ]
        body = text(_PLAIN, of_text or own)
        if not body:
            page = stream(f"__substg1.0_{_HTML}0102") or text(_HTML, of_text or own).encode()
            body = read("mail.html", page)
        attached: list[Attached] = []
        for folder in (path[0] for path in mail.listdir(streams=False, storages=True) if len(path) == 1):
            if folder.startswith("__attach"):
                name = next(filter(None, (head(tag, folder=f"{folder}/") for tag in _NAMES)), folder)
                attached.append((name, stream(f"{folder}/__substg1.0_{_DATA}0102")))
    return _content(fields, [body], attached, read)


def _content(fields: Iterable[tuple[str, str]], texts: list[str], attached: list[Attached], read: Read) -> Content:
    parts, unread = ["\n".join(f"{name}: {value}" for name, value in fields if value), *texts], list[str]()
    for place, (called, data) in enumerate(attached):
        name = clean_line(called)
        text = "" if place >= MAX_ATTACHMENTS else data if isinstance(data, str) else read(name, data)
        parts += [f"# {name}", text]
        unread += [] if text else [name]
    return Content("\n\n".join(parts), note=f"attachments:{', '.join(unread[:MAX_ATTACHMENTS])}" if unread else "")


def _forwarded(part: MIMEPart) -> MIMEPart | None:
    """Return the mail that a part holds."""
    inner = part.get_payload()
    held = inner[0] if isinstance(inner, list) and inner else None
    return held if part.get_content_type() == "message/rfc822" and isinstance(held, MIMEPart) else None


def _shown(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the parts that a reader sees: of a text that is there in several forms, the plain one. A mail within the mail is one part."""
    if not part.is_multipart() or part.get_content_maintype() == "message":
        yield part
        return
    parts = [leaf for inner in part.iter_parts() for leaf in _shown(inner)]
    plain = part.get_content_subtype() == "alternative" and any(
        _is_text(leaf, "plain") and _written(leaf).strip() for leaf in parts
    )
    yield from (leaf for leaf in parts if not (plain and _is_text(leaf, "html")) and not _is_picture(leaf))


def _is_text(part: MIMEPart, kind: str) -> bool:
    return part.get_content_type() == f"text/{kind}" and not part.is_attachment() and not part.get_filename()


def _is_picture(part: MIMEPart) -> bool:
    """Tell whether a part is a picture in the text, such as a logo."""
    return part.get_content_maintype() == "image" and "Content-ID" in part and not part.is_attachment()


def _written(part: MIMEPart) -> str:
    data = part.get_payload(decode=True)
    return decode_page(data, part.get_content_charset(), html=False) if isinstance(data, bytes) else ""


def _field(mail: MIMEPart, name: str) -> str:
    """Return a field of the header, by the encodings that it names, and in one line."""
    raw = next((str(value) for key, value in mail.raw_items() if key.lower() == name.lower()), "")
    text = decode_page(raw.encode("utf-8", "surrogateescape"), None, html=False)
    try:
        parts = decode_header(text)
    except HeaderParseError:
        parts = [(text, None)]
    header = make_header([(_decoded(part), "utf-8" if part[1] else None) for part in parts])
    return " ".join(str(header).split())


def _decoded(part: tuple[str | bytes, str | None]) -> str:
    words, charset = part
    if isinstance(words, str):
        return words
    return decode_page(words, charset, html=False) if charset else words.decode("raw-unicode-escape")
