"""A report as a message of a thread: chat clients show it on pages of their own, so that its links must name the server."""

import re

from langchain_core.messages import AIMessage

from schemas.reporter import Report
from services.run.settings import settings

_FILE = re.compile(r"\]\((?=(?:sources|artifacts)/)")
"""Before the address of one of the report's own files, which stand beside it in its folder."""


def report_message(report: Report, thread: str) -> AIMessage:
    """Return a report as the answer in its thread.

    Args:
        report: whose own links lead to files beside it.
        thread: whose files the server has under `/reports/<thread>/`.

    Returns:
        The report's Markdown; where the server's address is known, links to its files lead there.
    """
    address = settings().address()
    text = _FILE.sub(f"]({address}/reports/{thread}/", report.markdown) if address and thread else report.markdown
    return AIMessage(text, name="reporter")
