"""Detects what the body of a response is: its type and its characters' encoding, by its bytes first, because declarations are often wrong."""

import codecs
import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from services.run.errors import PageError
from services.run.ui_text import say
from services.text.decoding import GOOD, likeliest, multibyte, plausible

Kind = Literal["html", "text", "pdf", "docx", "xlsx"]

_KINDS: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "text",
    "text/markdown": "text",
    "text/x-markdown": "text",
    "text/csv": "text",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
_UNSAID = frozenset(
    "application/octet-stream binary/octet-stream application/download application/x-download application/force-download "
    "application/zip application/x-zip-compressed".split()
)
"""Content types without information."""
_WIDE = re.compile(r"(?:utf-?(?:16|32)|ucs-?[24]).*", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*+(?>(?:<!--(?>(?:(?!-->).)*)-->\s*+)*)<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)


def media_type(headers: Mapping[str, str]) -> str:
    """Return the Content-Type in lower case and without parameters."""
    return headers.get("content-type", "").split(";")[0].strip().lower()


def declared_charset(headers: Mapping[str, str]) -> str | None:
    """Return the charset of the Content-Type header."""
    match = re.search(r"charset\s*=\s*[\"']?([^\s\"';,]+)", headers.get("content-type", ""), re.IGNORECASE)
    return match[1] if match else None


def check_readable(headers: Mapping[str, str]) -> None:
    """Check by its headers that a body may hold text.

    Raises:
        PageError: the body is an image, a video, an archive or another type without text.
    """
    media = media_type(headers)
    if media and media not in _KINDS and media not in _UNSAID:
        raise PageError(say("page_media", media=media[:80]))


def kind_of(headers: Mapping[str, str], body: bytes, url: str) -> Kind:
    """Return the type of a body.

    Raises:
        PageError: the type cannot be read.
    """
    media, head = media_type(headers), body[:1_024]
    named = _KINDS.get(media)
    if b"%PDF-" in head and named != "text":
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _office(named, body, url)
    if named == "html" or (named == "text" and _is_text(head, headers)):
        return named
    if named in {"pdf", "docx", "xlsx"}:
        raise PageError(say("page_claims", kind=named.upper()))
    if _HTML.match(head):
        return "html"
    if _is_text(head, headers):
        return "text"
    raise PageError(say("page_binary"))


def _is_text(head: bytes, headers: Mapping[str, str]) -> bool:
    """Distinguish text from binary data by zero bytes, which only wide encodings have."""
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or _WIDE.match(declared_charset(headers) or "")
    return bool(wide) or b"\0" not in head


def _office(named: Kind | None, body: bytes, url: str) -> Kind:
    if named in {"docx", "xlsx"}:
        return named
    path = urlsplit(url).path.lower()
    if b"word/document.xml" in body or path.endswith(".docx"):
        return "docx"
    if b"xl/workbook.xml" in body or path.endswith(".xlsx"):
        return "xlsx"
    raise PageError(say("page_archive"))


_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*+=\s*+(?:["']\s*+)?([\w:.-]{2,40})""", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030", "iso-8859-1": "cp1252",
    "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252", "shift_jis": "cp932",
    "shift-jis": "cp932", "x-sjis": "cp932", "sjis": "cp932", "windows-31j": "cp932", "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949", "big5": "big5hkscs", "x-x-big5": "big5hkscs", "utf8": "utf-8",
    "unicode": "utf-16", "iso-8859-9": "cp1254", "tis-620": "cp874",
}  # fmt: skip
"""Actual encodings of pages by their declared charset (as in the WHATWG's Encoding standard)."""
_SAMPLE = 200_000
"""Bytes by which an encoding is judged."""


def decode_page(data: bytes, declared: str | None, *, html: bool = True) -> str:
    """Decode a page by the charset of its Content-Type header, its `<meta charset>` where it is HTML, and its bytes."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    meta = _META.search(data[:8_192]) if html else None
    names = [declared, meta[1].decode("ascii", "replace") if meta else None]
    return data.decode(_choose(data, list(dict.fromkeys(filter(None, map(_known, names))))), "replace")


def _known(name: str | None) -> str | None:
    """Return Python's name of a declared charset, if it decodes bytes to text."""
    if not name:
        return None
    name = name.strip("\"' ").lower()
    try:
        codec = codecs.lookup(_WIDER.get(name, name))
        "".encode(codec.name)
    except (LookupError, UnicodeError):
        return None
    return codec.name


def _choose(data: bytes, declared: list[str]) -> str:
    sample = data[:_SAMPLE]
    if b"\x1b$" in sample:
        return "iso2022_jp"
    if data.isascii():
        return declared[0] if declared and b"\0" in sample else "utf-8"
    if _is_utf8(data) and not (declared and multibyte(declared[0]) and plausible(sample, declared[0]) >= GOOD):
        return "utf-8"
    scored = [(plausible(sample, name), name) for name in declared]
    for score, name in scored:
        if score >= GOOD:
            return name
    best, likely = likeliest(sample)
    if scored and likely < GOOD and scored[0][0] >= max(0.6, likely - 0.2):
        return scored[0][1]
    return best


def _is_utf8(data: bytes) -> bool:
    """Tell whether a body is UTF-8, except for a few broken or truncated characters."""
    beyond = len(data.translate(None, delete=bytes(range(128))))
    return beyond > 0 and data.decode("utf-8", "replace").count("\ufffd") * 50 <= beyond
