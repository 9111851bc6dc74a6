"""Canaries: a handful of escape attempts, made before the first program runs. One that gets out means no isolation."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """What became of one escape attempt."""

    name: str
    stopped: bool


def read_results(output: str) -> list[CanaryResult]:
    """Return what the canaries' program printed; nothing when it did not get to its end."""
    try:
        return [CanaryResult(str(name), bool(stopped)) for name, stopped in json.loads(output).items()]
    except (ValueError, AttributeError):
        return []


CANARIES = """
import ctypes, json, os, socket
found = {}
def attempt(name, action):
    try:
        action()
    except OSError:
        found[name] = True
    else:
        found[name] = False
def call(x86_64, aarch64, *arguments):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    if ctypes.CDLL(None, use_errno=True).syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
attempt("reading a file outside", lambda: open("SECRET").read())
attempt("writing a file outside", lambda: open("SECRET", "a"))
attempt("listing the root folder", lambda: os.listdir("/"))
attempt("changing a file's mode outside", lambda: os.chmod("SECRET", 0o600))
attempt("a TCP socket", lambda: socket.socket())
attempt("a UDP socket", lambda: socket.socket(type=socket.SOCK_DGRAM))
attempt("a unix socket", lambda: socket.socket(socket.AF_UNIX))
attempt("a new process", lambda: os.fork() or os._exit(0))
attempt("another program", lambda: os.execv("/bin/true", ["true"]))
attempt("a signal to the parent", lambda: os.kill(os.getppid(), 0))
attempt("io_uring", lambda: call(425, 425, 1, ctypes.create_string_buffer(120)))
attempt("a namespace of its own", lambda: call(272, 97, 0x10000000))
print(json.dumps(found))
"""
"""The program; SECRET stands for a file that the user could read and write."""
COUNT = CANARIES.count('attempt("')
