"""What a claim makes of its quotes' words: denials, guesses, parts, causes, superlatives, and who did what.

Each is compared with the segment of the quotes that says most of what the claim's own segment says. Rules as far as they
carry, in English and Chinese; what they do not see passes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.evidence.readings import Reading, word_keys
from services.evidence.roles import order, role_by_preposition, speaker, swapped
from services.evidence.segments import ALIKE, MAX_SEGMENTS, NEARBY, Keyed, Segments, Turned, nearest, passage_of
from services.text.polarity import negated, opposite
from services.text.tokens import has_cjk

ABOUT = 0.4
"""Least share of a quote's segment that a claim must hold for the segment to be about the claim."""
ABOUT_CHINESE = 0.15
"""The same for pairs of Chinese characters."""
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
    r"(?: of)?(?: the| these| its| all)? (\w+)|(?:部分|一些|多数|大多数|少数|某些|其中|仅|只有|偶尔|[里中]有)(\S{2,4})",
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


def turned(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    """Return how a claim turns the words of its quotes; None where no rule sees it."""
    about = frozenset(word_keys(claim.text))
    claim = replace(claim, segments=claim.segments[:MAX_SEGMENTS])
    if (denied := _denied(claim, quotes)) is not None:
        return denied
    quotes = passage_of(about, quotes)
    segments = [(segment, frozenset(word_keys(segment))) for quote in quotes for segment in quote.segments]
    keyed = Segments(segments, sorted(segments, key=lambda pair: -len(pair[1] & about))[:NEARBY])
    for check in (
        _negation,
        _opposite,
        _hedge,
        _scope,
        _cause,
        _superlative,
        speaker,
        role_by_preposition,
        order,
        swapped,
    ):
        if (found := check(claim, quotes, keyed)) is not None:
            return found
    return None


def _negation(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the quotes deny what a segment of the claim says: in the nearest segment, alone with words of the claim."""
    only = set() if negated(claim.text) else _only_in(claim, keyed.all)
    for segment in () if negated(claim.text) and len(claim.segments) == 1 else claim.segments:
        near = nearest(segment, keyed.near)
        if negated(segment) or not near or not all(negated(text) for text, _ in near):
            continue
        if near[0][1] >= ALIKE or any(text in only for text, _ in near):
            return Turned("negation", (near[0][0],))
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
        near = [text for text, score in nearest(segment, keyed.near) if score >= ALIKE]
        if near and (away := opposite(_BOUND.sub(" ", segment), " ".join(near))):
            return Turned("opposite", away)
    return None


_BOUND = re.compile(
    r"\b(?:more|less|fewer|longer|shorter) than (?=[$€£]?\d|\w+ (?:weeks|days|years|months|hours))", re.IGNORECASE
)


def _hedge(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    if _HEDGE.search(claim.text):
        return None
    near = {text for segment in claim.segments for text, score in nearest(segment, keyed.near) if score >= ALIKE}
    only = _only_in(claim, keyed.all)
    for pattern in (_POSSIBLE, _PLANNED):
        if pattern is _PLANNED and _LATER.search(claim.text):
            continue
        guessed = {text: found.group() for text, _ in keyed.all if (found := pattern.search(text))}
        told = next((text for text in guessed if text in near or text in only), None)
        if told is not None:
            return Turned("hedge", (guessed[told],))
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
    near = [text for segment in claim.segments for text, score in nearest(segment, keyed.near) if score >= ALIKE]
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
