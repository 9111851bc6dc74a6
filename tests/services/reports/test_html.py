"""The page in a real browser: it reads, works and stays inside its box, and nothing hostile runs, loads or pops up."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from schemas.evidence import Status
from schemas.reporter import Report
from services.reports.charts.echarts import echarts_script
from services.reports.html.page import notebook_html, render_html
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from tests.fakes.browser import Page
from tests.services.reports.conftest import in_browser
from tests.services.reports.full import ARABIC, chinese, english, english_from
from tests.services.reports.states import REASONS, stated


def shown(
    page: Page, report: Report, folder: Path, *, interactive: bool = True, width: int = 1280, dark: bool = False
) -> Page:
    place = folder / "report.html"
    place.write_text(render_html(parse_report(report), interactive=interactive), "utf-8")
    page.open(place, width=width, dark=dark)
    return page


def quiet(page: Page) -> bool:
    return not page.logged and not page.asked and not page.dialogs


@in_browser
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_a_citation_opens_its_quote_from_below_and_leads_back(
    page: Page, tmp_path: Path, language: str, dark: bool
) -> None:
    shown(page, english() if language == "en" else chinese(), tmp_path, width=390, dark=dark)
    mark = "document.querySelectorAll('.cite .mark')[3]"
    page.evaluate(f"{mark}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    before = page.evaluate("scrollY")
    area = page.evaluate(f"(s => [parseFloat(s.width), parseFloat(s.height)])(getComputedStyle({mark}, '::after'))")
    assert min(area) >= 44
    page.click(mark)
    tip = "document.querySelector('.cite.open .tip')"
    box = page.evaluate(f"{tip}.getBoundingClientRect().toJSON()")
    assert (box["left"], box["right"], box["bottom"]) == (0, page.evaluate("document.documentElement.clientWidth"), 900)
    assert page.evaluate(f"{tip}.closest('.cite').querySelector('.mark') === {mark}")
    assert page.evaluate(
        f"{tip}.querySelector('q').textContent.length > 10 && {tip}.querySelector('cite').textContent.length > 0"
    )
    assert page.evaluate("scrollY") == before
    assert page.evaluate("location.hash") == ""
    heights = page.evaluate(f"[...{tip}.querySelectorAll('.ways > *')].map(way => way.offsetHeight)")
    assert len(heights) == 2
    assert min(heights) >= 44
    page.click(f"{tip}.querySelector('button')")
    assert page.evaluate(f"{tip} === null && document.activeElement === {mark}")
    assert page.evaluate("scrollY") == before
    assert page.evaluate(f"getComputedStyle({mark}.closest('.cite').querySelector('.ways')).display") == "none"
    page.click(mark)
    page.click(f"{tip}.querySelector('.ways a')")
    page.wait("location.hash.startsWith('#ref-')")
    assert page.evaluate(f"{tip} === null")
    assert quiet(page)


@in_browser
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_that_is_read_from_the_right_is_as_wide_as_the_window(page: Page, tmp_path: Path, width: int) -> None:
    shown(page, english_from(ARABIC, locale="ar"), tmp_path, width=width)
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_browser
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_report_shows_everything_inside_the_window_and_asks_for_nothing(
    page: Page, tmp_path: Path, language: str, width: int
) -> None:
    report = english() if language == "en" else chinese()
    shown(page, report, tmp_path, width=width)
    assert quiet(page), (page.logged, page.asked)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.lang").startswith(language)
    assert page.evaluate("document.querySelectorAll('.card').length") == 2
    assert page.evaluate("document.querySelectorAll('.said.unverified + .why .mark').length") == 2
    assert page.evaluate("document.querySelectorAll('.side').length") == 2
    assert page.evaluate("document.querySelectorAll('math mfrac').length") >= 2
    assert page.evaluate("document.querySelectorAll('.references > li').length") == 6


@in_browser
def test_headings_go_down_by_one_and_ids_are_unique_and_all_links_in_the_page_lead_somewhere(
    page: Page, tmp_path: Path
) -> None:
    shown(page, english(), tmp_path)
    levels = page.evaluate("[...document.querySelectorAll('main h1, main h2, main h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.evaluate(
        "[...document.querySelectorAll('[id]')].length === new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size"
    )
    assert page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].every(a => document.getElementById(decodeURIComponent(a.hash.slice(1))))"
    )
    assert page.evaluate("[...document.querySelectorAll('a[target]')].every(a => a.rel === 'noopener noreferrer')")
    assert page.evaluate("['main', 'nav', 'footer', 'header'].every(one => document.querySelector(one))")


def test_columns_of_numbers_stand_to_the_right_and_quotes_show_no_markup() -> None:
    table = "| ship | depth |\n|---|---|\n| Meteor | 8,184 |\n| Challenger | 10,863 m |"
    report = Report(title="Depths", question="How deep?", markdown=f"# Depths\n\n{table}\n")
    html = render_html(parse_report(report))
    assert '<th scope="col">ship</th><th scope="col" class="align-right">depth</th>' in html
    assert '<td>Meteor</td><td class="align-right">8,184</td>' in html
    first, *others = english().excerpts
    noted = first.model_copy(update={"quote": f"- **Note**: {first.quote}"})
    marked = render_html(parse_report(english().model_copy(update={"excerpts": [noted, *others]})))
    assert f'<blockquote data-quote="- **Note**: {first.quote}">Note: {first.quote}</blockquote>' in marked


@in_browser
def test_the_search_counts_what_it_finds(page: Page, tmp_path: Path) -> None:
    shown(page, english(), tmp_path)
    page.evaluate(
        "(() => { const i = document.getElementById('search'); i.value = 'vityaz'; i.dispatchEvent(new Event('input')); })()"
    )
    found = int(re.sub(r"\D", "", page.evaluate("document.getElementById('found').textContent")))
    assert found == page.evaluate("CSS.highlights.get('found').size")
    assert found >= 3


@in_browser
def test_charts_are_drawn_by_echarts_where_it_is_installed_and_else_as_svg(page: Page, tmp_path: Path) -> None:
    if not echarts_script():
        pytest.skip("ECharts is not installed (extra: charts)")
    shown(page, english(), tmp_path)
    assert page.evaluate("document.querySelectorAll('.plot canvas').length") == 2
    drawn = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v)"
    assert page.evaluate(f"[...document.querySelectorAll('.plot canvas')].every({drawn})")
    pytest.importorskip("vl_convert", reason="charts as SVG need the extra charts")
    shown(page, english(), tmp_path, interactive=False)
    assert page.evaluate("document.querySelectorAll('.plot svg').length") == 2
    assert page.evaluate("document.querySelectorAll('.chart table td').length") == 12
    assert quiet(page), (page.logged, page.asked)


@in_browser
def test_a_notebook_s_frame_works_and_its_links_stay_in_it(page: Page, tmp_path: Path) -> None:
    place = tmp_path / "notebook.html"
    place.write_text(f"<!doctype html><meta charset=utf-8><title>n</title>{notebook_html(english())}", "utf-8")
    page.open(place)
    page.evaluate("new Promise(done => setTimeout(done, 300))")
    page.screenshot(tmp_path / "before.png")
    for kind in ("mousePressed", "mouseReleased"):  # on “References” in the contents
        page.call("Input.dispatchMouseEvent", type=kind, x=110, y=345, button="left", clickCount=1)
    page.evaluate("new Promise(done => setTimeout(done, 900))")
    page.screenshot(tmp_path / "after.png")
    assert (tmp_path / "before.png").read_bytes() != (tmp_path / "after.png").read_bytes()
    assert page.logged == []
    assert [one for one in page.asked if not one.startswith("about:")] == []


CONTRAST = """
(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
  const poor = [];
  for (const e of document.querySelectorAll('main *, nav *, footer *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility() || e.closest('svg, .sr, .link')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.push(e.outerHTML.slice(0, 80));
  }
  return poor;
})()
"""


@in_browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("report", [english(), stated("zh-CN")], ids=["full", "states-zh"])
def test_every_word_has_enough_contrast_inside_the_window(
    page: Page, tmp_path: Path, report: Report, dark: bool
) -> None:
    shown(page, report, tmp_path, width=360, dark=dark)
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert quiet(page), (page.logged, page.asked)


@in_browser
def test_a_table_cuts_no_quote_off(page: Page, tmp_path: Path) -> None:
    shown(page, english(), tmp_path)
    marks = page.evaluate("document.querySelectorAll('table .cite .mark').length")
    assert marks > 1
    scrolled = "[...document.querySelectorAll('.scroll')].map(box => [box.scrollWidth, box.scrollHeight])"
    before = page.evaluate(scrolled)
    for place in range(marks):
        page.hover(f"document.querySelectorAll('table .cite .mark')[{place}]")
        seen = """(tip => {
          const [box, cite] = [tip, tip.closest('.cite')].map(one => one.getBoundingClientRect());
          const corners = [[box.left, box.top], [box.right, box.top], [box.left, box.bottom], [box.right, box.bottom]];
          const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
          const whole = corners.every(([left, top]) => tip.contains(document.elementFromPoint(left + 20 * Math.sign(x - left), top + 9 * Math.sign(y - top))));
          return [whole, Math.abs(box.bottom - cite.top) < 2 && box.left <= cite.left && cite.left < box.right];
        })(document.querySelector('.cite:hover .tip'))"""
        assert page.evaluate(seen) == [True, True]
        assert page.evaluate(scrolled) == before
    assert quiet(page)


@in_browser
@pytest.mark.parametrize("status", ["inferred", "unverified"])
def test_the_reason_of_a_marked_statement_opens_at_a_hover_by_key_and_at_a_tap(
    page: Page, tmp_path: Path, status: Status
) -> None:
    shown(page, stated("en-US"), tmp_path)
    said, why = (
        f"document.querySelector('li > .said.{status}')",
        f"document.querySelector('li > .said.{status} + .why')",
    )
    style = page.evaluate(f"(s => [s.textDecorationLine, s.textDecorationThickness])(getComputedStyle({said}))")
    assert style == ["underline", "1px"]
    visible = f"getComputedStyle({why}.querySelector('.tip')).display"
    assert page.evaluate(visible) == "none"
    page.hover(said)
    assert page.evaluate(visible) == "block"
    assert REASONS["en-US"][status] in page.evaluate(f"{why}.querySelector('.tip').textContent")
    page.press("Escape", 27)
    assert page.evaluate(visible) == "none"
    page.evaluate(f"{why}.querySelector('.mark').focus()")
    page.hover("document.querySelector('h1')")
    assert page.evaluate(visible) == "block"
    shown(page, stated("en-US"), tmp_path, width=390)
    area = page.evaluate(
        f"(s => [s.width, s.height].map(parseFloat))(getComputedStyle({why}.querySelector('.mark'), '::after'))"
    )
    assert min(area) >= 44
    page.click(said)
    assert page.evaluate(f"{why}.querySelector('.tip').getBoundingClientRect().bottom === innerHeight")
    page.click(f"{why}.querySelector('.ways a')")
    page.wait("location.hash === '#' + document.querySelector('.limits h2').id")
    assert quiet(page)


@pytest.mark.parametrize(
    ("title", "direction"),
    [
        ("متى افتتحت قناة السويس؟", "rtl"),
        ("מתי נפתח הנמל בתל אביב (Tel Aviv)?", "rtl"),
        ("When did the port open?", "ltr"),
        ("港口何时开放？", "ltr"),
    ],
)
def test_a_report_is_set_in_the_direction_of_its_language(title: str, direction: str) -> None:
    parsed = parse_report(english_from(f"# {title}\n\nIt is deep.\n", title=title))
    for page in (render_html(parsed), render_deck(parsed)):
        assert f'dir="{direction}">' in page


@in_browser
def test_no_line_breaks_within_a_flag_a_date_or_a_range_and_a_quote_keeps_the_lines_of_its_code(
    page: Page, tmp_path: Path
) -> None:
    quote = "Write:\n\n```toml\n# a lead\n[lead]\n```"
    written = "`--update-rust-version` " * 6 + "2018-06-28 2000–2004 " * 9
    report = english_from(english().markdown.replace("## Evidence", f"{written}\n\n## Evidence"))
    quoting = [excerpt.model_copy(update={"quote": quote}) for excerpt in report.excerpts]
    shown(page, report.model_copy(update={"excerpts": quoting}), tmp_path, width=390)
    assert page.evaluate("[...document.querySelectorAll('.whole')].map(one => one.getClientRects().length)") == [1] * 24
    quoted = ".references blockquote"
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate(f"document.querySelector('{quoted}').innerText") == "Write:\n# a lead\n[lead]"
    assert page.evaluate(
        f"document.querySelector('{quoted}').innerText === document.querySelector('.tip q').textContent"
    )


def test_tasks_have_boxes_in_the_place_of_bullets() -> None:
    html = render_html(parse_report(english_from("# Depth\n\n- [x] Sounded\n- [ ] Drawn\n- Other\n")))
    assert '<li class="task">☑ Sounded</li>\n<li class="task">☐ Drawn</li>\n<li>Other</li>' in html


def test_what_a_source_struck_out_is_struck_out() -> None:
    html = render_html(parse_report(english_from("# Depth\n\n> It takes ~~24~~ 36 months, a ~~ b, `~~c~~`.\n")))
    assert "It takes <s>24</s> 36 months, a ~~ b, <code>~~c~~</code>." in html
