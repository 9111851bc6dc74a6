"""Files to text, and tables to profiles, in a process of its own that is locked in (see `services/sandbox/workers.py`).

A broken or hostile file can neither block nor end the run, nor reach anything.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from markitdown import DocumentConverter, StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter, PdfConverter, XlsxConverter

from services.sandbox.jobs import serve
from services.search.file_types import MAX_BYTES, MAX_CHARACTERS, PLAIN, Converted
from services.search.table_views import table_views
from services.text.decoding import decode
from services.text.normal_form import normalise_text

_DATE = re.compile(
    r"(?:published|date|updated|发布日期|发表日期|日期|更新)\s*[:：]\s*(\d{4})[-/年.](\d{1,2})(?:[-/月.](\d{1,2}))?",
    re.IGNORECASE,
)

_JOINED_LINES = re.compile(r"(?<=[\u3400-\u9fff\uff00-\uffef\u3000-\u303f])\n(?=[\u3400-\u9fff])")
"""Line ends inside Chinese sentences, where a PDF has a line and the text has nothing."""


def convert(name: str, data: bytes) -> Converted:
    """Convert one file; what goes wrong is returned as `error`.

    Args:
        name: of the file; its ending tells the kind.
        data: what is in it.
    """
    if not data.strip():
        return {"error": "is empty"}
    if len(data) > MAX_BYTES:
        return {"error": f"is larger than {MAX_BYTES // 1_000_000} MB"}
    suffix = PurePath(name).suffix.lower()
    title = ""
    try:
        if suffix in PLAIN:
            text = decode(data)[0]
        elif suffix in {".html", ".htm"}:
            text, title = html_text(data)
        else:
            text = office_text(data, suffix)
            title = _property_title(data) if suffix == ".docx" else ""
    except Exception as error:  # noqa: BLE001 - converters raise anything at all on broken input
        return {"error": f"cannot be converted ({type(error).__name__}: {' '.join(str(error).split())[:120]})"}
    if not text.strip():
        return {"error": "holds no text"}
    if len(text) > MAX_CHARACTERS:
        return {"error": f"holds more than {MAX_CHARACTERS // 1_000_000} million characters"}
    text = normalise_text(text)
    found = _DATE.search(text[:2_000])
    published = "-".join(part.zfill(2) for part in found.groups() if part) if found else None
    return {"text": text, "title": title or _title(text, PurePath(name)), "published": published}


def html_text(data: bytes) -> tuple[str, str]:
    """Return the text of an HTML page as Markdown, and its title."""
    page = BeautifulSoup(data, "html.parser")
    heading = page.find("h1") or page.title
    title = heading.get_text(" ", strip=True) if heading else ""
    for boilerplate in page(["script", "style", "nav", "header", "footer", "aside", "form", "noscript", "template"]):
        boilerplate.decompose()
    return _markitdown(str(page).encode(), ".html"), title


def office_text(data: bytes, suffix: str) -> str:
    """Return the text of a PDF, Word or Excel file as Markdown.

    Raises:
        ValueError: it is no file of this kind.
    """
    magic = {".pdf": b"%PDF", ".docx": b"PK", ".xlsx": b"PK"}[suffix]
    if magic not in data[:1_024]:
        raise ValueError(f"it is no {suffix[1:].upper()} file")
    return _markitdown(data, suffix)


def _property_title(data: bytes) -> str:
    """Return the title that a Word document's properties give, if it is more than a default."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "docProps/core.xml" not in archive.namelist() or archive.getinfo("docProps/core.xml").file_size > 100_000:
            return ""
        core = ElementTree.fromstring(archive.read("docProps/core.xml"))  # noqa: S314 - expat expands no entities of 100 kB
    title = core.findtext("{http://purl.org/dc/elements/1.1/}title") or ""
    return "" if title in {"", "Word Document"} else title.strip()


def _markitdown(data: bytes, suffix: str) -> str:
    """Convert with the converter of the format itself: the general entry would take a broken PDF for plain text."""
    kinds: dict[str, type[DocumentConverter]] = {
        ".pdf": PdfConverter, ".docx": DocxConverter, ".xlsx": XlsxConverter, ".html": HtmlConverter
    }  # fmt: skip
    about = StreamInfo(extension=suffix, charset="utf-8" if suffix == ".html" else None)
    text = kinds[suffix]().convert(io.BytesIO(data), about).markdown
    return _JOINED_LINES.sub("", text) if suffix == ".pdf" else text


def _title(text: str, path: PurePath) -> str:
    for line in text.split("\n", 40)[:40]:
        if found := re.match(r"#\s++(\S.*)", line):
            return found.group(1).strip().strip("#").strip()
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    if path.suffix.lower() in {".txt", ".pdf", ".docx"} and 0 < len(first) <= 120 and first[-1] not in ".。,，;；:：":
        return first.lstrip("# ")
    return re.sub(r"[-_]+", " ", path.stem).strip()


def main() -> None:
    """Convert the files that come on standard input, or profile their tables."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    if job.get("tables"):
        return {"views": [view.model_dump() for view in table_views(job["name"], data)]}
    return convert(job["name"], data)
