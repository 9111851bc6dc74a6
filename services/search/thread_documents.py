"""Documents of one thread: files that its user attached, in a folder of the thread below `LEADLINE_HOME`.

A run names them with `@attachments` among its `documents`. It is resolved by the run's own thread, so no run can name the
files of another one, and no path of the server ever leaves it.
"""

import os
import uuid
from pathlib import Path

from langgraph.config import get_config

from services.run.errors import DocumentsError
from services.run.settings import settings

ATTACHMENTS = "@attachments"
"""Name of the attached files in a run's context; they are searched in addition to other folders."""


def attachments_of(thread_id: str) -> Path:
    """Return the folder of a thread's attached files, which may not exist.

    Raises:
        DocumentsError: the text is not a thread id.
    """
    try:
        thread = str(uuid.UUID(thread_id))
    except ValueError:
        raise DocumentsError(f"{thread_id!r} is not a thread id, so nothing can be attached to it.") from None
    return settings().leadline_home / "threads" / thread / "attachments"


def kept_from_runs(path: Path, opened: Path) -> bool:
    """Tell whether a path below an opened folder belongs to the private data in `LEADLINE_HOME`.

    A folder of documents may hold `LEADLINE_HOME`: opening it opens neither attachments of other threads nor anything else
    there. A folder below `LEADLINE_HOME` that is opened itself, as a thread's own attachments are, is meant. Blocking.
    """
    home, base = settings().leadline_home.resolve(), Path(os.path.realpath(opened))
    meant = base != home and base.is_relative_to(home)
    return not meant and Path(os.path.realpath(path)).is_relative_to(home)


def own_attachments() -> Path:
    """Return the folder of the current run's thread.

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
