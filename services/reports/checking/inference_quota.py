"""How many sentences of a section may be inferred: at most a third of all that it says; the last ones are too many."""

from dataclasses import dataclass, field

from schemas.evidence import Status

SHARE = 3
"""One of so many sentences of a section may be inferred."""


@dataclass(slots=True)
class _Section:
    inferred: list[int] = field(default_factory=list)
    """Places of its inferred sentences among those of the report, from 0."""
    others: int = 0


@dataclass(slots=True)
class InferenceQuota:
    """Counts the sentences of a report by section, in their order; what stands before the first heading is a section, too."""

    inferred: int = 0
    """Inferred sentences so far."""
    sections: list[_Section] = field(default_factory=lambda: [_Section()])

    def section(self) -> None:
        """Begin a section."""
        self.sections.append(_Section())

    def count(self, status: Status) -> None:
        """Count a sentence that stays in the report."""
        if status == "inferred":
            self.sections[-1].inferred.append(self.inferred)
            self.inferred += 1
        else:
            self.sections[-1].others += 1

    def excess(self, *, drop: bool) -> frozenset[int]:
        """Return the places of the inferred sentences that are too many.

        Args:
            drop: they are left out, so that fewer others remain beside those that stay.
        """
        places: list[int] = []
        for section in self.sections:
            total = section.others + len(section.inferred)
            places += section.inferred[section.others // (SHARE - 1) if drop else total // SHARE :]
        return frozenset(places)
