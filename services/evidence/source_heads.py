"""The head of a source: its title and the header lines (`Status: Final`) at the start of its text, which say what it is."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import takewhile

from schemas.evidence import Excerpt, Source
from services.evidence.readings import period_of
from services.run.errors import StoreError
from services.text.numbers import is_held, quantities

MAX_LINES = 30
MAX_LINE = 300
"""Header lines of a text, and characters of each, that are read."""
_LINE = re.compile(r"[^\W\d_][\w-]{0,30}(?: [\w-]{1,30}){0,2}(?::\s|：)|[ \t]+\S")
"""A header line, or an indented one that continues it."""


def source_head(title: str, text: str) -> str:
    """Return a source's title and the header lines at the start of its text; only the title where it begins otherwise."""
    lines = text[: MAX_LINES * MAX_LINE].split("\n")[:MAX_LINES]
    start = 1 if lines[0].strip() == "---" else 0
    return "\n".join([title, *(line[:MAX_LINE] for line in takewhile(_LINE.match, lines[start:]))])


async def heads_of(
    excerpts: Iterable[Excerpt], sources: Mapping[str, Source], text_of: Callable[[str], Awaitable[str]]
) -> dict[str, str]:
    """Return the heads of the sources of excerpts, by content hash; those whose text is no longer stored have a title only."""
    heads: dict[str, str] = {}
    for key in dict.fromkeys(excerpt.content_hash for excerpt in excerpts if excerpt.content_hash in sources):
        try:
            text = await text_of(key)
        except StoreError:
            text = ""
        heads[key] = source_head(sources[key].title, text)
    return heads


def not_in_heads(written: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return the numbers and dates, as written, that no head gives; a part of a date is no number."""
    held = [quantity for head in heads for quantity in quantities(head)]
    numbers = [quantity for quantity in held if quantity.kind != "date"]

    def given(text: str) -> bool:
        wanted = quantities(text)
        return bool(wanted) and all(
            is_held(quantity, held if quantity.kind == "date" or period_of(quantity) else numbers)
            for quantity in wanted
        )

    return [text for text in written if not given(text)]
