"""The text of a finished report with numbers as citations, and its line of counts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from schemas.document import Block, Citation, Document, Inline, Inlines, Paragraph, Text
from schemas.evidence import Status
from schemas.reporter import Report
from services.reports.document import changed
from services.reports.labels import counts_of, labels_for
from services.reports.references import numbers_of
from services.reports.source_numbers import link_of


@dataclass(frozen=True, slots=True)
class Citations:
    """The numbers and links of one report's citations."""

    numbers: Mapping[str, int]
    """Number under which an excerpt is cited, by its id."""
    links: Mapping[int, str]
    """Link target of a citation, by its number."""

    @classmethod
    def of(cls, report: Report) -> "Citations":
        """Return the numbers and links of a report."""
        links = {source.number: link_of(source) for source in report.sources if source.number is not None}
        return cls(numbers_of(report), links)

    def of_excerpts(self, excerpt_ids: Iterable[str], status: Status = "") -> tuple[Citation, ...]:
        """Return the citations of excerpts, each source once, in the excerpts' order; `status` is the status of their claim."""
        by_number: dict[int, list[str]] = {}
        for excerpt_id in excerpt_ids:
            by_number.setdefault(self.numbers.get(excerpt_id, 0), []).append(excerpt_id)
        return tuple(
            Citation(number, self.links[number], tuple(ids), status)
            for number, ids in by_number.items()
            if number in self.links
        )

    def numbered(self, content: Inlines) -> Inlines:
        """Return a text whose citations have numbers, each source once in a run of them."""
        shown: list[Inline] = []
        for _, group in groupby(content, lambda inline: isinstance(inline, Citation)):
            run = list(group)
            cited = [inline for inline in run if isinstance(inline, Citation)]
            ids = [key for each in cited for key in each.excerpts]
            shown += self.of_excerpts(ids, cited[0].status) if ids else run
        return tuple(shown)


def numbered_text(report: Report, *, counts: bool = True) -> tuple[Block, ...]:
    """Return the text of a report with a tree, title first, without the references.

    Args:
        report: the report.
        counts: whether to write how many of its statements have quotes.
    """
    document = report.document or Document(())
    told = counts_of(report.citations, report.answered, labels_for(report.locale)).text if counts else ""
    line = [Paragraph((Text(told, frozenset({"emphasis"})),))] if told else []
    blocks = [*document.body[:1], *line, *document.notes, *document.body[1:], *document.added]
    citations = Citations.of(report)
    return tuple(changed(block, citations.numbered) for block in blocks)
