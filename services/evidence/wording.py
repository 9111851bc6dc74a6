"""Compares a claim's wording with its quotes: denials, guesses, parts, causes, superlatives, and who did what.

Each is compared with the segment of the quotes that says most of what the claim's own segment says. Rules as far as they
carry, in English and Chinese; what they do not see passes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.evidence.causes import caused, is_own_cause
from services.evidence.circumstances import before_or_after, bounded, dated, placed
from services.evidence.complements import agents, complements, exchanged, listed_agents
from services.evidence.crossed_pairs import crossed_pairs
from services.evidence.denied_or_hedged import (
    DENIES_TOO,
    HEDGE,
    POSSIBLE,
    denies_something_else,
    exempted,
    made_certain,
    only_denied,
    only_guessed,
)
from services.evidence.exceptions import excepted, set_aside
from services.evidence.exclusive import exclusive, joint_for_each, one_of_joint
from services.evidence.opposed_words import opposed_verbs, opposed_words
from services.evidence.ordinals import ordinal
from services.evidence.predicates import attributed, compared, no_difference
from services.evidence.quantifiers import scope
from services.evidence.readings import CELL, Reading, word_keys
from services.evidence.roles import changed_places, order, order_chinese, role_by_preposition, speaker, swapped
from services.evidence.segments import ALIKE, MAX_SEGMENTS, NEARBY, Segments, Turned, nearest, passage_of
from services.evidence.subject_binding import bearer, worked_out
from services.evidence.superlatives import superlative
from services.text.polarity import COMPARES, affirmed, negated, opposite
from services.text.tokens import has_cjk

ABOUT = 0.4
"""Least share of a quote's segment that a claim must hold for the segment to be about the claim."""
ABOUT_CHINESE = 0.15
"""The same for pairs of Chinese characters."""
KEPT = 2
"""Words, or pairs of characters, that a denial of a claim and one of its quotes have in common where they are of the same."""
DENIED = 0.75
"""Least share of the words of a denial that a sentence must hold for the denial to be of what it says, rather than of its opposite:
`neither will be shut` of `both stay open`. On the claims that may be looked at the result is flat from 0.7 to 0.9."""
WHOLE = 20
"""Most clauses of quotes that are read for what they do not say."""
_LATER = re.compile(r"\b(?:will|is to|are to|announc\w+|due to (?:open|begin|start))\b|将", re.IGNORECASE)
_FUTURE = re.compile(r"\bwill\b|将(?![近军领士])|即将|定于", re.IGNORECASE)
_COMPLETED = re.compile(
    r"\b(?:has|have|had|was|were|been) (?:\w+ly )?\w{2,}(?:ed|en|wn|ilt|ut)\b|\b(?:opened|closed|began|started|finished|ended|moved|joined)\b|已|了(?![解结])",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:expects?|expected|plan(?:s|ned)? to|(?:is|are|was|were|been) planned|propos(?:es|ed)|intend\w*|hop(?:e|es|ed) to)\b|预计|计划|拟于|有望|打算",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:reject\w*|refus\w+|turn(?:ed|s|ing)? down|voted (?:down|against)|veto\w*|dismiss\w*)\b|否决|拒绝|驳回",
    re.IGNORECASE,
)
"""What became of a plan that came to nothing."""


def turned(claim: Reading, quotes: Sequence[Reading], *, concludes: bool = False) -> Turned | None:
    """Return how a claim turns the words of its quotes; None where no rule sees it.

    Args:
        claim: the sentence.
        quotes: what it cites.
        concludes: it may give a cause or a rank where the quotes give none.
    """
    about = frozenset(word_keys(claim.text))
    claim = replace(claim, segments=claim.segments[:MAX_SEGMENTS])
    passage = passage_of(about, quotes)
    in_tables = frozenset(key for quote in quotes for text in _labels(quote) for key in word_keys(text))
    keyed = _keyed(about, passage, in_tables)
    for check in _OF_A_PASSAGE if CELL in claim.text else (*_OF_A_PASSAGE, *_OF_ORDER):
        if (found := check(claim, passage, keyed)) is not None and not (concludes and _is_own(found)):
            return found
    if sum(len(quote.clauses) for quote in quotes) > WHOLE:
        return None
    keyed = _keyed(about, quotes, in_tables)
    return next((found for check in _OF_ALL if (found := check(claim, quotes, keyed)) is not None), None)


def _is_own(found: Turned) -> bool:
    """Tell whether a claim adds a cause or a rank, of which the quotes say nothing."""
    return is_own_cause(found) or (found.turn == "superlative" and not found.sure)


def _labels(quote: Reading) -> Iterator[str]:
    """Yield the labels of the rows and the headings of a text's tables."""
    yield from quote.labels
    for table in quote.tables:
        yield from table.heads


def _keyed(about: frozenset[str], quotes: Sequence[Reading], in_tables: frozenset[str]) -> Segments:
    segments = [(segment, frozenset(word_keys(segment))) for quote in quotes for segment in quote.segments]
    return Segments(segments, sorted(segments, key=lambda pair: -len(pair[1] & about))[:NEARBY], in_tables)


def _negation(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the quotes deny what a segment of the claim says: in the nearest segment, alone with words of the claim."""
    only = set() if negated(claim.text) else _only_in(claim, keyed)
    denied = {text for segment in filter(negated, claim.segments) for text, _ in nearest(segment, keyed.near)}
    denying = [frozenset(word_keys(segment)) for segment in filter(negated, claim.segments)]
    denied.update(text for text, keys in keyed.near if any(len(words & keys) >= KEPT for words in denying))
    for segment in () if negated(claim.text) and len(claim.segments) == 1 else claim.segments:
        near = nearest(segment, keyed.near)
        if (
            negated(segment)
            or DENIES_TOO.search(segment)
            or not near
            or not all(
                negated(text) and text not in denied and not denies_something_else(text, claim.text) for text, _ in near
            )
        ):
            continue
        if near[0][1] >= ALIKE or any(text in only for text, _ in near):
            return Turned("negation", (near[0][0],))
    return None


_NOT_ALL = re.compile(
    r"\bnot (?:all|every|each|always|both|everywhere)\b|\bnot\b[^.;]{0,60}\b(?:before|until)\b|\b(?:most|half|majority|part|some) of\b|部分|多数|半数|一半|[并不]非(?:所有|全|都|每)|不(?:全|都|总)是",
    re.IGNORECASE,
)
"""A denial that only says of some, or until some time."""


def _denied(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the claim denies what a segment of the quotes says, in a sentence that denies nothing."""
    if not negated(claim.text) or _NOT_ALL.search(claim.text):
        return None
    if worked_out(claim.text, frozenset(key for quote in quotes for key in word_keys(quote.text))):
        return None
    said = [clause for quote in quotes for clause in quote.clauses]
    denials = [clause for clause in said if negated(clause) or DENIES_TOO.search(clause)]
    for segment in filter(negated, claim.segments):
        near = nearest(affirmed(segment), keyed.near)
        if not near or near[0][1] < ALIKE or any(text in clause for text, _ in near for clause in denials):
            continue
        around = [(clause, frozenset(word_keys(clause))) for clause in said if any(text in clause for text, _ in near)]
        if any(share >= DENIED for _, share in nearest(affirmed(segment), around)):
            return Turned("denied", (near[0][0],))
    return None


def _opposite(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether a segment of the claim turns a direction round that its nearest segment of the quotes has."""
    for segment in claim.segments:
        near = [text for text, score in nearest(segment, keyed.near) if score >= ALIKE]
        around = " ".join(near)
        compares = COMPARES.search(segment) and COMPARES.search(around)  # the other way round, perhaps of the other
        if near and not compares and (away := opposite(_BOUND.sub(" ", segment), around)):
            return Turned("opposite", away)
    return None


_BOUND = re.compile(
    r"\b(?:more|less|fewer|longer|shorter) than (?=[$€£]?\d|\w+ (?:weeks|days|years|months|hours))", re.IGNORECASE
)


def _hedge(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    if HEDGE.search(claim.text) or _REFUSED.search(claim.text):
        return None
    if _is_worked_out(claim, keyed):
        return None
    near = {text for segment in claim.segments for text, score in nearest(segment, keyed.near) if score >= ALIKE}
    only = set() if negated(claim.text) else _only_in(claim, keyed)
    for pattern in (POSSIBLE, _PLANNED, _FUTURE):
        if pattern is _FUTURE and not _COMPLETED.search(claim.text):
            continue
        if pattern is not POSSIBLE and _LATER.search(claim.text):
            continue
        guessed = {text: found.group() for text, _ in keyed.all if (found := pattern.search(text))}
        alone = only if pattern is not _FUTURE else set[str]()
        told = next((text for text in guessed if text in near or text in alone), None)
        if told is not None:
            return Turned("hedge", (guessed[told],))
    return None


def _only_guessed(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    if (
        HEDGE.search(claim.text)
        or _LATER.search(claim.text)
        or _REFUSED.search(claim.text)
        or _is_worked_out(claim, keyed)
    ):
        return None
    return only_guessed(claim, quotes, keyed)


def _is_worked_out(claim: Reading, keyed: Segments) -> bool:
    """Tell whether a claim has a number that no quote has: the quotes say how much is planned, and the claim what there was before."""
    return worked_out(claim.text, frozenset(key for _, keys in keyed.all for key in keys))


def _only_in(claim: Reading, keyed: Segments) -> set[str]:
    """Return the segments that alone hold a word of the claim, which no table has, and more of its words besides."""
    words = frozenset(key for key in word_keys(claim.text) if key[0] not in "年月日") - keyed.in_tables
    holders: dict[str, list[str]] = {}
    for text, keys in keyed.all:
        if len(keys & words) >= max(2, len(keys) * (ABOUT_CHINESE if has_cjk(text) else ABOUT)):
            for word in keys & words:
                holders.setdefault(word, []).append(text)
    return {texts[0] for texts in holders.values() if len(texts) == 1}


_OF_A_PASSAGE = (
    _denied,
    _negation,
    _opposite,
    exempted,
    excepted,
    set_aside,
    made_certain,
    _hedge,
    scope,
    caused,
    superlative,
    speaker,
    role_by_preposition,
    dated,
    bounded,
    before_or_after,
    placed,
    compared,
    no_difference,
    attributed,
    complements,
    listed_agents,
    changed_places,
    exchanged,
    agents,
    opposed_words,
    opposed_verbs,
    exclusive,
    joint_for_each,
    one_of_joint,
    ordinal,
)
"""What is asked of the few clauses that say most of a claim."""
_OF_ORDER = (order, order_chinese, swapped, crossed_pairs)
"""What is asked of them besides, but not for the cells of a row, which stand in no order of words."""
_OF_ALL = (bearer, only_denied, _only_guessed)
"""What goes by what the quotes do not say, and so is asked of all of them."""
