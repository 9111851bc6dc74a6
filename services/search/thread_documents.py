"""Documents that belong to one thread: files that its user attached, kept in a folder of the thread below `LEADLINE_HOME`.

A run names them with `@attachments` among its `documents`. It is resolved by the run's own thread, so no run can name the
files of another one, and no path of the server ever leaves it.
"""

import uuid
from pathlib import Path

from langgraph.config import get_config

from services.run.errors import DocumentsError
from services.run.settings import settings

ATTACHMENTS = "@attachments"
"""The name by which a run's context asks for them; they are searched beside the folders that are searched anyway."""


def attachments_of(thread_id: str) -> Path:
    """Return the folder of a thread's attached files, whether or not it is there.

    Raises:
        DocumentsError: this is no thread's id.
    """
    try:
        thread = str(uuid.UUID(thread_id))
    except ValueError:
        raise DocumentsError(f"{thread_id!r} is no thread's id, so nothing can be attached to it.") from None
    return settings().leadline_home / "threads" / thread / "attachments"


def kept_from_runs(path: Path, opened: Path) -> bool:
    """Tell whether a file or folder is of what `LEADLINE_HOME` keeps of all users, though it lies below an opened folder.

    A folder of documents may hold `LEADLINE_HOME`: opening it opens neither attachments of other threads nor anything else
    there. A folder below `LEADLINE_HOME` that is opened itself, as a thread's own attachments are, is meant. Blocking.
    """
    home, base = settings().leadline_home.resolve(), opened.resolve()
    meant = base != home and base.is_relative_to(home)
    return not meant and path.resolve().is_relative_to(home)


def own_attachments() -> Path:
    """Return the folder of the thread that this run belongs to.

    Raises:
        DocumentsError: the run belongs to no thread.
    """
    try:
        thread_id = str(get_config().get("configurable", {}).get("thread_id", ""))
    except RuntimeError:  # called outside of a run
        thread_id = ""
    if not thread_id:
        raise DocumentsError(f"{ATTACHMENTS} are files of a thread, and this run has none. Name folders instead.")
    return attachments_of(thread_id)
