"""A report in a notebook: the page in a frame of its own, which can neither style nor read the notebook."""

from markupsafe import Markup

from schemas.reporter import Report
from services.reports.html.page import render_html
from services.reports.parsing import parse_report

HEIGHT = 720


def notebook_html(report: Report) -> str:
    """Return a frame that holds the report's page; charts are drawings, so that the notebook stays small."""
    page = render_html(parse_report(report), interactive=False)
    return str(
        Markup(
            '<iframe title="{}" srcdoc="{}" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
            'width="100%" height="{}" referrerpolicy="no-referrer"></iframe>'
        ).format(report.title, page, HEIGHT)
    )
