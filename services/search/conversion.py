"""What every conversion of a file does: bounds, errors, the title and the date."""

import re
from collections.abc import Callable
from pathlib import PurePath

from services.search.file_types import MAX_BYTES, MAX_CHARACTERS, Converted
from services.text.normal_form import normalise_text

_DATE = re.compile(
    r"(?:published|date|updated|发布日期|发表日期|日期|更新)\s*[:：]\s*(\d{4})[-/年.](\d{1,2})(?:[-/月.](\d{1,2}))?",
    re.IGNORECASE,
)


def converted(name: str, data: bytes, read: Callable[[str, bytes], tuple[str, str]]) -> Converted:
    """Convert one file; what goes wrong is returned as `error`.

    Args:
        name: of the file; its ending tells the kind.
        data: what is in it.
        read: returns the text and the title of data with an ending, the title empty where the file gives none.
    """
    if not data.strip():
        return {"error": "is empty"}
    if len(data) > MAX_BYTES:
        return {"error": f"is larger than {MAX_BYTES // 1_000_000} MB"}
    try:
        text, title = read(PurePath(name).suffix.lower(), data)
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


def _title(text: str, path: PurePath) -> str:
    for line in text.split("\n", 40)[:40]:
        if found := re.match(r"#\s++(\S.*)", line):
            return found.group(1).strip().strip("#").strip()
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    if path.suffix.lower() in {".txt", ".pdf", ".docx"} and 0 < len(first) <= 120 and first[-1] not in ".。,，;；:：":
        return first.lstrip("# ")
    return re.sub(r"[-_]+", " ", path.stem).strip()
