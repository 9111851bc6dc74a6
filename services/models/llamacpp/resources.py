"""Computes a model's share of this machine: context, concurrent requests and threads, from free memory and processors."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from services.models.llamacpp.model_file import ModelFile
from services.run.errors import SettingsError

CONTEXTS = (32_768, 16_384, 8_192, 4_096)
"""Context sizes to try in tokens, largest first: a processor takes too long to read more than the first."""
_USABLE = 0.9
"""Share of the available memory that a model may take."""
_CORES_FOR_TWO = 8
"""Minimum number of cores for two concurrent requests."""
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
    """Tokens of context of each request."""
    slots: int
    """Number of concurrent requests; others wait."""
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


def share_of(model: ModelFile, machine: FreeResources, window: int | None) -> MachineShare:
    """Return a model's share of a machine.

    Args:
        model: the model.
        machine: free resources.
        window: tokens of context that the operator set; None chooses the size here.

    Raises:
        SettingsError: the memory does not suffice.
    """
    room = int(machine.memory * _USABLE)
    choices = [min(window, model.trained_context)] if window else [min(c, model.trained_context) for c in CONTEXTS]
    for context in choices:
        if model.memory(context) <= room:
            break
    else:
        needed, free = (f"{size / 1e9:.1f} GB" for size in (model.memory(choices[-1]), machine.memory))
        remedy = (
            "a lower LEADLINE_CONTEXT_WINDOW" if window and window > CONTEXTS[-1] else "a smaller quantization of it"
        )
        raise SettingsError(
            f"There is too little memory for the model {model.path.name}: with a context of {choices[-1]:,} tokens it takes about "
            f"{needed}, and {free} are free. End other programs, or choose {remedy} or a smaller model; what a run has done "
            "is kept, and leadline resume continues it."
        )
    two = machine.cores >= _CORES_FOR_TWO and model.memory(2 * context) <= room
    slots = 2 if two else 1
    spare = room - model.memory(slots * context)
    threads = machine.cores if sys.platform == "linux" else 0  # elsewhere only llama.cpp knows the fast cores
    return MachineShare(context, slots, threads, _PROMPT_CACHE if spare > 2 * _PROMPT_CACHE else 0)


def _memory_of(cgroup: Path) -> int:
    """Return the bytes that a container may still take; without a limit, a number that is larger than any memory."""
    limit, used = _number(cgroup / "memory.max"), _number(cgroup / "memory.current")
    if limit is None or used is None:
        return sys.maxsize
    return max(0, limit - used + _cached(cgroup))


def _cached(cgroup: Path) -> int:
    """Return the bytes of cached files, which the operating system frees when programs need memory."""
    try:
        fields = dict(line.split() for line in (cgroup / "memory.stat").read_text().splitlines())
        return int(fields.get("inactive_file", 0)) + int(fields.get("active_file", 0))
    except (OSError, ValueError):
        return 0


def _cores_of(cgroup: Path) -> int:
    """Return the number of cores whose time a container may use."""
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
        return max(1, round(int(quota) / int(period)))
    except (OSError, ValueError):  # `max` means no limit
        return sys.maxsize


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None
