"""Whether a claim says of one thing alone, or of each, what its quotes do not say so."""

import re
from collections.abc import Sequence
from itertools import pairwise

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import Segments, Turned

_EXCLUSIVE = re.compile(
    r"\b(?:only|solely|exclusively|nothing but|(?:any|every)thing (?:but|other than|except)|by (?:him|her|it)self|by themselves|on (?:his|her|its|their) own|"
    r"single-handed(?:ly)?|alone|sole|entirely|purely)\b(?! (?:in part|partly|partially|as a|about|around|roughly|nearly|almost|half|partially|to some|\d|an?\b|one|two|three|four|five|six|seven|eight|nine|ten))|唯一|独自|单独|完全由",
    re.IGNORECASE,
)
_MAY_EXCLUDE = re.compile(
    r"\b(?:only|solely|exclusively|nothing|anything|himself|herself|itself|themselves|own|single\w*|alone|sole|entire\w*|purely|none|no|not|never|except|but|"
    r"all|just|unique|one|first|last|limited|restrict\w*|confined|without|lone)\b|只|仅|唯|独|单|完全|专|除|全|均|都|不|没|无|未|限|一",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"\b(?:between them|together|in total|combined|altogether|in all)\b|合计|共计|总共|一共", re.IGNORECASE
)
_EACH = re.compile(r"\b(?:each|apiece)\b|[各均每]", re.IGNORECASE)


def exclusive(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim excludes others, and no sentence of the quotes that could say so excludes any."""
    found = _EXCLUSIVE.search(claim.text)
    if found is None or any(quote.tables or _MAY_EXCLUDE.search(quote.text) for quote in quotes):
        return None
    return Turned("scope", (found.group(),), sure=False)


def joint_for_each(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim has for several together the number that the quotes have for each."""
    found = _JOINT.search(claim.text)
    if found is None:
        return None
    for number in claim.numbers:
        clauses = [clause for quote in quotes for clause in quote.clauses if _gives(clause, number.text)]
        if clauses and all(_EACH.search(clause) and not _JOINT.search(clause) for clause in clauses):
            return Turned("scope", (found.group(),))
    return None


_TOGETHER = re.compile(
    r"\b(?P<left>[A-Za-z-]{3,30}) and (?P<right>[A-Za-z-]{3,30}) (?:together|combined|between them|jointly)\b|"
    r"(?P<former>[\u4e00-\u9fff]{2,8})[和与](?P<other>[\u4e00-\u9fff]{2,8}?)(?:合计|一共|总共|加起来|两者)"
)
OF_THE_SAME = 0.5
"""Least share of a claim's words that a sentence must hold which says of several together what the claim says of one."""


def one_of_joint(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim says of one of two things what the quotes say of both together: `nurses and welders together`."""
    about = frozenset(word_keys(claim.text))
    for clause in (clause for quote in quotes for clause in quote.clauses):
        if (found := _TOGETHER.search(clause)) is None or len(about & frozenset(word_keys(clause))) < OF_THE_SAME * len(
            about
        ):
            continue
        sides = [frozenset(word_keys(side)) for side in found.groups() if side]
        if len(sides) == 2 and sum(bool(side & about) for side in sides) == 1:
            return Turned("scope", (found.group(),))
    return None


def _gives(clause: str, number: str) -> bool:
    """Tell whether a clause has a number that is no part of another: `a million`, not `150 million`."""
    return any(
        not before.rstrip()[-1:].isdigit() and not after[:1].isdigit()
        for before, after in pairwise(clause.split(number))
    )
