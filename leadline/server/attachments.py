"""Documents that a user attaches to a thread, by hand or from our page: bounded in number and size, with cleaned names.

    GET    /attachments/<thread>           the files that are attached
    PUT    /attachments/<thread>/<name>    attach one; the body is the file
    DELETE /attachments/<thread>[/<name>]  take one away, or all

A run searches them when its `documents` hold `@attachments`.
"""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from fastapi import APIRouter, HTTPException, Request
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from pydantic import BaseModel

from leadline.server.access import caller_of
from leadline.server.auth import RULES
from leadline.server.thread_owners import claim_thread
from leadline.server.threads import OwnThread, own_thread
from schemas.clean_text import clean_file_name, clean_line
from services.run.private_files import make_private_folder
from services.run.settings import settings
from services.search.files.file_types import SUFFIXES
from services.search.folder_files import ATTACHMENTS, attachments_of, is_readable
from services.turn.thread_data import remove_attachments

MAX_FILES = 50
MAX_BYTES = 25_000_000
"""Maximum bytes of one file."""
MAX_BYTES_OF_ALL = 200_000_000
"""Maximum bytes of all files of one thread."""

ABANDONED = 86_400.0
"""Seconds after which the files of a thread without a run are deleted."""

attachments = APIRouter()
_attaching: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
"""Locks by thread: its files are attached one after the other, so that together they stay within the bounds."""


class Attached(BaseModel):
    """A file that is attached."""

    name: str
    size: int
    """Bytes."""


class Attachments(BaseModel):
    """The files of a thread, and what it takes to attach more."""

    documents: str = ATTACHMENTS
    """What a run's `documents` must hold so that they are searched."""
    files: list[Attached]
    most_files: int = MAX_FILES
    most_bytes: int = MAX_BYTES
    kinds: list[str] = sorted(SUFFIXES)


@attachments.get("/attachments/{thread_id}")
async def listed(thread: OwnThread) -> Attachments:
    """List what is attached to a thread."""
    return Attachments(files=await asyncio.to_thread(_files, attachments_of(thread)))


@attachments.put("/attachments/{thread_id}/{name}")
async def attach(thread: OwnThread, name: str, request: Request) -> Attached:
    """Attach a file; one of the same name is replaced.

    404: there is no such thread. 413: it is too large, or too many are attached. 415: files of this kind cannot be read.
    507: the server's disk takes nothing.
    """
    folder, clean = attachments_of(thread), clean_file_name(name)
    if name.startswith("."):
        raise _cannot_be_read(name)
    async with _attaching.setdefault(thread, asyncio.Lock()):
        await own_thread(thread, request)  # it may have been deleted while this request waited
        await claim_thread(thread, caller_of(request.scope), creates=False, everything=not RULES.accounts)
        others = [file for file in await asyncio.to_thread(_files, folder) if file.name != clean]
        if len(others) >= MAX_FILES:
            raise HTTPException(413, f"A thread can have {MAX_FILES} files. Remove one first.")
        room = min(MAX_BYTES, MAX_BYTES_OF_ALL - sum(other.size for other in others))
        try:
            size = await _write_body(request, folder, clean, room)
        except FileNotFoundError:
            raise HTTPException(404, "This thread no longer exists.") from None
        except OSError as error:
            message = f"{clean} cannot be stored: {error.strerror}. Ask the operator of this server to make room on its disk; then attach it again."
            raise HTTPException(507, message) from None
    return Attached(name=clean, size=size)


def _cannot_be_read(name: str) -> HTTPException:
    return HTTPException(415, f"{clean_line(name)} cannot be read. Attach text, PDF, office or HTML files, or mails.")


async def _write_body(request: Request, folder: Path, clean: str, room: int) -> int:
    """Write a request's body to a file atomically; return its number of bytes."""
    home = settings().leadline_home
    await asyncio.to_thread(make_private_folder, home, *folder.relative_to(home).parts)
    handle, half = await asyncio.to_thread(tempfile.mkstemp, dir=folder.parent, prefix=".attaching-")
    try:
        with os.fdopen(handle, "wb") as file:
            size = 0
            async for chunk in request.stream():
                size += len(chunk)
                if size > room:
                    raise HTTPException(413, f"{clean} is too large: at most {room / 1e6:.0f} MB can be attached.")
                await asyncio.to_thread(file.write, chunk)
        if not await asyncio.to_thread(is_readable, clean, Path(half)):
            raise _cannot_be_read(clean)
        await asyncio.to_thread(os.replace, half, folder / clean)
    finally:
        await asyncio.to_thread(Path(half).unlink, missing_ok=True)
    return size


@attachments.delete("/attachments/{thread_id}/{name}", status_code=204)
async def take_away(thread: OwnThread, name: str) -> None:
    """Take one file away; one that is not there is as good as taken away."""
    clean = clean_file_name(name)
    try:
        await asyncio.to_thread((attachments_of(thread) / clean).unlink, missing_ok=True)
    except OSError as error:
        raise HTTPException(507, f"{clean} cannot be removed: {error.strerror}.") from None


@attachments.delete("/attachments/{thread_id}", status_code=204)
async def take_all_away(thread: OwnThread) -> None:
    """Take all files of a thread away, as is due before the thread is deleted."""
    await asyncio.to_thread(remove_attachments, thread)


async def remove_abandoned(client: LangGraphClient) -> None:
    """Delete files of threads that were never asked anything, a day after the last one was attached."""
    for folder in await asyncio.to_thread(_old_folders):
        try:
            state: Any = await client.threads.get_state(folder.name)
            asked = bool(state["values"] or await client.runs.list(folder.name, limit=1))
        except NotFoundError:
            asked = False
        if not asked:
            await asyncio.to_thread(remove_attachments, folder.name)


def _old_folders() -> list[Path]:
    latest = time.time() - ABANDONED
    found = (settings().leadline_home / "threads").glob("????????-????-????-????-????????????/attachments")
    return [folder.parent for folder in found if folder.stat().st_mtime < latest]


def _files(folder: Path) -> list[Attached]:
    if not folder.is_dir():
        return []
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith(".")]
    return [Attached(name=file.name, size=file.stat().st_size) for file in paths]
