"""Renders the page: one self-contained file, whose policy permits only its own scripts and styles; in a notebook within an isolated frame."""

import asyncio
import base64
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from schemas.chart import Chart
from schemas.reporter import Report
from services.reports.charts.diagrams import with_pictures
from services.reports.charts.echarts import echarts_script, options
from services.reports.document import ParsedReport, words
from services.reports.html.blocks import Blocks
from services.reports.labels import labels_for, language_of
from services.reports.parser import parse_report
from services.text.languages import direction

_HERE = Path(__file__).parent
HEIGHT = 720
_TEXT = MarkdownIt("commonmark", {"html": False}).enable("table")


@cache
def asset(name: str) -> str:
    """Return a file from this folder or another format's folder."""
    return (_HERE.parent / name).read_text("utf-8")


@cache
def environment() -> Environment:
    """Return the environment of the page templates, which escapes everything not marked as HTML."""
    return Environment(
        loader=FunctionLoader(asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def render_html(report: ParsedReport, *, interactive: bool = True) -> str:
    """Render a report as one HTML file, in which ECharts draws the charts if it is installed and wanted."""
    library = echarts_script() if interactive and report.drawings else ""
    blocks = Blocks(report, labels_for(report.locale), with_echarts=bool(library))
    return render_page("html/page", report, library, blocks.charts, blocks=blocks)


def render_page(name: str, report: ParsedReport, library: str, charts: list[Chart], **values: Any) -> str:
    """Render a report by a template as one file, with the template's own styles and script, and ECharts with the charts' data if it is given."""
    title = words(report.title)
    scripts = [script for script in (library, asset(f"{name}.js")) if script]
    template = environment().get_template(f"{name}.html.j2")
    return template.render(
        report=report,
        title=title,
        language=language_of(report.locale),
        direction=direction(title),
        labels=labels_for(report.locale),
        # Called at the end of the page, when its blocks have collected all charts
        data=lambda: data_block([options(chart) for chart in charts] if library else []),
        **page_parts([asset("html/tokens.css"), asset(f"{name}.css")], scripts),
        **values,
    )


def render_fragment(report: ParsedReport) -> str:
    """Render only a report's body, for a page with the styles: no scripts, charts as drawings."""
    blocks = Blocks(report, labels_for(report.locale), with_echarts=False)
    return environment().get_template("html/report.html.j2").render(report=report, blocks=blocks, labels=blocks.labels)


def page_parts(styles: list[str], scripts: list[str]) -> dict[str, Any]:
    """Return styles and scripts for a template, and the policy that permits only them."""
    style = "\n".join(styles)
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_source, scripts))}; style-src {_source(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return {
        "policy": policy,
        "style": Markup(style),  # noqa: S704 - our own file
        "scripts": [Markup(script) for script in scripts],  # noqa: S704 - our own file, and ECharts in a known build
    }


def data_block(value: Any) -> Markup:
    """Return JSON that cannot close its enclosing element."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - no character of markup is left


def _source(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def notebook_html(report: Report) -> str:
    """Return a frame with the report's page; charts are drawings, to keep the notebook small."""
    with ThreadPoolExecutor(1) as apart:  # the notebook's event loop is already running
        parsed = apart.submit(lambda: asyncio.run(with_pictures(parse_report(report)))).result()
    page = render_html(parsed, interactive=False)
    text = Markup(_TEXT.render(str(report)))  # noqa: S704 - HTML in it is shown as text
    return str(
        Markup(
            "<style>.leadline-text {{ display: none }}</style>"
            '<div class="leadline-text">{}</div><iframe title="{}" srcdoc="{}" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
            'width="100%" height="{}" referrerpolicy="no-referrer" style="box-sizing: border-box; display: block"></iframe>'
        ).format(text, report.title, page, HEIGHT)
    )
