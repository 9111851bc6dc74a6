"""The formats of a report: the name of each, its file, what it needs, and how it is made."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from schemas.context import OutputFormat
from schemas.reporter import Report
from services.reports.bibliography.bibtex import bibtex
from services.reports.bibliography.items import csl_json
from services.reports.diagrams.pictures import with_pictures
from services.reports.document import ParsedReport
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from services.reports.pdf import check_pdf, render_pdf
from services.reports.slides.deck import render_deck
from services.run.errors import BadInput, NotInstalled
from services.run.installation import install_command, is_installed


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    file: str
    module: str = ""
    """What must be importable for it; empty where the base installation suffices."""
    package: str = ""
    """What to install for that."""


FORMATS: dict[OutputFormat, Format] = {
    "md": Format("report.md"),
    "html": Format("report.html"),
    "slides": Format("slides.html"),
    "pptx": Format("report.pptx", "pptx", "python-pptx"),
    "docx": Format("report.docx", "docx", "python-docx"),
    "pdf": Format("report.pdf"),
    "bibtex": Format("references.bib"),
    "csl": Format("references.json"),
}
_EXPORTS: dict[OutputFormat, Callable[[Report], bytes]] = {"bibtex": bibtex, "csl": csl_json}
"""What is made of the report's sources, and not of its text."""


def chosen_formats(given: str | Iterable[str]) -> list[OutputFormat]:
    """Return formats by their names, each once: of a list, or of one string with commas.

    Raises:
        BadInput: there is no such format, or none is named.
    """
    given = given.replace(";", ",").split(",") if isinstance(given, str) else given
    names = [name.strip().lower().lstrip(".") for name in given if name.strip()]
    if not names:
        raise BadInput(f"No format is named. Choose from: {', '.join(FORMATS)}.")
    aliases = {"markdown": "md", "ppt": "pptx", "deck": "slides", "word": "docx", "bib": "bibtex", "csl-json": "csl"}
    chosen: dict[OutputFormat, None] = {}
    for name in names:
        known = next((known for known in FORMATS if known == aliases.get(name, name)), None)
        if known is None:
            raise BadInput(f"There is no format {name!r}. Choose from: {', '.join(FORMATS)}.")
        chosen[known] = None
    return list(chosen)


def check_formats(names: Iterable[OutputFormat]) -> None:
    """Make sure, before any work is done, that the formats can be made here. Blocking: it looks for packages and programs.

    Raises:
        NotInstalled: something is missing; the message says how to install it.
    """
    for name in names:
        module, package = FORMATS[name].module, FORMATS[name].package
        if module and not is_installed(module):
            raise NotInstalled(f"The format {name} needs the package {package}.", install_command("formats"))
        if name == "pdf":
            check_pdf()


async def render(report: Report, names: Iterable[OutputFormat]) -> dict[str, bytes]:
    """Render a report in formats, all from one parse.

    Returns:
        The files' bytes by name; Markdown is the report's own text.

    Raises:
        NotInstalled: something is missing.
    """
    names = list(names)
    await asyncio.to_thread(check_formats, names)
    files: dict[str, bytes] = {}
    parsed: ParsedReport | None = None
    for name in names:
        if name == "md":
            files[FORMATS[name].file] = report.markdown.encode()
            continue
        if name in _EXPORTS:
            files[FORMATS[name].file] = await asyncio.to_thread(_EXPORTS[name], report)
            continue
        if parsed is None:
            with_png = not {"docx", "pptx"}.isdisjoint(names)
            parsed = await with_pictures(await asyncio.to_thread(parse_report, report), png=with_png)
        if name == "pdf":
            files[FORMATS[name].file] = await render_pdf(parsed)
        else:
            made = await asyncio.to_thread(_renderer(name), parsed)
            files[FORMATS[name].file] = made if isinstance(made, bytes) else made.encode()
    return files


def _renderer(name: OutputFormat) -> Callable[[ParsedReport], str | bytes]:
    """Return what renders a format in a thread. Optional packages are imported here, as one thread alone imports."""
    if name == "docx":
        from services.reports.docx import render_docx

        return render_docx
    if name == "pptx":
        from services.reports.slides.pptx import render_pptx

        return render_pptx
    return render_deck if name == "slides" else render_html
