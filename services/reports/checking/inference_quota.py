"""Limits the inferred sentences of a section to a third of its sentences; the last ones are too many."""

from dataclasses import dataclass, field

from schemas.evidence import Status

SHARE = 3
"""Divisor of a section's sentences for the maximum of inferred ones."""


@dataclass(slots=True)
class _Section:
    inferred: list[int] = field(default_factory=list)
    """Indexes of its inferred sentences among those of the report, from 0."""
    others: int = 0


@dataclass(slots=True)
class InferenceQuota:
    """Counts the sentences of a report by section, in order; the text before the first heading is also a section."""

    inferred: int = 0
    """Number of inferred sentences so far."""
    sections: list[_Section] = field(default_factory=lambda: [_Section()])

    def section(self) -> None:
        """Start a section."""
        self.sections.append(_Section())

    def count(self, status: Status) -> None:
        """Count a sentence that remains in the report."""
        if status == "inferred":
            self.sections[-1].inferred.append(self.inferred)
            self.inferred += 1
        else:
            self.sections[-1].others += 1

    def excess(self, *, drop: bool) -> frozenset[int]:
        """Return the indexes of the inferred sentences that are too many.

        Args:
            drop: whether they are removed, which reduces the number of sentences and so the quota.
        """
        places: list[int] = []
        for section in self.sections:
            total = section.others + len(section.inferred)
            places += section.inferred[section.others // (SHARE - 1) if drop else total // SHARE :]
        return frozenset(places)
