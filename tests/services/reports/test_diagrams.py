"""Diagrams: drawn once, shown in every format, harmless whatever a model wrote, and text where they cannot be drawn."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from schemas.reporter import Report
from services.reports.charts.diagrams import MAX_DIAGRAMS, MAX_SOURCE, can_draw, cleaned, with_pictures
from services.reports.document import ParsedReport
from services.reports.formats import render
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from tests.fakes.browser import Page, needs_chromium
from tests.services.reports.full import english_from
from tests.services.reports.test_html import quiet
from tests.services.reports.test_html_safety import SAFE
from tests.services.reports.test_slides import OUTSIDE
from tests.services.reports.vectors import VECTORS

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not can_draw(), reason="diagrams need the extra charts"),
]

DRAWN = {
    "flowchart": "flowchart TD\n  A[测量船放下测深索] --> B{水深超过4000米？}\n  B -- 是 --> C[钢琴线]",
    "graph": "graph LR; ping --> echo; echo --> depth",
    "timeline": "timeline\n  title Soundings\n  1875 : Challenger\n  1951 : Challenger II",
    "gantt": "gantt\n  dateFormat YYYY-MM-DD\n  section Field\n  Soundings :a1, 2010-01-01, 30d",
    "sequence": "sequenceDiagram\n  Ship->>Bottom: ping\n  Bottom-->>Ship: echo",
    "mindmap": "mindmap\n  root((Depth))\n    Wire\n    Sound",
}


def with_diagrams(*sources: str) -> Report:
    body = "\n\n".join(f"```mermaid\n{one}\n```" for one in sources)
    return english_from(f"# Soundings\n\n## How\n\nSo.\n\n{body}\n")


async def drawn(*sources: str) -> ParsedReport:
    return await with_pictures(parse_report(with_diagrams(*sources)))


async def test_the_kinds_that_reports_use_are_drawn_with_their_words() -> None:
    report = await drawn(*DRAWN.values())
    assert len(report.pictures) == len(DRAWN)
    assert report.pictures[DRAWN["graph"]].label == "ping; echo; depth"
    assert "水深超过4000米？" in report.pictures[DRAWN["flowchart"]].label
    assert await drawn(*DRAWN.values()) == report


async def test_a_diagram_is_a_picture_in_every_format() -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    source = DRAWN["graph"]
    files = await render(with_diagrams(source), ["html", "slides", "docx", "pptx"])
    page = files["report.html"].decode()
    assert re.search(r'<figure class="diagram">.{,120}<svg.*?>ping<.*?</svg>', page, re.DOTALL)
    assert "graph LR; ping --&gt; echo" in page
    assert ">echo<" in files["slides.html"].decode()
    for file, folder in (("report.docx", "word"), ("report.pptx", "ppt")):
        with zipfile.ZipFile(io.BytesIO(files[file])) as office:
            [picture] = [one for one in office.namelist() if one.startswith(f"{folder}/media/")]
            assert office.read(picture).startswith(b"\x89PNG")
            assert any(b"ping; echo; depth" in office.read(one) for one in office.namelist() if one.endswith(".xml"))


@pytest.mark.parametrize(
    "source",
    [
        "graph LR; this is --> [ no diagram",
        'pie\n  "mapped" : 24.9\n  "not mapped" : 75.1',
        "xychart-beta\n  x-axis [a, b]\n  bar [5, 6]",
        "",
        "graph LR; " + "a --> b; " * (MAX_SOURCE // 9),
    ],
    ids=["broken", "a pie", "a chart", "empty", "too long"],
)
async def test_what_cannot_or_may_not_be_drawn_stays_text(source: str) -> None:
    report = await drawn(source, DRAWN["graph"])
    assert list(report.pictures) == [DRAWN["graph"]]
    page = render_html(report, interactive=False)
    assert page.count("<svg") == 1
    assert page.count('<figure class="diagram">') == 2


async def test_only_so_many_are_drawn() -> None:
    report = await drawn(*(f"graph LR; a{place} --> b" for place in range(MAX_DIAGRAMS + 3)))
    assert len(report.pictures) == MAX_DIAGRAMS


def test_a_drawing_keeps_shapes_and_words_only() -> None:
    hostile = (
        '<svg viewBox="0 0 9 9" onload="alert(1)" style="background:url(//evil.example)" width="9" height="9">'
        '<style>*{fill:url(//evil.example)}</style><script>alert(1)</script><a href="javascript:alert(1)"><text x="1">go</text></a>'
        '<rect fill="url(https://evil.example/x)" width="4" onclick="alert(1)"/><image href="//evil.example/i.png"/>'
        '<foreignObject><img src="x" onerror="alert(1)"></foreignObject><use href="#x"/><animate onbegin="alert(1)"/>'
        '<path d="M0,0L9,9" fill="#0b5c77" transform="translate(1,2) rotate(3)"/></svg>'
    )
    clean = cleaned(hostile)
    assert not re.search(r"evil|alert|script|href|style|on\w+=|url|<a\b|foreign|image", clean)
    assert 'd="M0,0L9,9"' in clean
    assert 'transform="translate(1,2) rotate(3)"' in clean
    assert ">go</text>" in clean


@needs_chromium
@pytest.mark.parametrize("first", range(0, len(VECTORS), 24))
async def test_hostile_words_in_diagrams_stay_words(page: Page, tmp_path: Path, first: int) -> None:
    labels = [one.replace("\n", " ").replace('"', "#quot;") for one in VECTORS[first : first + 12]]
    lines = [one.replace("\n", " ") for one in VECTORS[first + 12 : first + 24]]
    report = await drawn(
        *(f'graph LR; a["{one}"] -- "{one}" --> b["ok"]\nclick a "{one}"' for one in labels),
        *(f"timeline\n  title {one}\n  1875 : {one}" for one in lines),
    )
    assert len(report.pictures) >= len(labels) // 2, "most of them are diagrams, if odd ones"
    for name, made in (("report.html", render_html(report)), ("slides.html", render_deck(report))):
        place = tmp_path / name
        place.write_text(made, "utf-8")
        page.open(place)
        assert quiet(page), (page.logged[:5], page.asked, page.dialogs)
        assert page.evaluate(SAFE) == []


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
async def test_diagrams_stay_inside_their_slides_and_pages(page: Page, tmp_path: Path, dark: bool) -> None:
    report = await drawn(*DRAWN.values())
    (tmp_path / "slides.html").write_text(render_deck(report), "utf-8")
    page.open(tmp_path / "slides.html", width=1280, height=720, dark=dark)
    assert page.evaluate("document.querySelectorAll('.slide.diagram svg').length") == len(DRAWN)
    assert page.evaluate(OUTSIDE) == []
    (tmp_path / "report.html").write_text(render_html(report), "utf-8")
    page.open(tmp_path / "report.html", width=390, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    unread = """[...document.querySelectorAll('figure.diagram svg text')].filter(e => {
      const [ink, paper] = [getComputedStyle(e).fill, getComputedStyle(document.body).backgroundColor];
      return ink === paper || !e.getBoundingClientRect().width; }).length"""
    assert page.evaluate(unread) == 0
