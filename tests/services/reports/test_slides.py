"""The deck: everything fits, it is moved through as people expect, and PowerPoint holds the same in its own objects."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from schemas.chart import Chart, Series
from schemas.deck import DeckCard, DeckPage
from schemas.document import Drawing
from schemas.reporter import Report
from schemas.reporter_slides import SlideCard, SlidePage, Slides
from services.reports.bundle_files import read_report
from services.reports.document import words
from services.reports.labels import labels_for
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from services.reports.slides.draft import DeckProof, material_of, settle_deck
from services.reports.slides.layout import MAX_ROWS
from services.reports.slides.slide_outline import MAX_SLIDES, MIN_FIGURES, outline
from tests.conftest import PROJECT
from tests.fakes.browser import Page, needs_chromium
from tests.services.reports.conftest import in_browser
from tests.services.reports.full import chinese, english, english_from
from tests.services.reports.test_html import quiet
from tests.services.reports.vectors import VECTORS, hostile_report


def overfull(language: str) -> Report:
    """Return a report with far more on each page than a slide can hold."""
    report = english() if language == "en" else chinese()
    sentence = (
        "The survey, which took eleven weeks and three ships, none of them new, found that the depth varies with the season"
        if language == "en"
        else "这次测量历时十一周，动用了三艘船，没有一艘是新的，结果发现深度随季节变化，而且每次测量的结果都略有不同"
    )
    stop = ". " if language == "en" else "。"
    long = (sentence + stop) * 12
    cell = sentence[: 90 if language == "en" else 40]
    rows = "\n".join(f"| {place} | {cell} | {cell} | {'x' * 70} |" for place in range(30))
    code = "\n".join(f"    step_{place} --> step_{place + 1}" for place in range(60))
    more = (
        f"\n\n## {sentence}, {sentence}\n\n{long}\n\n{long.replace(stop, ', ')}\n\n{'W' * 900}\n\n"
        f"| a | b | c | d |\n|---|---|---|---|\n{rows}\n\n```mermaid\n{code}\n```\n\n"
        + "\n".join(f"- {sentence} {place}" for place in range(23))
        + "".join(f"\n\n## Part {place}: {sentence}\n\n{sentence}." for place in range(25))
    )
    return report.model_copy(update={"document": None, "markdown": report.markdown + more})


OUTSIDE = """
(() => {
  const bad = [];
  document.querySelectorAll('.slide').forEach(one => { one.classList.add('now'); one.style.display = 'flex'; });
  for (const slide of document.querySelectorAll('.slide')) {
    const frame = slide.getBoundingClientRect();
    for (const e of slide.querySelectorAll('*:not(.notes, .notes *, math *, canvas, svg *)')) {
      const b = e.getBoundingClientRect();
      if (b.width && (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1))
        bad.push(`${slide.id} ${e.tagName}.${e.className} ${e.textContent.slice(0, 40)} ${Math.round(b.bottom - frame.bottom)}`);
      if (e.matches('.card, .table, td, h1, h2, .entries, .subtitle') && (e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2))
        bad.push(`${slide.id} ${e.tagName}.${e.className} holds too much: ${e.textContent.slice(0, 40)}`);
    }
    const boxes = [...slide.querySelectorAll(':scope > h2, :scope > .cards, :scope > .table, :scope > .plot, :scope > .cited')].map(e => e.getBoundingClientRect());
    for (let at = 1; at < boxes.length; at++) if (boxes[at].top < boxes[at - 1].bottom - 1) bad.push(`${slide.id} overlaps`);
  }
  return bad;
})()
"""


def opened(page: Page, report: Report, folder: Path) -> Page:
    place = folder / "slides.html"
    place.write_text(render_deck(parse_report(report)), "utf-8")
    page.open(place, width=1280, height=720)
    return page


@needs_chromium
@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_stands_outside_its_box(page: Page, tmp_path: Path, language: str) -> None:
    opened(page, overfull(language), tmp_path)
    assert page.evaluate(OUTSIDE) == []
    assert quiet(page), (page.logged, page.asked)


OVERPRINTED = """
(() => {
  const bad = [];
  for (const slide of document.querySelectorAll('.slide')) {
    slide.classList.add('now');
    slide.style.display = 'flex';
    const boxes = [...slide.children].filter(e => !e.matches('.notes')).map(e => e.getBoundingClientRect());
    for (let at = 1; at < boxes.length; at++) if (boxes[at].top < boxes[at - 1].bottom - 1) bad.push(slide.id);
  }
  return bad;
})()
"""


@in_browser
@pytest.mark.parametrize(("width", "height"), [(900, 1200), (320, 560)])
def test_nothing_is_printed_over_something_else_in_a_tall_window(
    page: Page, tmp_path: Path, width: int, height: int
) -> None:
    opened(page, overfull("en"), tmp_path)
    page.open(tmp_path / "slides.html", width=width, height=height)
    assert page.evaluate(OVERPRINTED) == []


@in_browser
def test_keys_and_buttons_move_and_playing_ends_at_the_end(page: Page, tmp_path: Path) -> None:
    opened(page, english(), tmp_path)
    count = page.evaluate("document.querySelectorAll('.slide').length")
    now = "document.querySelector('.slide.now').id"
    assert page.evaluate(now) == "slide-1"
    page.press("ArrowRight", 39)
    assert page.evaluate(now) == "slide-2"
    page.evaluate("document.getElementById('back').click()")
    assert page.evaluate(now) == "slide-1"
    page.press("End", 35)
    assert page.evaluate(now) == f"slide-{count}"
    page.press("ArrowRight", 39)
    assert page.evaluate(now) == f"slide-{count}"
    assert page.evaluate("document.getElementById('bar').getBoundingClientRect().width") == 1280
    page.press("Home", 36)
    page.evaluate(
        "(() => { const later = setInterval; window.setInterval = f => later(f, 5); document.getElementById('play').click(); })()"
    )
    page.evaluate("new Promise(done => setTimeout(done, 1500))")
    assert page.evaluate(now) == f"slide-{count}"
    assert page.evaluate("document.getElementById('play').textContent") == "▶"


@in_browser
@pytest.mark.parametrize("first", range(0, len(VECTORS), 30))
def test_hostile_text_stays_text_on_slides(page: Page, tmp_path: Path, first: int) -> None:
    opened(page, hostile_report(VECTORS[first : first + 30]), tmp_path)
    for _ in range(5):
        page.press("ArrowRight", 39)
    assert quiet(page), (page.logged[:5], page.asked, page.dialogs)
    assert (
        page.evaluate("document.querySelectorAll('img, iframe, object, embed, link, base, [onerror], [onload]').length")
        == 0
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_deck_of_a_long_report_has_a_cover_few_cards_an_end_and_no_more_slides_than_are_watched(
    language: str,
) -> None:
    slides = outline(parse_report(overfull(language)))
    kinds = [slide.kind for slide in slides]
    assert kinds[0] == "cover"
    summary = labels_for(parse_report(overfull(language)).locale).summary
    assert summary in [slide.title.partition(" (")[0] for slide in slides[:3]]
    assert kinds[-1] == "end"
    assert {"cards", "table", "chart"} <= set(kinds)
    assert max(len(slide.cards) for slide in slides) <= MAX_ROWS
    assert len(slides) <= MAX_SLIDES + MIN_FIGURES


def decked(language: str) -> Report:
    """Return a report with a deck that a model wrote: cards as long as they may be, a table, an inference."""
    report = english() if language == "en" else chinese()
    ids = [excerpt.id for excerpt in report.excerpts[:3]]
    title, sentence = {
        "en": (
            "Sound measures the deepest places better than any rope",
            "Wire and sound took the place of hemp rope in deep water ",
        ),
        "zh": ("声波测量最深处比任何绳索都准确", "钢丝与声波取代了麻绳"),
    }[language]
    text = (sentence * 20)[:160]
    cards = [DeckCard(text=f"{place} {text}", citations=ids, inferred=place == 3) for place in range(4)]
    sections = len(parse_report(report).body)
    pages = [
        DeckPage(section=place, title=f"{title} {place}", cards=cards, figure=place == 3)
        for place in range(1, sections)
    ]
    beyond = DeckPage(section=99, title="Nowhere", cards=cards)
    return report.model_copy(update={"deck": [*pages, beyond]})


@in_browser
@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_that_a_model_wrote_fit_and_cite_as_the_report_does(page: Page, tmp_path: Path, language: str) -> None:
    report = decked(language)
    titles = [page.title for page in report.deck[:-1]]
    opened(page, report, tmp_path)
    assert page.evaluate(OUTSIDE) == []
    slides = outline(parse_report(report))
    shown = [slide for slide in slides if slide.cards and slide.title.split(" (")[0] in titles]
    assert sum(len(slide.cards) for slide in shown) == 4 * (len(report.deck) - 1)
    assert all(len(slide.cards) <= MAX_ROWS for slide in shown)
    numbers = {source.content_hash: source.number for source in report.sources}
    cited = {numbers[excerpt.content_hash] for excerpt in report.excerpts[:3]}
    assert {number for slide in shown for card in slide.cards for number in card.numbers} <= cited
    assert any(card.mark and card.mark.status == "inferred" for slide in shown for card in slide.cards)
    assert any("[" in note for slide in shown for note in slide.notes)
    assert next(slide.title for slide in slides if slide.kind == "table").split(" (")[0] == titles[2]
    assert sum(slide.kind == "chart" for slide in slides) == 2, "a figure that no page names is shown all the same"
    assert "Nowhere" not in [slide.title for slide in slides]


def test_a_page_shows_a_figure_that_proves_its_title_and_a_card_shows_the_number_that_it_names() -> None:
    report = english()
    parsed = parse_report(report)
    material = material_of(parsed)
    assert "Ship: Vityaz; Year: 1957; Metres: 11,034" in [one.text for one in material.statements.values()]
    [drawn] = [figure for section in material.sections for figure in section.figures if figure.number == 2]
    assert "11034" in drawn.shows
    row = next(number for number, one in material.statements.items() if one.is_row and "Vityaz" in one.text)
    cards = [
        SlideCard(text="The Vityaz reported 11,034 metres in 1957", statements=[row], value="11,034 metres"),
        SlideCard(text="The Vityaz sounded in 1957", statements=[row], value="12,000 metres"),
        SlideCard(text="The Vityaz found 99 wrecks", statements=[row]),
    ]
    titles = ["The Vityaz reported 11,034 metres", "The Vityaz reported 99 metres"]
    for title, shown in zip(titles, (titles[0], "Measurements compared"), strict=True):
        pages = [SlidePage(section=3, title=title, figure=2), SlidePage(section=3, title=titles[0], cards=cards)]
        proof = DeckProof(report)
        first, second = settle_deck(Slides(pages=pages), material, parsed, proof)
        assert (first.title, first.figure) == (shown, 2)
        assert [card.value for card in second.cards] == ["11,034 metres", ""]
        assert proof.failed == 1, "a row is no text for a card"


@pytest.mark.parametrize(
    ("section", "title", "is_shown"),
    [
        (9, "Sonar and pressure do not agree within their stated uncertainties", True),
        (1, "Four ships, a bathyscaphe and pressure sensors gave six figures", True),
        (9, "Sonar and pressure lie 7,777 metres apart", False),
        (9, "Wreck hunters sailed home content", False),
    ],
)
def test_statements_of_a_section_give_a_title_words_and_counts_that_its_sources_lack(
    section: int, title: str, is_shown: bool
) -> None:
    report = read_report(PROJECT / "examples" / "demo" / "challenger-deep")
    parsed = parse_report(report)
    material = material_of(parsed)
    page = next(page for page in report.deck if page.section == section and page.figure)
    number = next(number for number, one in material.statements.items() if [*one.excerpts] == page.cards[0].citations)
    cards = [SlideCard(text=page.cards[0].text, statements=[number])]
    written = SlidePage(section=section, title=title, cards=cards, figure=page.figure)
    [settled] = settle_deck(Slides(pages=[written]), material, parsed, DeckProof(report))
    assert settled.title == (title if is_shown else words(parsed.body[section - 1].title))


def test_a_deck_of_a_model_shows_the_code_that_a_page_names_and_other_code_in_its_notes() -> None:
    code = "```toml\n[lead]\n# of iron\n```\n\n†\n\n1. Sound:\n\n    ```sh\n    ping --wait\n    ```\n\n```mermaid\n"
    report = english_from(english().markdown.replace("```mermaid\n", code))
    shown = [figure for section in material_of(parse_report(report)).sections for figure in section.figures]
    assert [(one.number, one.shows) for one in shown if one.kind == "code"] == [
        (4, "[lead]\n# of iron"),
        (5, "ping --wait"),
    ]
    card = DeckCard(text="A lead is of iron", citations=[report.excerpts[0].id])
    pages = [DeckPage(section=4, title="Leads are of iron", cards=[card], figure=4)]
    slides = outline(parse_report(report.model_copy(update={"deck": pages})))
    [named] = [slide for slide in slides if slide.title == "Leads are of iron"]
    assert [(card.text, card.mark is not None) for card in named.cards] == [
        ("A lead is of iron", False),
        ("[lead]\n# of iron", True),
    ]
    assert "ping --wait" in [note for slide in slides for note in slide.notes]


OVERLAPPING = """
(() => {
  const bad = [];
  const pen = document.createElement('canvas').getContext('2d');
  for (const plot of document.querySelectorAll('.plot')) {
    const texts = echarts.getInstanceByDom(plot).getZr().storage.getDisplayList(true).filter(e => e.type === 'tspan' && !e.invisible).map(e => {
      const { text, x, y, font, textAlign } = e.style;
      pen.font = font;
      const wide = pen.measureText(text).width;
      const [left, top] = [e.transform?.[4] ?? 0, e.transform?.[5] ?? 0];
      const start = left + x - wide * ({ right: 1, center: 0.5 }[textAlign] ?? 0);
      return { text, left: start, right: start + wide, middle: top + y, high: parseFloat(font.match(/([\\d.]+)px/)[1]) };
    });
    if (!texts.length) bad.push('nothing drawn');
    const { xAxis = [], yAxis = [] } = echarts.getInstanceByDom(plot).getOption();
    const drawn = texts.map(one => one.text).join('').replace(/\\s/g, '');
    for (const name of [...xAxis, ...yAxis].flatMap(axis => axis.data ?? []))
      if (!drawn.includes(String(name).replace(/\\s/g, ''))) bad.push(`missing: ${name}`);
    texts.forEach((one, at) => {
      if (one.left < -1 || one.right > plot.clientWidth + 1) bad.push(`outside: ${one.text} ${one.left} to ${one.right} of ${plot.clientWidth}`);
      for (const other of texts.slice(at + 1))
        if (one.left < other.right && other.left < one.right && Math.abs(one.middle - other.middle) < one.high - 2)
          bad.push(`${one.text} over ${other.text}`);
    });
  }
  return bad;
})()
"""


def measured(kind: Literal["bar", "line", "pie"], unit: str, categories: list[str], *values: list[float]) -> Chart:
    names = [f"measured by {number}" if len(values) > 1 else "" for number in range(1, len(values) + 1)]
    series = [Series(name=name, values=each) for name, each in zip(names, values, strict=True)]
    return Chart(type=kind, title=f"{kind} {unit}", unit=unit, categories=categories, series=series, sources=["E1-1"])


@in_browser
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_texts_of_charts_neither_overlap_nor_leave_the_chart(
    page: Page, tmp_path: Path, width: int, height: int
) -> None:
    years = ["1951", "1957", "1960", "1984"]
    names = ["The second HMS Challenger and her crew", "The Soviet ship Vityaz", "Trieste: Piccard and Walsh"]
    parts = ["North Atlantic", "South Pacific", "Indian Ocean", "Arctic"]
    charts = [
        measured("bar", "m", years, [-121, 50, -68, -60], [-72, 99, -19, -11]),
        measured("bar", "metres", years, [10863, 11034, 10916, 10924], [10880, 11022, 10911, 10935]),
        measured("bar", "km", parts, [6123, 7201, 5320, 1200], [6150, 7230, 5350, 1210], [6190, 7290, 5390, 1250]),
        measured("bar", "fathoms", names, [5940.25, 6033.5, 5968]),
        measured("bar", "feet", names, [10863, -15034, 10916], [10880, -11022, 10911]),
        measured(
            "bar", "share", [f"202{n}: {n + 2} threads on a processor" for n in range(7)], [5, 6, 7, 8, 3, 10, 15]
        ),
        measured("line", "m", years, [10863, 11034, 10916, 10924], [10880, 11022, 10911, 10935]),
        measured("pie", "%", parts, [46.2, 22.4, 19.5, 11.9]),
    ]
    report = parse_report(english())
    sections = [replace(report.body[0], anchor=chart.title, blocks=(Drawing(chart, ()),)) for chart in charts]
    place = tmp_path / "slides.html"
    place.write_text(render_deck(replace(report, sections=tuple(sections))), "utf-8")
    page.open(place, width=width, height=height)
    for _ in range(page.evaluate("document.querySelectorAll('.slide').length")):
        page.evaluate("document.getElementById('next').click()")
    page.evaluate("document.querySelectorAll('.slide').forEach(one => { one.style.display = 'flex'; })")
    assert page.evaluate("document.querySelectorAll('.plot canvas').length") == len(charts)
    overlapping = page.evaluate(OVERLAPPING)
    assert not overlapping, "; ".join(overlapping)


@in_browser
def test_on_paper_every_slide_shows_its_chart(page: Page, tmp_path: Path) -> None:
    deck = opened(page, english(), tmp_path)
    deck.evaluate("dispatchEvent(new Event('beforeprint'))")
    drawn = deck.evaluate(
        "[...document.querySelectorAll('.plot')].map(e => e.querySelector('canvas, svg')?.clientWidth ?? 0)"
    )
    assert drawn
    assert min(drawn) > 500
    deck.evaluate("dispatchEvent(new Event('afterprint'))")
    assert deck.evaluate("[...document.querySelectorAll('.slide')].filter(e => e.checkVisibility()).length") == 1


@in_browser
@pytest.mark.parametrize(("repeated", "together"), [(1, True), (60, False)])
def test_a_card_stands_above_the_table_of_its_page_where_both_fit(
    page: Page, tmp_path: Path, repeated: int, together: bool
) -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    from services.reports.slides.pptx import render_pptx

    report = english()
    cards = [DeckCard(text=f"All agree {'roughly ' * repeated}", citations=[report.excerpts[0].id])] * 2
    paged = report.model_copy(update={"deck": [DeckPage(section=3, title="Agreement", cards=cards, figure=1)]})
    slides = [slide for slide in outline(parse_report(paged)) if slide.title.startswith("Agreement")]
    assert [bool(slide.cards) for slide in slides if slide.kind == "table"] == [together]
    assert sum(len(slide.cards) for slide in slides) == 2
    opened(page, paged, tmp_path)
    assert page.evaluate(OUTSIDE) == []
    assert render_pptx(parse_report(paged))
