"""Counts what a text that cites a report states without a citation: nothing can be checked of it."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from schemas.document import Paragraph, Table
from schemas.regular_file import read_regular_text
from services.evidence.non_claims import claims_nothing
from services.reports.bundle_files import MAX_REPORT_BYTES
from services.reports.document import citations_in, is_label, letters, within, words
from services.reports.markdown_blocks import read_markdown
from services.reports.sentences import cited_sentences


def uncited_statements(file: Path, folder: Path) -> int:
    """Count the sentences and rows of a Markdown file that state something and cite nothing, without those of the report in a folder.

    Headings, labels, questions and introductions of what follows state nothing.
    """
    own = {letters(text) for text in _uncited(folder / "report.md")}
    stating = (text for text in _uncited(file) if letters(text) not in own and not text.endswith(("?", "？")))
    return sum(not claims_nothing(text, cites=False, evidence="") for text in stating)


def _uncited(file: Path) -> Iterator[str]:
    blocks = read_markdown(read_regular_text(file, MAX_REPORT_BYTES))
    for block in chain.from_iterable(map(within, blocks)):
        match block:
            case Paragraph(content=content) if not is_label(content):
                yield from (sentence.text for sentence in cited_sentences(content) if not sentence.citations)
            case Table(header=header, rows=rows):
                yield from (" | ".join(map(words, row)) for row in rows if not citations_in(chain(*header, *row)))
