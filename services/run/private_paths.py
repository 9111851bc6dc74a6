"""Removes paths of the operator's machine from texts for a server's clients.

In a process that serves others, messages name a place by the variable that set it (`LEADLINE_HOME/journal.sqlite`), a folder
of documents by its own name, and any other path by its end. The operator finds the whole path in the server's log.
"""

import contextlib
import logging
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from services.run.dotenv_file import dotenv
from services.run.secrecy import without_secrets

_LOGGER = logging.getLogger("leadline")
_SHOWN_BY_NAME = frozenset(["LEADLINE_DOCS", "LEADLINE_USER_DOCS"])
_REST = r"(?:/[^\s'\"`,;:()<>|]*)?"


def serving() -> bool:
    """Tell whether this process is a server, LangGraph's or Aegra's, whose messages go to other users."""
    return bool(os.environ.get("LANGGRAPH_API_URL")) or "aegra_api.main" in sys.modules


def without_private(text: str) -> str:
    """Return a message without the operator's secrets and, in a server's process, without paths of this machine."""
    text = without_secrets(text)
    return _PLACES.sub(_shown, text) if "/" in text and serving() else text


def _named_places(environment: Mapping[str, str | None], work: str) -> dict[str, str]:
    places: dict[str, str] = {}
    for name, value in {"LEADLINE_HOME": ".leadline", **environment}.items():
        if not name.upper().startswith("LEADLINE_") or not value or "://" in value:
            continue
        for part in value.split(os.pathsep):
            if "/" in part or name.upper() == "LEADLINE_HOME":
                path = os.path.normpath(Path(work, part.strip()))
                shown = Path(path).name if name.upper() in _SHOWN_BY_NAME else name.upper()
                places |= {path: shown, os.path.realpath(path): shown}
    return {path: shown for path, shown in places.items() if len(path) > 1}


def _other_places(work: str) -> set[str]:
    """Return the folders of operators' files whose names reveal something about the machine."""
    folders = {work, str(Path(__file__).resolve().parents[2]), sys.prefix, sys.base_prefix}
    for place in (tempfile.gettempdir, Path.home):
        with contextlib.suppress(RuntimeError, FileNotFoundError):  # an isolated process has neither variable
            folders.add(str(place()))
    return {folder for folder in folders | set(map(os.path.realpath, folders)) if len(folder) > 1}


def _shown(match: re.Match[str]) -> str:
    if match["named"]:
        shown = f"{_NAMED[match['named']]}{match['rest']}"
    else:
        shown = f"…/{match['other'].rstrip('/').rpartition('/')[2]}"
    _LOGGER.warning("path_withheld shown=%s path=%s", shown, match.group())
    return shown


def _alternatives(paths: Mapping[str, object] | set[str]) -> str:
    return "|".join(map(re.escape, sorted(paths, key=len, reverse=True)))


try:
    _WORK = os.getcwd()  # noqa: PTH109 - as text
except OSError:  # the folder was removed
    _WORK = "/"
# Read once, at the start: messages are also built in the event loop, which must not block
try:
    _GIVEN = dotenv(Path(_WORK, ".env"))
except OSError:  # the settings say so
    _GIVEN = {}
_NAMED = _named_places({**_GIVEN, **os.environ}, _WORK)
_PLACES = re.compile(
    rf"(?<![\w.])(?:(?P<named>{_alternatives(_NAMED)})(?![\w.-])(?P<rest>{_REST})|(?P<other>(?:{_alternatives(_other_places(_WORK))})(?![\w.-]){_REST}))"
)
