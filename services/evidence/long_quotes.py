"""Whether a long text holds a claim: most of its words in one place, and all of its names and numbers in one place.

Somewhere on a page stand a name, a number and most words of almost any claim about its subject; what supports a claim says
them together.
"""

import re
from collections.abc import Sequence

from services.text.tables import row_of
from services.text.names import missing_names
from services.text.numbers import is_held, missing_of, quantities
from services.text.sentence_ranking import coverage
from services.text.tokens import has_cjk

LONG = 10
"""Sentences from which on a text is long; most of a claim's words must stand in as many in a row."""
NAMED = 15
"""Sentences in a row that must hold all of a claim's names and numbers. On WiCE's development part fewer refuse more right claims
than wrong ones."""
COVERED = 0.47
"""Least share of a claim's words that one passage must hold, where rare words weigh more. Chosen for precision on WiCE's development
part, of which no half was held out; precision and F1 are flat from 0.46 to 0.48 (2026-11-24)."""
COVERED_CHINESE = 0.3
"""The same for pairs of Chinese characters, of which a harmless change of wording breaks more. Of claims that may be looked at, put
to passages of other subjects, none passes from 0.2 on."""


def held_together(text: str, sentences: Sequence[str], titles: str) -> bool:
    """Tell whether a long text holds a claim, whose names may stand in the titles of the sources as well."""
    bar = COVERED_CHINESE if has_cjk(text) else COVERED
    return coverage(text, sentences, LONG) >= bar and _names_and_numbers(text, sentences, titles)


def is_long(sentences: Sequence[str]) -> bool:
    """Tell whether a text is long prose; the rows of a table and lines of results, which count as sentences, belong together wherever they stand."""
    apart = sum(row_of(sentence) is not None or _RESULT.match(sentence) is not None for sentence in sentences)
    return len(sentences) > LONG and 2 * apart < len(sentences)


_RESULT = re.compile(r"[^:：]{1,60}[:：]\s?[-+−]?[$€£¥]?\d")
"""A line of a program's results: `2019: 12.4 million`."""


def _names_and_numbers(text: str, sentences: Sequence[str], titles: str) -> bool:
    """Tell whether one passage, with the titles, has all names of a claim and all of its numbers but those that are worked out."""
    given = [quantities(sentence) for sentence in sentences]
    anywhere = [quantity for found in given for quantity in found]
    wanted = [quantity for quantity in quantities(text) if is_held(quantity, anywhere)]
    for start in range(max(1, len(sentences) - NAMED + 1)):
        passage = sentences[start : start + NAMED]
        numbers = [quantity for found in given[start : start + NAMED] for quantity in found]
        if not missing_of(wanted, numbers) and not missing_names(text, "\n".join([*passage, titles])):
            return True
    return False
