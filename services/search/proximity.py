"""How much of a query stands together in a passage: the parts of its words that two neighbouring sentences hold.

BM25 asks which words a whole passage holds, in the form that the query has. This asks the few passages that a search has come
down to whether some place in them says what the query says, in other forms too ("forest" and "deforestation", 死亡 and 死于).
Parts of English words are threes of letters, after McNamee and Mayfield, "Character N-Gram Tokenization for European
Language Text Retrieval" (2004); of Chinese ones single characters, beside the pairs that the index has, after Kwok, "Comparing
Representations in Chinese Information Retrieval" (1997). That a passage is as good as its best stretch is from Callan,
"Passage-Level Evidence in Document Retrieval" (1994).
"""

from collections import Counter
from collections.abc import Sequence

from services.text.passages import sentences
from services.text.ranking import rarity
from services.text.tokens import CJK_STOP, STOP_WORDS, has_cjk, pieces

LETTERS = 3
"""Letters of a part of a word."""
SENTENCES = 2
"""Neighbouring sentences that are looked at together."""


def proximity(query: str, passages: Sequence[str]) -> list[float]:
    """Return for each of some passages which share of a query's parts its best two neighbouring sentences hold.

    Args:
        query: a question or a statement.
        passages: the best that a search found. The fewer of them hold a part, the more it counts, so shares compare among
            the passages of one call only.
    """
    wanted = _parts(query)
    held = [[wanted & _parts(text) for text in _sentences(passage)] for passage in passages]
    holding = Counter(part for own in held for part in set[str]().union(*own))
    weights = {part: rarity(holding[part], len(passages)) for part in wanted}
    total = sum(weights[part] for part in sorted(weights)) or 1.0  # sorted: sums of floats hang on their order
    return [max(sum(weights[part] for part in sorted(stretch)) for stretch in _stretches(own)) / total for own in held]


def _sentences(passage: str) -> list[str]:
    """Return the sentences of a passage without its headings, which all passages below them share."""
    found = [passage[span.start : span.end] for span in sentences(passage)]
    return [sentence for sentence in found if not sentence.startswith("#")] or [passage]


def _stretches(held: Sequence[set[str]]) -> list[set[str]]:
    starts = range(max(1, len(held) - SENTENCES + 1))
    return [set[str]().union(*held[start : start + SENTENCES]) for start in starts]


def _parts(text: str) -> set[str]:
    """Return the parts of a text's words, but of those that say nothing; `^` and `$` mark where words begin and end."""
    found: set[str] = set()
    for piece in pieces(text):
        if has_cjk(piece):
            found.update(char for char in piece if char not in CJK_STOP)
        elif piece not in STOP_WORDS:
            whole = f"^{piece}$"
            found.update(whole[place : place + LETTERS] for place in range(len(whole) - LETTERS + 1))
    return found
