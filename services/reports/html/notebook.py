"""Shows a report in a notebook: the page in an isolated frame, which can neither style nor read the notebook.

GitHub, and a notebook that is not trusted, leave out frames and styles: there the report's text shows, which the style hides elsewhere.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from markdown_it import MarkdownIt
from markupsafe import Markup

from schemas.reporter import Report
from services.reports.diagrams.pictures import with_pictures
from services.reports.html.page import render_html
from services.reports.parser import parse_report

HEIGHT = 720
_TEXT = MarkdownIt("commonmark", {"html": False}).enable("table")


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
