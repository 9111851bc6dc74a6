"""Measures how many parts of a query's words two neighbouring sentences of a passage hold together.

BM25 asks which words a whole passage holds, in the form that the query has. This asks the few passages that a search has come
down to whether some place in them says what the query says, in other forms too ("forest" and "deforestation", 死亡 and 死于).
Parts of English words are threes of letters, after McNamee and Mayfield, "Character N-Gram Tokenization for European
Language Text Retrieval" (2004); of Chinese ones single characters, beside the pairs that the index has, after Kwok, "Comparing
Representations in Chinese Information Retrieval" (1997). That a passage is as good as its best stretch is from Callan,
"Passage-Level Evidence in Document Retrieval" (1994).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from services.text.passages import sentences
from services.text.ranking import rarity
from services.text.tokens import CJK_STOP, STOP_WORDS, has_cjk, pieces

LETTERS = 3
"""Letters of a word part."""
SENTENCES = 2
"""Number of neighbouring sentences that are considered together."""


def proximity(query: str, passages: Sequence[str]) -> list[float]:
    """Return each passage's share of the query's parts in its best two neighbouring sentences.

    Parts in few of the passages weigh more, so shares are comparable only within one call.
    """
    wanted = _parts(query)
    held = [[{part for part in wanted if part in words} for words in _sentences(passage)] for passage in passages]
    holding = Counter(part for own in held for part in set[str]().union(*own))
    weights = {part: rarity(holding[part], len(passages)) for part in wanted}
    total = sum(weights[part] for part in sorted(weights)) or 1.0  # sorted: float sums depend on the order
    return [max(sum(weights[part] for part in sorted(stretch)) for stretch in _stretches(own)) / total for own in held]


@lru_cache(maxsize=1_024)  # a run asks about ten times for the sentences of a passage
def _sentences(passage: str) -> tuple[str, ...]:
    """Return the words of each sentence of a passage, without headings, which all passages below them share.

    The words are joined without separators. As no part of a word contains `$^`, a part is found only inside one word.
    """
    texts = [passage[span.start : span.end] for span in sentences(passage)]
    statements = [sentence for sentence in texts if not sentence.startswith("#")] or [passage]
    return tuple("".join(_words(sentence)) for sentence in statements)


def _stretches(held: Sequence[set[str]]) -> list[set[str]]:
    starts = range(max(1, len(held) - SENTENCES + 1))
    return [set[str]().union(*held[start : start + SENTENCES]) for start in starts]


def _parts(text: str) -> set[str]:
    """Return the parts of a text's words without stop words; `^` and `$` mark where words begin and end."""
    parts: set[str] = set()
    for word in _words(text):
        if has_cjk(word):
            parts.update(char for char in word if char not in CJK_STOP)
        else:
            parts.update(word[place : place + LETTERS] for place in range(len(word) - LETTERS + 1))
    return parts


def _words(text: str) -> list[str]:
    """Return a text's words without stop words; non-Chinese words stand between `^` and `$`."""
    return [piece if has_cjk(piece) else f"^{piece}$" for piece in pieces(text) if piece not in STOP_WORDS]
