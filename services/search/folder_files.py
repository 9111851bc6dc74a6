"""Lists the searchable files of a folder, and opens only new ones whose name does not tell their kind; also of the files that a user attached to a thread.

A run names these with `@attachments` among its `documents`. It is resolved by the run's own thread, so no run can name the files of another one,
and no path of the server ever leaves it.
"""

import codecs
import errno
import mimetypes
import os
import stat
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePath

from langgraph.config import get_config

from schemas.clean_text import clean_line
from services.run.errors import DocumentsError
from services.run.settings import settings
from services.run.ui_text import say, spoken_locale, unsearched
from services.search.files.file_types import OTHER_KIND, SUFFIXES, FileState

ATTACHMENTS = "@attachments"
"""Name of the attached files in a run's context; they are searched in addition to other folders."""

MAX_FILES = 20_000
REPORT = frozenset({"report.md", "evidence.json"})
"""Files of each folder of a report that Leadline wrote."""
BEGINNING = 4_096
"""Bytes of a file of an unknown suffix, or of none, that tell whether it is text."""
_DRAWN = frozenset({"image", "audio", "video", "font"})
"""Kinds of files that are no texts, even where they are written in letters, as drawings in SVG are."""


def attachments_of(thread_id: str) -> Path:
    """Return the folder of a thread's attached files, which may not exist.

    Raises:
        DocumentsError: the text is not a thread id.
    """
    try:
        thread = str(uuid.UUID(thread_id))
    except ValueError:
        raise DocumentsError(say("documents_no_thread_id", thread=thread_id)) from None
    return settings().leadline_home / "threads" / thread / "attachments"


def belongs_to_home(path: Path, opened: Path) -> bool:
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
        raise DocumentsError(say("documents_no_thread", name=ATTACHMENTS))
    return attachments_of(thread_id)


def list_files(
    folder: Path, kinds: dict[FileState, bool] | None = None
) -> tuple[list[FileState], list[tuple[str, str]]]:
    """Return the searchable files of a run's folder, sorted by path, and (path, reason) of the others.

    Folders of reports are skipped as a whole. Hidden files, links to folders within the folder, and what `LEADLINE_HOME` keeps of other runs, are in neither. Blocking: one look at each
    file.

    Args:
        folder: as the run names it.
        kinds: files whose names do not tell their kind, with whether they begin as text. Those in it are not opened; it is brought up to date.

    Raises:
        DocumentsError: the folder is missing; a new run checks this before it begins.
    """
    if not folder.is_dir():
        raise documents_error("documents_gone", folder=folder)
    known = kinds if kinds is not None else {}
    seen: set[FileState] = set()

    def is_text(state: FileState, path: Path) -> bool:
        seen.add(state)
        if state not in known:
            known[state] = _begins_as_text(path)
        return known[state]

    states: list[FileState] = []
    skipped: list[tuple[str, str]] = []
    for path, state in sorted(_files(folder, is_text), key=lambda file: file[0].split("/")):
        if isinstance(state, str):
            skipped.append((path, state))
        elif len(states) >= MAX_FILES:
            skipped.append((path, f"beyond_first:{MAX_FILES:,}"))
        else:
            states.append(state)
    for gone in known.keys() - seen:
        del known[gone]
    return states, skipped


def check_folder(folder: Path) -> None:
    """Check quickly whether a folder exists and holds a searchable file. Blocking; stops at the first such file.

    Files are opened only if no name tells of one.

    Raises:
        DocumentsError: the folder is missing or holds no searchable files.
    """
    if not folder.is_dir():
        raise documents_error("documents_no_folder" if folder.exists() else "documents_missing", folder=folder)
    if any(isinstance(state, FileState) for _, state in _files(folder, lambda *_: False)):
        return
    skipped: list[tuple[str, str]] = []
    for path, state in _files(folder, lambda _, file: _begins_as_text(file)):
        if isinstance(state, FileState):
            return
        skipped.append((path, state))
    raise nothing_in(folder, sorted(skipped))


def documents_error(key: str, **values: object) -> DocumentsError:
    """Return an error with a message, which on a server is the page's as it stands, whatever the names of folders hold."""
    text = say(key, "", **values)
    return DocumentsError(text, page=text)


def nothing_in(folder: Path, skipped: list[tuple[str, str]]) -> DocumentsError:
    """Return the error that a folder holds no searchable files, with the reasons."""
    if not skipped:
        return documents_error("documents_none", folder=folder)
    locale = spoken_locale()
    files = [
        say("documents_file", locale, file=file, reason=unsearched(reason, locale)) for file, reason in skipped[:3]
    ]
    return documents_error("documents_unreadable", folder=folder, files=say("searched_between", locale).join(files))


def _files(folder: Path, is_text: Callable[[FileState, Path], bool]) -> Iterator[tuple[str, FileState | str]]:
    """Yield the path of each file, and of each link to a folder outside, below a folder, with its state or the reason to skip it.

    `is_text` is asked about files whose names do not tell their kind.
    """
    if belongs_to_home(folder, folder):
        return
    root, asking = folder.resolve(), _asking()
    for parent, inner, names in os.walk(folder):
        inner[:] = [
            name for name in inner if not name.startswith(".") and not belongs_to_home(Path(parent, name), folder)
        ]
        below = Path(parent).relative_to(folder).as_posix()
        if below != "." and REPORT.issubset(names):  # a research of the same folder would cite what it said itself
            inner.clear()
            yield clean_line(below), "earlier_report"
            continue
        linked = [name for name in inner if Path(parent, name).is_symlink()]  # which `walk` does not follow
        for name in [*linked, *names]:
            if name.startswith("."):
                continue
            path = name if below == "." else f"{below}/{name}"
            file = Path(parent, name)
            if not _is_utf8(path):
                yield clean_line(path), "name_no_text"
                continue
            status = _stat_or_reason(file, root, folder)
            if isinstance(status, str):
                yield path, status
            elif status is not None:
                state = FileState(path, status.st_size, status.st_mtime_ns)
                readable = _readable_by_name(name)
                if not (is_text(state, file) if readable is None else readable):
                    yield path, OTHER_KIND
                else:
                    yield path, "asks" if asking and os.path.realpath(file) in asking else state


def _asking() -> set[str]:
    """Return the full paths of the script and the notebook that run in this process: they hold the question, and what was found before.

    Jupyter names the notebook in the environment, Visual Studio Code in the notebook's variables.
    """
    program = sys.modules["__main__"]
    names = [
        getattr(program, "__file__", None),
        getattr(program, "__vsc_ipynb_file__", None),
        os.environ.get("JPY_SESSION_NAME"),
    ]
    return {os.path.realpath(name) for name in names if name}


def _is_utf8(path: str) -> bool:
    """Tell whether a path is UTF-8; other bytes cannot be stored in an index, a report or an answer."""
    return path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path)


def _stat_or_reason(path: Path, root: Path, folder: Path) -> os.stat_result | str | None:
    """Return the stat result of a file or the reason to skip it; None for files that are skipped silently."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            target = path.resolve()
            if not target.is_relative_to(root):
                return "leads_out"
            if belongs_to_home(target, folder):
                return None  # names of other users' files are not revealed either
            status = target.stat()
            if stat.S_ISDIR(status.st_mode):
                return None  # what it holds is searched where it stands
    except FileNotFoundError:
        return "leads_nowhere"
    except RuntimeError:  # Python up to 3.12 raises this for circular links
        return "leads_to_itself"
    except OSError as error:
        return "leads_to_itself" if error.errno == errno.ELOOP else "not_opened"
    if not stat.S_ISREG(status.st_mode):
        return "no_regular_file"
    return status


def is_readable(name: str, path: Path) -> bool:
    """Tell whether the file at a path is of a kind that is read: by its name, or as it begins as text in UTF-8, as `Makefile` or `cp.1` do.

    Drawings, private keys and files named `.env` are not. Blocking.
    """
    readable = _readable_by_name(name)
    return _begins_as_text(path) if readable is None else readable


def _readable_by_name(name: str) -> bool | None:
    """Tell whether a file is of a kind that is read; None if its name does not tell."""
    suffix = PurePath(name).suffix.lower()
    if suffix in SUFFIXES:
        return True
    is_drawn = (mimetypes.guess_type(name)[0] or "").partition("/")[0] in _DRAWN
    return False if is_drawn or suffix == ".env" else None


def _begins_as_text(path: Path) -> bool:
    with suppress(OSError, UnicodeDecodeError), path.open("rb") as file:
        begin = codecs.getincrementaldecoder("utf-8")().decode(file.read(BEGINNING))
        return "\0" not in begin and bool(begin.strip()) and "PRIVATE KEY-----" not in begin
    return False
