"""A limit of processor time for a block of a test: a busy machine fails nothing, as only the process's own time counts."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

AGAIN = 0.1
"""Seconds after which the block is interrupted once more: Python ignores what is raised where an object is just being freed."""


class ProcessorTimeExceeded(Exception):
    """The block was interrupted at its limit."""


def _interrupt(_: int, __: FrameType | None) -> None:
    raise ProcessorTimeExceeded


@contextlib.contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Interrupt the block after some seconds of this process's processor time.

    Raises:
        ProcessorTimeExceeded: it took longer.
    """
    before = signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
