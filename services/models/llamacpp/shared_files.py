"""Files by which the runs of one user on one machine share a process: three locks, the process's record, its last words.

They lie in a folder of the user's own below the system's folder for temporary files, so that runs of all homes share. The system
releases a lock when the process that holds it ends, even after `kill -9`.
"""

import hashlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from services.run.errors import SettingsError
from services.run.secrecy import register_secrets

if sys.platform != "win32":
    import fcntl

_MAX_RECORD, _MAX_WORDS = 10_000, 4_000
"""Maximum bytes that are read."""


class Record(BaseModel):
    """What a process says of itself once the model is loaded."""

    model_config = ConfigDict(frozen=True)

    address: str
    """`http://127.0.0.1:PORT`."""
    key: SecretStr
    context: int
    """Tokens of each request."""
    slots: int
    """Requests that are answered at once."""
    pid: int


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """The files of one model's process."""

    starts: Path
    """Lock held by a process that joins, starts or ends the server."""
    users: Path
    """Lock shared by all users of the server."""
    record: Path
    """File with the server's address, locked while the server lives; its content is valid only then."""
    words: Path
    """The server's output, which is errors only."""

    def alive(self) -> bool:
        """Tell whether the server process lives. Blocking."""
        lock = Lock.take(self.record, shared=True)
        if lock is not None:
            lock.release()
        return lock is None

    def read(self) -> Record | None:
        """Return the server's record; None while the model is being loaded. Blocking."""
        try:
            with self.record.open("rb") as file:
                record = Record.model_validate_json(file.read(_MAX_RECORD))
        except (OSError, ValidationError):
            return None
        register_secrets([record.key.get_secret_value()])
        return record

    def last_words(self) -> str:
        """Return the end of the server's output. Blocking."""
        try:
            with self.words.open("rb") as file:
                file.seek(max(0, self.words.stat().st_size - _MAX_WORDS))
                return file.read(_MAX_WORDS).decode("utf-8", "replace")
        except OSError:
            return ""


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock on a file, held until it is released or the process ends."""

    handle: int

    @classmethod
    def take(cls, path: Path, *, shared: bool = False) -> "Lock | None":
        """Take a lock, or return None if another process holds it. Blocking, for a moment."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return None
        return cls(handle)

    def release(self) -> None:
        """Release the lock."""
        os.close(self.handle)


def shared_files(model: Path) -> SharedFiles:
    """Return the files of a model's process. Blocking.

    Raises:
        SettingsError: the folder for them cannot be trusted, or cannot be made.
        OSError: the model is not there.
    """
    about = model.stat()
    identity = f"{model} {about.st_size} {about.st_mtime_ns} {sys.prefix}"
    name = hashlib.sha256(identity.encode()).hexdigest()[:16]
    folder = _own_folder()
    return SharedFiles(*(folder / f"{name}.{kind}" for kind in ("starts", "users", "record", "words")))


def _own_folder() -> Path:
    """Return a folder that only this user can read, because it holds keys."""
    folder = Path(tempfile.gettempdir()) / f"leadline-{os.getuid()}"
    remedy = "Remove it, or name another folder for temporary files in TMPDIR."
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
    except OSError as error:
        raise SettingsError(f"The folder {folder} cannot be made ({error.strerror}). {remedy}") from None
    private = stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o077
    if not private:
        raise SettingsError(f"{folder} does not belong to this user alone. {remedy}")
    return folder
