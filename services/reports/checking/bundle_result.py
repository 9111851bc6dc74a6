"""The result of a check of a bundle, or of Markdown that cites one."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from services.reports.bundle_files import SECONDS, OutOfTime
from services.run.ui_text import say


@dataclass(slots=True)
class BundleCheck:
    """Result of a check, in words of a locale."""

    locale: str = ""
    checked: dict[str, int] = field(default_factory=dict)
    """Numbers of checked sources, quotes, statements and so on."""
    problems: list[str] = field(default_factory=list)
    """Problems, each with the id of the affected item."""
    head: str = ""
    """Whether the report answers its question, and how many of its statements have quotes, in words."""
    not_quoted: int = 0
    """Number of verified statements in other words than their quotes: code cannot tell whether the quotes mean what they say."""
    judged: int = 0
    """Number of these that a model found supported, by the bundle's own account, which is taken on trust."""
    remarks: list[str] = field(default_factory=list)
    """Which files of the report are not checked, and how files are made anew."""
    uncited: list[str] = field(default_factory=list)
    """Sentences and rows of the Markdown that state something and cite nothing, and are not the report's."""
    new_code: list[str] = field(default_factory=list)
    """Code blocks of the Markdown that the report does not have."""

    def add(self, where: str, problems: Iterable[str], file: str) -> None:
        """Add problems with the place where they are, as they are found, and that time ran out if it did."""
        try:
            for problem in problems:
                self.problems.append(f"{where}{problem}")
        except OutOfTime:
            self.problems.append(say("verify_out_of_time", self.locale, file=file, seconds=int(SECONDS)))

    @property
    def counts(self) -> str:
        """What was checked, in words; kinds that do not occur are left out."""
        return self._listed({f"verify_{name}": count for name, count in self.checked.items()})

    @property
    def unchecked(self) -> str:
        """What code did not check, in words; empty if it checked everything."""
        return self._listed(
            {
                "verify_meaning": self.not_quoted,
                "verify_uncited": len(self.uncited),
                "verify_code": len(self.new_code),
            }
        )

    def _listed(self, counts: dict[str, int]) -> str:
        kind = "statements" if "statements" in self.checked else "sentences"
        of = say(f"verify_{kind}", self.locale, count=self.checked.get(kind, 0))
        named = (say(key, self.locale, count=count, of=of) for key, count in counts.items() if count)
        return say("searched_between", self.locale).join(named)

    def result(self, name: str) -> str:
        """Return in words whether what was checked of what the name stands for holds, and what was not checked."""
        counts = say("verify_counts", self.locale, counts=self.counts) if self.counts else ""
        if self.problems:
            return say("verify_fails", self.locale, name=name, counts=counts, count=len(self.problems))
        if counts and self.unchecked:
            return say("verify_holds_partly", self.locale, name=name, counts=counts, unchecked=self.unchecked)
        return say("verify_holds" if counts else "verify_empty", self.locale, name=name, counts=counts)

    @property
    def trust(self) -> str:
        """What a model said of the statements whose meaning code cannot check, and how to ask one; empty without such statements of a report."""
        if not self.not_quoted or "statements" not in self.checked:
            return ""
        return say("verify_trust_judged" if self.judged else "verify_trust", self.locale, judged=self.judged)
