"""The user's documents: folders, converted and indexed once, searched as a provider."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from services.embedding.models import INSTALL, Embedder, Local, embedders
from services.run.errors import SearchError
from services.run.settings import settings
from services.run.ui_text import say
from services.search.converters import Converters
from services.search.folder_files import list_files, nothing_in
from services.search.hit import Hit
from services.search.hybrid import Ways, embed, hybrid
from services.search.index import FolderIndex
from services.search.table_profiles import profile_tables
from services.search.tables import SUFFIXES as TABLES
from services.search.tables import Table


class Documents:
    """One indexed folder."""

    name = "documents"

    def __init__(
        self,
        index: FolderIndex,
        skipped: list[tuple[str, str]],
        tables: list[Table],
        count: int,
        models: Sequence[Embedder] = (),
        missing: tuple[str, str] = ("", ""),
        unlocked: str = "",
    ) -> None:
        self._index = index
        self._models = models
        self.skipped = skipped
        """(path below the folder, reason) of files that are not searched."""
        self.tables = tables
        self.count = count
        """Files that are searched."""
        self._missing = missing
        self._unlocked = unlocked
        self.trouble = ""
        """What went wrong with the embedding model's endpoint in a search, which then went by words alone."""

    def notice(self, locale: str) -> str:
        """Say what is missing, in the user's language: search by meaning, or the isolation of what read the files."""
        known = [self._missing, ("files_read_unlocked" if self._unlocked else "", self._unlocked)]
        return " ".join(say(key, locale, reason=reason) for key, reason in known if key)

    @property
    def models(self) -> list[str]:
        """Names of the embedding models that searches use; none where words alone are searched."""
        return [model.name for model in self._models]

    async def warm_up(self) -> None:
        """Load what the first search needs, so that it need not wait for it."""
        with contextlib.suppress(SearchError):
            await asyncio.gather(*(model.query("warm") for model in self._models if isinstance(model, Local)))

    async def search(self, query: str, limit: int, ways: "Ways" = "both") -> list[Hit]:
        """Return the sources of the best passages, best first.

        Args:
            query: a statement or a question, in any language that the embedding models know.
            limit: most passages.
            ways: whether words, meaning or both are searched; the default is for everything but measuring.

        Where the embedding model's endpoint fails, words alone are searched and `trouble` says so.
        """
        try:
            await self._embed_at_endpoint()
            ranking = await hybrid(self._index, self._models, query, limit, ways)
        except SearchError as error:
            self.trouble = str(error)
            ranking = await hybrid(self._index, [], query, limit)
        return await asyncio.to_thread(self._index.hits, ranking)

    async def _embed_at_endpoint(self) -> None:
        """Embed what the endpoint has not embedded yet: here, as the node that searches pays for it.

        Raises:
            SearchError: the endpoint failed, or the run's limits leave no room; what is embedded by then is kept.
        """
        for model in self._models:
            if not isinstance(model, Local):
                async with _busy(self._index):
                    await embed(self._index, model)

    async def named(self, texts: Sequence[str]) -> list[dict[str, list[str]]]:
        """Return for each text the titles that it names, with the hashes of their sources."""

        def find() -> list[dict[str, list[str]]]:
            titles = self._index.titles()
            return [titles.named(text) for text in texts]

        return await asyncio.to_thread(find)

    async def naming(self, title: str) -> int:
        """Return how many passages name a title."""
        return await asyncio.to_thread(self._index.naming, title)

    async def holding(self, name: str, terms: Sequence[str], limit: int) -> list[Hit]:
        """Return the sources of passages that hold a name and, if there are any, some of the terms, best first."""

        def find() -> list[Hit]:
            return self._index.hits(self._index.holding(name, terms, limit))

        return await asyncio.to_thread(find)

    async def weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the weight of search terms: the rarer in the folder, the higher."""
        return await asyncio.to_thread(self._index.weights, terms)

    async def at(self, url: str) -> Hit | None:
        """Return what a document holds now; None if it is gone or lies in another folder."""
        folder, _, path = url.partition("/")
        return await asyncio.to_thread(self._index.at, path) if folder == self._index.folder.name else None

    async def hit(self, content_hash: str) -> Hit | None:
        """Return one source by its hash with all its passages; None if it is gone."""
        return await asyncio.to_thread(self._index.hit, content_hash)


async def open_documents(folder: Path, home: Path) -> Documents:
    """Bring the index of a folder up to date and open it.

    Args:
        folder: searched with its subfolders; hidden files and folders, and links that lead out of it, are left alone.
        home: folder below which the index is kept.

    Raises:
        DocumentsError: the folder is missing or holds nothing that can be searched.
    """
    async with _one_at_a_time(str(folder)):
        return await _opened(folder, home)


_opening: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = WeakKeyDictionary()


def _one_at_a_time(folder: str) -> asyncio.Lock:
    """Let the second who opens a folder wait for the first, rather than convert the same files."""
    own = _opening.setdefault(asyncio.get_running_loop(), {})
    return own.setdefault(folder, asyncio.Lock())


async def _opened(folder: Path, home: Path) -> Documents:

    states, unsupported = await asyncio.to_thread(list_files, folder)
    index = await asyncio.to_thread(FolderIndex, folder, home)
    stale = await asyncio.to_thread(index.stale, states)
    tabular = [state for state in states if Path(state.path).suffix.lower() in TABLES]
    async with Converters() as converters:
        async with _busy(index):
            for state in stale:
                await asyncio.to_thread(index.add, state, await converters.convert(folder / state.path))
        tables = await profile_tables(folder, tabular, home, converters.tables)
    count = await asyncio.to_thread(index.count)
    skipped = sorted([*unsupported, *await asyncio.to_thread(index.skipped)])
    if not count:
        raise nothing_in(folder, skipped)
    models, missing = await _embedded(index)
    unlocked = converters.problem if sys.platform == "linux" else ""
    return Documents(index, skipped, tables, count, models, missing, unlocked)


@asynccontextmanager
async def _busy(index: FolderIndex) -> AsyncIterator[None]:
    held = index.busy()
    await asyncio.to_thread(held.__enter__)
    try:
        yield
    finally:
        await asyncio.shield(asyncio.to_thread(held.__exit__, None, None, None))


async def _embedded(index: FolderIndex) -> tuple[list[Embedder], tuple[str, str]]:
    """Embed with local models what is not embedded yet.

    Returns:
        The models that searches use, and what to say of the others: a message's key and the reason in it.
    """
    wanted = embedders(settings())
    count = await asyncio.to_thread(index.passages)
    fast = [model for model in wanted if model.most is None or count <= model.most]
    async with _busy(index):
        for model in fast:
            if isinstance(model, Local):
                await embed(index, model)
    if len(fast) < len(wanted):
        return fast, ("too_many_passages", f"{count:,}")
    switched_off = settings().leadline_embeddings_model == "none"
    return fast, ("", "") if fast or switched_off else ("words_only", INSTALL)
