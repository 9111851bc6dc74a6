"""Converts a report to a chat message: clients show it on other sites, so its links need the server's address."""

import re

from langchain_core.messages import AIMessage

from schemas.reporter import Report
from services.run.settings import settings

_FILE = re.compile(r"\]\((?=(?:sources|artifacts)/)")
"""Start of a link to one of the report's own files, which are in its folder."""


def report_message(report: Report, thread: str) -> AIMessage:
    """Return a report as the assistant's message in its thread.

    Args:
        report: the report, with relative links to its files.
        thread: id of the thread; the server has its files under `/reports/<thread>/`.

    Returns:
        The report's Markdown; links to its files are absolute if the server's address is known.
    """
    address = settings().address()
    text = _FILE.sub(f"]({address}/reports/{thread}/", report.markdown) if address and thread else report.markdown
    return AIMessage(text, name="reporter")
