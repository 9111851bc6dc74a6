"""Processes that outlive what started them: there must be none, orphans of a killed process included."""

import ctypes
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from tests.fakes.forked import forks

STRAYS_SECONDS = 20
_SUBREAPER = 36


@contextmanager
def no_strays() -> Iterator[None]:
    """Check that whatever is started in the block has ended soon after it, orphans of a killed process included."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    me = psutil.Process()
    forks()  # is no stray
    before = {one.pid for one in me.children(recursive=True)}
    try:
        yield
        until = time.monotonic() + STRAYS_SECONDS
        while left := _alive(me, before):
            assert time.monotonic() < until, f"still running: {left}"
            time.sleep(0.02)
    finally:
        libc.prctl(_SUBREAPER, 0, 0, 0, 0)


def _alive(me: psutil.Process, before: set[int]) -> list[str]:
    left = []
    for child in me.children(recursive=True):
        try:
            if child.pid in before:
                continue
            if child.status() == psutil.STATUS_ZOMBIE:
                _reap(child.pid)
            else:
                left.append(" ".join(child.cmdline())[:200])
        except psutil.NoSuchProcess:
            continue
    return left


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
