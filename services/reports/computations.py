"""The report's section of programs: each cited computation's program and the tables that it read.

The section is added after the check; its numbers do not count as claims.
"""

from collections.abc import Iterable, Iterator, Mapping

from schemas.clean_text import clean_line, clean_text
from schemas.document import Block, Citation, Code, Paragraph, Text
from schemas.evidence import NO_INPUT, Source
from services.evidence.literals import FINDINGS_FILE, QUOTES_FILE
from services.evidence.programs import Program
from services.reports.labels import Labels
from services.reports.source_numbers import link_of
from services.run.ui_text import say

LONGEST_SHOWN = 60
"""Maximum lines of a program that is shown in full."""
FIRST_LINES, LAST_LINES = 4, 16
"""First and last lines of a longer program that are shown: its description, and its end, which mostly holds the requested work."""
_LONGEST_REASON = 300
"""Maximum characters of a program's untraced numbers."""
_COMMENTS = {"python": "#", "sql": "--"}


def computations(
    sources: Iterable[Source], programs: Mapping[str, Program], labels: Labels, locale: str
) -> Iterator[Block]:
    """Yield the section's blocks.

    Args:
        sources: the report's cited, numbered sources.
        programs: programs by the content hash of their source.
        labels: labels in the report's language.
        locale: locale of the report.
    """
    files = {QUOTES_FILE: labels.quotes_read, FINDINGS_FILE: labels.findings_read}
    for source in sources:
        program = programs.get(source.content_hash)
        if program is None:
            continue
        title = Text(" ".join((source.title or source.url).split()), frozenset({"strong"}))
        yield Paragraph((title, Text(" "), Citation(source.number or 0, link_of(source))))
        if program.reads:
            tables = labels.enumeration.join(clean_line(files.get(name, name)) for name in program.reads)
            yield Paragraph((Text(labels.tables_read.format(tables=tables)),))
        if source.untraced:
            what = [say("no_input", locale) if origin == NO_INPUT else origin for origin in source.untraced]
            reason = labels.reasons["untraced"].format(what=", ".join(what)[:_LONGEST_REASON])
            yield Paragraph((Text(f"⚠ {clean_line(reason)}"),))
        yield _code_block(program, link_of(source), labels)


def _code_block(program: Program, stored: str, labels: Labels) -> Code:
    """Return a program as a code block; the middle of a long program is omitted."""
    lines = clean_text(program.code).strip("\n").split("\n")
    if len(lines) > LONGEST_SHOWN:
        left_out = len(lines) - FIRST_LINES - LAST_LINES
        note = f"{_COMMENTS[program.language]} {labels.more_lines.format(count=left_out, file=stored)}"
        lines = [*lines[:FIRST_LINES], note, *lines[-LAST_LINES:]]
    return Code("\n".join(lines), program.language)
