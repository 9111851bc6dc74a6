"""The formats of a report: name, file and requirements of each. Reading them loads no renderer."""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.options import OutputFormat
from services.run.errors import BadInput


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
    "bibtex": Format("references.bib"),
    "csl": Format("references.json"),
}


def chosen_formats(given: str | Iterable[str]) -> list[OutputFormat]:
    """Return formats by their names, each once, from a list or a comma-separated string.

    Raises:
        BadInput: a format does not exist, or no format is named.
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
