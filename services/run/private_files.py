"""Creation of folders and files that only their owner can read, whatever the umask: `LEADLINE_HOME` and caches."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
PRIVATE_UMASK = 0o077


def make_private_folder(base: Path, *names: str) -> Path:
    """Create a folder, and folders in it, that only the owner can read, and return the last one. Blocking.

    Existing ones keep their permissions. Missing parents of the first private folder get the default permissions.

    Raises:
        OSError: it cannot be created, or is a file.
    """
    base.parent.mkdir(parents=True, exist_ok=True)
    folder = base
    for name in ("", *names):
        folder /= name
        try:
            folder.mkdir(FOLDER_MODE)
        except OSError:
            if not folder.is_dir():
                raise
        else:
            folder.chmod(FOLDER_MODE)
    return folder


def make_private_file(file: Path) -> None:
    """Create an empty file if it does not exist; an existing one keeps its permissions. Blocking.

    SQLite would create its database with the default permissions. It gives its journals those of the database.

    Raises:
        OSError: it cannot be created.
    """
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        return
    os.close(handle)
    file.chmod(FILE_MODE)


def cache_folder() -> Path:
    """Return the user's folder for what is rebuilt when missing, for all homes; it need not exist.

    Raises:
        RuntimeError: the user has no folder.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "leadline"


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target at once when the block ends: another process may do the same. Blocking.

    Raises:
        OSError: it cannot be written.
    """
    make_private_folder(file.parent.parent, file.parent.name)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    os.close(handle)
    try:
        yield Path(name)
        with Path(name).open("rb+") as whole:  # else it may be there without its content after a loss of power
            os.fsync(whole.fileno())
        Path(name).replace(file)
    finally:
        Path(name).unlink(missing_ok=True)
