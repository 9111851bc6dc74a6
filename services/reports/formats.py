"""The formats of a report: what each is called, which file it makes, what it needs, and how it is made."""

import asyncio
import importlib
import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from schemas.context import OutputFormat
from schemas.reporter import Report
from services.reports.diagrams.pictures import with_pictures
from services.reports.document import ParsedReport
from services.reports.docx import render_docx
from services.reports.html.page import render_html
from services.reports.markdown_writer import to_markdown
from services.reports.parser import parse_report
from services.reports.pdf import check_pdf, render_pdf
from services.reports.slides.deck import render_deck
from services.reports.slides.pptx import render_pptx
from services.run.errors import BadInput, SettingsError
from services.run.installation import is_installed

Maker = Callable[["ParsedReport"], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    file: str
    media_type: str
    make: Maker
    module: str = ""
    """What must be importable for it; empty where the base installation suffices."""
    package: str = ""
    """What to install for that."""


async def _html(report: "ParsedReport") -> bytes:

    return (await asyncio.to_thread(render_html, report)).encode()


async def _slides(report: "ParsedReport") -> bytes:

    return (await asyncio.to_thread(render_deck, report)).encode()


async def _pptx(report: "ParsedReport") -> bytes:

    return await asyncio.to_thread(render_pptx, report)


async def _docx(report: "ParsedReport") -> bytes:

    return await asyncio.to_thread(render_docx, report)


async def _pdf(report: "ParsedReport") -> bytes:

    return await render_pdf(report)


async def _markdown(report: "ParsedReport") -> bytes:

    return (await asyncio.to_thread(to_markdown, report)).encode()


_OFFICE = "application/vnd.openxmlformats-officedocument"
FORMATS: dict[OutputFormat, Format] = {
    "md": Format("report.md", "text/markdown", _markdown),
    "html": Format("report.html", "text/html", _html),
    "slides": Format("slides.html", "text/html", _slides),
    "pptx": Format("report.pptx", f"{_OFFICE}.presentationml.presentation", _pptx, "pptx", "python-pptx"),
    "docx": Format("report.docx", f"{_OFFICE}.wordprocessingml.document", _docx, "docx", "python-docx"),
    "pdf": Format("report.pdf", "application/pdf", _pdf),
}


def chosen_formats(given: str | Iterable[str]) -> list[OutputFormat]:
    """Return formats by their names, each once: of a list, or of one string with commas.

    Raises:
        BadInput: there is no such format, or none is named.
    """
    names = given.replace(";", ",").split(",") if isinstance(given, str) else list(given)
    wanted = [name.strip().lower().lstrip(".") for name in names if name.strip()]
    aliases = {"markdown": "md", "ppt": "pptx", "deck": "slides", "word": "docx"}
    chosen: dict[OutputFormat, None] = {}
    for name in wanted:
        found = next((one for one in FORMATS if one == aliases.get(name, name)), None)
        if found is None:
            raise BadInput(f"There is no format {name!r}. Choose from: {', '.join(FORMATS)}.")
        chosen[found] = None
    if not chosen:
        raise BadInput(f"No format is named. Choose from: {', '.join(FORMATS)}.")
    return list(chosen)


def check_formats(names: Iterable[OutputFormat]) -> None:
    """Make sure, before any work is done, that the formats can be made here. Blocking: it looks for packages and programs.

    Raises:
        SettingsError: something is not installed; the message says how to install it.
    """
    for name in names:
        one = FORMATS[name]
        if one.module and not is_installed(one.module):
            raise SettingsError(
                f"The format {name} needs the package {one.package}. Install it with: "
                f"{sys.executable} -m pip install {one.package}"
            )
        if name == "pdf":
            check_pdf()


async def render(report: Report, names: Iterable[OutputFormat]) -> dict[str, bytes]:
    """Render a report in formats, all from one parse.

    Returns:
        The files' bytes by name; Markdown is the report's own text.

    Raises:
        SettingsError: something is not installed.
    """
    wanted = list(names)
    await asyncio.to_thread(check_formats, wanted)
    files: dict[str, bytes] = {}
    parsed: ParsedReport | None = None
    for name in wanted:
        if name == "md":
            files[FORMATS[name].file] = report.markdown.encode()
            continue
        if parsed is None:
            parsed = await with_pictures(
                await asyncio.to_thread(parse_report, report), png=not {"docx", "pptx"}.isdisjoint(wanted)
            )
        if module := FORMATS[name].module:
            importlib.import_module(module)  # here and not in a thread: one thread alone imports
        files[FORMATS[name].file] = await FORMATS[name].make(parsed)
    return files
