"""Ids of runs: made from the time, found by their beginning, told by the first line of progress."""

import contextlib
import json
import re
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schemas.clean_text import beginning
from schemas.events import Event
from schemas.regular_file import read_regular
from services.reports.bundle_files import MAX_EVIDENCE_BYTES
from services.run.errors import BadInput, RunElsewhere
from services.run.settings import settings
from services.run.ui_text import say, told
from services.text.tokens import message_language

_ID = re.compile(r"\d{8}(?:-\d{1,6}(?:-[0-9a-f]{1,8})?)?")
_CHOSEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
LATEST = "latest"
"""In place of an id: the latest finished run."""
SHOWN = 5
"""Maximum ids in a message about an ambiguous prefix."""


def new_run_id() -> str:
    """Return an id for a run; later ids sort after earlier ones."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}{secrets.token_hex(1)}"


def checked_run_id(run_id: str) -> str:
    """Return an id that a user chose for a new run.

    Raises:
        BadInput: it cannot name a run's files, or has a meaning of its own.
    """
    if _CHOSEN.fullmatch(run_id) is None or run_id == LATEST:
        raise BadInput(
            f"`run_id` cannot be {run_id[:80]!r}. Use up to 64 letters, digits, - and _, with a letter or digit first, and not {LATEST}."
        )
    return run_id


def is_run_id(text: str) -> bool:
    """Tell whether a text has the form of a run id or of its beginning."""
    return _ID.fullmatch(text) is not None


def is_report_folder(text: str) -> bool:
    """Tell whether a text names the folder of a report."""
    return (Path(text) / "evidence.json").is_file()


def evidence_in(folder: Path) -> dict[str, Any]:
    """Return what the evidence file of a report's folder holds; nothing if there is none that can be read."""
    try:
        content = json.loads(read_regular(folder / "evidence.json", MAX_EVIDENCE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def holds_run(folder: Path, run_id: str) -> bool:
    """Tell whether a folder holds the report of a run; a later run of the same question may have replaced it."""
    return evidence_in(folder).get("run_id") == run_id


def shown_folder(folder: str | Path) -> str:
    """Return a folder as messages name it: from the working folder, if it is below it."""
    with contextlib.suppress(ValueError, FileNotFoundError):  # it is elsewhere, or the working folder was removed
        return str(Path(folder).relative_to(Path.cwd()))
    return str(folder)


def run_and_text(words: Sequence[str]) -> tuple[str | None, str]:
    """Split the words of a command into the run that the first one names, if it does, and a text.

    Raises:
        BadInput: a run is named, and no text follows; or the name is empty, as a script's unset variable is.
    """
    first, *rest = words
    if rest and not first:
        raise BadInput(say("run_unknown", run=first))
    may_be_chosen = rest or not first.isdecimal()  # a number alone is that of a recommended question
    if not (is_run_id(first) or is_report_folder(first) or (may_be_chosen and first in dict(complete_run_id(first)))):
        return None, " ".join(words)
    if not rest:
        raise BadInput(**told("run_no_words", run=first))
    return first, " ".join(rest)


def full_id(prefix: str, ids: Iterable[str]) -> str:
    """Return the only id with a prefix, or that of the run that wrote a report's folder. Blocking.

    Raises:
        BadInput: no id or several ids have the prefix.
        RunElsewhere: the run of the folder is not here.
    """
    known = list(ids)
    if prefix in known:
        return prefix
    matches = sorted((name for name in known if prefix and name.startswith(prefix)), reverse=True)
    if not matches and is_report_folder(prefix):
        run_id = str(evidence_in(Path(prefix)).get("run_id", ""))
        if run_id not in known:
            raise RunElsewhere(say("run_elsewhere", folder=prefix))
        return run_id
    if not matches:
        raise BadInput(say("run_unknown", run=prefix))
    if len(matches) > 1:
        more = [say("seen_more", count=len(matches) - SHOWN)] if len(matches) > SHOWN else []
        listed = say("searched_between").join([*matches[:SHOWN], *more])
        raise BadInput(say("run_ambiguous", count=len(matches), beginning=prefix, runs=listed))
    return matches[0]


def complete_run_id(incomplete: str) -> list[tuple[str, str]]:
    """Return the runs with an id prefix, each with its question, for a shell's completion.

    It looks into the store's file itself, because a shell that waits a second for the graph is not completing but stalling.
    """
    file = settings().leadline_home / "store.sqlite"
    query = "SELECT key, json_extract(value, '$.question') FROM store WHERE prefix = 'runs' AND key LIKE ? ORDER BY key DESC"
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=0.2)) as connection,
    ):
        rows = connection.execute(query, (f"{incomplete}%",)).fetchmany(50)
        return [(str(key), " ".join(str(question).split())[:60]) for key, question in rows]
    return []


LONGEST_QUESTION = 100
"""Maximum characters of the question in the line."""


def first_line(question: str, run_id: str = "") -> Event:
    """Return the first line of progress, which names the run."""
    shown = beginning(question, LONGEST_QUESTION)
    title = say("starting", message_language(question), question=shown)
    return Event(type="notice", node="", title=title, data={"run_id": run_id} if run_id else {})
