"""The process that serves one model file: a stand-alone program, which imports nothing of Leadline.

It reads its settings from its standard input, as a command line can be read by every user of the machine. It holds a lock on
its record for as long as it lives, and ends once nobody has held the lock of its users for some seconds.
"""

import fcntl
import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_LOOK = 0.5
"""Seconds between two looks at the users' lock."""
_TRIES = 20
_FIRST_TO_GO = "500"
"""OOM score: if memory runs out, Linux ends this process first; the run can report that and continue."""


def main() -> None:
    """Serve until no process uses the model."""
    settings = json.loads(sys.stdin.read())
    with suppress(OSError):  # not on Linux
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO)
    record = os.open(settings["record"], os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(_TRIES):  # others hold the lock for a moment when they look whether the process lives
        if alone := _taken(record):
            break
        time.sleep(_LOOK / _TRIES)
    if not alone:
        sys.exit("another process serves this model")
    os.truncate(record, 0)
    server = _serving(settings)
    about = {
        "address": str(server.listening_address),
        **{name: settings[name] for name in ("key", "context", "slots")},
        "pid": os.getpid(),
    }
    os.write(record, json.dumps(about).encode())
    _wait_for_the_last_user(settings)
    os.truncate(record, 0)
    signal.raise_signal(signal.SIGTERM)  # exit without waiting for llama.cpp's threads


def _serving(settings: dict[str, Any]) -> Any:
    """Load the model and return its server, which serves as long as it is referenced. Blocking, until the model is loaded."""
    # Threads that spin while others want the cores cost ten times the speed; llama.cpp reads these when it is loaded
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = settings["model"]
    wanted.model_alias = {settings["alias"]}
    wanted.hostnames, wanted.port, wanted.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    wanted.n_parallel = settings["slots"]
    wanted.n_ctx = settings["context"] * settings["slots"]
    wanted.cache_ram_mib = settings["cache"] >> 20
    if settings["threads"]:
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = settings["threads"]
    wanted.use_jinja = True
    wanted.ui = False
    wanted.verbosity = 1  # errors
    return xllamacpp.Server(wanted)


def _wait_for_the_last_user(settings: dict[str, Any]) -> None:
    """Return once no process has held the users' lock for the grace period; the start lock is then held, so that no process joins."""
    users = os.open(settings["users"], os.O_RDWR | os.O_CREAT, 0o600)
    starts = os.open(settings["starts"], os.O_RDWR | os.O_CREAT, 0o600)
    since = time.monotonic()
    while True:
        if not _free(users):
            since = time.monotonic()
        elif time.monotonic() - since > settings["grace"] and _taken(starts):
            if _free(users):
                return
            fcntl.flock(starts, fcntl.LOCK_UN)
        time.sleep(_LOOK)


def _taken(lock: int) -> bool:
    """Try to take a lock without waiting; tells whether that worked."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _free(lock: int) -> bool:
    """Tell whether a lock is free."""
    if not _taken(lock):
        return False
    fcntl.flock(lock, fcntl.LOCK_UN)
    return True


if __name__ == "__main__":
    main()
