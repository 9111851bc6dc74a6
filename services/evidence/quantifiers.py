"""Whether a claim says of all, of the whole or of always what its quotes say of some, of a part or of sometimes."""

import re
from collections.abc import Iterator, Sequence

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import ALIKE, Keyed, Segments, Turned, nearest
from services.text.measures import UNIT_WORDS
from services.text.polarity import negated
from services.text.tokens import has_cjk

RELATED = 0.4
"""Least share of the words of a claim with `all` or `often` that a segment with `some` or `rarely` must hold: both speak of amounts."""
_NUMERAL = r"(?:\d[\d,]{0,8}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_SOME = re.compile(
    r"\b(?:some|several|many|most|a few|half|parts?|certain|a number|a minority|a majority|(?<!the )only|rarely|sometimes|occasionally|mostly|mainly|"
    r"except|other than|apart from|in places|locally|(?:third|quarter|fifth|share) of|of (?:whom|which|them|these)|among (?:them|which|whom))\b|"
    rf"\b{_NUMERAL} (?:of|in|out of) (?:the |its |their |these |those |all )?(?:{_NUMERAL}\b)?|(?:%|percent|per cent) of\b|"
    r"部分|一些|有些|多数|少数|某些|其中|仅|只[有在]|偶尔|有时|有的|个别|一半|半数|过半|[一二三四五六七八九]成|分之|[中里]有|先在|试[行点]|例外|除外|不适用|局部|零星",
    re.IGNORECASE,
)
"""What limits a statement to a part."""
_NAMED_PART = re.compile(
    r"\b(?:some|several|many|most|a few|half|part|parts|one|certain|a number|a minority|a majority|only|rarely|sometimes|occasionally)\b"
    r"(?: of)?(?: the| these| its| all)? (\w+)|(?:部分|一些|有些|多数|大多数|少数|某些|其中|只有|偶尔|[里中]有)([\u4e00-\u9fff]{2,4})",
    re.IGNORECASE,
)
"""The same, with what it is a part of."""
_QUANTIFIED = re.compile(
    r"\b(?:some|several|many|most|few|half|part|parts|only|certain|a number|rarely|sometimes|occasionally|minority|majority|mostly|"
    r"one|quarter|third|percent|among|in ten|share|other|others|except|outside|else|rest)\b|\d|其他|其余|以外|之外|在[^，。；]{2,20}中[，,]|部分|一些|有些|有的|多数|少数|某些|其中|仅|只|偶尔|有时|约|成|过半|一半|不少|许多|试",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:some|several|many|most|few|half|only|certain|rarely|sometimes|minority|majority|nearly|almost|except|but|unless|if)\b|"
    r"\bnot (?:all|every|each|always|any|both)\b|n['’]t\b|部分|一些|有些|多数|少数|某些|其中|仅|只有|几乎|近乎|[并不]非|未|[不没](?=[都全均总是])|除",
    re.IGNORECASE,
)
"""What keeps a claim with a universal word from saying it of all."""
_ALL = re.compile(
    r"\b(?:(?<!at )all|always|throughout|everywhere|entire\w*|the whole|nobody|none|everyone|everybody|"
    r"(?:every|each|(?<!without )any)(?! (?:year|month|week|day|time|hour|summer|winter|spring|autumn|season|other)))\b|"
    r"全部|所有|全都|全体|各(?=[个类种条家地区县市省线校路户]|分馆)|(?<![平人年日月户])均(?!价|衡|匀)|(?<![首成])都(?![市城督江])|始终|一律|任何|每一|每[个位家所座](?!月|小时)|普遍|毫无例外",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[和与及、两双][^，,。；;]{0,30}[都均]")
"""A list of which a universal word speaks, rather than of all: `甲和乙都`."""
_RARELY = re.compile(
    r"\b(?:rarely|seldom|hardly ever|occasionally|sometimes|now and then|at times|not often|infrequently)\b|偶尔|偶见|有时|很少|极少|罕见|少见|不常",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:often|usually|frequently|always|regularly|mostly|mainly|normally|generally|typically|constantly|commonly|chiefly|routinely)\b|"
    r"经常|常常|常年|总是|通常|往往|主要|一直|大量|频繁|时常|多半",
    re.IGNORECASE,
)
_QUANTIFIED_PART = re.compile(r"[中里]|\b(?:among|out of|some|of the|of its|of their)\b", re.IGNORECASE)
"""What makes the number of a whole one that a part is taken from."""
_OF_WHICH = re.compile(
    r"[,，;；]?\s?(?:其中(?!一|之)|\bof (?:whom|which|them|these)\b|\bamong (?:them|which|whom)\b|\bincluding\b)",
    re.IGNORECASE,
)


def scope(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the claim drops or widens what limits the quotes to a part."""
    clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
    return (
        _all_of_a_part(claim, quotes)
        or _all_for_some(claim, [*keyed.near, *clauses])
        or _most_for_many(claim, [*keyed.near, *clauses])
        or _often_for_rarely(claim, keyed.near)
        or _whole_for_part(claim, quotes)
        or _without_its_part(claim, keyed.near if has_cjk(claim.text) else [*keyed.near, *clauses])
    )


def _related(claim: Reading, keyed: Keyed, least: float) -> list[str]:
    """Return the texts that say most of what a segment of the claim says, or the claim as a whole."""
    parts = dict.fromkeys([*claim.segments, claim.text])
    return list(dict.fromkeys(text for part in parts for text, score in nearest(part, keyed) if score >= least))


_EXCEPT = re.compile(
    r"\b(?:except(?:ing)?|apart from|other than|with the exception of|save for)\b|除[^，。；]{1,20}[外]|除外|例外",
    re.IGNORECASE,
)
"""What takes something out of all."""


def _all_for_some(claim: Reading, keyed: Keyed) -> Turned | None:
    universal = _ALL.search(claim.text)
    if universal is None or _LIMITED.search(claim.text) or _LISTED.search(claim.text):
        return None
    near = _related(claim, keyed, RELATED)
    excepted = next((found.group() for text in near if (found := _EXCEPT.search(text))), "")
    if excepted:
        return Turned("scope", (excepted,))
    if any(_ALL.search(text) for text in near):
        return None
    return Turned("scope", (universal.group(),)) if any(_SOME.search(text) for text in near) else None


_ALL_OF = re.compile(
    r"\b(?:all|every|each|both)(?: of)?(?: the| its| their| these)? (?P<english>[a-z]{3,20})|(?:所有|全部|全体)的?(?P<chinese>[\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)
_PART_OF = re.compile(
    rf"\b(?:most|some|many|several|half|a (?:third|quarter|fifth|minority|majority)|two thirds|{_NUMERAL}|[\d.]{{1,6}}(?:%| percent| per cent))(?: of)?(?: the| its| their| these)? (?P<english>[a-z]{{3,20}})|"
    r"(?:[一二三四五六七八九]成半?|部分|多数|少数|半数|一半|若干|[\d.]{1,6}%)(?:左右|以上|以下)?的?(?P<chinese>[\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)


def _all_of_a_part(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    """Tell whether a claim speaks of all of what the quotes speak of a part only: `all villages` of `七成的乡镇`."""
    if _LIMITED.search(claim.text):
        return None
    texts = "\n".join(quote.text for quote in quotes)
    whole = {(found["english"] or found["chinese"]).lower() for found in _ALL_OF.finditer(texts)}
    parts = {(found["english"] or found["chinese"]).lower(): found.group() for found in _PART_OF.finditer(texts)}
    for found in _ALL_OF.finditer(claim.text):
        noun = (found["english"] or found["chinese"]).lower()
        if noun in parts and noun not in whole:
            return Turned("scope", (parts[noun],))
    return None


_MOST = re.compile(
    r"(?<!the )(?<!at )\bmost (?:of\b|[a-z]{2,20}s\b)|\bthe majority\b|大多数|大部分|多数|过半", re.IGNORECASE
)
_MANY = re.compile(
    r"[只仅]|\b(?:only|many|some|several|a number of|a few|certain|\d{1,3} of \d{1,4})\b|许多|不少|一些|有些|部分|某些|个别",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"\b(?:half|majority|most\w*|mainly|nearly all|all)\b|%|percent|per cent|半|主要|绝大|成|分之|多[为是数]"
)
"""With what quotes may tell that it is more than half."""


def _most_for_many(claim: Reading, keyed: Keyed) -> Turned | None:
    """Tell whether the claim says of most what the quotes say of many or of a few of some number."""
    most = _MOST.search(claim.text)
    near = _related(claim, keyed, ALIKE) if most else []
    if most is None or any(_MOST.search(text) or _HALF.search(_MANY.sub("", text)) for text in near):
        return None
    return Turned("scope", (most.group(),)) if any(_MANY.search(text) for text in near) else None


def _often_for_rarely(claim: Reading, keyed: Keyed) -> Turned | None:
    if _RARELY.search(claim.text) or negated(claim.text):
        return None
    often = _OFTEN.search(claim.text)
    for text in _related(claim, keyed, RELATED if often else ALIKE):
        rarely = _RARELY.search(text)
        if rarely and not _OFTEN.search(text) and (often or not _QUANTIFIED.search(claim.text)):
            return Turned("scope", (rarely.group(),))
    return None


def _whole_for_part(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    """Tell whether the claim gives the number of a whole with what the quotes say of a part of it: `340 men, of whom 12 …`."""
    if _OF_WHICH.search(claim.text) or negated(claim.text) or _QUANTIFIED_PART.search(claim.text):
        return None
    mine = {number.measure.value for number in claim.numbers}
    words = _plain(claim.text)
    for whole, part, before, after in _parts(quotes):
        shared = words & _plain(after) - _plain(before)
        if whole & mine and part and not part & mine and len(shared) >= max(1, len(_plain(after)) / 2):
            return Turned("scope", (after.strip(),))
    return None


def _parts(quotes: Sequence[Reading]) -> Iterator[tuple[set[float], set[float], str, str]]:
    """Yield the numbers of wholes and of their parts, with the texts around `of which`."""
    for quote in quotes:
        for clause in quote.clauses:
            found = _OF_WHICH.search(clause)
            if found is None or found.start() == 0:
                continue
            before, after = clause[: found.start()], clause[found.end() :]
            whole, part = (
                {number.measure.value for number in quote.numbers if number.row < 0 and number.text in side}
                for side in (before, after)
            )
            yield whole - part, part, before, after


def _plain(text: str) -> frozenset[str]:
    """Return the words of a text without numbers and units."""
    keys = word_keys(text)
    return frozenset(word for word in keys if not word[0].isdigit() and word not in UNIT_WORDS)


def _without_its_part(claim: Reading, keyed: Keyed) -> Turned | None:
    """Tell whether the claim leaves out that the quotes speak of some of what it speaks of."""
    if _QUANTIFIED.search(claim.text):
        return None
    words = set(word_keys(claim.text))
    for text in _related(claim, keyed, ALIKE):
        for found in _NAMED_PART.finditer(text):
            noun = found.group(1) or found.group(2)
            if words & set(word_keys(noun)) and not (has_cjk(noun) and "只" in claim.text):
                return Turned("scope", (found.group().strip(),))
    return None
