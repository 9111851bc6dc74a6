"""The data of a thread outside of its state: versions of its report, attachments, and the journal, the messages and the pages of each turn."""

import asyncio
import shutil
from collections.abc import Iterable

from langgraph.store.base import BaseStore

from schemas.reporter import Report
from schemas.revision import Revision, Version
from schemas.state import ResearchState
from services.run.choices import NOTES
from services.run.errors import BadInput
from services.run.journal import run_key
from services.run.scope import Run
from services.run.settings import settings
from services.run.ui_text import say
from services.search.folder_files import attachments_of
from services.search.index_file import remove_index
from services.text.tokens import message_language

MAX_VERSIONS = 1_000

OF_TURNS = ("journal", "branches", "steering", "pages")
"""First parts of the namespaces whose second part is the key of a turn."""
_PAGE = 500


def _place(thread: str) -> tuple[str, str]:
    return ("versions", thread)


def _item(turn: int, number: int) -> str:
    return f"{turn:06}-{number:04}"


async def keep_version(run: Run, state: ResearchState, report: Report, revision: Revision | None) -> None:
    """Number a changed report and store it as a version, with the original before the second one; a replay stores nothing."""
    former = state.get("report")
    if revision is None or former is None:
        return
    report.version = former.version + 1
    store = run.journal.store
    if store is None or not run.journal.keeps:
        return
    versions = [Version(number=report.version, request=revision.request, report=report)]
    if former.version == 1:
        versions.insert(0, Version(number=1, report=former))
    for version in versions:
        value = {"version": version.model_dump_json()}
        await store.aput(_place(run.thread), _item(state["turn"], version.number), value, index=False)


async def all_versions(store: BaseStore, thread: str, turn: int, report: Report) -> list[Version]:
    """Return all versions of a report, the original first."""
    items = await store.asearch(_place(thread), limit=MAX_VERSIONS)
    versions = [
        Version.model_validate_json(item.value["version"]) for item in items if item.key.startswith(f"{turn:06}-")
    ]
    known = {version.number: version for version in versions if version.number < report.version}
    present = next((version for version in versions if version.number == report.version), None)
    last = present or Version(number=report.version, report=report)
    return [*(known[number] for number in sorted(known)), last.model_copy(update={"report": report})]


def numbered_version(versions: list[Version], number: int | None, name: str) -> Version:
    """Return a version by its number, by default the latest.

    Raises:
        BadInput: the version does not exist; the message lists the existing versions.
    """
    if number is None:
        return versions[-1]
    chosen = next((version for version in versions if version.number == number), None)
    if chosen is None:
        spoken = message_language(versions[-1].report.question)
        raise BadInput(say("version_unknown", spoken, run=name, number=number, last=versions[-1].number))
    return chosen


def remove_attachments(thread: str) -> None:
    """Remove the attached files of a thread, and what their index holds of them. Blocking."""
    folder = attachments_of(thread)
    shutil.rmtree(folder.parent, ignore_errors=True)
    remove_index(folder, settings().leadline_home)


async def delete_thread_data(store: BaseStore, thread: str, turns: Iterable[int]) -> None:
    """Delete the data of a thread outside of its state. Texts of sources stay, as other threads may cite them."""
    await asyncio.to_thread(remove_attachments, thread)
    keys = [run_key(thread, turn) for turn in turns]
    for place in [("versions", thread), *((kind, key) for key in keys for kind in OF_TURNS)]:
        while items := await store.asearch(place, limit=_PAGE):
            await asyncio.gather(*(store.adelete(item.namespace, item.key) for item in items))
    await asyncio.gather(*(store.adelete(NOTES, key) for key in keys))
