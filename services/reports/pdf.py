"""PDF from the page: printed by Chromium where there is one, else set by WeasyPrint."""

import asyncio
import base64
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

from pydantic import TypeAdapter

from services.errors import SettingsError
from services.reports.html.page import render_html
from services.reports.parsed import ParsedReport
from services.sandbox.workers import Workers

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 120
"""Seconds that making it may take."""


def find_browser() -> str | None:
    """Return the path of a Chromium, if one is installed."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def check_pdf() -> None:
    """Make sure that something here can make PDF.

    Raises:
        SettingsError: neither Chromium nor WeasyPrint is installed.
    """
    if find_browser() is None and importlib.util.find_spec("weasyprint") is None:
        raise SettingsError(
            "PDF needs Chromium or WeasyPrint. Install either, for example: apt-get install chromium, or "
            f"{sys.executable} -m pip install weasyprint"
        )


async def render_pdf(report: ParsedReport) -> bytes:
    """Render a report as PDF, A4 with page numbers.

    Raises:
        SettingsError: nothing that makes PDF is installed, or what is there failed.
    """
    check_pdf()
    browser = find_browser()
    vector = importlib.util.find_spec("vl_convert") is not None
    html = await asyncio.to_thread(render_html, report, interactive=browser is not None and not vector)
    return await _printed(browser, html) if browser else await _set(html)


async def _printed(browser: str, html: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="leadline-pdf-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        page, result = folder / "report.html", folder / "report.pdf"
        await asyncio.to_thread(page.write_text, html, "utf-8")
        command = [browser, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio"]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}"]
        command += ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own sandbox refuses root
        command += ["--no-pdf-header-footer", f"--print-to-pdf={result}", page.as_uri()]
        said = await _finished(command, folder)
        if not result.exists():
            raise SettingsError(
                f"{browser} did not print the report ({said[-200:].strip() or 'it said nothing'}). Choose the format "
                f"html and print it yourself, or install WeasyPrint: {sys.executable} -m pip install weasyprint"
            )
        return await asyncio.to_thread(result.read_bytes)


async def _finished(command: list[str], folder: Path) -> str:
    """Run the browser to its end with an environment that holds no secrets, and return what it said."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "LANG": "C.UTF-8"}
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, env=environment
    )
    try:
        _, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        return f"it took longer than {PATIENCE} seconds"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return errors.decode("utf-8", "replace")


async def _set(html: str) -> bytes:
    """Have WeasyPrint set the page in a process that is locked in like those that parse files."""
    async with Workers("services.reports.setting", TypeAdapter(dict[str, str])) as workers:
        told = await workers.run({}, html.encode(), PATIENCE)
    if told is None or "pdf" not in told:
        said = "it took too long, or more memory than it may" if told is None else told.get("error", "")
        raise SettingsError(
            f"WeasyPrint did not set the report ({said}). Choose the format html and print it yourself."
        )
    return base64.b64decode(told["pdf"])
