"""Hostile text stays text on the page of a report, whose policy allows its own scripts and nothing else."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.chart import Chart, Series
from schemas.document import Drawing
from services.reports.charts.echarts import echarts_script
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from tests.fakes.browser import Page, needs_chromium
from tests.services.reports.full import english
from tests.services.reports.test_html import quiet, shown
from tests.services.reports.vectors import VECTORS, hostile_report

SAFE = """
(() => {
  const bad = [...document.querySelectorAll('img, iframe, object, embed, link, base, video, audio, marquee, frameset, svg a, svg script, style ~ style, main form')].map(e => e.outerHTML);
  for (const e of document.querySelectorAll('*')) for (const a of e.attributes)
    if (/^on/i.test(a.name) || a.name === 'style' && e.closest('main') && !e.closest('.plot, .tip') || /^(href|src|action|formaction|xlink:href|data)$/i.test(a.name) && !/^(https?:|#|sources\\/)/i.test(a.value)) bad.push(`${e.tagName} ${a.name}=${a.value}`);
  return bad;
})()
"""


@needs_chromium
@pytest.mark.parametrize("first", range(0, len(VECTORS), 15))
@pytest.mark.parametrize("interactive", [True, False])
@pytest.mark.long
def test_hostile_text_anywhere_stays_text(page: Page, tmp_path: Path, first: int, interactive: bool) -> None:
    report = hostile_report(VECTORS[first : first + 15])
    shown(page, report, tmp_path, interactive=interactive)
    assert quiet(page), (page.logged[:5], page.asked, page.dialogs)
    assert page.evaluate(SAFE) == []
    parsed = parse_report(report)
    scripts = page.evaluate("document.querySelectorAll('script').length")
    assert scripts == 2 + bool(interactive and parsed.drawings and echarts_script())
    page.evaluate(
        "document.querySelectorAll('main a, main [tabindex]').forEach(e => { e.focus(); e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})); })"
    )
    page.evaluate("document.querySelectorAll('a:not([target]):not([href^=\"sources/\"])').forEach(e => e.click())")
    assert quiet(page), (page.logged[:5], page.asked, page.dialogs)


@needs_chromium
@pytest.mark.long
def test_chart_labels_of_every_vector_are_drawn_and_nothing_more(page: Page, tmp_path: Path) -> None:
    if not echarts_script():
        pytest.skip("ECharts is not installed (extra: charts)")
    charts = [
        Chart(type=kind, title="t", unit=one[:40], categories=[one[:120], "b"] if kind != "scatter" else [],
              series=[Series(name=one[:120], values=[1, 2] if kind != "scatter" else [], points=[(1, 2)] if kind == "scatter" else [])],
              sources=["E1-1"])
        for place, one in enumerate(VECTORS) for kind in [("bar", "pie", "scatter")[place % 3]]
    ]  # fmt: skip
    parsed = parse_report(english())
    drawn = replace(parsed.body[0], blocks=tuple(Drawing(one, ()) for one in charts))
    (tmp_path / "charts.html").write_text(render_html(replace(parsed, sections=(drawn,))), "utf-8")
    page.open(tmp_path / "charts.html")
    assert page.evaluate("document.querySelectorAll('canvas').length") == len(charts)
    page.evaluate(
        "document.querySelectorAll('.plot').forEach(p => echarts.getInstanceByDom(p).dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: 0}))"
    )
    page.evaluate("new Promise(done => setTimeout(done, 200))")
    assert quiet(page), (page.logged[:5], page.asked, page.dialogs)


def test_the_policy_names_every_script_by_its_hash_and_allows_nothing_else() -> None:
    html = render_html(parse_report(english()))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert "default-src &#39;none&#39;" in policy.group(1)
    assert "unsafe" not in policy.group(1)
    assert "http" not in policy.group(1)
