"""The providers of a run's search: the web if a search is set up or named, the user's documents, else the examples."""

import asyncio
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from schemas.coder import TextView
from schemas.context import RunContext
from schemas.evidence import StepKind
from schemas.scoped import scoped
from services.run.errors import DocumentsError
from services.run.installation import EXAMPLES
from services.run.scope import current_run
from services.run.settings import Settings, settings
from services.run.ui_text import say
from services.run.users import own_folder
from services.search.documents import Documents, open_documents
from services.search.files.table_profile import Table, in_series, named_apart
from services.search.files_read import file_messages, files_read
from services.search.folder_files import ATTACHMENTS, belongs_to_home, check_folder, documents_error, own_attachments
from services.search.folder_reading import progress_emitted
from services.search.hit import SearchProvider
from services.search.table_texts import texts_about
from services.search.web import side_by_side, web_search
from services.text.ranking import bm25
from services.text.tokens import has_cjk, tokens

EXAMPLE_FOLDERS = (EXAMPLES / "deep-sea", EXAMPLES / "myopia")

READING_SHARE = 0.5
"""Share of a run's remaining time in which new documents are read; the rest is for searching what was read."""

_allowed: set[Path] = set()
_only_open: ContextVar[bool] = ContextVar("only_open", default=False)


def allow_folders(folders: Iterable[str | Path]) -> None:
    """Allow runs of this process to search these folders.

    The command line and the Python call allow what their user names. A server's clients get only folders below
    `LEADLINE_DOCS` and the examples: a run's context comes from outside.
    """
    _allowed.update(Path(os.path.realpath(folder)) for folder in folders)  # `resolve` fails for links in a circle


def only_open_folders() -> AbstractContextManager[object]:
    """Let the runs of the block search only folders below `LEADLINE_DOCS` and the examples, whatever they name."""
    return scoped(_only_open, True)


@dataclass(slots=True)
class Providers:
    """The searchable providers of one run."""

    web: list[SearchProvider] = field(default_factory=list)
    documents: list[Documents] = field(default_factory=list)

    @property
    def all(self) -> list[SearchProvider]:
        """All providers, web searches first."""
        return [*self.web, *self.documents]

    def notices(self, locale: str) -> list[str]:
        """Return messages about files and functions that are missing from the search, in the user's language."""
        about = [document.notice(locale) for document in self.documents]
        return [*file_messages(files_read(self.documents), locale), *dict.fromkeys(filter(None, about))]

    def _tables(self, found: Collection[str]) -> list[Table]:
        """Return the files of tables, those with the same columns as one, and the tables of documents with these addresses: of all others, a search by text tells more."""
        tables = named_apart([table for documents in self.documents for table in documents.tables])
        return in_series([table for table in tables if not table.document or table.document in found])

    def nearest_tables(self, text: str, limit: int, found: Collection[str] = ()) -> list[Table]:
        """Return the tables whose names, columns and examples share words with a text, those that it names first, then the nearest.

        All are returned if they are no more than `limit`. Of more, tables in another language share no words and are
        returned, too; if more than `limit` match, those below half of the best score are dropped; where none matches, any
        are returned. Tables that stand in other documents than those `found` are left out.
        """
        return _near(self._ranked(text, found), text, limit)[:limit]

    def _ranked(self, text: str, found: Collection[str]) -> list[tuple[float, Table]]:
        tables = self._tables(found)
        scores = bm25([table.terms() for table in tables], set(tokens(text)))
        return sorted(zip(scores, tables, strict=True), key=lambda pair: (not pair[1].named_in(text), -pair[0]))

    def overview_of_tables(self, text: str, limit: int, found: Collection[str]) -> tuple[list[Table], list[Table]]:
        """Return the tables of `nearest_tables`, where they are many one of each title, and the others, nearest first."""
        ranked = self._ranked(text, found)
        near = _near(ranked, text, limit)
        if len(ranked) > limit:
            near = list({(table.view.title, table.view.sheet): table for table in near[::-1]}.values())[::-1]
        shown = near[:limit]
        return shown, [table for _, table in ranked if table not in shown]

    def about_tables(self, tables: Sequence[Table]) -> list[TextView]:
        """Return the texts of the folders that describe these tables. Blocking."""
        views: list[TextView] = []
        for documents in self.documents:
            of_folder = [table for table in tables if table.path.is_relative_to(documents.index.folder)]
            views += texts_about(documents.index, of_folder, documents.tables)
        return views

    async def all_texts(self, wanted: str) -> list[Table]:
        """Return for each folder whose texts are many, and not too long together, the file of them all, with samples for what is wanted."""
        described = await asyncio.gather(*(documents.all_texts(wanted) for documents in self.documents))
        tables: dict[str, Table] = {}
        for number, table in enumerate(filter(None, described), 1):
            name = table.view.file if table.view.file not in tables else f"{number}-{table.view.file}"
            tables[name] = replace(table, view=table.view.model_copy(update={"file": name}))
        return list(tables.values())


def _near(ranked: Sequence[tuple[float, Table]], text: str, limit: int) -> list[Table]:
    floor = max(score for score, _ in ranked) / 2 if sum(score > 0 for score, _ in ranked) > limit else 0.0
    chosen = [
        table
        for score, table in ranked
        if len(ranked) <= limit or table.named_in(text) or score > floor or has_cjk(table.describe()) != has_cjk(text)
    ]
    return chosen or [table for _, table in ranked]


async def notices_for(context: RunContext, locale: str) -> list[str]:
    """Return messages for the user before the search, in their language."""
    stand_in = await asyncio.to_thread(_searches_examples, context, settings())
    return [say("examples", locale)] if stand_in else []


def examples_stand_in() -> bool:
    """Tell whether a run without choices searches the example documents."""
    return _searches_examples(RunContext(), settings())


def _searches_examples(context: RunContext, environment: Settings) -> bool:
    """Tell whether the example documents replace the user's because nothing else can be searched."""
    wanted = context.search or environment.leadline_search
    named = context.documents or environment.leadline_docs or own_folder(environment)
    return not named and (wanted == "documents" or (wanted == "auto" and not side_by_side(wanted)))


async def providers_for(
    context: RunContext, kind: StepKind = "general", reading_seconds: float | None = None
) -> Providers:
    """Open the providers of a run, and update their indexes, by default in half of the time that the run has left.

    Raises:
        DocumentsError: a folder is missing, empty or forbidden.
        BadInput: a chosen search does not exist, or lacks its key or address.
    """
    environment = settings()
    if (context.search or environment.leadline_search) == "none":
        return Providers()
    web = await asyncio.to_thread(web_search, context, kind)
    folders = await asyncio.to_thread(folders_of, context)
    seconds = _seconds_for_reading(context) if reading_seconds is None else reading_seconds
    async with progress_emitted(folders):
        opened = await asyncio.gather(
            *(open_documents(folder, environment.leadline_home, seconds) for folder in folders)
        )
    return Providers(web, list(opened))


def _seconds_for_reading(context: RunContext) -> float:
    """Return the seconds that reading documents may take now: a share of what the running node, or else the run, has left."""
    run = current_run()
    return READING_SHARE * max(0.0, run.seconds_left if run.node else context.max_seconds)


def searches_documents(context: RunContext) -> bool:
    """Tell whether a run searches any folder, including the examples.

    Raises:
        DocumentsError: a folder is forbidden.
    """
    return (context.search or settings().leadline_search) != "none" and bool(folders_of(context))


def check_search(context: RunContext) -> None:
    """Check quickly that the chosen searches and folders of a run exist. Blocking, and quick.

    Raises:
        DocumentsError: a folder is missing, empty or forbidden.
        BadInput: a chosen search does not exist, or lacks its key or address.
    """
    if (context.search or settings().leadline_search) == "none":
        return
    web_search(context)
    for folder in folders_of(context):
        check_folder(folder)


def folders_of(context: RunContext) -> list[Path]:
    """Return the folders that a run searches and whose files it may read, each once.

    Raises:
        DocumentsError: a folder is forbidden.
    """
    environment = settings()
    if _searches_examples(context, environment):
        return [folder for folder in EXAMPLE_FOLDERS if folder.is_dir()]
    named = [_permitted(folder, environment) for folder in context.documents if folder != ATTACHMENTS]
    own = [own_attachments()] if ATTACHMENTS in context.documents else []
    return list(dict.fromkeys([*(named or [*environment.leadline_docs, *own_folder(environment)]), *own]))


def with_full_paths(context: RunContext) -> RunContext:
    """Return the choices of a run with the full paths of its folders, so that it finds them from every working folder. Blocking.

    Raises:
        DocumentsError: a folder is forbidden.
    """
    environment = settings()

    def full(folders: Sequence[str]) -> list[str]:
        return [
            folder if folder == ATTACHMENTS else str(_permitted(folder, environment).absolute()) for folder in folders
        ]

    changes: dict[str, Any] = {"documents": full(context.documents)} if context.documents else {}
    if changes and context.profile is not None and context.profile.documents == context.documents:
        changes["profile"] = context.profile.model_copy(update=changes)
    return context.model_copy(update=changes)


def _permitted(folder: str, environment: Settings) -> Path:
    """Return a permitted folder of a run; relative paths are also resolved below the open folders.

    A relative path that is not found counts as forbidden, so that a client learns nothing about other folders.
    """
    if not folder.strip():
        raise DocumentsError(say("documents_unnamed"))
    path, open_folders = Path(folder), [*environment.leadline_docs, *own_folder(environment), EXAMPLES]
    below = open_folders if _only_open.get() else [*_allowed, *open_folders]
    elsewhere = [] if path.is_absolute() else [base / path for base in open_folders]
    permitted = [candidate for candidate in (path, *elsewhere) if _open_to_runs(candidate, below)]
    chosen = next((candidate for candidate in permitted if candidate.is_dir()), path)
    if chosen not in permitted:
        raise documents_error("documents_closed", folder=folder)
    return chosen


def _open_to_runs(path: Path, below: Iterable[Path]) -> bool:
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(base)) and not belongs_to_home(path, base) for base in below)
