"""Whether a claim exchanges two numbers, years or places on a list: `4 on A and 2 on B` of `2 on A and 4 on B`.

Each word that a claim and a sentence of its quotes hold once stands nearer to one of two numbers. Where every such word
stands nearer to the other one in the quotes, the numbers have changed places.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from services.evidence.readings import Reading
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.polarity import COMPARES
from services.text.tokens import CJK_STOP, STOP_WORDS, has_cjk, stem

_PIECE = re.compile(
    r"(?P<value>\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?|第[一二三四五六七八九十]{1,3}|\b(?:first|second|third|fourth|fifth|largest|smallest)\b)|"
    r"(?P<word>[A-Za-z][\w'’]*)|(?P<character>[\u4e00-\u9fff])|(?P<cut>[,;:，、；：])",
    re.IGNORECASE,
)
_YEAR = re.compile(r"[12]\d{3}")
_JOINS = frozenset({"and", "but", "while", "whereas", "和", "及", "与", "而"})
CUT = 4
"""Words that a comma or a conjunction is as far as."""
MAX_PIECES = 400
"""Words of a sentence whose distances are compared."""


class _Placed(NamedTuple):
    """A sentence's numbers and words, each with its place; those that stand in it once."""

    values: dict[str, int]
    words: dict[str, int]


def crossed_pairs(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether two numbers of a claim stand beside each other's words in a sentence of the quotes."""
    for sentence in claim.clauses[:MAX_SEGMENTS]:
        mine = _placed(sentence)
        if len(mine.values) < 2:
            continue
        for clause in (clause for quote in quotes for clause in quote.clauses):
            if COMPARES.search(sentence) and COMPARES.search(clause):
                continue  # the same, from the other side
            theirs = _placed(clause)
            for pair in combinations(sorted(mine.values.keys() & theirs.values.keys())[:MAX_SEGMENTS], 2):
                if _of_one_sort(pair, sentence + clause) and _crossed(pair, mine, theirs):
                    return Turned("roles", pair)
    return None


def _of_one_sort(pair: tuple[str, str], texts: str) -> bool:
    """Tell whether two numbers may be years both, or neither: a year takes no place of a quantity."""
    return len({bool(_YEAR.fullmatch(value)) and f"{value[0]},{value[1:]}" not in texts for value in pair}) == 1


def _crossed(pair: tuple[str, str], mine: _Placed, theirs: _Placed) -> bool:
    shared = mine.words.keys() & theirs.words.keys()
    sides = Counter((_nearer(word, pair, mine), _nearer(word, pair, theirs)) for word in shared)
    first, second = pair
    crossed, straight = (sides[first, second], sides[second, first]), sides[first, first] + sides[second, second]
    return all(crossed) and sum(crossed) > straight


def _nearer(word: str, pair: tuple[str, str], placed: _Placed) -> str:
    """Return the number of a pair that stands nearer to a word; empty where neither does."""
    far = [abs(placed.words[word] - placed.values[value]) for value in pair]
    return "" if far[0] == far[1] else pair[far[0] > far[1]]


def _placed(sentence: str) -> _Placed:
    values, words = _once(_walk(sentence, values=True)), _once(_walk(sentence, values=False))
    return _Placed(values, words)


def _once(placed: Iterator[tuple[str, int]]) -> dict[str, int]:
    found = list(placed)
    times = Counter(text for text, _ in found)
    return {text: place for text, place in found if times[text] == 1}


def _walk(sentence: str, *, values: bool) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a sentence, or its words and pairs of Chinese characters, with their places."""
    place, before = 0, ""
    for count, piece in enumerate(_PIECE.finditer(sentence)):
        if count == MAX_PIECES:
            return
        text = piece.group().lower()
        place += CUT if piece["cut"] or text in _JOINS else 1
        if values and piece["value"]:
            yield text.replace(",", ""), place
        elif not values and piece["word"] and text not in STOP_WORDS:
            yield stem(text), place
        elif not values and piece["character"] and before and not {text, before} & CJK_STOP:
            yield before + text, place
        before = text if piece["character"] and has_cjk(text) else ""
