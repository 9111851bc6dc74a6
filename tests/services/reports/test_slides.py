"""The deck: everything fits, it is moved through as people expect, and PowerPoint holds the same in its own objects."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from schemas.chart import Chart, Series
from schemas.document import Drawing
from schemas.reporter import Report
from services.reports.labels import labels_for
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from services.reports.slides.layout import MAX_ROWS
from services.reports.slides.slide_outline import MAX_SLIDES, MIN_FIGURES, outline
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
    title = sentence[: 95 if language == "en" else 38]
    markdown = f"# {title}\n{report.markdown.partition(chr(10))[2]}{more}"
    asked = {"title": title, "question": sentence + stop + sentence * 3}
    return report.model_copy(update={**asked, "document": None, "markdown": markdown})


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
      if (e.matches('.card, .table, td, h1, h2, .entries') && (e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2))
        bad.push(`${slide.id} ${e.tagName}.${e.className} holds too much: ${e.textContent.slice(0, 40)}`);
    }
    const boxes = [...slide.querySelectorAll(':scope > h1, :scope > h2, :scope > .subtitle, :scope > .by, :scope > .cards, :scope > .table, :scope > .plot, :scope > .cited')].map(e => e.getBoundingClientRect());
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


def test_no_line_breaks_within_a_date_or_a_range_on_a_slide() -> None:
    table = "| Era | Years |\n|---|---|\n| Since 2019-02-04 | 2000–2004 |"
    deck = render_deck(parse_report(english_from(f"# Depth\n\n## Eras\n\nIt was sounded in 2010–2014.\n\n{table}\n")))
    assert all(f'<span class="whole">{held}</span>' in deck for held in ("2019-02-04", "2000–2004", "2010–2014"))
