"""The user's documents: folders that are converted and indexed once, and searched as providers."""

import asyncio
import contextlib
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from services.embedding.models import INSTALL, Embedder, Local, embedders
from services.run.errors import IndexDamaged, SearchError
from services.run.settings import settings
from services.run.ui_text import say
from services.search.all_texts import all_texts
from services.search.files.converters import beyond_limits, left_today
from services.search.files.file_types import BEYOND_LIMITS, JSON, OTHER_KIND, TABLES, FileState
from services.search.files.table_profile import Table
from services.search.folder_files import list_files, nothing_in
from services.search.folder_reading import FolderReading, Opening, opening_of
from services.search.hit import Hit
from services.search.hybrid import WHOLLY_EMBEDDED, Ways, embed, hybrid
from services.search.index import FolderIndex
from services.text.questions import EVERYTHING

_WORDS_ONLY = "words_only"
"""Key of the message that no embedding model is installed."""
_MADE_ANEW = "index_made_anew"
"""Key of the message that an index was damaged."""
_made_anew: set[Path] = set()
"""Folders whose indexes this process has made anew, and has not yet told of."""

MIN_EMBEDDING_SECONDS = 1.0
"""Seconds for finding out that all passages are embedded, and for embedding a few new ones."""


@dataclass(slots=True, eq=False)
class Documents:
    """One indexed folder that can be searched."""

    index: FolderIndex
    embedders: Sequence[Embedder]
    """Embedding models of searches; empty if only words are searched."""
    count: int
    """Number of searched files."""
    other_kinds: dict[str, int]
    """Number of files of each kind that is not read, by the end of their names; empty for names without one."""
    unreadable: list[tuple[str, str]]
    """(path below the folder, reason) of files that could not be read, and of what is not tried: links that lead nowhere and the like."""
    notes: dict[str, list[str]]
    """Paths of files by the note on how they were read."""
    unread: list[str]
    """Paths of files that were not read in the time of the run, or within the limits of a file; sorted."""
    tables: list[Table]
    missing: list[tuple[str, str]]
    """Missing functions: message keys, each with its reason."""
    trouble: str = ""
    """Error of the embedding model's endpoint in a search, which then used words only."""
    name: str = "documents"

    def notice(self, locale: str) -> str:
        """Return a message about missing functions in the user's language: search by meaning, or isolation of file readers.

        It also reports, once, that the index was rebuilt, whichever of the tasks that open the folder did so.
        """
        renewed = [(_MADE_ANEW, self.index.folder.name)] if self.index.folder in _made_anew else []
        _made_anew.discard(self.index.folder)
        return " ".join(say(key, locale, reason=reason) for key, reason in [*renewed, *self.missing])

    @property
    def words_only(self) -> bool:
        """Whether only words are searched, because no embedding model is installed."""
        return any(key == _WORDS_ONLY for key, _ in self.missing)

    @property
    def models(self) -> list[str]:
        """Names of the embedding models of searches."""
        return [model.name for model in self.embedders]

    async def search(self, query: str, limit: int, ways: Ways = "both") -> list[Hit]:
        """Return the sources of the `limit` best passages, best first, for a statement or question.

        The query `*` asks for the beginning of each document. Where the embedding model's endpoint fails, words alone are
        searched and `trouble` says so. Only measurements search by one of the `ways`.
        """
        try:
            return await self._searched(query, limit, ways)
        except IndexDamaged:
            _made_anew.add(self.index.folder)
            renewed = await open_documents(self.index.folder, self.index.home.parent)
            self.index, self.embedders, self.tables = renewed.index, renewed.embedders, renewed.tables
            return await self._searched(query, limit, ways)

    async def _searched(self, query: str, limit: int, ways: Ways) -> list[Hit]:
        if query == EVERYTHING:
            return await asyncio.to_thread(lambda: self.index.hits(self.index.beginnings(limit)))
        try:
            await self._embed_at_endpoint()
            ranking = await hybrid(self.index, self.embedders, query, limit, ways)
        except IndexDamaged:
            raise
        except SearchError as error:
            self.trouble = str(error)
            ranking = await hybrid(self.index, [], query, limit)
        return await asyncio.to_thread(self.index.hits, ranking)

    async def _embed_at_endpoint(self) -> None:
        """Embed a folder that is not large at the endpoint, so that the searching node pays for it; what is done is kept."""
        models = [model for model in self.embedders if not isinstance(model, Local)]
        if models and await asyncio.to_thread(self.index.passages) <= WHOLLY_EMBEDDED:
            for model in models:
                await embed(self.index, model)

    async def all_texts(self, wanted: str) -> Table | None:
        """Return all texts as one file for programs, with samples for what is wanted; None where they are few or too long together."""
        return await asyncio.to_thread(all_texts, self.index, wanted)

    async def at(self, url: str) -> Hit | None:
        """Return a document's present content; None if it is gone or in another folder."""
        folder, _, path = url.partition("/")
        return await asyncio.to_thread(self.index.at, path) if folder == self.index.folder.name else None

    async def changed(self, url: str) -> datetime | None:
        """Return when a document was added to its folder or last changed; None if it is gone or in another folder."""
        folder, _, path = url.partition("/")
        if folder != self.index.folder.name:
            return None
        try:
            file = await asyncio.to_thread((self.index.folder / path).stat)
        except OSError:
            return None
        return datetime.fromtimestamp(max(file.st_mtime, file.st_ctime), UTC)


async def open_documents(folder: Path, home: Path, seconds: float = math.inf) -> Documents:
    """Update the index of a folder below `home`, and open it.

    Subfolders are searched; hidden files and folders, and links that lead out, are skipped. Files that are not read
    within `seconds` are named in `unread`.

    Raises:
        DocumentsError: the folder is missing or holds no searchable files.
    """
    until = time.monotonic() + seconds
    opening = opening_of(folder)
    held = True
    try:
        async with asyncio.timeout(None if math.isinf(seconds) else max(0.0, seconds)):
            await opening.lock.acquire()
    except TimeoutError:  # another task still reads the folder
        held = False
    try:
        return await _opened(folder, home, until, opening)
    except IndexDamaged:
        _made_anew.add(folder)
        return await _opened(folder, home, until, opening)
    finally:
        if held:
            opening.begin()
            opening.lock.release()


async def _opened(folder: Path, home: Path, until: float, opening: Opening) -> Documents:
    index = await asyncio.to_thread(FolderIndex, folder, home)
    states, unsupported = await asyncio.to_thread(_listed, folder, index)
    stale = await asyncio.to_thread(index.stale, states, {beyond_limits(), left_today()})
    opening.files, opening.files_done = len(states), len(states) - len(stale)
    reading = FolderReading(folder, index, until, opening)
    late = await reading.add(stale)
    failed = await asyncio.to_thread(index.skipped)
    beyond = [path for path, reason in failed if reason.startswith(BEYOND_LIMITS)]
    unread = sorted({*late, *beyond})
    unreadable = [file for file in [*unsupported, *failed] if file[0] not in beyond and file[1] != OTHER_KIND]

    tables = await asyncio.to_thread(index.tables)
    count = await asyncio.to_thread(index.count)
    notes = await asyncio.to_thread(index.notes)
    other_kinds = Counter(Path(path).suffix.lower() for path, reason in unsupported if reason == OTHER_KIND)
    if not count and not late:
        raise nothing_in(folder, sorted([*unsupported, *failed]))
    models, missing = await _embedded(index, until, opening) if count else ([], [])
    if reading.problem and sys.platform == "linux":
        missing.append(("files_read_unlocked", reading.problem))
    data_tables = [
        Table(folder / state.path, table.view, table.csv, _document(folder, state.path))
        for state in states
        for table in tables.get(state.path, ())
    ]
    return Documents(index, models, count, other_kinds, unreadable, notes, unread, data_tables, missing)


def _listed(folder: Path, index: FolderIndex) -> tuple[list[FileState], list[tuple[str, str]]]:
    """List the files of a folder, of which the index remembers those that had to be opened. Blocking."""
    remembered = index.kinds()
    kinds = dict(remembered)
    listed = list_files(folder, kinds)
    if kinds != remembered:
        index.remember(kinds)
    return listed


def _document(folder: Path, path: str) -> str:
    """Return the address of a document whose tables stand among its text; empty for a file of tables."""
    return "" if Path(path).suffix.lower() in TABLES | JSON | {".ods"} else f"{folder.name}/{path}"


async def _embedded(index: FolderIndex, until: float, opening: Opening) -> tuple[list[Embedder], list[tuple[str, str]]]:
    """Embed the passages of a folder that is not large by the local models, as far as there is time; searches embed what they need.

    Returns:
        The models of searches, and the missing functions: message keys, each with its reason.
    """
    models = embedders(settings())
    count = await asyncio.to_thread(index.passages)
    fast = [model for model in models if model.max_passages is None or count <= model.max_passages]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(MIN_EMBEDDING_SECONDS, until - time.monotonic())):
            for model in fast if count <= WHOLLY_EMBEDDED else []:
                if isinstance(model, Local):
                    opening.passages = count
                    opening.passages_done = await asyncio.to_thread(index.vectors.count, model.name)
                    await embed(index, model, opening.count_passages)
    if len(fast) < len(models):
        return fast, [("too_many_passages", f"{count:,}")]
    if fast or settings().leadline_embeddings_model == "none":
        return fast, []
    return fast, [(_WORDS_ONLY, INSTALL)]
