"""Which excerpts prove a citation: those of the checked claims that it stands behind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.evidence import Claim, Excerpt
from services.reports.document import Citation, Inline, Inlines, Unverified, words


def letters(text: str) -> str:
    """Return what remains of a text in every format: its letters and digits."""
    return "".join(char for char in text if char.isalnum())


@dataclass(frozen=True, slots=True)
class Proofs:
    """The claims and excerpts of one report."""

    claims: Sequence[tuple[str, Claim]]
    """With their letters."""
    excerpts: Mapping[str, Excerpt]
    numbers: Mapping[str, int]
    """Under which number an excerpt is cited, by its id."""

    def attached(self, content: Inlines, around: str = "") -> Inlines:
        """Give each citation of a text the excerpts that prove the sentence before it, and each mark its reason.

        Args:
            content: a paragraph, or a cell of a table.
            around: the whole row, for a cell: its claim spans the cells.
        """
        if not any(isinstance(one, Citation | Unverified) for one in content):
            return content
        whole = letters(around or words(content))
        spans = [(whole.find(said), len(said), claim) for said, claim in self.claims if said and said in whole]
        done: list[Inline] = []
        before = 0
        for one in content:
            near = [claim for start, size, claim in spans if around or start < before <= start + size]
            if isinstance(one, Citation):
                done.append(replace(one, excerpts=self._of(one.number, near, whole)))
            elif isinstance(one, Unverified):
                done.append(replace(one, reason=next((claim.reason for claim in near if not claim.verified), "")))
            else:
                before += len(letters(words((one,))))
                done.append(one)
        return tuple(done)

    def _of(self, number: int, claims: Iterable[Claim], said: str) -> tuple[str, ...]:
        cited = dict.fromkeys(
            citation for claim in claims for citation in claim.citations if self.numbers.get(citation) == number
        )
        if cited:
            return tuple(cited)
        return tuple(
            key
            for key, excerpt in self.excerpts.items()
            if self.numbers[key] == number
            and said
            and (letters(excerpt.quote) in said or said in letters(excerpt.quote))
        )
