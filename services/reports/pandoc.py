"""Runs Pandoc, as a process that reads and reaches nothing but what it is given."""

import subprocess
from importlib.machinery import PathFinder
from pathlib import Path

from services.run.errors import NotInstalled, SettingsError
from services.run.installation import install_command

PROGRAMS = ("pandoc", "pandoc.exe")
"""Names of the program in its package."""
SECONDS = 60
"""Maximum time."""
MEMORY = "1g"
"""Maximum memory."""


def pandoc(given: bytes, *options: str) -> bytes:
    """Return what Pandoc makes of its input. Blocking.

    Raises:
        NotInstalled: the package `pypandoc-binary` is missing.
        SettingsError: Pandoc failed.
    """
    command = [str(_program()), "--sandbox", *options, "+RTS", f"-M{MEMORY}", "-RTS"]
    try:
        return subprocess.run(command, input=given, capture_output=True, timeout=SECONDS, env={}, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        reason = error.stderr.decode("utf-8", "replace") if isinstance(error, subprocess.CalledProcessError) else error
        raise SettingsError(f"Pandoc failed ({reason}). Choose another format.") from error


def _program() -> Path:
    """Return the program in the package, which is not imported: it would look for other Pandocs."""
    package = PathFinder.find_spec("pypandoc")
    folders = package.submodule_search_locations if package else None
    programs = [Path(folder, "files", name) for folder in folders or [] for name in PROGRAMS]
    found = next(filter(Path.is_file, programs), None)
    if found is None:
        raise NotInstalled("This needs the package pypandoc-binary.", install_command("formats"))
    return found
