"""Small adjustments of a ranking by date, kind and site of the sources.

The factors are their kind, the preferences of the user and the step, and for a dated question their date and whether they
are primary.

Relevance stays first: a lift of a few per cent of a passage's reciprocal rank moves it past a few others at most, and sources
without date, site and kind keep their order.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self, TypeVar

from schemas.evidence import SourceCategory
from services.search.hit import Hit
from services.search.source_kinds import category_of, registrable
from services.text.dates import WantedTime, latest_day, wanted_time
from services.text.questions import names_in
from services.text.ranking import RRF_K
from services.text.tokens import pieces

OF_KIND, RECENT, PRIMARY = 0.03, 0.03, 0.02
"""Bonuses as shares of a passage's reciprocal rank; together they move the 10th before the 5th. Set by judgement, not fitted to data."""
BY_KIND: Mapping[SourceCategory, float] = {
    "official": 0.02, "academic": 0.02, "reference": 0.02, "forum": -0.01, "company": -0.01, "personal": -0.01
}  # fmt: skip
"""Bonus of each kind, as such a share; other kinds have none. Kinds with a malus stay among the best forty of general
sources. Set by judgement; `benchmarks/README.md` has its effect on rankings."""
PREFERRED = 0.10
"""Bonus of kinds that the user prefers, as such a share. The 10th comes before the 4th."""
MAX_AGE_YEARS = 2
"""Years before the time that a question asks about up to which a source counts as half recent."""
PER_SITE = 6
"""Maximum passages of one site before other sites get their turn."""
_SHORTEST_NAME = 4
"""Minimum letters of a name's word that may be the name of a site."""

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Preference:
    """Preferences of one search."""

    source_kind: SourceCategory
    time: WantedTime | None
    """The time in the question; None if the question is not dated."""
    today: date
    names: frozenset[str]
    """Words of the question's names in lower case: a site with such a name is a primary source."""
    preferred: frozenset[SourceCategory] = frozenset()
    """Kinds that the user prefers."""

    @classmethod
    def of(
        cls,
        question: str,
        today: date,
        source_kind: SourceCategory = "general",
        preferred: Collection[SourceCategory] = (),
    ) -> Self:
        """Return the preferences of a question."""
        names = frozenset(word for name in names_in(question) for word in [*pieces(name), "".join(pieces(name))])
        return cls(source_kind, wanted_time(question, today), today, names, frozenset(preferred))

    def ordered(self, ranked: Sequence[Key], hit_of: Callable[[Key], Hit]) -> list[Key]:
        """Return a ranking in which preferred sources are slightly higher."""
        lifted = {key: (RRF_K + place) / (1 + self.lift(hit_of(key))) for place, key in enumerate(ranked, 1)}
        return sorted(ranked, key=lambda key: lifted[key])

    def lift(self, hit: Hit) -> float:
        """Return the bonus of a source as a share of its reciprocal rank; a malus is negative.

        The kind's own bonus does not count in addition if the kind is wanted, preferred or primary.
        """
        lift = OF_KIND if self.source_kind != "general" and hit.source_kind == self.source_kind else 0.0
        if self.time is not None and self._is_primary(hit):
            lift += PRIMARY
        if hit.source_kind in self.preferred:
            lift += PREFERRED
        lift = lift or _by_kind(hit)
        return lift if self.time is None else lift + RECENT * self._recency(hit.published, self.time)

    def _recency(self, published: str | None, time: WantedTime) -> float:
        """Return 1 for a publication in the asked time, and 0 for old, undated or future ones."""
        day = latest_day(published)
        if day is None or (published and len(published) == len("2024-01-01") and day > self.today + timedelta(days=1)):
            return 0.0
        if not time.now:
            return float(time.first <= day.year <= time.last + 1)
        years = (self.today - day).days / 365
        return 1.0 if years <= 1 else 0.5 if years <= MAX_AGE_YEARS else 0.0

    def _is_primary(self, hit: Hit) -> bool:
        label = registrable(hit.url).partition(".")[0] if hit.kind == "web" else ""
        return hit.source_kind == "official" or (len(label) >= _SHORTEST_NAME and label in self.names)


def _by_kind(hit: Hit) -> float:
    """Return the bonus of a web page's kind. The page's own claim can only lower it; only its address can raise it."""
    if hit.kind != "web":
        return 0.0
    return min(BY_KIND.get(kind, 0.0) for kind in (hit.source_kind, category_of(hit.url)))


def sites(ranked: Sequence[Key], hit_of: Callable[[Key], Hit]) -> Mapping[Key, str]:
    """Return the sites that take turns: those of web pages, if there are several.

    Papers and programs at one address have different authors, so their sites do not take turns.
    """
    by_key = {
        key: registrable(hit.url)
        for key in ranked
        if (hit := hit_of(key)).kind == "web" and hit.source_kind not in {"academic", "code"}
    }
    return by_key if len(set(by_key.values())) > 1 else {}
