"""Saved web pages: one file each, with all that a browser asks for, and the main text marked where it stands.

    kind: application
    address: /reports/12

    === /reports/12
    <div id="app"></div><script src="/app.js"></script>
    === /app.js
    document.getElementById("app").textContent = "⟦The harbour froze in January.⟧";
    === /api/more text/plain
    …

The first lines say of which kind the page is and under which address it is read; each part is served at the path that its line names,
as the media type that follows or that the ending tells, in its charset. What stands in ⟦…⟧ is a sentence of the main text, in ⟪…⟫ one of what stands
around it; the marks are taken out before a part is served. A part named `(main)` is not served: it has sentences, a line each, that
no part holds as they are shown. All texts and facts are made up.
"""

import html
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "pages"
_PART = re.compile(r"^=== (\S+)(?: (.+))?\n", re.MULTILINE)
_MAIN, _BESIDE = re.compile("⟦([^⟦⟧]++)⟧"), re.compile("⟪([^⟪⟫]++)⟫")
_TAG = re.compile(r"<[^<>]*>")
_TYPES = {
    "js": "text/javascript",
    "json": "application/json",
    "css": "text/css",
    "csv": "text/csv; charset=utf-8",
    "xml": "application/xml",
}
NOT_SERVED = "(main)"


@dataclass(frozen=True, slots=True)
class Part:
    """What is served at one path."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page and what is to be read in it."""

    name: str
    kind: str
    address: str
    """Path, query and fragment under which it is read."""
    parts: dict[str, Part]
    """By path."""
    main: tuple[str, ...]
    """Sentences of the main text; none where the page has none, as one that says that it was not found."""
    beside: tuple[str, ...]
    """Sentences around it, such as those of menus and notices."""


def saved_pages() -> list[SavedPage]:
    """Return all pages, by name. Blocking."""
    return [read_page(file) for file in sorted(FOLDER.glob("*.page"))]


def read_page(file: Path) -> SavedPage:
    """Read one page. Blocking."""
    head, *pieces = _PART.split(file.read_text("utf-8"))
    about = dict(line.split(": ", 1) for line in head.splitlines() if line)
    parts: dict[str, Part] = {}
    main: list[str] = []
    beside: list[str] = []
    for path, media_type, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        if path == NOT_SERVED:
            main += filter(None, text.splitlines())
            continue
        main += map(_plain, _MAIN.findall(text))
        beside += map(_plain, _BESIDE.findall(text))
        shown_as = media_type or _TYPES.get(path.rpartition(".")[2], "text/html; charset=utf-8")
        charset = shown_as.partition("charset=")[2] or "utf-8"
        parts[path] = Part(re.sub("[⟦⟧⟪⟫]", "", text).encode(charset), shown_as)
    return SavedPage(file.stem, about["kind"], about["address"], parts, tuple(main), tuple(beside))


def _plain(marked: str) -> str:
    """Return a sentence as it is shown: without tags."""
    return html.unescape(_TAG.sub("", marked))
