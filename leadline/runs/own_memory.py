"""Lists, searches and deletes the remembered statements of this machine's user."""

from collections.abc import Sequence

from leadline.runs.store import open_home
from schemas.memory import MemoryEntry
from services.run.errors import BadInput
from services.run.memory_store import forget, forget_all, memory_of
from services.run.settings import settings
from services.run.ui_text import told
from services.run.users import LOCAL
from services.text.ranking import bm25
from services.text.tokens import tokens

SHOWN = 5
"""Maximum ids in a message about an ambiguous prefix."""


async def amemory(words: str = "") -> list[MemoryEntry]:
    """Return the remembered statements, newest first.

    Args:
        words: only statements with some of these words, best first.
    """
    async with open_home(settings().leadline_home) as home:
        return matching(await memory_of(home.store, LOCAL), words)


async def aforget(ids: Sequence[str]) -> list[MemoryEntry]:
    """Delete statements and return them.

    The ids are those of `amemory`, or their beginnings.

    Raises:
        BadInput: a statement does not exist, or a prefix is ambiguous; then nothing is deleted.
    """
    async with open_home(settings().leadline_home) as home:
        known = {entry.id: entry for entry in await memory_of(home.store, LOCAL)}
        named = list(dict.fromkeys(_full_id(text, list(known)) for text in ids))
        await forget(home.store, LOCAL, named)
        return [known[key] for key in named]


async def aforget_all() -> int:
    """Delete all statements, and return their number."""
    async with open_home(settings().leadline_home) as home:
        return await forget_all(home.store, LOCAL)


def matching(entries: list[MemoryEntry], words: str) -> list[MemoryEntry]:
    """Return the statements with any of these words in their text, quotes, sources or questions, best first."""
    wanted = tokens(words)
    if not words.strip():
        return entries
    held = [tokens(_text_of(entry)) for entry in entries]
    scores = bm25(held, wanted)
    order = sorted(range(len(entries)), key=lambda place: -scores[place])
    return [entries[place] for place in order if scores[place] > 0]


def _text_of(entry: MemoryEntry) -> str:
    quotes = [excerpt.quote for excerpt in entry.excerpts]
    places = [f"{source.title} {source.url}" for source in entry.sources.values()]
    return " ".join([entry.claim, entry.question, *quotes, *places])


def _full_id(text: str, known: Sequence[str]) -> str:
    """Return the id with a prefix."""
    matches = [key for key in known if text and key.startswith(text.strip().lower())]
    if not matches:
        raise BadInput(**told("memory_unknown", text=text[:40]))
    if len(matches) > 1:
        raise BadInput(
            **told("memory_ambiguous", count=len(matches), beginning=text[:40], ids=", ".join(matches[:SHOWN]))
        )
    return matches[0]
