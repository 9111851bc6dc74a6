"""The formats of a report: name, file and requirements of each, and how they are made. Reading the names loads no renderer."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.options import OutputFormat
from services.run.errors import BadInput, NotInstalled
from services.run.installation import install_command, is_installed
from services.run.ui_text import say

if TYPE_CHECKING:
    from schemas.reporter import Report
    from services.reports.document import ParsedReport


@dataclass(frozen=True, slots=True)
class Format:
    """A format of reports."""

    file: str
    module: str = ""
    """Required module; empty if the base installation suffices."""
    package: str = ""
    """Package that provides the module."""


FORMATS: dict[OutputFormat, Format] = {
    "md": Format("report.md"),
    "html": Format("report.html"),
    "slides": Format("slides.html"),
    "pptx": Format("report.pptx", "pptx", "python-pptx"),
    "docx": Format("report.docx", "pypandoc", "pypandoc-binary"),
    "pdf": Format("report.pdf"),
    "csl": Format("references.json"),
}


def chosen_formats(formats: str | Iterable[str]) -> list[OutputFormat]:
    """Return formats by their names, each once, from a list or a comma-separated string.

    Raises:
        BadInput: a format does not exist, or no format is named.
    """
    formats = formats.replace(";", ",").split(",") if isinstance(formats, str) else formats
    names = [name.strip().lower().lstrip(".") for name in formats if name.strip()]
    if not names:
        raise BadInput(say("format_none", formats=", ".join(FORMATS)))
    aliases = {"markdown": "md", "ppt": "pptx", "deck": "slides", "word": "docx", "csl-json": "csl"}
    chosen: dict[OutputFormat, None] = {}
    for name in names:
        known = next((known for known in FORMATS if known == aliases.get(name, name)), None)
        if known is None:
            raise BadInput(say("format_unknown", format=name, formats=", ".join(FORMATS)))
        chosen[known] = None
    return list(chosen)


def check_formats(names: Iterable[OutputFormat]) -> None:
    """Check before any work that the formats can be made here. Blocking: it looks for packages and programs.

    Raises:
        NotInstalled: a package or program is missing; the message says how to install it.
    """
    for name in names:
        module, package = FORMATS[name].module, FORMATS[name].package
        if module and not is_installed(module):
            raise NotInstalled(say("format_package", format=name, package=package), install_command("formats"))
        if name == "pdf":
            from services.reports.pdf import check_pdf

            check_pdf()


def makeable_formats(names: Iterable[OutputFormat]) -> tuple[list[OutputFormat], list[NotInstalled]]:
    """Return the formats that can be made here, and for each other what is missing. Blocking, as `check_formats`."""
    makeable: list[OutputFormat] = []
    missing: list[NotInstalled] = []
    for name in names:
        try:
            check_formats([name])
        except NotInstalled as error:
            missing.append(error)
        else:
            makeable.append(name)
    return makeable, missing


async def render(report: "Report", names: Iterable[OutputFormat]) -> dict[str, bytes]:
    """Render a report in several formats from a single parse.

    Returns:
        The files' bytes by name; Markdown is the report's text.

    Raises:
        NotInstalled: a package or program is missing.
    """
    names = list(names)
    await asyncio.to_thread(check_formats, names)
    files: dict[str, bytes] = {}
    parsed: ParsedReport | None = None
    for name in names:
        if name == "md":
            files[FORMATS[name].file] = report.markdown.encode()
            continue
        if name == "csl":
            from services.reports.bibliography import csl_json

            files[FORMATS[name].file] = await asyncio.to_thread(csl_json, report)
            continue
        if parsed is None:
            from services.reports.charts.diagrams import with_pictures
            from services.reports.parser import parse_report

            with_png = not {"docx", "pptx"}.isdisjoint(names)
            parsed = await with_pictures(await asyncio.to_thread(parse_report, report), png=with_png)
        if name == "pdf":
            from services.reports.pdf import render_pdf

            files[FORMATS[name].file] = await render_pdf(parsed)
        else:
            made = await asyncio.to_thread(_renderer(name), parsed)
            files[FORMATS[name].file] = made if isinstance(made, bytes) else made.encode()
    return files


def _renderer(name: OutputFormat) -> Callable[["ParsedReport"], str | bytes]:
    """Return the renderer of a format for a thread. What it needs is imported here, in a single thread."""
    if name == "docx":
        from services.reports.word import render_docx

        return render_docx
    if name == "pptx":
        from services.reports.slides.pptx import render_pptx

        return render_pptx
    if name == "slides":
        from services.reports.slides.deck import render_deck

        return render_deck
    from services.reports.html.page import render_html

    return render_html
