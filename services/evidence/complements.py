"""Whether a claim joins a verb of its quotes to another place, year, agent or object than the quotes do."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.evidence.subject_binding import worked_out
from services.text.names import names
from services.text.polarity import negated
from services.text.tokens import has_cjk, stem

MAX_TEXT = 400
"""Characters of a clause that are compared in Chinese, character by character."""
_PREPOSITIONS = "at in on by from to near under with for"
_JOINED = re.compile(
    r"\b(?P<verb>[a-z]{2,20}(?:ed|wn|ught|ung|orn|uilt|[ktvs]en|itten)|held|sold|told|sent|went|spent|paid|laid|made|met|won|lost|found|born|died|shot|set)"
    rf"(?: (?:up|down|out|off|over|away|only|first))? (?P<preposition>{'|'.join(_PREPOSITIONS.split())}) "
    r"(?P<what>(?:(?:the|a|an|its|his|her|their) )?[\w&.'’-]{1,30}(?: (?!at |in |on |by |from |to |and |but |when |where |which |who |after |before )[\w&.'’-]{1,30}){0,3})"
)


class Joined(NamedTuple):
    """A verb with what a preposition joins to it."""

    verb: str
    preposition: str
    what: frozenset[str]


def complements(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes have a verb with the same preposition, and something else behind it."""
    if has_cjk(claim.text):
        return None
    clauses = [clause for quote in quotes for clause in quote.clauses]
    held = [(joined, frozenset(word_keys(clause))) for clause in clauses for joined in _joined(clause)]
    everything = frozenset(word for clause in clauses for word in word_keys(clause))
    segments = [(segment, frozenset(word_keys(segment))) for quote in quotes for segment in quote.segments]
    for mine in _joined(claim.text):
        theirs = [joined for joined, _ in held if (joined.verb, joined.preposition) == (mine.verb, mine.preposition)]
        with_verb = [keys for text, keys in segments if mine.verb in {stem(word) for word in text.lower().split()}]
        if (
            theirs
            and mine.what
            and mine.what <= everything
            and all(other.what and not other.what & mine.what for other in theirs)
            and not any(mine.what & keys for keys in with_verb)
        ):
            return Turned("roles", tuple(sorted(theirs[0].what)))
    return None


def _joined(text: str) -> Iterator[Joined]:
    for found in islice(_JOINED.finditer(text), MAX_SEGMENTS):
        yield Joined(stem(found["verb"]), found["preposition"], frozenset(word_keys(found["what"])))


_AGENTS = re.compile(
    r"\b(?P<verb>[a-z]{2,20}(?:ed|wn|ught|uilt|[ktvs]en|itten)|made|led|run|won|sung) by (?P<who>[^.;:()]{2,160})"
)
_AGENTS_END = re.compile(
    r",? (?:who|which|that|whose|with|in|at|on|for|from|after|before|when|while|where|but|because|as|to|and (?:[a-z]+ed|was|is|has|had))\b"
)


def listed_agents(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the claim names an agent (`done by …`) that the quotes name elsewhere only."""
    known = "\n".join(quote.text for quote in quotes)
    given = [(found["verb"], _agents_in(found["who"])) for found in _AGENTS.finditer(known)]
    for found in islice(_AGENTS.finditer(claim.text), MAX_SEGMENTS):
        theirs = [who for verb, who in given if verb == found["verb"]]
        own = _agents_in(found["who"])
        for name in names(f"by {own}"):
            if (
                name in known
                and theirs
                and not any(name in who for who in theirs)
                and any(set(word_keys(own)) & set(word_keys(who)) for who in theirs)
            ):
                return Turned("roles", (theirs[0],))
    return None


def _agents_in(text: str) -> str:
    return text[: end.start()] if (end := _AGENTS_END.search(text)) else text


_VOICE = re.compile(r"[被由受遭是]|为[^，,。；;]{1,8}所|[和与及跟同、比][^，,。；;]{0,3}$")


def exchanged(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a Chinese claim begins with what a quote's clause ends with, and ends with what it begins with, round one verb."""
    if not has_cjk(claim.text) or worked_out(
        claim.text, frozenset(key for quote in quotes for key in word_keys(quote.text))
    ):
        return None
    for segment in claim.segments:
        for quote in quotes:
            for clause in quote.clauses:
                if negated(segment) is not negated(clause):
                    continue
                if found := _turned_round(segment[:MAX_TEXT], clause[:MAX_TEXT]):
                    return Turned("roles", (found,))
    return None


def _turned_round(segment: str, clause: str) -> str:
    """Return the verb round which two texts have the same ends the other way round; empty where they do not."""
    first = _longest(segment, clause, from_start=True)
    last = _longest(segment[len(first) :], clause, from_start=False)
    if len(first) < 2 or len(last) < 2 or first == last:
        return ""
    there_last, there_first = clause.find(last), clause.rfind(first)
    if not 0 <= there_last < there_last + len(last) < there_first:
        return ""
    middle, theirs = segment[len(first) : len(segment) - len(last)], clause[there_last + len(last) : there_first]
    if _VOICE.search(middle) or _VOICE.search(theirs):
        return ""
    return next(
        (
            pair
            for place in range(len(middle) - 1)
            if has_cjk(pair := middle[place : place + 2]) and not pair[0].isdigit() and pair in theirs
        ),
        "",
    )


def _longest(text: str, clause: str, *, from_start: bool) -> str:
    """Return the longest beginning, or end, of a text that stands in a clause."""
    length = 0
    while length < len(text) and (text[: length + 1] if from_start else text[len(text) - length - 1 :]) in clause:
        length += 1
    return text[:length] if from_start else text[len(text) - length :]


_BY = re.compile(r"由(?P<rest>[\u4e00-\u9fff]{4,20})")
_PRONOUN = re.compile(r"[他她其它该此]")


def agents(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether `由` names an agent for a verb before which every clause of the quotes has another agent."""
    found = _BY.search(claim.text)
    if found is None:
        return None
    texts = [quote.text[: MAX_TEXT * 10] for quote in quotes]
    rest = found["rest"]
    agent = max((_longest(rest, text, from_start=True) for text in texts), key=len, default="")
    verb = rest[len(agent) : len(agent) + 2]
    if len(agent) < 2 or len(verb) < 2:
        return None
    holding = [segment for quote in quotes for segment in quote.segments if verb in segment]
    before = [segment[: segment.find(verb)] for segment in holding]
    if (
        holding
        and all(len(text) > 1 and not _PRONOUN.search(text) for text in before)
        and not any(agent in segment for segment in holding)
    ):
        return Turned("roles", (before[0],))
    return None
