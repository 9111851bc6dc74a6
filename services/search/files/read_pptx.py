"""Reads PowerPoint files as they are shown: each slide below its number and title, with lists, tables, charts, diagrams and notes."""

import io
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pptx
from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER

from services.search.files.read_chart import chart_markdown
from services.search.files.sheets import Merged, Sheet, sheets_markdown

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_STRUCK = {"sngStrike", "dblStrike"}
_BULLETS = [f"{_DRAWING}{name}" for name in ("buChar", "buAutoNum", "buBlip")]
_TITLES = {PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE}
_LISTS = {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT}
"""Placeholders whose paragraphs have bullets unless they say otherwise."""
_DEEPEST = 8


class Presentation(NamedTuple):
    """What a presentation shows."""

    text: str
    hidden: bool
    """Whether slides or shapes are hidden; they are not read."""


def presentation_of(data: bytes) -> Presentation:
    """Return what the slides of a PowerPoint file show, as Markdown below the title of the first slide.

    Raises:
        Exception: python-pptx raises anything at all on a broken file.
    """
    blocks: list[str] = []
    hidden = False
    for number, slide in enumerate(pptx.Presentation(io.BytesIO(data)).slides, 1):
        shapes = list(_shapes(slide.shapes))
        shown = [shape for shape in shapes if not _is_hidden(shape)]
        title = next((text for shape in shown if _placeholder(shape) in _TITLES and (text := _title(shape))), "")
        if number == 1 and title:
            blocks.append(f"# {title}")
        if slide._element.get("show") in {"0", "false"}:
            hidden = True
            continue
        hidden = hidden or len(shown) < len(shapes)
        blocks.append(f"## Slide {number}: {title}" if title and number > 1 else f"## Slide {number}")
        blocks += [block for shape in shown if _placeholder(shape) not in _TITLES for block in _blocks(shape)]
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            blocks += ["### Notes", *_paragraphs(notes._txBody, listed=False)]
    return Presentation("\n\n".join(filter(None, blocks)), hidden)


def _shapes(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """Yield shapes from top to bottom, those of groups in the place of their group."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes") and not _is_hidden(shape) and depth < _DEEPEST:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _is_hidden(shape: Any) -> bool:
    return any(about.get("hidden") in {"1", "true"} for about in shape._element.xpath("./*[1]/p:cNvPr"))


def _placeholder(shape: Any) -> Any:
    return shape.placeholder_format.type if shape.is_placeholder else None


def _title(shape: Any) -> str:
    return " ".join(" ".join(_paragraphs(shape._element, listed=False)).split())


def _blocks(shape: Any) -> Iterator[str]:
    kind = _placeholder(shape)
    if getattr(shape, "has_table", False):
        yield _table(shape.table)
    elif getattr(shape, "has_chart", False):
        yield chart_markdown(shape.chart._chartSpace)
    elif shape.has_text_frame and kind != PP_PLACEHOLDER.SLIDE_NUMBER:
        yield "\n\n".join(_paragraphs(shape._element, listed=kind in _LISTS))
    else:
        yield from (f"![{words}](picture)" for words in shape._element.xpath("./p:nvPicPr/p:cNvPr/@descr"))
        yield from _diagram(shape)


def _diagram(shape: Any) -> Iterator[str]:
    """Yield the words of a diagram (SmartArt), which stand in a part of their own."""
    for ids in shape._element.iter(f"{_DIAGRAM}relIds"):
        part = shape.part.related_part(ids.get(f"{_RELATION}dm"))
        tree = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
        for point in tree.iter(f"{_DIAGRAM}pt"):
            if point.get("type", "node") in {"node", "asst"}:
                yield from _paragraphs(point, listed=False)


def _table(table: Any) -> str:
    rows: list[list[str]] = []
    merged: list[Merged] = []
    for row in table.rows:
        cells = list(row.cells)
        for column, cell in enumerate(cells):
            if cell.is_merge_origin:
                top = len(rows)
                merged.append((top, column, top + cell.span_height - 1, column + cell.span_width - 1))
        rows.append(["" if cell.is_spanned else " ".join(_paragraphs(cell._tc, listed=False)) for cell in cells])
    return sheets_markdown([Sheet("", rows, merged)])[0]


def _paragraphs(element: etree._Element, *, listed: bool) -> list[str]:
    """Return the paragraphs of a shape, those with bullets as the items of one list."""
    blocks: list[str] = []
    is_item = False
    for paragraph in element.iter(f"{_DRAWING}p"):
        text = " ".join(_words(paragraph).split())
        if not text:
            continue
        about = paragraph.find(f"{_DRAWING}pPr")
        bullet = about is not None and next(about.iterchildren(*_BULLETS), None) is not None
        bare = about is not None and about.find(f"{_DRAWING}buNone") is not None
        follows, is_item = is_item, bullet or (listed and not bare)
        level = int(about.get("lvl", "0")) if about is not None else 0
        item = f"{'  ' * level}- {text}" if is_item else text
        if is_item and follows:
            blocks[-1] = f"{blocks[-1]}\n{item}"
        else:
            blocks.append(item.lstrip())
    return blocks


def _words(paragraph: etree._Element) -> str:
    """Return the words of a paragraph; those that are struck out are marked as in Markdown."""
    words = ""
    for run in paragraph:
        if run.tag == f"{_DRAWING}br":
            words += "\n"
        elif text := run.findtext(f"{_DRAWING}t"):
            about = run.find(f"{_DRAWING}rPr")
            struck = about is not None and about.get("strike") in _STRUCK and text.strip()
            words += f"~~{text}~~" if struck else text
    return words.replace("~~~~", "")
