"""Numbers that stand side by side in a quote, each with words of its own: whether a claim gives a number the words of its neighbour."""

import re
from collections.abc import Sequence
from itertools import pairwise

from services.evidence.readings import Number, Reading, conflict, word_keys
from services.text.measures import UNIT_WORDS
from services.text.tokens import has_cjk

_PIECE = re.compile(
    r"(?<!\d),|,(?!\d{3})|[;，；、。\n]|[.!?](?=\s)|\b(?:and|but|while|whereas|against|compared with|than|versus|or)\b|(?<=[\u4e00-\u9fff])[和而]"
)
_REFERENCE = re.compile(r"\([A-Z][^()]{0,60}\bet al\b[^()]{0,80}\)")
"""A reference in a paper: `(Tay et al., 2023b)`."""
TELLING_CHINESE = 2
"""Pairs of Chinese characters of a neighbour's that a claim must have beside a number; in English it is a word."""
MAX_PIECES = 60
"""Pieces of a text that are compared."""


def given_to_sibling(number: Number, bound: Sequence[Number], claim: Reading, quotes: Sequence[Reading]) -> str:
    """Return the number of the quotes whose words the claim gives to a number beside it; empty where it does not.

    `120 g of sugar and 30 g of butter` gives 30 to the butter, and a claim may not give it to the sugar.

    Args:
        number: of the claim.
        bound: what it may be in the quotes.
        claim: the sentence.
        quotes: what it cites.
    """
    mine = [piece for piece in _pieces(claim.text) if _holds(piece, number)]
    if len(mine) != 1 or not (said := _words(mine[0]) | _introducing(claim.text, mine[0])):
        return ""
    periods = number.periods if number.near or len(claim.periods) == 1 else frozenset()
    heads = _before_numbers(claim.text) & frozenset(word for quote in quotes for word in _before_numbers(quote.text))
    told = [piece for piece in _pieces(claim.text) if piece != mine[0]]
    least = TELLING_CHINESE if has_cjk(claim.text) else 1
    found = ""
    for quote in quotes:
        for clause in quote.clauses:
            pieces = _pieces(clause)
            holding = [piece for piece in pieces if any(_holds(piece, other) for other in bound)]
            if not holding:
                continue
            if len(holding) > 1:
                return ""
            common = _common(pieces)
            said, own = said - common, _words(holding[0]) - common
            siblings = [
                (other, _words(piece) - common)
                for piece in pieces
                if piece is not holding[0]
                for other in quote.numbers
                if other.row < 0
                and other.measure.kind == number.measure.kind
                and _holds(piece, other)
                and not _holds(mine[0], other)
                and not conflict(periods, other.periods)
                and not any(
                    _holds(said_of, other) and _words(said_of) & (_words(piece) - common - own) for said_of in told
                )
            ]
            crossed = next(
                (
                    other.text
                    for other, words in siblings
                    if len(said & (words - own)) >= least and not said & (own - words - heads)
                ),
                "",
            )
            if not crossed or not all(own - words for _, words in siblings):
                return ""
            found = crossed
    return found


def _introducing(text: str, piece: str) -> frozenset[str]:
    """Return the words of a piece without numbers that begins the text before another piece: `In the placebo group, …`."""
    pieces = _pieces(text)
    place = pieces.index(piece)
    return _words(pieces[0]) if place == 1 and not re.search(r"\d", pieces[0]) else frozenset()


def _before_numbers(text: str) -> frozenset[str]:
    """Return the words of a text before its first number, such as the verb that all of its numbers have."""
    found = re.search(r"\d", text)
    return _words(text[: found.start()]) if found else frozenset()


def _common(pieces: Sequence[str]) -> frozenset[str]:
    """Return the words before the first number, where a later piece begins with its number and so goes on with them: `fell from 9 in A and from 8 in B`."""
    numbered = [(piece, found.start()) for piece in pieces if (found := re.search(r"\d", piece))]
    if len(numbered) < 2 or all(_words(piece[:place]) for piece, place in numbered[1:]):
        return frozenset()
    piece, place = numbered[0]
    return _words(piece[:place])


def _pieces(text: str) -> list[str]:
    return [piece for piece in _PIECE.split(_REFERENCE.sub("", text))[:MAX_PIECES] if piece.strip()]


def _holds(piece: str, number: Number) -> bool:
    """Tell whether a piece has a number that is no part of a longer one."""
    return any(
        not (before[-1:].isdigit() or before.endswith(".") or after[:1].isdigit() or _GOES_ON.match(after))
        for before, after in pairwise(piece.split(number.text))
    )


_GOES_ON = re.compile(r"\.[\da-z]")


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in word_keys(text) if not word[0].isdigit() and word not in UNIT_WORDS)


def given_to_topic(
    number: Number, bound: Sequence[Number], claim: Reading, quotes: Sequence[Reading], rivals: Sequence[Number]
) -> str:
    """Return the number whose segment begins with what the claim's begins with, where that of the claim's number does not; else nothing.

    A segment with a pronoun goes on with the topic before it, and so begins with none of its own.

    Args:
        number: of the claim.
        bound: what it may be in the quotes.
        claim: the sentence.
        quotes: what it cites.
        rivals: other numbers of the same kind in the same sentences.
    """
    mine = _heads(claim.segments, [number.text])
    segments = [segment for quote in quotes for segment in quote.segments]
    theirs = _heads(segments, [other.text for other in bound])
    about = {key[:FORM] for key in word_keys(claim.text)}
    if len(mine) != 1 or not theirs or any(head[:FORM] in about for head in theirs):
        return ""
    if any(_PRONOUN.search(segment) and other.text in segment for segment in segments for other in bound):
        return ""
    return next((rival.text for rival in rivals if _heads(segments, [rival.text]) & mine), "")


_PRONOUN = re.compile(
    r"\b(?:they|it|its|their|this|these|those|he|she|his|her|which|the (?:figure|number|total|rate|share|latter|former))\b|[它其该这此]",
    re.IGNORECASE,
)
FORM = 4
"""Letters in which forms of one word agree at least."""


_NO_HEADS = frozenset(
    key
    for word in "above below beyond within without among against compared versus almost about near nearly roughly only just even still since "
    "until both all every each however whereas respectively total average 同比 其中 分别 平均 目前 当时 截至 较上 与此".split()
    for key in word_keys(word)
)
"""Words that stand before a number and name nothing that it is the number of."""


def _heads(segments: Sequence[str], numbers: Sequence[str]) -> frozenset[str]:
    """Return the first word that names something in each segment with a number, before the number."""
    heads: set[str] = set()
    for segment in segments:
        places = [place for number in numbers if (place := segment.find(number)) >= 0]
        keys = word_keys(segment[: min(places)]) if places else []
        heads.update([key for key in keys if not key[0].isdigit() and key not in _NO_HEADS][:1])
    return frozenset(heads)
