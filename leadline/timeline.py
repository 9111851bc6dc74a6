"""The timeline of a run, from its journal: what was asked when, for how long, and what waited for what."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from services.journal import Entry

_INSTANT = frozenset(["clock", "seconds"])
"""Kinds that take no time; they are no calls."""
_WIDTH = 40
"""Characters of the bar in a terminal."""
TEMPLATE = Path(__file__).parent / "pages" / "timeline.html"


@dataclass(frozen=True, slots=True)
class Span:
    """One call of a run."""

    kind: str
    name: str
    place: str
    """Step of the graph, node, and step of the plan: `4:researcher:1`."""
    start: float
    """Seconds since the first call began."""
    seconds: float
    failed: str = ""
    """Type of the error that ended it."""

    @property
    def end(self) -> float:
        """Seconds since the first call began."""
        return self.start + self.seconds


@dataclass(frozen=True, slots=True)
class Timeline:
    """The calls of a run in the order in which they began."""

    spans: list[Span]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Timeline":
        """Read the calls of a journal."""
        timed = [(datetime.fromisoformat(one.at).timestamp() - one.seconds, one) for one in entries if one.at]
        calls = [(start, one) for start, one in timed if one.kind not in _INSTANT]
        first = min((start for start, _ in calls), default=0.0)
        spans = [
            Span(one.kind, one.name, one.place, round(start - first, 3), one.seconds, one.error[0] if one.error else "")
            for start, one in calls
        ]
        return cls(sorted(spans, key=lambda span: (span.start, span.place)))

    @property
    def seconds(self) -> float:
        """From the first call's begin to the last one's end."""
        return max((span.end for span in self.spans), default=0.0)

    def lines(self) -> list[str]:
        """Return the timeline for a terminal: a line a call, with its bar."""
        whole = self.seconds or 1.0
        lines: list[str] = []
        for span in self.spans:
            before = int(span.start / whole * _WIDTH)
            bar = max(1, min(_WIDTH - before, round(span.seconds / whole * _WIDTH)))
            drawn = f"{' ' * before}{'█' * bar}".ljust(_WIDTH)
            failed = f"  {span.failed}" if span.failed else ""
            name = " ".join(span.name.split())[:60]
            lines.append(f"{span.start:7.2f} {span.seconds:7.2f}  {drawn}  {span.place}  {span.kind}  {name}{failed}")
        return [f"{'begin':>7} {'took':>7}  {'':{_WIDTH}}  place  kind  what", *lines]

    def by_kind(self) -> list[tuple[str, int, float]]:
        """Return (kind, calls, seconds) for each kind, the longest first."""
        kinds = dict.fromkeys(span.kind for span in self.spans)
        sums = [(kind, [span.seconds for span in self.spans if span.kind == kind]) for kind in kinds]
        return sorted(((kind, len(taken), round(sum(taken), 3)) for kind, taken in sums), key=lambda one: -one[2])

    def html(self, title: str) -> str:
        """Return the timeline as a page of its own: no script, nothing to fetch."""
        from jinja2 import Environment

        template = Environment(autoescape=True).from_string(TEMPLATE.read_text("utf-8"))
        return template.render(title=title, spans=self.spans, whole=self.seconds or 1.0, kinds=self.by_kind())
