"""Pictures of a report's diagrams: drawn by a confined process, and sanitised before they are shown."""

import asyncio
import base64
import html
import re
import time
from dataclasses import replace

import nh3
from markupsafe import Markup
from pydantic import BaseModel, TypeAdapter

from schemas.document import Code
from services.reports.document import ParsedReport, Picture, walk
from services.run.installation import is_installed
from services.sandbox.workers import Workers

MAX_DIAGRAMS = 24
"""Maximum diagrams of a report that are drawn; further or longer ones stay text."""
MAX_SOURCE = 20_000
"""Maximum characters of a diagram that is drawn."""
KINDS = frozenset(
    "flowchart sequence state class er gantt timeline mindmap journey gitGraph block kanban requirement".split()
)
"""Kinds that are drawn. Kinds with quantities stay text: charts are drawn only from checked numbers."""
MAX_SVG = 400_000
"""Maximum characters of a picture."""
TIMEOUT = 120
"""Maximum seconds for drawing all diagrams."""
_PNG = b"\x89PNG\r\n\x1a\n"
_TAGS = set("svg g path rect circle ellipse line polygon polyline text tspan".split())
_ATTRIBUTES = set(
    "viewBox width height x y x1 x2 y1 y2 cx cy r rx ry d points transform fill fill-opacity stroke stroke-width "
    "stroke-linecap stroke-linejoin stroke-dasharray text-anchor font-size font-weight font-style".split()
)
_VALUE = re.compile(r"[-+\w.,#%\s]*|(?:(?:translate|rotate|scale)\([-\d.,\s]*\)\s*)+")
"""Attribute values of numbers, names and colours, without references."""
_TEXT = re.compile(r"<text\b[^<>]*>((?:(?!<text\b).)*?)</text>", re.DOTALL)
_MARKUP = re.compile(r"<[^<>]*>")


class _Drawn(BaseModel):
    kind: str = ""
    svg: str = ""
    width: float = 0
    height: float = 0
    png: str = ""
    error: str = ""


def can_draw() -> bool:
    """Tell whether the drawing library is installed. Blocking."""
    return is_installed("mermaid_render")


async def with_pictures(report: ParsedReport, *, png: bool = False) -> ParsedReport:
    """Return a report with pictures of its diagrams, also as PNG if asked for; a diagram that cannot be drawn stays text."""
    sources = dict.fromkeys(block.text for block in walk(report) if isinstance(block, Code) and block.is_diagram)
    drawable = [source for source in sources if len(source) <= MAX_SOURCE][:MAX_DIAGRAMS]
    if not drawable or not await asyncio.to_thread(can_draw):
        return report
    pictures: dict[str, Picture] = {}
    end = time.monotonic() + TIMEOUT
    async with Workers("services.reports.charts.mermaid", TypeAdapter(_Drawn)) as workers:
        for source in drawable:
            drawn = await workers.run({"png": png}, source.encode("utf-8", "replace"), end - time.monotonic())
            picture = _picture(drawn) if drawn is not None else None
            if picture is not None and (picture.png or not png):
                pictures[source] = picture
    return replace(report, pictures=pictures)


def _picture(drawn: _Drawn) -> Picture | None:
    if drawn.kind not in KINDS or not 0 < len(drawn.svg) <= MAX_SVG or drawn.width < 1 or drawn.height < 1:
        return None
    svg = cleaned(drawn.svg)
    if not svg.startswith("<svg"):
        return None
    texts = [" ".join(html.unescape(_MARKUP.sub(" ", text)).split()) for text in _TEXT.findall(svg)]
    png = base64.b64decode(drawn.png)
    return Picture(
        svg=svg,
        width=drawn.width,
        height=drawn.height,
        label="; ".join(dict.fromkeys(filter(None, texts)))[:400],
        png=png if png.startswith(_PNG) else b"",
    )


def cleaned(svg: str) -> Markup:
    """Return a drawing reduced to plain shapes and texts: no scripts, styles, links, references, images or foreign elements."""
    clean = nh3.clean(
        svg,
        tags=_TAGS,
        attributes={"*": _ATTRIBUTES},
        attribute_filter=lambda _, __, value: value if _VALUE.fullmatch(value) else None,
    )
    still = clean.strip().replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
    return Markup(still)  # noqa: S704 - sanitised just before
