"""Makes PDF from the page: by Chromium if it is installed, else by WeasyPrint."""

import asyncio
import base64

from pydantic import TypeAdapter

from services.reports.document import ParsedReport
from services.reports.html.page import render_html
from services.run.errors import NotInstalled, SettingsError
from services.run.installation import install_command, is_installed
from services.run.ui_text import say, told
from services.sandbox.browser import find_browser, print_page
from services.sandbox.workers import Workers

TIMEOUT = 120
"""Maximum seconds for making it."""


def check_pdf() -> None:
    """Check that a PDF renderer is installed. Blocking.

    Raises:
        NotInstalled: neither Chromium nor WeasyPrint is installed.
    """
    if find_browser() is None and not is_installed("weasyprint"):
        raise NotInstalled(
            say("format_pdf"),
            install_command("pdf"),
        )


async def render_pdf(report: ParsedReport) -> bytes:
    """Render a report as PDF, A4 with page numbers.

    Raises:
        SettingsError: no PDF renderer is installed, or the installed ones failed.
    """
    await asyncio.to_thread(check_pdf)
    browser = await asyncio.to_thread(find_browser)
    if browser is not None:
        # Charts are drawings if their library is installed
        interactive = not await asyncio.to_thread(is_installed, "vl_convert")
        try:
            html = await asyncio.to_thread(render_html, report, interactive=interactive)
            return await _print_with_browser(browser, html)
        except SettingsError:
            if not await asyncio.to_thread(is_installed, "weasyprint"):
                raise
    return await _set_with_weasyprint(await asyncio.to_thread(render_html, report, interactive=False))


async def _print_with_browser(browser: str, html: str) -> bytes:
    pdf, output = await print_page(browser, html, TIMEOUT)
    if pdf is None:
        raise SettingsError(
            **told(
                "format_unprinted",
                browser=browser,
                output=output[-200:].strip() or say("format_silent"),
                command=install_command("pdf"),
            )
        )
    return pdf


async def _set_with_weasyprint(html: str) -> bytes:
    async with Workers("services.reports.pdf_layout", TypeAdapter(dict[str, str])) as workers:
        answer = await workers.run({}, html.encode(), TIMEOUT)
    if answer is None or "pdf" not in answer:
        reason = "it took too long, or more memory than it may" if answer is None else answer.get("error", "")
        raise SettingsError(**told("format_unset", reason=reason))
    return base64.b64decode(answer["pdf"])
