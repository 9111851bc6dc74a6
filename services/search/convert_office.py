"""PDF, Word, Excel and HTML files to text, in a locked process (see `services/sandbox/workers.py`).

A broken or hostile file can neither block nor end the run, nor reach anything.
"""

import io
import re
import zipfile
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from markitdown import DocumentConverter, StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter, PdfConverter, XlsxConverter

from services.sandbox.jobs import serve
from services.search.conversion import converted
from services.search.file_types import Converted

_JOINED_LINES = re.compile(r"(?<=[\u3400-\u9fff\uff00-\uffef\u3000-\u303f])\n(?=[\u3400-\u9fff])")
"""Line ends inside Chinese sentences, where a PDF has a line and the text has nothing."""


def convert(name: str, data: bytes) -> Converted:
    """Convert one file; what goes wrong is returned as `error`. Its ending tells the kind."""
    return converted(name, data, _read)


def _read(suffix: str, data: bytes) -> tuple[str, str]:
    if suffix in {".html", ".htm"}:
        return html_text(data)
    return office_text(data, suffix), _property_title(data) if suffix == ".docx" else ""


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


def main() -> None:
    """Convert the files that come on standard input."""
    serve(lambda job, data: convert(job["name"], data))
