"""Files to text, and tables to profiles, in a process of its own that is locked in (see `services/sandbox/workers.py`).

A broken or hostile file can neither block nor end the run, nor reach anything.
"""

import contextlib
import io
import re
import sys
from collections.abc import Mapping
from pathlib import PurePath
from types import ModuleType
from typing import Any

from typing_extensions import TypedDict

from services.normal_form import normalise_text
from services.search.jobs import serve

MAX_BYTES = 50_000_000
MAX_CHARACTERS = 50_000_000
"""Of a document's text; a small file can unpack to a long one."""
PLAIN = frozenset({".md", ".markdown", ".txt", ".csv", ".tsv"})
CONVERTED = frozenset({".pdf", ".docx", ".xlsx", ".html", ".htm"})
SUFFIXES = PLAIN | CONVERTED
_DATE = re.compile(
    r"(?:published|date|updated|发布日期|发表日期|日期|更新)\s*[:：]\s*(\d{4})[-/年.](\d{1,2})(?:[-/月.](\d{1,2}))?",
    re.IGNORECASE,
)

_JOINED_LINES = re.compile(r"(?<=[\u3400-\u9fff\uff00-\uffef\u3000-\u303f])\n(?=[\u3400-\u9fff])")
"""Line ends inside Chinese sentences, where a PDF has a line and the text has nothing."""


class Converted(TypedDict, total=False):
    """A converted file, or why it could not be converted."""

    text: str
    title: str
    published: str | None
    error: str


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
            text = decode(data)
        elif suffix in {".html", ".htm"}:
            text, title = _html(data)
        else:
            text = _office(data, suffix)
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


def decode(data: bytes) -> str:
    """Decode text of unknown encoding: Unicode, GB18030 where that makes Chinese, else what is likeliest.

    Raises:
        ValueError: it is no text, or its encoding cannot be told.
    """
    if b"\x00" in data[:8_192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("it is binary, not text")
    for encoding in ("utf-8-sig", "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "gb18030"):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if encoding != "gb18030" or _plausible_chinese(text):
                return text
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        raise ValueError("its encoding cannot be told")
    return str(best)


def _plausible_chinese(text: str) -> bool:
    """Tell whether text decoded as GB18030 is Chinese: mostly common ideographs, ASCII and Chinese punctuation."""
    sample = text[:4_000]
    common = sum(
        char < "\x80" or "\u4e00" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uffef"
        for char in sample
    )
    return common >= 0.95 * len(sample)


def _html(data: bytes) -> tuple[str, str]:
    from bs4 import BeautifulSoup

    page = BeautifulSoup(data, "html.parser")
    heading = page.find("h1") or page.title
    title = heading.get_text(" ", strip=True) if heading else ""
    for boilerplate in page(["script", "style", "nav", "header", "footer", "aside", "form", "noscript", "template"]):
        boilerplate.decompose()
    return _markitdown(str(page).encode(), ".html"), title


def _office(data: bytes, suffix: str) -> str:
    magic = {".pdf": b"%PDF", ".docx": b"PK", ".xlsx": b"PK"}[suffix]
    if magic not in data[:1_024]:
        raise ValueError(f"it is no {suffix[1:].upper()} file")
    return _markitdown(data, suffix)


def _property_title(data: bytes) -> str:
    """Return the title that a Word document's properties give, if it is more than a default."""
    import zipfile
    from xml.etree import ElementTree

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "docProps/core.xml" not in archive.namelist() or archive.getinfo("docProps/core.xml").file_size > 100_000:
            return ""
        core = ElementTree.fromstring(archive.read("docProps/core.xml"))  # noqa: S314 - expat expands no entities of 100 kB
    title = core.findtext("{http://purl.org/dc/elements/1.1/}title") or ""
    return "" if title in {"", "Word Document"} else title.strip()


def _markitdown(data: bytes, suffix: str) -> str:
    """Convert with the converter of the format itself: the general entry would take a broken PDF for plain text."""
    # markitdown loads it, and with it the ONNX runtime, to guess the kind of a file; here the kind is known
    sys.modules.setdefault("magika", ModuleType("magika"))
    from markitdown import DocumentConverter, StreamInfo
    from markitdown.converters import DocxConverter, HtmlConverter, PdfConverter, XlsxConverter

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
        from services.search.tables import table_views

        return {"views": [view.model_dump() for view in table_views(job["name"], data)]}
    return convert(job["name"], data)
