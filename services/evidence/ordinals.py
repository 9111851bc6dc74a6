"""Whether a claim gives a thing the ordinal that its quotes give it: `her first film` of `her second film`."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.numerals import chinese_value

_WORDS = {
    word: number
    for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}  # fmt: skip
_ORDINAL = re.compile(
    rf"\b(?P<word>{'|'.join(_WORDS)}|(?P<digits>\d{{1,3}})(?:st|nd|rd|th))[ -](?P<noun>[a-z]{{3,20}}(?: [a-z]{{3,20}})?)\b|"
    r"(?:第(?P<chinese>[一二三四五六七八九十\d]{1,3})|(?P<one>首))[部届次位名座条家任支篇台艘场轮期](?P<thing>[\u4e00-\u9fff]{2,6})",
    re.IGNORECASE,
)
_NOT_OF_A_THING = frozenset("century time year half quarter day week month floor person".split())
"""Nouns of which a text may have several ordinals, or which an ordinal does not count."""


def ordinal(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes give the thing that a claim gives an ordinal only another one."""
    given = [found for quote in quotes for found in _ordinals(quote.text)]
    around = "\n".join(quote.text for quote in quotes).lower()
    mine = list(_ordinals(claim.text))
    for number, thing, text in mine:
        theirs = [other for other, their_thing, _ in given if thing & their_thing]
        alone = sum(bool(thing & other) for _, other, _ in mine) == 1  # renewed for a fifth season before the fourth
        if theirs and number not in theirs and alone and text.lower().split()[0].split("-")[0] not in around:
            return Turned("superlative" if number == 1 else "roles", (text,), sure=False)
    return None


def _ordinals(text: str) -> Iterator[tuple[int, frozenset[str], str]]:
    """Yield ordinals with the words of what they count, and as written."""
    for found in islice(_ORDINAL.finditer(text), MAX_SEGMENTS):
        if found["noun"]:
            number = int(found["digits"]) if found["digits"] else _WORDS[found["word"].lower()]
            last = found["noun"].split()[-1]
            first = found["noun"].split()[0]
            if last in _NOT_OF_A_THING or first in _NOT_OF_A_THING:
                continue
            yield number, frozenset(word_keys(found["noun"])), found.group()
        else:
            written = found["chinese"]
            number = 1 if found["one"] else int(written) if written.isdigit() else int(chinese_value(written))
            yield number, frozenset(word_keys(found["thing"])), found.group()
