"""What a claim makes of a quote's words: denials, guesses, parts, causes, superlatives, and who did what.

Each is compared with the segment of the quotes that says most of what the claim's own segment says. Rules as far as they
carry, in English and Chinese; what they do not see passes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from services.evidence.readings import Reading, read, word_keys
from services.text.polarity import negated, opposite
from services.text.tokens import has_cjk

Turn = Literal["negation", "denied", "hedge", "scope", "cause", "superlative", "roles", "opposite"]

ALIKE = 0.6
"""Least share of a segment's words that a quote's segment must hold to be what it speaks of."""
ABOUT = 0.4
"""Least share of a quote's segment that a claim must hold for the segment to be about the claim."""
ABOUT_CHINESE = 0.15
"""The same for pairs of Chinese characters."""
PASSAGE = 5
"""Clauses of the quotes that are compared, if they have more."""
NEARBY = 6
"""Segments of the quotes that are compared: those that hold most of the claim's words."""
_HEDGE = re.compile(
    r"\b(?:(?-i:may)|might|could|would|should|suggest\w*|possib\w+|perhaps|probabl\w+|likely|expect\w*|plan(?:s|ned|ning)?|propos\w+|"
    r"forecast\w*|project(?:s|ed|ion)|intend\w*|hop(?:e|es|ed)|believ\w+|assum\w+|appear\w*|seem\w*|estimat\w+|if|aim(?:s|ed)?|"
    r"thought|unclear|unknown|not known|whether|cannot tell|way|think\w*|view|opinion)\b|"
    r"可能|或许|也许|大概|预计|计划|拟|有望|估计|推测|认为|尚需|尚待|如果|若|是否|打算|似乎|建议|目标",
    re.IGNORECASE,
)
_LATER = re.compile(r"\b(?:will|is to|are to|announc\w+|due to (?:open|begin|start))\b|将", re.IGNORECASE)
_POSSIBLE = re.compile(
    r"\b(?:(?-i:may)|might|could|suggest\w*|possib\w+|perhaps|whether)\b|可能|或许|推测|尚需", re.IGNORECASE
)
_PLANNED = re.compile(
    r"\b(?:expects?|expected|plan(?:s|ned)? to|propos(?:es|ed)|intend\w*|hop(?:e|es|ed) to)\b|预计|计划|拟于|有望|打算",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:some|several|many|most|a few|half|part|parts|one|certain|a number|a minority|a majority|only|rarely|sometimes|occasionally)\b"
    r"(?: of)?(?: the| these| its| all)? (\w+)|(?:部分|一些|多数|大多数|少数|某些|其中|仅|只有|偶尔)(\S{2,4})",
    re.IGNORECASE,
)
_QUANTIFIED = re.compile(
    r"\b(?:some|several|many|most|few|half|part|parts|only|certain|a number|rarely|sometimes|occasionally|minority|majority|"
    r"one|quarter|third|percent|among|in ten|share)\b|\d|部分|一些|多数|少数|某些|其中|仅|只|偶尔|约|成",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|each|always|throughout|everywhere|entire\w*|whole|any|nobody|none|never|everyone|both)\b|全部|所有|各|均|全都|始终|一律|任何|每",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because(?: of)?|since|due to|owing to|thanks to|as a (?:result|consequence)(?: of)?|caused?(?: by)?|causes|causing|led to|leads to|"
    r"leading to|resulted? (?:in|from)|results in|so that|forced|forcing|thereby|therefore|hence|attribut\w+|put\w* \w+ down to|"
    r"brought about|made|makes|drove|driven by|the reason|for want of|as)\b|"
    r"因为|由于|因此|因而|所以|导致|致使|造成|使得|得益于|归因于|原因|源于|从而|以致|所致|因",
    re.IGNORECASE,
)
_CAUSE_CLAIMED = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|as a (?:result|consequence) of|caused by|led to|resulted (?:in|from)|"
    r"brought about|delayed|prompted|forced)\b|因为|由于|导致|致使|造成|得益于|归因于",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|as a (?:result|consequence) of|caused by|resulted from)\b|因为|由于|得益于",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(r"\bthe (?:most|least) (\w{4,})|\b(\w{3,}?)(?:iest|est)\b|最([\u4e00-\u9fff])", re.IGNORECASE)
_NOT_SUPERLATIVE = frozenset(
    "int inter for h contr req mod b gu t qu ear hon nor har inv dig prot sugg arr l r w at fin fur".split()
)
_PASSIVE_BY = re.compile(r"\bby\b|由|被", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turned:
    """How a claim turns what the quotes say."""

    turn: Turn
    what: tuple[str, ...] = ()
    """Words of the quotes, or of the claim where the quotes have none."""


def turned(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    """Return how a claim turns the words of its quotes; None where no rule sees it."""
    about = frozenset(word_keys(claim.text))
    if (denied := _denied(claim, quotes)) is not None:
        return denied
    quotes = _passage(about, quotes)
    segments = [(segment, frozenset(word_keys(segment))) for quote in quotes for segment in quote.segments]
    keyed = Segments(segments, sorted(segments, key=lambda pair: -len(pair[1] & about))[:NEARBY])
    for check in (_negation, _opposite, _hedge, _scope, _cause, _superlative, _speaker, _roles, _order, _swapped):
        if (found := check(claim, quotes, keyed)) is not None:
            return found
    return None


Keyed = Sequence[tuple[str, frozenset[str]]]
"""Texts with their words."""


class Segments(NamedTuple):
    """The segments of the quotes."""

    all: Keyed
    near: Keyed
    """Those that hold most of the claim's words."""


def _passage(about: frozenset[str], quotes: Sequence[Reading]) -> list[Reading]:
    """Return the few clauses in a row that hold most of a claim's words: what stands far from them says nothing of it."""
    clauses = [clause for quote in quotes for clause in quote.clauses]
    if len(clauses) <= PASSAGE:
        return list(quotes)
    held = [about & frozenset(word_keys(clause)) for clause in clauses]
    starts = range(len(clauses) - PASSAGE + 1)
    best = max(starts, key=lambda start: len(frozenset[str]().union(*held[start : start + PASSAGE])))
    return [read(clause) for clause in clauses[best : best + PASSAGE]]


def _nearest(segment: str, keyed: Keyed) -> list[tuple[str, float]]:
    """Return the quotes' segments that say as much as any of what a segment says, with how much that is."""
    words = frozenset(word_keys(segment))
    if len(words) < 2:
        return []
    scored = [(text, len(words & keys) / len(words)) for text, keys in keyed]
    best = max((score for _, score in scored), default=0.0)
    return [(text, score) for text, score in scored if score == best] if best else []


def _negation(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    for segment in claim.segments:
        near = _nearest(segment, keyed.near)
        if near and near[0][1] >= ALIKE and not negated(segment) and all(negated(text) for text, _ in near):
            return Turned("negation", (near[0][0],))
    if not negated(claim.text):
        for text in _only_in(claim, keyed.all):
            if negated(text):
                return Turned("negation", (text,))
    return None


_DENIES_TOO = re.compile(
    r"\b(?:unlike|only|alone|less|fewer|lower|instead of|rather than|except\w*)\b|仅|只|单独|其中|除|缺", re.IGNORECASE
)
"""Words that deny something as well, without a negation."""


def _denied(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    """Tell whether the claim denies something and the quotes deny nothing."""
    if not negated(claim.text) or any(negated(quote.text) or _DENIES_TOO.search(quote.text) for quote in quotes):
        return None
    return Turned("denied")


def _opposite(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether a segment of the claim turns a direction round that its nearest segment of the quotes has."""
    for segment in claim.segments:
        near = [text for text, score in _nearest(segment, keyed.near) if score >= ALIKE]
        if near and (away := opposite(_BOUND.sub(" ", segment), " ".join(near))):
            return Turned("opposite", away)
    return None


_BOUND = re.compile(
    r"\b(?:more|less|fewer|longer|shorter) than (?=[$€£]?\d|\w+ (?:weeks|days|years|months|hours))", re.IGNORECASE
)


def _hedge(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    if _HEDGE.search(claim.text):
        return None
    near = {text for segment in claim.segments for text, score in _nearest(segment, keyed.near) if score >= ALIKE}
    only = _only_in(claim, keyed.all)
    for pattern in (_POSSIBLE, _PLANNED):
        if pattern is _PLANNED and _LATER.search(claim.text):
            continue
        guessed = {text: found.group() for text, _ in keyed.all if (found := pattern.search(text))}
        for text in [*(text for text in near if text in guessed), *(text for text in guessed if text in only)]:
            return Turned("hedge", (guessed[text],))
    return None


def _only_in(claim: Reading, keyed: Keyed) -> set[str]:
    """Return the segments that alone hold a word of the claim, and more of its words besides."""
    words = frozenset(word_keys(claim.text))
    holders: dict[str, list[str]] = {}
    for text, keys in keyed:
        if len(keys & words) >= max(2, len(keys) * (ABOUT_CHINESE if has_cjk(text) else ABOUT)):
            for word in keys & words:
                holders.setdefault(word, []).append(text)
    return {texts[0] for texts in holders.values() if len(texts) == 1}


def _scope(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    universal = _ALL.search(claim.text)
    near = [text for segment in claim.segments for text, score in _nearest(segment, keyed.near) if score >= ALIKE]
    if (
        universal
        and near
        and not any(_ALL.search(text) for text, _ in keyed.near)
        and any(_PART.search(text) for text in near)
    ):
        return Turned("scope", (universal.group(),))
    if _QUANTIFIED.search(claim.text):
        return None
    words = set(word_keys(claim.text))
    for text in near:
        for found in _PART.finditer(text):
            noun = found.group(1) or found.group(2)
            if words & set(word_keys(noun)):
                return Turned("scope", (found.group().strip(),))
    return None


def _cause(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    claimed = _CAUSE_CLAIMED.search(claim.text)
    if claimed is None:
        return None
    sentences = [sentence for quote in quotes for sentence in quote.clauses]
    causal = [sentence for sentence in sentences if _CAUSE.search(sentence)]
    if not causal:
        return Turned("cause", (claimed.group(),))
    cause, effect = _sides(claim.text, claimed)
    if not cause or not effect:
        return None
    for sentence in causal:
        given = _CAUSE_CLAIMED.search(sentence)
        if given is None:
            continue
        their_cause, their_effect = _sides(sentence, given)
        straight = len(cause & their_cause) + len(effect & their_effect)
        crossed = len(cause & their_effect) + len(effect & their_cause)
        if crossed > straight + 1:
            return Turned("cause", (given.group(),))
    return None


def _sides(text: str, mark: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the cause and of the effect around a causal word."""
    before, after = text[: mark.start()], text[mark.end() :]
    if _BACKWARD.match(mark.group()):
        if not before.strip():  # Because …, …
            first, _, rest = after.partition("，" if has_cjk(after) else ",")
            return frozenset(word_keys(first)), frozenset(word_keys(rest))
        return frozenset(word_keys(after)), frozenset(word_keys(before))
    return frozenset(word_keys(before)), frozenset(word_keys(after))


def _superlative(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    if any(quote.tables for quote in quotes):
        return None
    given = {word for quote in quotes for word in _superlatives(quote.text)}
    for word in _superlatives(claim.text):
        if word not in given and given:
            return Turned("superlative", (word,))
    return None


def _superlatives(text: str) -> Iterator[str]:
    for found in _SUPERLATIVE.finditer(text):
        most, root, chinese = found.groups()
        if root and (root.lower() in _NOT_SUPERLATIVE or root[0].isupper()):
            continue
        yield (most or root or chinese).lower()[:5]


_SPEAKER = re.compile(
    r"\b(?:according to|in the words of|in (?=[\w ]{2,40}['’]s (?:view|opinion|words)))\s*((?:the |its |their )?[\w.-]+(?: [\w.-]+){0,2})|"
    r"((?:[Tt]he |[A-Z])[\w.-]+(?: [\w.-]+){0,2}?) (?:said|says|believes?|thinks?|argues?|claims?|warned|told|point(?:s|ed) out|called|blamed?)\b|"
    r"([\u4e00-\u9fff]{2,8}?)(?:则|也|还)?(?:认为|表示|指出|称|强调|介绍说|分析说)",
)


def _speaker(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes have somebody else say what the claim says."""
    found = _SPEAKER.search(claim.text)
    if found is None:
        return None
    speaker = frozenset(word_keys(next(filter(None, found.groups()))))
    said = frozenset(word_keys(claim.text[: found.start()] + " " + claim.text[found.end() :])) - speaker
    clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
    told = [(clause, keys) for clause, keys in clauses if said and len(said & keys) >= len(said) / 2]
    named = any(speaker & keys for _, keys in clauses)
    if not told or not named or not speaker or any(speaker & keys for _, keys in told):
        return None
    other = next((match for clause, _ in told if (match := _SPEAKER.search(clause))), None)
    return Turned("roles", (next(filter(None, other.groups())),)) if other else None


_GIVEN_TO = re.compile(r"\b(?:to|from|under|against)\s(?:the |its |his |her |a )?(?:[a-z]+ ){0,2}$")
_AGENT = re.compile(r"(?:^|\bby\s)(?:[Tt]he |[Ii]n [12]\d{3},? |[A-Z][a-z]+ )*(?:the )?(?:[a-z]+ ){0,2}$")


def _roles(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether who acts in the claim is who is acted on in the quotes, by the preposition before the name."""
    for name in claim.names:
        for segment in claim.segments:
            place = segment.lower().find(name)
            if (
                place < 0
                or not _AGENT.search(segment[:place])
                or re.search(r"\b(?:was|were|been|is|are|be)\b", segment[place:])
            ):
                continue
            verb = re.match(r"(?:\s\w+ly)?\s(\w+)", segment[place + len(name) :])
            for text, _keys in keyed.near if verb else ():
                there = text.lower().find(name)
                if (
                    there > 0
                    and verb
                    and re.search(rf"\b{re.escape(verb.group(1))}\b", text[:there])
                    and _GIVEN_TO.search(text[:there])
                ):
                    return Turned("roles", (text,))
    return None


_VERB = re.compile(
    r"\b(?:\w{2,}ed|sold|bought|won|beat|lost|gave|took|led|wrote|made|found|built|taught|fought|met|sent|left|saw|held|paid|drove|overtook|"
    r"outgrew|succeeds?|follows|leads|owns|teaches|supplies|employs|feeds|eats|hosts|contains|(?:more|less|fewer)|\w{2,}er(?= than))\b"
)
_BE = re.compile(r"\b(?:was|were|been|being|is|are|be|get|got)\s(?:\w+ly\s)?$")


def _order(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether two names stand round a verb, or a comparison, the other way than in the quotes, in the same voice."""
    for segment in claim.segments:
        for verb in _VERB.finditer(segment):
            before, after = (set(word_keys(part)) for part in (segment[: verb.start()], segment[verb.end() :]))
            for text, _keys in keyed.near:
                there = re.search(rf"\b{re.escape(verb.group())}\b", text)
                if there is None or bool(_BE.search(segment[: verb.start()])) is not bool(
                    _BE.search(text[: there.start()])
                ):
                    continue
                their_before, their_after = (
                    set(word_keys(part)) for part in (text[: there.start()], text[there.end() :])
                )
                left, right = before & their_after - after - their_before, after & their_before - before - their_after
                if left & _actors(segment) and right and left and _heads(text, right):
                    return Turned("roles", (text,))
    return None


def _heads(text: str, words: set[str]) -> bool:
    """Tell whether some of a segment's words may name who acts in it."""
    return bool(words & _actors(text))


SWAPPED = 2
"""How many words more, or pairs of Chinese characters, must stand beside the other of two actors in the quotes."""
SWAPPED_CHINESE = 3


def _swapped(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether two actors of a claim have changed places: the quotes have the words beside each beside the other."""
    parts = [(frozenset(word_keys(segment)), _actors(segment)) for segment in claim.segments]
    held = frozenset(word for _, keys in keyed.near for word in keys)
    for first, (one, actors) in enumerate(parts):
        for two, others in parts[first + 1 :]:
            for mine in (actors - two) & held:
                for other in (others - one) & held:
                    if _exchanged(mine, other, (one - two - {mine}) & held, (two - one - {other}) & held, keyed.near):
                        return Turned("roles", (mine, other))
    return None


_AFTER_BY = re.compile(r"\bby (?:the |its )?((?:[\w&-]+ ?){1,3})|[由被让]([\u4e00-\u9fff]{2,6})")
_CAPITALISED = re.compile(r"(?<=\s)[A-Z][\w-]+")


def _actors(segment: str) -> frozenset[str]:
    """Return the words of a segment that may name who acts: its first ones, names, and what follows `by`."""
    keys = word_keys(segment)
    named = " ".join(_CAPITALISED.findall(f" {segment}"))
    agents = " ".join(next(filter(None, found)) for found in _AFTER_BY.findall(segment))
    return frozenset([*keys[: 3 if has_cjk(segment) else 2], *word_keys(named), *word_keys(agents)])


def _exchanged(mine: str, other: str, beside_mine: frozenset[str], beside_other: frozenset[str], keyed: Keyed) -> bool:
    with_mine = frozenset(word for _, keys in keyed if mine in keys and other not in keys for word in keys)
    with_other = frozenset(word for _, keys in keyed if other in keys and mine not in keys for word in keys)
    crossed_mine, crossed_other = (
        len(beside_mine & (with_other - with_mine)),
        len(beside_other & (with_mine - with_other)),
    )
    straight = len(beside_mine & with_mine) + len(beside_other & with_other)
    return (
        crossed_mine > 0
        and crossed_other > 0
        and crossed_mine + crossed_other >= straight + (SWAPPED_CHINESE if has_cjk(mine) else SWAPPED)
    )
