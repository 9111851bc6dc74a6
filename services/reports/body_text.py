"""A report's own text, without the parts that the program adds, and its repeated sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator

from schemas.document import Block, Quotation, Table
from services.reports.document import ParsedReport, contents, within, words
from services.text.passages import sentences

SHORTEST = 16
"""Minimum letters of a sentence for a repetition to count."""


def letters(text: str) -> str:
    """Return a text without blanks, marks, case and sentence numbers, for comparisons."""
    return "".join(char for char in text if char.isalpha()).casefold()


def own_text(report: ParsedReport) -> Iterator[tuple[str, str]]:
    """Yield the texts of a report, each as `prose` or `quotation`, without the parts that the program adds."""
    if report.summary:
        yield "prose", words(report.summary)
    for block in report.lead:
        yield from _texts(block)
    for section in report.body:
        yield "heading", words(section.title)
        for block in section.blocks:
            yield from _texts(block)


def _texts(block: Block) -> Iterator[tuple[str, str]]:
    for part in within(block):
        kind = "cell" if isinstance(part, Table) else "quotation" if isinstance(block, Quotation) else "prose"
        yield from ((kind, words(content)) for content in contents(part))


def repeated(texts: Iterable[tuple[str, str]]) -> int:
    """Count repeated sentences: those of prose within prose, those of quotations within quotations."""
    seen: Counter[tuple[str, str]] = Counter()
    for kind, text in texts:
        if kind in {"prose", "quotation"}:
            spans = sentences(text)
            seen.update((kind, letters(text[span.start : span.end])) for span in spans)
    return sum(count - 1 for (_, text), count in seen.items() if len(text) >= SHORTEST)
