"""Numbers that stand side by side in a quote, each with words of its own: whether a claim gives a number the words of its neighbour."""

import re
from collections.abc import Sequence

from services.evidence.readings import Number, Reading, word_keys
from services.text.measures import UNIT_WORDS

_PIECE = re.compile(
    r"(?<!\d),|,(?!\d{3})|[;，；、。\n]|[.!?](?=\s)|\b(?:and|but|while|whereas|against|compared with|than|versus|or)\b|(?<=[\u4e00-\u9fff])[和而]"
)
_REFERENCE = re.compile(r"\([A-Z][^()]{0,60}\bet al\b[^()]{0,80}\)")
"""A reference in a paper: `(Tay et al., 2023b)`."""
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
    if len(mine) != 1 or not (said := _words(mine[0])):
        return ""
    found = ""
    for quote in quotes:
        for clause in quote.clauses:
            pieces = _pieces(clause)
            holding = [piece for piece in pieces if any(_holds(piece, other) for other in bound)]
            if not holding:
                continue
            if len(holding) > 1:
                return ""
            own = _words(holding[0])
            siblings = [
                (other, _words(piece))
                for piece in pieces
                if piece is not holding[0]
                for other in quote.numbers
                if other.row < 0
                and other.measure.kind == number.measure.kind
                and _holds(piece, other)
                and not _holds(mine[0], other)
            ]
            crossed = next(
                (other.text for other, words in siblings if said & (words - own) and not said & (own - words)), ""
            )
            if not crossed or not all(own - words for _, words in siblings):
                return ""
            found = crossed
    return found


def _pieces(text: str) -> list[str]:
    return [piece for piece in _PIECE.split(_REFERENCE.sub("", text))[:MAX_PIECES] if piece.strip()]


def _holds(piece: str, number: Number) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number.text)}(?!\d|\.[\da-z])", piece) is not None


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in word_keys(text) if not word[0].isdigit() and word not in UNIT_WORDS)
