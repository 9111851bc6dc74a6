"""Whether excerpts that are called contradictory are two places or one that disagrees with itself, and what code sees them differ in."""

from collections.abc import Mapping
from itertools import combinations

from schemas.evidence import Contradiction, Excerpt, Source, root_of
from services.check.differences import difference, difference_within
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
