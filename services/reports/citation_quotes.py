"""Finds the excerpts behind a citation: those of the checked claims that it follows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.evidence import Claim, Excerpt, Status
from schemas.reporter import Report
from services.reports.document import Citation, Inline, Inlines, Mark, Text, letters, words
from services.reports.references import numbers_of
from services.reports.signs import SIGNS
from services.reports.source_numbers import link_of
from services.reports.statuses import status_of


@dataclass(frozen=True, slots=True)
class Proofs:
    """The claims and excerpts of one report."""

    claims: Sequence[tuple[str, Claim]]
    """Claims with their letters."""
    excerpts: Mapping[str, Excerpt]
    numbers: Mapping[str, int]
    """Number under which an excerpt is cited, by its id."""
    links: Mapping[int, str]
    """Link target of a citation, by its number."""

    @classmethod
    def of(cls, report: Report) -> "Proofs":
        """Return the claims and excerpts of a report."""
        return cls(
            claims=[(letters(claim.text), claim) for claim in report.citations],
            excerpts={excerpt.id: excerpt for excerpt in report.excerpts},
            numbers=numbers_of(report),
            links={source.number: link_of(source) for source in report.sources if source.number is not None},
        )

    def citations(self, excerpt_ids: Iterable[str], status: Status = "") -> tuple[Citation, ...]:
        """Return the citations of excerpts, each source once, in the excerpts' order; `status` is the status of their claim."""
        by_number: dict[int, list[str]] = {}
        for excerpt_id in excerpt_ids:
            by_number.setdefault(self.numbers.get(excerpt_id, 0), []).append(excerpt_id)
        return tuple(
            Citation(number, self.links[number], tuple(ids), status)
            for number, ids in by_number.items()
            if number in self.links
        )

    def attached(self, content: Inlines, around: str = "") -> Inlines:
        """Attach to each citation of a text its excerpts and the status of the preceding sentence, and to each mark its reason.

        A sign behind a sentence that the check did not mark is a character of the text.

        Args:
            content: a paragraph, or a cell of a table.
            around: the whole row, for a cell: its claim spans the cells.
        """
        if not any(isinstance(inline, Citation | Mark) for inline in content):
            return content
        text = letters(around or words(content))
        spans = [(text.find(claimed), len(claimed), claim) for claimed, claim in self.claims if claimed in text]
        attached: list[Inline] = []
        before = 0
        for inline in content:
            claims = [claim for start, size, claim in spans if size and (around or start < before <= start + size)]
            if isinstance(inline, Citation):
                excerpts = self._of(inline.number, claims, text)
                attached.append(replace(inline, excerpts=excerpts, status=self._status(claims)))
            elif isinstance(inline, Mark):
                marked = [claim for claim in claims if status_of(claim) == inline.status]
                if marked or not self.claims:
                    claim = max(marked, key=lambda claim: len(claim.text), default=None)
                    size, reason = (len(letters(claim.text)), claim.reason) if claim else (0, "")
                    attached.append(replace(inline, reason=reason, size=size))
                else:
                    attached.append(Text(SIGNS[inline.status]))
            else:
                before += len(letters(words((inline,))))
                attached.append(inline)
        return tuple(attached)

    @staticmethod
    def _status(claims: Iterable[Claim]) -> Status:
        """Return the status of the sentence before a citation: of several matching claims, the longest one's."""
        longest = max(claims, key=lambda claim: len(claim.text), default=None)
        return status_of(longest) if longest else ""

    def _of(self, number: int, claims: Iterable[Claim], text: str) -> tuple[str, ...]:
        """Return the excerpts that claims cite under a number; without claims, the excerpts that match the text."""
        cited = dict.fromkeys(
            citation for claim in claims for citation in claim.citations if self.numbers.get(citation) == number
        )
        if cited or not text:
            return tuple(cited)
        return tuple(
            key
            for key, excerpt in self.excerpts.items()
            if self.numbers.get(key) == number and (letters(excerpt.quote) in text or text in letters(excerpt.quote))
        )
