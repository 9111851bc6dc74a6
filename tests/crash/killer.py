"""Kills a process at the first of some moments; far ends, files and a timer report to it from their threads."""

import re
import signal
import threading

from tests.crash.moments import AFTER_CODE, Moment, Moments
from tests.crash.watching import Happening
from tests.crash.world import Phase
from tests.fakes.forked import Child

_LEAVE_LINES = {"tool-calls": "tool", "code-runs": "code"}
_WRITING = re.compile(r"^\.writing-[0-9a-f]+-")


class Killer:
    """Ends one life of a process."""

    def __init__(self, child: Child, moments: Moments, how: int = signal.SIGKILL) -> None:
        self._over = False
        self._killed_at: Moment | None = None
        self._child = child
        self._moments = moments
        self._how = how
        self._lot = moments.lot()
        self._count = 0
        self._code_ran = False
        self._lock = threading.RLock()

    def phase(self, label: str, phase: Phase) -> None:
        self._happened((label, phase))

    def file(self, name: str, what: Happening) -> None:
        if name in _LEAVE_LINES:
            self._code_ran |= name == "code-runs"
            self._happened((_LEAVE_LINES[name], "asked"))
        elif (name, what) != AFTER_CODE or self._code_ran:  # else it was a trial of the sandbox
            self._happened((_WRITING.sub("", name), what))

    def timer(self) -> threading.Timer:
        """Start to wait, if this life ends after some time; return what ends the waiting."""
        timer = threading.Timer(self._lot.seconds or 0.0, self._kill, [("time", f"{self._lot.seconds}")])
        if self._lot.seconds is not None:
            timer.start()
        return timer

    def killed_at(self) -> Moment | None:
        """Return when it killed; it does not do so any more."""
        with self._lock:
            self._over = True
            return self._killed_at

    def _happened(self, moment: Moment) -> None:
        with self._lock:
            if moment in self._moments.named:
                self._kill(moment, by_lot=False)
            elif self._lot.count and (moment in self._lot.of if self._lot.of else _counts(*moment)):
                self._count += 1
                if self._count == self._lot.count:
                    self._kill(moment)

    def _kill(self, moment: Moment, *, by_lot: bool = True) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
            self._child.send_signal(self._how)
            if self._how == signal.SIGKILL:
                self._child.wait(30)
                if self._child.returncode != -signal.SIGKILL:  # it had ended by itself
                    return
            self._killed_at = moment
            self._moments.named.discard(moment)
            self._moments.lots -= by_lot


def _counts(name: str, what: str) -> bool:
    """Tell whether something that happens is worth a kill: databases are opened again and again."""
    return not name.endswith("-shm") and (what != "made" or ".sqlite" not in name)
