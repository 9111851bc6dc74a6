"""Where excerpts contradict or confirm each other, as far as code can see.

An independent source confirms a figure if it gives the same number of the same thing, in words of its own. Independent is what somebody
else publishes: another owner, no copy, not the same words. What a program computed from sources confirms none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from schemas.evidence import Contradiction, Excerpt, Source, root_of
from schemas.state import ResearchState
from services.check.differences import agreement, difference, difference_within
from services.evidence.citable_excerpts import all_excerpts, with_each
from services.search.source_kinds import owner_of
from services.text.copies import may_overlap
from services.text.measures import Measure, measures
from services.text.quote_location import locate
from services.text.tokens import has_cjk, tokens


def check_contradiction(
    named: Contradiction, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> Contradiction | None:
    """Check a contradiction that was named: of two excerpts or more, or of two sentences of one.

    `differs` of the named contradiction is ignored.

    Returns:
        The contradiction with the excerpts that are its sides, and in `differs` what code sees them differ in (empty where
        it sees nothing); None where there are no two sides: excerpts that do not exist, quote the same place, come from
        copies of one source, or have no term in common. Two places of one source can contradict each other.
    """
    known = [excerpts[key] for key in dict.fromkeys(named.excerpt_ids) if key in excerpts]
    if len(known) == len({*named.excerpt_ids}) == 1:
        return named.model_copy(update={"excerpt_ids": [known[0].id], "differs": difference_within(known[0].quote)})
    sides: list[Excerpt] = []
    for side in known:
        if not any(_one_place(side, other, sources) for other in sides):
            sides.append(side)
    pairs = [(first, other) for first, other in combinations(sides, 2) if _share_a_term(first.quote, other.quote)]
    if not pairs:
        return None
    sides = [side for side in sides if any(side in pair for pair in pairs)]
    differs = next((kind for first, other in pairs if (kind := difference(first.quote, other.quote))), "")
    return named.model_copy(update={"excerpt_ids": [side.id for side in sides], "differs": differs})


def _share_a_term(first: str, other: str) -> bool:
    """Tell whether two quotes have a term in common, or are in different scripts."""
    return has_cjk(first) != has_cjk(other) or bool(set(tokens(first)) & set(tokens(other)))


def _one_place(first: Excerpt, other: Excerpt, sources: Mapping[str, Source]) -> bool:
    """Tell whether two excerpts quote one place: overlapping stretches of one text, copies of it, or the same words."""
    if locate(first.quote, other.quote) or locate(other.quote, first.quote):
        return True
    if first.content_hash == other.content_hash:
        return first.start < other.end and other.start < first.end
    return root_of(first.content_hash, sources) == root_of(other.content_hash, sources)


MAX_EXCERPTS = 400
"""Excerpts that are compared, the first ones."""
MAX_PAIRS = 2_000
"""Pairs with a number in common that are compared."""
MAX_CONFIRMING = 5
"""Excerpts that are named as confirming one."""
_NO_WITNESS = frozenset({"computation"})


def confirmations(excerpts: Sequence[Excerpt], sources: Mapping[str, Source]) -> dict[str, list[str]]:
    """Return the ids of the excerpts that confirm a figure of another, by the other's id. Blocking.

    Excerpts of sources that are not given are left out.
    """
    known = (_Statement(excerpt, sources) for excerpt in excerpts if excerpt.content_hash in sources)
    witnesses = (statement for statement in known if statement.source.kind not in _NO_WITNESS and statement.figures)
    statements = list(islice(witnesses, MAX_EXCERPTS))
    confirming: dict[str, list[str]] = {}
    for first, second in islice(_pairs_with_equal_figures(statements), MAX_PAIRS):
        if first.independent_of(second) and agreement(first.excerpt.quote, second.excerpt.quote):
            confirming.setdefault(first.excerpt.id, []).append(second.excerpt.id)
            confirming.setdefault(second.excerpt.id, []).append(first.excerpt.id)
    return {key: ids[:MAX_CONFIRMING] for key, ids in confirming.items()}


def with_confirmations(state: ResearchState) -> ResearchState:
    """Return the state with its excerpts saying which others confirm them. Blocking."""
    confirming = confirmations(all_excerpts(state), state["sources"])
    if not confirming:
        return state
    return with_each(state, lambda excerpt: excerpt.model_copy(update={"confirmed_by": confirming.get(excerpt.id, [])}))


@dataclass(frozen=True, eq=False)
class _Statement:
    """An excerpt and who says it."""

    excerpt: Excerpt
    sources: Mapping[str, Source]

    @property
    def source(self) -> Source:
        return self.sources[self.excerpt.content_hash]

    @cached_property
    def figures(self) -> dict[str, list[Measure]]:
        """Its numbers that count something, by what they count."""
        kinds: dict[str, list[Measure]] = {}
        for measure in measures(self.excerpt.quote):
            if measure.kind:
                kinds.setdefault(measure.kind, []).append(measure)
        return kinds

    def independent_of(self, other: "_Statement") -> bool:
        """Tell whether two excerpts are of two owners, of whom neither copies the other."""
        if owner_of(self.source.url, self.source.kind) == owner_of(other.source.url, other.source.kind):
            return False
        if root_of(self.excerpt.content_hash, self.sources) == root_of(other.excerpt.content_hash, self.sources):
            return False
        if may_overlap(self.source.fingerprint, other.source.fingerprint):
            return False  # two articles made of one release, though each has something of its own
        mine, theirs = self.excerpt.quote, other.excerpt.quote
        return not locate(mine, theirs) and not locate(theirs, mine)


def _pairs_with_equal_figures(statements: Sequence[_Statement]) -> Iterator[tuple[_Statement, _Statement]]:
    for first, second in combinations(statements, 2):
        if first.excerpt.content_hash != second.excerpt.content_hash and any(
            figure.agrees(candidate)
            for kind in first.figures.keys() & second.figures.keys()
            for figure in first.figures[kind]
            for candidate in second.figures[kind]
        ):
            yield first, second
