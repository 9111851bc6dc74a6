"""Whether a claim names another owner of something, or another agent of a deed, than its quotes do, in English."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from services.evidence.readings import Reading
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.tokens import STOP_WORDS, has_cjk, stem

_OWNED = re.compile(r"\b(?P<who>[A-Z][\w.-]{1,30})['’]s? (?P<what>[a-z][\w-]{1,30}(?: [a-z][\w-]{1,30})?)")
_DONE_BY = re.compile(
    r"\b(?P<verb>[a-z]{2,20}(?:ed|wn|ught|uilt|[ktvs]en)|made|led|run|won) by (?:the )?(?P<who>[A-Z][\w.-]{1,30}(?: [A-Z][\w.-]{1,30}){0,3})"
)
_PERSON = re.compile(r"\b(?:he|she|they|who|whose|his|her|their)\b", re.IGNORECASE)


def other_owner(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes have what the claim says to be somebody's as somebody else's: `Rai's third film`."""
    theirs = [found for quote in quotes for found in _owned(quote.text)]
    known = {word for quote in quotes for word in re.findall(r"[\w.-]+", quote.text)}
    for who, what in _owned(claim.text):
        owners = [owner for owner, thing in theirs if thing == what]
        if owners and who in known and who not in owners:
            return Turned("roles", (owners[0],))
    return None


def _owned(text: str) -> Iterator[tuple[str, str]]:
    for found in islice(_OWNED.finditer(text), MAX_SEGMENTS):
        yield found["who"], found["what"]


def other_agent(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the claim has done by somebody what the quotes tell in other sentences than all that they tell of him."""
    if has_cjk(claim.text):
        return None
    clauses = [
        (clause, {stem(word) for word in re.findall(r"[a-z]+", clause.lower())})
        for quote in quotes
        for clause in quote.clauses
    ]
    for found in islice(_DONE_BY.finditer(claim.text), MAX_SEGMENTS):
        verb, last = stem(found["verb"]), stem(found["who"].split()[-1].lower())
        if verb in STOP_WORDS:
            continue
        telling = [clause for clause, words in clauses if verb in words]
        naming = [words for _, words in clauses if last in words]
        if telling and naming and not any(verb in words for words in naming) and not any(map(_PERSON.search, telling)):
            return Turned("roles", (telling[0],))
    return None
