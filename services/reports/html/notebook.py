"""Shows a report in a notebook: the page in an isolated frame, which can neither style nor read the notebook."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from markupsafe import Markup

from schemas.reporter import Report
from services.reports.diagrams.pictures import with_pictures
from services.reports.html.page import render_html
from services.reports.parser import parse_report

HEIGHT = 720


def notebook_html(report: Report) -> str:
    """Return a frame with the report's page; charts are drawings, to keep the notebook small."""
    with ThreadPoolExecutor(1) as apart:  # the notebook's event loop is already running
        parsed = apart.submit(lambda: asyncio.run(with_pictures(parse_report(report)))).result()
    page = render_html(parsed, interactive=False)
    return str(
        Markup(
            '<iframe title="{}" srcdoc="{}" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
            'width="100%" height="{}" referrerpolicy="no-referrer" style="box-sizing: border-box; display: block"></iframe>'
        ).format(report.title, page, HEIGHT)
    )
