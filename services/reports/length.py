"""How many words a report is to have, and how they are shared out among its sections."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.context import RunContext
from services.text.word_count import words_in

WORDS_A_STEP, MIN_FULL = 700, 3_000
"""Words of a report of length `full` for each step that found something, and of the shortest one."""
SECTIONS_FROM, FORCED_FROM = 800, 2_000
"""Words that somebody asks for, from which on a report is written in sections where the evidence bears them, and in any case."""
BORNE, MOST_BORNE = 2, 4
"""Words that a report has for each word that it can quote, and at most, where nobody asked for a number."""
MIN_SECTION = 120
"""Words of the shortest section."""
NEAR = 0.2
"""Share by which a number of words that was asked for may be missed."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long a report is to be."""

    words: int
    """That are aimed at."""
    fewest: int
    """That are asked for: a text with clearly fewer goes on with the evidence that it has not used."""
    promised: int = 0
    """That the run chose, or that its depth promises; where the report misses them, it says so. 0: none."""

    def missed(self, text: str, *, chosen: bool) -> bool:
        """Tell whether a text has clearly fewer words than were promised; where somebody chose the number, or clearly more."""
        count = words_in(text)
        return count < (1 - NEAR) * self.promised or (chosen and count > (1 + NEAR) * self.promised > 0)


def length_of(context: RunContext, quoted: int, steps: int) -> Length:
    """Return how long a report in sections is to be.

    Args:
        context: of the run; `words` and `length` win over the depth.
        quoted: words of all the evidence that is shown.
        steps: that found something.
    """
    if context.words is not None:
        return Length(context.words, context.words, context.words)
    fewest, most = context.level.words
    if context.length == "full":
        fewest = max(fewest, MIN_FULL, WORDS_A_STEP * steps)
        return Length(max(fewest, min(BORNE * quoted, most or BORNE * quoted)), fewest, fewest)
    words = max(fewest, BORNE * quoted)
    words = min(words, most or words, max(MIN_SECTION, MOST_BORNE * quoted))
    return Length(words, min(fewest, words), fewest if context.level.wide else 0)


def shared_out(words: int, evidence: Sequence[int]) -> list[int]:
    """Share words out in proportion to the words of evidence of each section."""
    total = sum(evidence) or 1
    return [max(MIN_SECTION, round(words * part / total)) for part in evidence]
