"""Whether excerpts that a model calls contradictory are: two places, one subject, and a difference that code can see."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from schemas.evidence import Contradiction, Excerpt, Source, root_of
from services.check.differences import difference
from services.text.measures import UNIT_WORDS, measures
from services.text.names import names
from services.text.quote_location import locate
from services.text.tokens import has_cjk, tokens

MIN_SHARED = 2
"""Terms that two texts must share at least, lest one common word relate them."""
SAME = 0.5
"""Share of a topic's terms that both of two excerpts must hold to be on it."""
RELATED = 0.2
"""Share of the terms of the shorter of two excerpts, with their titles, that the other must hold to be on one subject."""


def check_contradiction(
    named: Contradiction, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> Contradiction | None:
    """Check a contradiction that a model named; of an excerpt that disagrees with itself code sees nothing.

    Args:
        named: its `differs` is not looked at.
        excerpts: by id.
        sources: by content hash.

    Returns:
        The contradiction with the excerpts that are its sides, and in `differs` what code sees them differ in (empty where
        it sees nothing); None where there are no two sides on one subject: excerpts that do not exist, quote the same
        place, come from copies of one source, or have nothing in common. Two places of one source can contradict each other.
    """
    known = [
        _Side(excerpts[identifier], sources)
        for identifier in dict.fromkeys(named.excerpt_ids)
        if identifier in excerpts
    ]
    if len(known) == len({*named.excerpt_ids}) == 1:
        return named.model_copy(update={"excerpt_ids": [known[0].id], "differs": ""})
    sides: list[_Side] = []
    for side in known:
        if not any(side.repeats(other) for other in sides):
            sides.append(side)
    pairs = [(first, other) for first, other in combinations(sides, 2) if first.related(other, named.topic)]
    if not pairs:
        return None
    side_ids = [side.id for side in sides if any(side in pair for pair in pairs)]
    differs = next(
        (found for first, other in pairs if (found := difference(first.excerpt.quote, other.excerpt.quote))), ""
    )
    return named.model_copy(update={"excerpt_ids": side_ids, "differs": differs})


@dataclass(frozen=True, eq=False)
class _Side:
    """One excerpt of a contradiction, with its source."""

    excerpt: Excerpt
    sources: Mapping[str, Source]

    @property
    def id(self) -> str:
        return self.excerpt.id

    @property
    def source(self) -> Source | None:
        return self.sources.get(self.excerpt.content_hash)

    @cached_property
    def text(self) -> str:
        """The quote with its source's title, which often names what the quote calls `it`."""
        return f"{self.source.title if self.source else ''}. {self.excerpt.quote}"

    def repeats(self, other: "_Side") -> bool:
        """Tell whether the two quote one place: overlapping stretches of one text, copies of it, or the same words."""
        first, two = self.excerpt, other.excerpt
        if locate(first.quote, two.quote) or locate(two.quote, first.quote):
            return True
        if first.content_hash == two.content_hash:
            return first.start < two.end and two.start < first.end
        return root_of(first.content_hash, self.sources) == root_of(two.content_hash, self.sources)

    def related(self, other: "_Side", topic: str) -> bool:
        """Tell whether two excerpts are on one subject: by their words, by a name, or by the topic that both hold."""
        if has_cjk(self.excerpt.quote) != has_cjk(other.excerpt.quote):
            shared = _words_of_names(self.text) & _words_of_names(other.text)
            return bool(shared) or _comparable(self, other)
        mine, theirs = content_terms(self.text), content_terms(other.text)
        common = mine & theirs
        if len(common) >= MIN_SHARED and len(common) >= RELATED * min(len(mine), len(theirs)):
            return True
        about = content_terms(topic)
        held = min(len(about & mine), len(about & theirs))
        return held >= MIN_SHARED and held >= SAME * len(about)


def _comparable(first: _Side, other: _Side) -> bool:
    """Tell whether excerpts in two languages, whose words cannot be compared, measure something of one kind."""
    kinds = [{measure.kind for measure in measures(side.excerpt.quote)} for side in (first, other)]
    return bool((kinds[0] & kinds[1]) - {""})


def content_terms(text: str) -> set[str]:
    """Return the terms of a text that are no numbers and no units."""
    terms = (term for term in tokens(text) if term not in UNIT_WORDS and not term[0].isdigit())
    return {term for term in terms if len(term) > 1 or has_cjk(term)}


def _words_of_names(text: str) -> set[str]:
    return {word for name in names(text) if not has_cjk(name) for word in content_terms(name)}
