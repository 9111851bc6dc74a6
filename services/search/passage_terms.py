"""The passages of a text with the words by which they are searched; made beside the conversion, in the same process."""

from collections.abc import Iterator
from typing import NamedTuple

from services.text.passages import each_passage
from services.text.tokens import tokens

MAX_CHARACTERS = 2_000_000
"""Characters of a text whose words are cut in the process that converts it; a longer one would take the time of its conversion."""
SHORTEST_MEANING = 12
"""Minimum characters of a sentence, or of a passage below its headings, that have a vector: "None." is near to anything that is near to its title."""
MAX_ROWS_BY_MEANING = 20
"""Passages of further rows of tables in a file, after which only words find such rows: they are mostly numbers, and very many."""


class PassageTerms(NamedTuple):
    """A passage, by its offsets, and its search terms with blanks between."""

    start: int
    end: int
    by_words: bool
    """Whether it has no meaning that is worth a vector."""
    heading: str
    """Terms of the document's title and of the headings and lines above it."""
    body: str


def passage_terms(title: str, text: str) -> Iterator[PassageTerms]:
    """Yield the passages of a normalised text in order."""
    rows = 0
    for span in each_passage(text):
        words = text[span.start : span.end]
        below = sum(len(line) for line in words.split("\n") if not line.startswith("#"))
        is_row = words.startswith("|")
        rows += is_row and text.endswith("|\n", 0, span.start)
        yield PassageTerms(
            span.start,
            span.end,
            below < SHORTEST_MEANING or (is_row and rows > MAX_ROWS_BY_MEANING),
            " ".join(tokens(f"{title} {span.heading} {span.enclosing}")),
            " ".join(tokens(words)),
        )
