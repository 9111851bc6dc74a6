"""A model file's share of this machine: context, threads and cache, by its size and the free memory and processors."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from services.run.errors import SettingsError
from services.run.ui_text import told

CONTEXTS = (32_768, 16_384, 8_192, 4_096)
"""Context sizes to try in tokens, largest first: a processor takes too long to read more than the first."""
BYTES_A_TOKEN = 128 << 10
"""Bytes of the context's cache per token, rounded up: models with up to 8 billion parameters take 28 to 144 KB (Qwen 2.5 and 3, Llama 3)."""
_WORKING = 256 << 20
"""Bytes that a model takes while it computes."""
_USABLE = 0.9
"""Share of the available memory that a model may take."""
_PROMPT_CACHE = 512 << 20
"""Bytes of llama.cpp's prompt cache, if there is room: prompts of a role begin with the same text."""
_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class FreeResources:
    """Free resources of this machine."""

    memory: int
    """Bytes."""
    cores: int


@dataclass(frozen=True, slots=True)
class MachineShare:
    """Resources given to a model."""

    context: int
    """Tokens of context; llama.cpp gives no more than the model was trained with."""
    threads: int
    """Number of threads; 0 lets llama.cpp choose."""
    cache: int
    """Bytes of the prompt cache."""


def this_machine(cgroup: Path = _CGROUP) -> FreeResources:
    """Return the free resources of this machine; in a container, those within its limits. Blocking."""
    import psutil

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if sys.platform == "linux":
        cores = min(cores, len(os.sched_getaffinity(0)), _cores_of(cgroup))
    return FreeResources(min(psutil.virtual_memory().available, _memory_of(cgroup)), cores)


def share_of(path: Path, machine: FreeResources, window: int | None) -> MachineShare:
    """Return the share of a model file, with the context of `window` tokens where the operator set it. Blocking.

    Raises:
        SettingsError: the file is not there, or the memory does not suffice.
    """
    weights, room = size_of(path), int(machine.memory * _USABLE)
    context = window or next((size for size in CONTEXTS if _taken(weights, size) <= room), None)
    if context is None:
        needed, free = (f"{size / 1e9:.1f} GB" for size in (_taken(weights, CONTEXTS[-1]), machine.memory))
        raise SettingsError(**told("file_too_large", model=path.name, context=CONTEXTS[-1], needed=needed, free=free))
    threads = machine.cores if sys.platform == "linux" else 0  # elsewhere only llama.cpp knows the fast cores
    spare = room - _taken(weights, context)
    return MachineShare(context, threads, _PROMPT_CACHE if spare > 2 * _PROMPT_CACHE else 0)


def _taken(weights: int, context: int) -> int:
    """Return the approximate bytes of memory that a model takes with a context of so many tokens."""
    return weights + context * max(BYTES_A_TOKEN, weights // CONTEXTS[0]) + _WORKING


def size_of(path: Path) -> int:
    """Return the bytes of a model file, with those of its other parts if it comes in several. Blocking.

    Raises:
        SettingsError: there is no such file.
    """
    if path.is_dir():
        raise SettingsError(**told("file_folder", path=path))
    start, several, end = path.name.partition("-00001-of-")
    try:
        parts = [
            part for part in path.parent.iterdir() if part.name.startswith(f"{start}-") and part.name.endswith(end)
        ]
        return path.stat().st_size + sum(part.stat().st_size for part in parts if several and part != path)
    except OSError as error:
        raise SettingsError(**told("file_missing", path=path, reason=error.strerror)) from None


def _memory_of(cgroup: Path) -> int:
    """Return the bytes that a container may still take; without a limit, a number that is larger than any memory."""
    try:
        fields = dict(line.split() for line in (cgroup / "memory.stat").read_text().splitlines())
        # The cache of files is freed when programs need memory
        cached = int(fields.get("inactive_file", 0)) + int(fields.get("active_file", 0))
        limit, used = ((cgroup / name).read_text() for name in ("memory.max", "memory.current"))
        return max(0, int(limit) - int(used) + cached)
    except (OSError, ValueError):  # `max` means no limit
        return sys.maxsize


def _cores_of(cgroup: Path) -> int:
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
        return max(1, round(int(quota) / int(period)))
    except (OSError, ValueError):  # `max` means no limit
        return sys.maxsize
