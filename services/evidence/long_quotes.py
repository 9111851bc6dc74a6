"""Whether a long text holds a claim: most of its words in one place, and all of its names and numbers in one place.

Somewhere on a page stand a name, a number and most words of almost any claim about its subject; what supports a claim says
them together.
"""

import re
from collections.abc import Sequence

from services.text.names import missing_names
from services.text.numbers import missing_of, quantities
from services.text.sentence_ranking import coverage

LONG = 10
"""Sentences from which on a text is long; as many in a row are one passage of it."""
COVERED = 0.38
"""Least share of a claim's words that one passage must hold, where rare words weigh more. On either half of WiCE's development part
F1 is highest near it; precision goes on rising with it, at the price of F1."""


def held_together(text: str, sentences: Sequence[str], titles: str) -> bool:
    """Tell whether a long text holds a claim, whose names may stand in the titles of the sources as well."""
    return coverage(text, sentences, LONG) >= COVERED and _names_and_numbers(text, sentences, titles)


def is_long(sentences: Sequence[str]) -> bool:
    """Tell whether a text is long prose; the rows of a table, which count as sentences, belong together wherever they stand."""
    return len(sentences) > LONG and not any(_ROW.match(sentence) for sentence in sentences)


_ROW = re.compile(r"\s*\|.*\|\s*$")


def _names_and_numbers(text: str, sentences: Sequence[str], titles: str) -> bool:
    """Tell whether one passage, with the titles, has all names and numbers of a claim."""
    wanted = quantities(text)
    given = [quantities(sentence) for sentence in sentences]
    for start in range(max(1, len(sentences) - LONG + 1)):
        passage = sentences[start : start + LONG]
        numbers = [quantity for found in given[start : start + LONG] for quantity in found]
        if not missing_of(wanted, numbers) and not missing_names(text, "\n".join([*passage, titles])):
            return True
    return False
