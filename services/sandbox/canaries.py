"""Canaries: escape attempts that are made before the first program runs. If one succeeds, there is no isolation."""

import errno
import json
import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """The outcome of one escape attempt."""

    name: str
    stopped: bool
    by: str = ""
    """The protection that stopped the attempt: `Landlock`, `seccomp` or `namespace`; else the system's error."""
    required: bool = True
    """Whether a successful attempt means that programs are refused."""


LOOKING = "looking at a file outside"
"""Reads a file's size and times; only a mount namespace prevents this, which some systems do not allow."""
_BY = {
    0: "",
    errno.ENOENT: "namespace",
    errno.EACCES: "Landlock",
    errno.EXDEV: "Landlock",
    errno.EPERM: "seccomp",
    errno.ENOSYS: "seccomp",
}


def read_results(output: str) -> list[CanaryResult]:
    """Parse the output of the canaries' program; empty if it did not finish."""
    try:
        return [
            CanaryResult(str(name), number != 0, by=_BY.get(number, os.strerror(number)), required=name != LOOKING)
            for name, number in json.loads(output).items()
        ]
    except (ValueError, TypeError, AttributeError):
        return []


CANARIES = """
import ctypes, json, os, socket
found = {}
def attempt(name, action):
    try:
        action()
    except OSError as error:
        found[name] = error.errno or 5
    else:
        found[name] = 0
def call(x86_64, aarch64, *arguments):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    if ctypes.CDLL(None, use_errno=True).syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
attempt("reading a file outside", lambda: open("SECRET").read())
attempt("writing a file outside", lambda: open("SECRET", "a"))
attempt("looking at a file outside", lambda: os.stat("SECRET"))
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
"""The program; SECRET is replaced by a file that the user can read and write."""
COUNT = CANARIES.count('attempt("')
