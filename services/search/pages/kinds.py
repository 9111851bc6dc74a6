"""Detects the type of a response body: by its first bytes, then by its server's Content-Type."""

import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from services.run.errors import PageError

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
        raise PageError(f"it is {media[:80]}, and only web pages, plain text, PDF, DOCX and XLSX are read")


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
        raise PageError(f"it claims to be {named.upper()}, but is not")
    if _HTML.match(head):
        return "html"
    if _is_text(head, headers):
        return "text"
    raise PageError("it is binary data of an unknown kind")


def _is_text(head: bytes, headers: Mapping[str, str]) -> bool:
    """Distinguish text from binary data by zero bytes, which only wide encodings have."""
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or _WIDE.match(declared_charset(headers) or "")
    return bool(wide) or b"\0" not in head


def _office(named: Kind | None, body: bytes, url: str) -> Kind:
    """Distinguish Word and Excel files, which are both zip archives, by the names of their parts."""
    if named in {"docx", "xlsx"}:
        return named
    path = urlsplit(url).path.lower()
    if b"word/document.xml" in body or path.endswith(".docx"):
        return "docx"
    if b"xl/workbook.xml" in body or path.endswith(".xlsx"):
        return "xlsx"
    raise PageError("it is an archive, and only web pages, plain text, PDF, DOCX and XLSX are read")
