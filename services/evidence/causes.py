"""Whether a claim joins causes and effects as its quotes do."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.evidence.denied_or_hedged import HEDGE, POSSIBLE
from services.evidence.readings import Reading, word_keys
from services.evidence.segments import Segments, Turned
from services.text.polarity import negated
from services.text.tokens import has_cjk

_CAUSE = re.compile(
    r"\b(?:because(?: of)?|since|due to|owing to|thanks to|as a (?:result|consequence)(?: of)?|caused?(?: by)?|causes|causing|led to|leads to|"
    r"leading to|resulted? (?:in|from)|results in|so that|forced|forcing|thereby|therefore|hence|attribut\w+|put\w* \w+ down to|"
    r"brought about|made|makes|drove|driven by|the reason|for want of|blam\w+|contribut\w+|trigger\w*|prompt\w*|responsible|explain\w*|"
    r"owed?|stem\w* from|enabl\w+|allow\w*|so|thus|by \w+ing|in response to|"
    r"as(?! (?:well|many|much|an?|of|long|soon|far|low|high|the (?:first|second|only|largest|main))\b))\b|"
    r"因为|由于|因此|因而|所以|导致|致使|造成|使得|得益于|归因于|原因|源于|从而|以致|所致|因(?!果)|引起|引发|[毁死败亡困苦鉴缘]于|[^，,。；;即假行大天促]使(?![用馆命者徒节团臣])|促|令|受|归咎",
    re.IGNORECASE,
)
_CAUSE_CLAIMED = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|as a (?:result|consequence) of|caused by|led to|resulted (?:in|from)|"
    r"brought about|prompted|forced|caus(?:ed|es|ing)|(?:main|chief|only) (?:cause|reason))\b|"
    r"因为|由于|导致|致使|造成|得益于|归因于|归咎于|引起|引发|[^，,。；;即假行大天促]使(?![用馆命者徒节团臣])|主因|主要原因|所致(?=[。，；]|$)|[因由][^，,。；;]{2,12}而",
    re.IGNORECASE,
)
_CAUSE_GIVEN = re.compile(
    rf"{_CAUSE_CLAIMED.pattern}|\b(?:therefore|hence|so that|as a (?:result|consequence)(?! of)|attribut\w+ (?P<effect>[^.;]{{2,60}}?) to)\b|因此|因而|所以|从而|以致",
    re.IGNORECASE,
)
"""The same with words that a claim may have of its own, and quotes give for a cause."""
_BACKWARD = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|as a (?:result|consequence) of|caused by|resulted from)\b|因为|由于|得益于",
    re.IGNORECASE,
)
SAME_SIDE, OTHER_SIDE = 0.6, 0.25
"""Shares of the words of a cause or an effect that a sentence must hold to tell of it, and may hold if it does not."""
DENIED_BEFORE = 12
"""Characters before a causal word in which a denial takes it back: `was not caused by`."""


def caused(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim gives a cause where the quotes give none, or another, or the effect for the cause."""
    claimed = _CAUSE_CLAIMED.search(claim.text)
    if claimed is None or negated(claim.text[max(0, claimed.start() - DENIED_BEFORE) : claimed.start()]):
        return None
    sentences = [sentence for quote in quotes for sentence in quote.clauses]
    causal = [sentence for sentence in sentences if _CAUSE.search(sentence)]
    if not causal and HEDGE.search(claim.text) and any(POSSIBLE.search(sentence) for sentence in sentences):
        return None  # what may be the cause, told as what may be
    if not causal:
        return Turned("cause", (claimed.group(),), sure=False)
    cause, effect = _sides(claim.text, claimed)
    if not cause or not effect:
        return None
    if not HEDGE.search(claim.text) and (hedged := _only_supposed(cause, sentences)):
        return Turned("hedge", (hedged,))
    around = list(_around_causes(sentences))
    if has_cjk(claim.text):
        strange = not any(len(cause & words) >= min(LEAST_CHINESE, len(cause)) for words in around)
        strange = strange and any(
            len(cause & frozenset(word_keys(text))) >= SAME_SIDE * len(cause) for text in sentences
        )
    else:
        strange = not any(cause & words for words in around)
    if strange:
        return Turned("cause", (claimed.group(),), sure=False)
    in_tables = [
        " ".join([*quote.labels, *(head for table in quote.tables for head in table.heads)]) for quote in quotes
    ]
    if not has_cjk(claim.text) and (joined := _joined_otherwise(cause, effect, sentences, in_tables)):
        return Turned("cause", (joined,), sure=False)
    for sentence in causal:
        given = _CAUSE_GIVEN.search(sentence)
        if given is None:
            continue
        their_cause, their_effect = _sides(sentence, given)
        straight = len(cause & their_cause) + len(effect & their_effect)
        crossed = len(cause & their_effect) + len(effect & their_cause)
        if crossed > straight + 1:
            return Turned("cause", (given.group(),))
    return None


_SUPPOSED = re.compile(
    r"\b(?:probably|perhaps|possibly|presumably|apparently|likely|may (?:be|have been)|might (?:be|have been))(?: \w+)? (?:because|due to|owing to|caused by|thanks to|as a result of)\b|"
    r"(?:可能|或许|也许|大概|疑似|估计|推测)(?:主要)?[是系]?(?:因为|由于|因|与[^，。；]{1,16}有关)",
    re.IGNORECASE,
)


def _only_supposed(cause: frozenset[str], sentences: Sequence[str]) -> str:
    """Return the words with which the only sentence that tells a cause supposes it: `probably because`."""
    telling = [
        sentence for sentence in sentences if len(cause & frozenset(word_keys(sentence))) >= SAME_SIDE * len(cause)
    ]
    found = [_SUPPOSED.search(sentence) for sentence in telling]
    return next((match.group() for match in found if match), "") if all(found) else ""


def _joined_otherwise(
    cause: frozenset[str], effect: frozenset[str], sentences: Sequence[str], in_tables: Sequence[str]
) -> str:
    """Return a sentence that gives the claim's cause for something else, or another cause for its effect, which another sentence or a table tells."""
    for sentence in sentences:
        given = _CAUSE_CLAIMED.search(sentence)
        if given is None:
            continue
        around = frozenset(word_keys(sentence))
        elsewhere = [frozenset(word_keys(other)) for other in (*sentences, *in_tables) if other != sentence]
        for mine, theirs, rest in zip((cause, effect), _sides(sentence, given), (effect, cause), strict=True):
            same = len(mine) > 1 and len(mine & theirs) >= SAME_SIDE * len(mine)
            if (
                same
                and len(rest & around) <= OTHER_SIDE * len(rest)
                and any(len(rest & words) >= SAME_SIDE * len(rest) for words in elsewhere)
            ):
                return sentence
    return ""


def _around_causes(sentences: Sequence[str]) -> Iterator[frozenset[str]]:
    """Yield the words of each sentence with a causal word, and of the one before it: `Fuel was dear. As a result …`."""
    for before, sentence in pairwise(["", *sentences]):
        if found := _CAUSE.search(sentence):
            yield frozenset(
                word_keys(f"{before} {sentence}" if found.start() < GOES_ON or _BACK.search(sentence) else sentence)
            )


_BACK = re.compile(
    r"\b(?:this|that|these|which|it|therefore|hence|thus|as a (?:result|consequence)(?! of))\b|[这此该其]|因而|所以|从而",
    re.IGNORECASE,
)
GOES_ON = 8
"""Characters of a sentence within which a causal word joins it to the one before."""
LEAST_CHINESE = 2
"""Pairs of characters of a cause that a sentence must hold to speak of it."""


def is_own_cause(found: Turned) -> bool:
    """Tell whether the quotes give no cause at all, rather than the effect for it."""
    return found.turn == "cause" and not found.sure


def _sides(text: str, mark: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the cause and of the effect around a causal word."""
    before, after = text[: mark.start()], text[mark.end() :]
    if effect := mark.groupdict().get("effect"):
        return frozenset(word_keys(after)), frozenset(word_keys(effect))
    if mark.group().endswith("而"):  # 因…而: the cause stands within
        return frozenset(word_keys(mark.group())), frozenset(word_keys(f"{before}，{after}"))
    if _BACKWARD.match(mark.group()):
        if not before.strip():  # Because …, …
            first, _, rest = after.replace("，", ",").partition(",")
            return frozenset(word_keys(first)), frozenset(word_keys(rest))
        return frozenset(word_keys(after)), frozenset(word_keys(before))
    return frozenset(word_keys(before)), frozenset(word_keys(after))
