"""A small disk of its own, which can be filled up and be made read-only: a file system in memory, mounted by root."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

SIZE = "24m"


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk, mounted at a folder."""

    folder: Path

    def fill(self) -> None:
        with (self.folder / "ballast").open("ab", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while file.write(b"\0" * size):
                        pass
                except OSError:
                    continue

    def empty(self) -> None:
        (self.folder / "ballast").unlink()

    def read_only(self, on: bool) -> None:
        """Take no more writes, or take them again."""
        subprocess.run(["mount", "-o", f"remount,{'ro' if on else 'rw'}", self.folder], check=True, capture_output=True)


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    """Mount a small disk at a new folder until the block ends; the test is skipped where that is not possible."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk to fill it up")
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "leadline-test", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
