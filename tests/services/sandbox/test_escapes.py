"""Escape attempts: each is a program that tries to get out or to do harm, with what has to stop it."""

import ast
import asyncio
import ctypes
import os
import socket
from pathlib import Path

import pytest

from services.sandbox import sandbox as module
from services.sandbox.sandbox import LOOKING, Sandbox
from services.sandbox.workfolder import MAX_DISK, exceeded_limit

PRELUDE = """
import ctypes, fcntl, hashlib, mmap, multiprocessing, os, resource, socket, subprocess, threading, time
libc = ctypes.CDLL(None, use_errno=True)
intel = os.uname().machine == "x86_64"
def call(x86_64, aarch64, *arguments):
    answer = libc.syscall(x86_64 if intel else aarch64, *arguments)
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer
def present(found):
    if not found:
        raise OSError(2, os.strerror(2))
"""

DENIED = {
    # files
    "reading a file outside": "open(OUTSIDE).read()",
    "reading the password file": "open('/etc/passwd').read()",
    "reading the project's settings": "open(PROJECT + '/.env.example').read()",
    "reading the project's source": "open(PROJECT + '/services/run/settings.py').read()",
    "reading through a path that climbs": "open('../' * 20 + OUTSIDE).read()",
    "writing a file outside": "open(OUTSIDE, 'a')",
    "creating a file outside": "open(OUTSIDE + '.new', 'w')",
    "emptying a file outside by name": "os.truncate(OUTSIDE, 0)",
    "emptying a file that is opened for reading": "os.open('main.py', os.O_RDONLY | os.O_TRUNC)",
    "writing into the interpreter's library": "open(os.__file__, 'a')",
    "removing a file outside": "os.remove(OUTSIDE)",
    "renaming a file outside": "os.rename(OUTSIDE, OUTSIDE + '.moved')",
    "moving a file in from outside": "os.rename(OUTSIDE, 'stolen')",
    "a hard link to a file outside": "os.link(OUTSIDE, 'stolen')",
    "a symbolic link to a file outside": "os.symlink(OUTSIDE, 'stolen')",
    "listing the root folder": "os.listdir('/')",
    "listing other runs' folders": "os.listdir('..')",
    "changing a file's mode outside": "os.chmod(OUTSIDE, 0o777)",
    "changing a file's mode by the newest call": "call(452, 452, -100, OUTSIDE.encode(), 0o777, 0)",
    "changing a file's owner outside": "os.chown(OUTSIDE, 0, 0)",
    "changing a file's times outside": "os.utime(OUTSIDE, (0, 0))",
    "allocating blocks for a file": "os.posix_fallocate(os.open('blocks', os.O_RDWR | os.O_CREAT), 0, 4096)",
    "allocating blocks past a file's end": "call(285, 47, os.open('blocks', os.O_RDWR | os.O_CREAT), 1, 0, 4096)",
    "setting an attribute of a file outside": "os.setxattr(OUTSIDE, 'user.a', b'b')",
    "openat2 around the filter of open": "call(437, 437, -100, OUTSIDE.encode(), bytes(24), 24)",
    "opening by handle": "call(304, 265, -100, bytes(64), 0)",
    # /proc and devices
    "the parent's environment": "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    "its own memory by /proc": "open('/proc/self/mem', 'rb')",
    "the parent's root by /proc": "os.listdir(f'/proc/{os.getppid()}/root')",
    "the list of mounts": "open('/proc/self/mounts').read()",
    "a disk device": "os.mknod('disk', 0o60600, os.makedev(254, 0))",
    "a pipe with a name": "os.mkfifo('pipe')",
    "a device that is not listed": "open('/dev/full', 'rb')",
    "the terminal": "open('/dev/tty', 'w')",
    "shared memory": "open('/dev/shm/leadline', 'w')",
    "shared memory of the old kind": "call(29, 194, 0, 4096, 0o1600)",
    "a message queue": "call(240, 180, b'leadline', 0o102, 0o600, None)",
    # the network
    "a TCP socket": "socket.socket()",
    "a TCP socket, version 6": "socket.socket(socket.AF_INET6)",
    "a UDP socket": "socket.socket(type=socket.SOCK_DGRAM)",
    "a unix socket": "socket.socket(socket.AF_UNIX).connect('/run/x')",
    "an abstract unix socket": "socket.socket(socket.AF_UNIX).connect('\\0x')",
    "a pair of sockets": "socket.socketpair()",
    "a raw socket": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "a netlink socket": "socket.socket(16, socket.SOCK_RAW, 0)",
    "a socket by number": "call(41, 198, 2, 1, 0)",
    "asking a name server": "socket.getaddrinfo('example.org', 80)",
    # processes
    "fork": "os.fork() or os._exit(0)",
    "vfork": "call(58, 220, 0x4111)",
    "clone without a thread": "call(56, 220, 17, 0, 0, 0, 0) or os._exit(0)",
    "a thread with open files of its own": "call(56, 220, 0x10f00 & ~0x400, 0, 0, 0, 0)",
    "open files that the parent cannot see": "call(436, 436, 60, 60, 2)",
    "clone3": "call(435, 435, bytes(88), 88)",
    "a program by subprocess": "subprocess.run(['true'])",
    "a program by the module below it": "subprocess.Popen(['/bin/true'], close_fds=False)",
    "a program by posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "a program in its own place": "os.execv('/bin/true', ['true'])",
    "a program in memory": "os.memfd_create('program')",
    "a program by descriptor": "call(322, 281, 0, b'', None, None, 0x1000)",
    "a pool of processes": "multiprocessing.Pool(1)",
    "a session of its own": "os.setsid()",
    "a process group of its own": "os.setpgid(0, 0)",
    "killing the parent": "os.kill(os.getppid(), 9)",
    "killing everything": "os.kill(-1, 9)",
    "asking whether a process lives": "os.kill(1, 0)",
    "killing by thread": "call(234, 131, os.getppid(), os.getppid(), 9)",
    "killing by queue": "call(129, 138, os.getppid(), 9, bytes(128))",
    "killing by process handle": "os.pidfd_open(os.getppid())",
    "having the system signal the parent": "fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())",
    "tracing the parent": "call(101, 117, 16, os.getppid(), 0, 0)",
    "reading the parent's memory": "call(310, 270, os.getppid(), bytes(16), 1, bytes(16), 1, 0)",
    "writing the parent's memory": "call(311, 271, os.getppid(), bytes(16), 1, bytes(16), 1, 0)",
    "lifting its limits": "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
    "limiting the parent": "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
    "slowing the parent down": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    # the kernel
    "a user namespace": "call(272, 97, 0x10000000)",
    "a mount namespace": "call(272, 97, 0x20000)",
    "somebody's namespace": "call(308, 268, 0, 0)",
    "mounting": "call(165, 40, b'none', b'.', b'tmpfs', 0, 0)",
    "mounting the new way": "call(430, 430, b'tmpfs', 0)",
    "another root": "os.chroot('.')",
    "io_uring": "call(425, 425, 1, ctypes.create_string_buffer(120))",
    "a kernel program": "call(321, 280, 0, bytes(64), 64)",
    "the key ring": "call(250, 219, 0, -3, 0)",
    "page faults in user space": "call(323, 282, 0)",
    "counting the machine's events": "call(298, 241, bytes(128), 0, -1, -1, 0)",
    "watching everybody's files": "call(300, 262, 0, 0)",
    "watching a folder": "call(294, 26, 0)",
    "a filter of its own": "call(317, 277, 1, 0, None)",
    "becoming dumpable, privileged, named": "call(157, 167, 4, 1, 0, 0, 0)",
    "another user": "os.setresuid(1, 1, 1)",
    "the kernel's log": "call(103, 116, 3, bytes(64), 64)",
    "another personality": "call(135, 92, 0x0040000)",
    "typing into the terminal": "fcntl.ioctl(1, 0x5412, b'x')",
    "a call newer than the filter": "call(470, 470, 0, 0, 0)",
}  # fmt: skip


HIDDEN = {
    "the size of a file outside": "os.stat(OUTSIDE)",
    "the size of a file outside by the newest call": "call(332, 291, -100, OUTSIDE.encode(), 0, 0xfff, ctypes.create_string_buffer(256))",
    "whether a file outside is there": "present(os.access(OUTSIDE, os.F_OK))",
    "when a folder outside was changed": "os.stat(os.path.dirname(OUTSIDE))",
    "where a link outside leads": "os.readlink(LINK)",
    "the room on a disk outside": "os.statvfs(os.path.dirname(OUTSIDE))",
    "going to a folder outside": "os.chdir(os.path.dirname(OUTSIDE))",
    "climbing out of the work folder": "os.stat('../' * 20 + OUTSIDE)",
    "the project's source": "os.stat(PROJECT + '/services/run/settings.py')",
    "the password file": "os.stat('/etc/passwd')",
    "which processes there are": "os.stat(f'/proc/{os.getppid()}')",
    "which devices there are": "os.stat('/dev/tty')",
}  # fmt: skip
"""What asks about a file and does not open it: where the system allows a mount namespace, there is nothing to be asked for."""


def tried(attempts: dict[str, str], outside: Path) -> dict[str, str]:
    """Try every attempt in one process (none of them may succeed) and return what each met."""
    outside = outside / "outside"
    outside.mkdir()
    secret = outside / "secret.txt"
    secret.write_text("the secret")
    link = outside / "link"
    link.symlink_to("secret.txt")
    code = f"{PRELUDE}\nOUTSIDE, PROJECT, LINK = {str(secret)!r}, {str(Path(__file__).parents[3])!r}, {str(link)!r}\nfound = {{}}\n"
    for name, attempt in attempts.items():
        code += f"try:\n    {attempt}\n    found[{name!r}] = 'escaped'\n"
        code += f"except (OSError, ValueError) as error:\n    found[{name!r}] = str(error)\n"
    result = asyncio.run(Sandbox(mode="isolated").run(code + "print(found)"))
    assert result.ok, result.error
    assert secret.read_text() == "the secret"
    assert sorted(entry.name for entry in outside.iterdir()) == ["link", "secret.txt"]
    found: dict[str, str] = ast.literal_eval(result.stdout)
    return found


MISSING = "No such file or directory"
LANDLOCK = ("Permission denied", "Invalid cross-device link")
SECCOMP = (
    "Operation not permitted",
    "Function not implemented",  # for what the C library can do without
    "name resolution",
    "Name or service not known",
    "not allowed to raise maximum limit",
)


def stopped_by(outcome: str) -> str:
    """Name what an attempt met; nothing where that is neither Landlock nor the filter of system calls."""
    if any(reason in outcome for reason in LANDLOCK):
        return "Landlock"
    return "seccomp" if any(reason in outcome for reason in SECCOMP) else ""


def test_every_attempt_is_denied_where_no_mount_namespace_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HIDE", False)
    outcomes = tried(DENIED, tmp_path)
    assert outcomes.keys() == DENIED.keys()
    assert {name: met for name, met in outcomes.items() if not stopped_by(met)} == {}


def test_every_attempt_is_denied_or_finds_nothing_in_a_mount_namespace(tmp_path: Path) -> None:
    canaries = asyncio.run(Sandbox(mode="isolated").canaries())
    if not next(canary.stopped for canary in canaries if canary.name == LOOKING):
        pytest.skip("this system allows no mount namespace")
    outcomes = tried(DENIED | HIDDEN, tmp_path)
    assert outcomes.keys() == DENIED.keys() | HIDDEN.keys()
    assert {name: outcomes[name] for name in HIDDEN if MISSING not in outcomes[name]} == {}
    nowhere = (MISSING, "Read-only file system")
    denied = [name for name in DENIED if stopped_by(outcomes[name]) or any(one in outcomes[name] for one in nowhere)]
    assert {name: outcomes[name] for name in DENIED if name not in denied} == {}


ENDED = {
    "sleeping past the wall clock": ("time.sleep(60)", "timeout"),
    "memory at once": ("bytearray(3 << 30)", "memory"),
    "memory bit by bit": ("held = []\nwhile True: held.append(bytes(50 << 20))", "memory"),
    "a flood of output": ("while True: print('x' * 10_000)", "output"),
    "a flood of errors": ("while True: os.write(2, b'x' * 10_000)", "output"),
    "many large files": ("for n in range(40): open(f'{n}', 'wb').write(bytes(20 << 20))", "disk"),
    "many small files": ("n = 0\nwhile True:\n    n += 1\n    open(f'{n}', 'w')", "files"),
    "many folders": ("n = 0\nwhile True:\n    n += 1\n    os.mkdir(f'{n}')", "files"),
    "folders without a bottom": ("while True:\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)", "files"),
    "files that are removed and kept open": (
        "held = []\nfor n in range(6):\n    f = open('x', 'wb'); held.append(f); os.remove('x')\n"
        "    f.write(bytes(50 << 20)); f.flush()\n"
        "time.sleep(60)",
        "disk",
    ),
    "large files that are all hole": (
        "for n in range(4): open(f'{n}', 'wb').truncate(60 << 20)\ntime.sleep(60)",
        "disk",
    ),
    "copies made by the system": (
        "source = open('0', 'w+b'); source.write(bytes(20 << 20)); source.flush()\n"
        "for n in range(1, 40):\n    with open(f'{n}', 'wb') as f: os.copy_file_range(source.fileno(), f.fileno(), 20 << 20, 0)\n"
        "time.sleep(60)",
        "disk",
    ),
    "files that are removed, closed and still mapped": (
        "held = []\nfor n in range(6):\n    f = open('x', 'w+b'); f.write(bytes(50 << 20)); f.flush()\n"
        "    held.append(mmap.mmap(f.fileno(), 4096)); f.close(); os.remove('x')\n"
        "time.sleep(60)",
        "disk",
    ),
    "a flood of threads": (
        "threading.stack_size(65536)\n"
        "for n in range(2000): threading.Thread(target=time.sleep, args=(60,)).start()",
        "threads",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDED)
async def test_is_ended(name: str) -> None:
    attempt, by = ENDED[name]
    result = await Sandbox(mode="isolated").run(PRELUDE + attempt, timeout=5)
    assert (result.ok, result.stopped_by) == (False, by), result.error[-500:]
    assert len(result.stdout) <= 1_000_000
    assert len(result.stderr) <= 1_000_000


async def test_spinning_on_every_core_is_ended() -> None:
    code = "block = bytes(50 << 20)\n"
    code += "def spin():\n    while True: hashlib.sha256(block)\n"  # hashing lets go of the interpreter's lock
    code += "for n in range(4): threading.Thread(target=spin).start()"
    result = await Sandbox(mode="isolated").run(PRELUDE + code, timeout=5)
    assert result.stopped_by in {"cpu", "timeout"}
    assert result.seconds < 8


async def test_blocks_past_the_end_of_a_file_count(tmp_path: Path) -> None:
    with (tmp_path / "short").open("wb") as file:
        libc = ctypes.CDLL(None)
        keep_size = ctypes.c_int(1)
        if libc.fallocate(file.fileno(), keep_size, ctypes.c_long(0), ctypes.c_long(MAX_DISK + 1)) != 0:
            pytest.skip("this file system cannot allocate ahead")
        assert os.fstat(file.fileno()).st_size == 0
        assert exceeded_limit(tmp_path, os.getpid()) == "disk"


async def test_one_file_cannot_grow_past_its_limit() -> None:
    result = await Sandbox(mode="isolated").run("open('big', 'wb').write(bytes(100 << 20))")
    assert "File too large" in result.stderr


async def test_secrets_of_the_environment_stay_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    result = await Sandbox(mode="isolated").run("import os\nprint(dict(os.environ))")
    assert result.ok
    assert "sk-secret" not in result.stdout
    assert "KEY" not in result.stdout


async def test_the_application_cannot_be_imported() -> None:
    result = await Sandbox(mode="isolated").run("import services.run.settings")
    assert "No module named 'services'" in result.stderr


async def test_calls_of_another_architecture_kill() -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the machine code is for x86_64")
    code = "m = mmap.mmap(-1, 4096, prot=7)\nm.write(bytes.fromhex('b814000000cd80c3'))\n"
    code += "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()\nprint('escaped')"
    result = await Sandbox(mode="isolated").run(PRELUDE + code)
    assert result.exit_code < 0
    assert "escaped" not in result.stdout


async def test_no_descriptor_of_the_parent_is_inherited(tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w") as secret, socket.socket() as server:
        for handle in (secret.fileno(), server.fileno()):
            os.set_inheritable(handle, True)
        code = "import os\nfor n in range(3, 64):\n    try: print(n, os.fstat(n))\n    except OSError: pass"
        result = await Sandbox(mode="isolated").run(code)
    assert (result.ok, result.stdout) == (True, "")
