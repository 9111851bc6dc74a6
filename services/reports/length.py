"""Computes the target length of a report, and its distribution among the sections."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.context import RunContext
from services.text.token_estimate import estimate
from services.text.word_count import words_in

WORDS_A_STEP, MIN_FULL = 700, 3_000
"""Words of a `full` report for each step with findings, and its minimum."""
SECTIONS_FROM, FORCED_FROM = 800, 2_000
"""Requested words from which a report is written in sections: if the evidence suffices, and in any case."""
BORNE, MOST_BORNE = 2, 4
"""Words of a report for each quotable word, and the maximum, if the user set no number."""
WINDOW_SHARE = 3
"""Divisor of the writer's context for the evidence of one call."""
ONE_CALL_WORDS = 2_500
"""Words up to which one call writes a whole report; a longer answer may be cut off."""
MIN_SECTION = 120
"""Minimum words of a section."""
NEAR = 0.2
"""Permitted deviation from a requested number of words, as a share."""


@dataclass(frozen=True, slots=True)
class Length:
    """Target length of a report."""

    words: int
    """Target number of words."""
    fewest: int
    """Minimum number of words: a clearly shorter text is continued with unused evidence."""
    promised: int = 0
    """Number of words that the run or its depth promises; a report that misses it says so. 0: none."""

    def missed(self, text: str, *, chosen: bool, at_most: bool = False) -> bool:
        """Tell whether a text has clearly fewer words than promised, or clearly more if the user chose the number.

        Args:
            text: the text.
            chosen: whether the user chose the number.
            at_most: whether fewer words will do.
        """
        count = words_in(text)
        return (not at_most and count < (1 - NEAR) * self.promised) or (
            chosen and count > (1 + NEAR) * self.promised > 0
        )


def length_of(context: RunContext, quoted: int, steps: int) -> Length:
    """Return the target length of a report in sections.

    Args:
        context: choices of the run; `words` and `length` override the depth.
        quoted: number of words of all shown evidence.
        steps: number of steps with findings.
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


def fits_one_call(evidence: Iterable[str], words: int, most: int, window: int) -> bool:
    """Tell whether one call can write a whole report.

    Graded blind, a strong model's single call over 15,000 tokens of evidence came out better than its sections (November 2026: 7.3
    and 6.0 of 10).

    Args:
        evidence: all quotes that the writer is shown.
        words: words that the report is to have.
        most: tokens of evidence that one call may have.
        window: tokens that the writer's prompt and answer may have together.
    """
    return words <= ONE_CALL_WORDS and sum(map(estimate, evidence)) <= min(most, window // WINDOW_SHARE)


def shared_out(words: int, evidence: Sequence[int]) -> list[int]:
    """Distribute words in proportion to the words of each section's evidence."""
    total = sum(evidence) or 1
    return [max(MIN_SECTION, round(words * part / total)) for part in evidence]
