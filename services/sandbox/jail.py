"""The child's side of the sandbox: locks itself in, then runs the program. Linux only; imports nothing of Leadline.

Run as `python -I jail.py WORK SECONDS READABLE...` with the program in WORK/main.py. Order matters: limits and
capabilities, then Landlock (see landlock(7)), then a seccomp filter (see seccomp(2)), all while single-threaded.
"""

import ctypes
import os
import platform
import resource
import struct
import sys

MEMORY = 2 << 30
FILE_SIZE = 64 << 20
OPEN_FILES = 64
EXIT_NOT_ISOLATED = 97

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 4, 24, 38, 22

# Landlock
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FS_EXECUTE, _FS_WRITE_FILE, _FS_READ_FILE, _FS_READ_DIR = 1, 2, 4, 8
_FS_ALL_V1 = (1 << 13) - 1
_FS_REFER, _FS_TRUNCATE, _FS_IOCTL = 1 << 13, 1 << 14, 1 << 15
_FS_MAKE_SPECIAL = (1 << 6) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 12)
_READ = _FS_READ_FILE | _FS_READ_DIR | _FS_EXECUTE

# Seccomp: system calls that are refused, by architecture
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_REFUSED = {
    "x86_64": {
        "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "bind": 49, "listen": 50, "socketpair": 53, "fork": 57,
        "vfork": 58, "execve": 59, "kill": 62, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94,
        "ptrace": 101, "syslog": 103, "setuid": 105, "setgid": 106, "setpgid": 109, "setsid": 112, "setreuid": 113,
        "setgroups": 116, "mknod": 133, "personality": 135, "vhangup": 153, "pivot_root": 155, "prctl": 157,
        "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169, "sethostname": 170,
        "init_module": 175, "delete_module": 176, "quotactl": 179, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190,
        "tkill": 200, "io_setup": 206, "clock_settime": 227, "mbind": 237, "kexec_load": 246, "add_key": 248,
        "request_key": 249, "keyctl": 250, "inotify_init": 253, "mknodat": 259, "fchownat": 260, "fchmodat": 268,
        "unshare": 272, "signalfd": 282, "accept4": 288, "inotify_init1": 294, "perf_event_open": 298,
        "fanotify_init": 300, "prlimit64": 302, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
        "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "seccomp": 317, "memfd_create": 319,
        "kexec_file_load": 320, "bpf": 321, "execveat": 322, "userfaultfd": 323, "pkey_mprotect": 329,
        "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
        "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_open": 434, "pidfd_getfd": 438,
        "mount_setattr": 442, "landlock_create_ruleset": 444, "memfd_secret": 447, "fchmodat2": 452, "chroot": 161,
        "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "utime": 132, "setrlimit": 160,
    },
    "aarch64": {
        "io_setup": 0, "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "inotify_init1": 26, "mknodat": 33, "umount2": 39,
        "mount": 40, "pivot_root": 41, "chroot": 51, "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55,
        "signalfd4": 74, "acct": 89, "personality": 92, "unshare": 97, "kexec_load": 104, "init_module": 105,
        "delete_module": 106, "syslog": 116, "ptrace": 117, "kill": 129, "tkill": 130, "rt_sigqueueinfo": 138,
        "reboot": 142, "setgid": 144, "setreuid": 145, "setuid": 146, "setpgid": 154, "setsid": 157, "setgroups": 159,
        "sethostname": 161, "setrlimit": 164, "prctl": 167, "settimeofday": 170, "socket": 198, "socketpair": 199,
        "bind": 200, "listen": 201, "accept": 202, "connect": 203, "sendto": 206, "add_key": 217, "request_key": 218,
        "keyctl": 219, "execve": 221, "swapon": 224, "rt_tgsigqueueinfo": 240, "perf_event_open": 241, "accept4": 242,
        "prlimit64": 261, "fanotify_init": 262, "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270,
        "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "seccomp": 277, "memfd_create": 279, "bpf": 280,
        "execveat": 281, "userfaultfd": 282, "pkey_mprotect": 288, "kexec_file_load": 294, "pidfd_send_signal": 424,
        "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
        "fsopen": 430, "fsmount": 432, "pidfd_open": 434, "pidfd_getfd": 438, "mount_setattr": 442,
        "landlock_create_ruleset": 444, "memfd_secret": 447, "fchmodat2": 452,
    },
}  # fmt: skip
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_TGKILL = {"x86_64": 234, "aarch64": 131}
_CLONE_THREAD = 0x00010000
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38


def main() -> None:
    """Lock in and run."""
    work, seconds, readable = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    try:
        _limit(seconds)
        _drop_capabilities()
        _landlock(work, readable)
        _seccomp()
    except OSError as error:
        sys.stderr.write(f"isolation failed: {error}\n")
        sys.exit(EXIT_NOT_ISOLATED)
    os.chdir(work)
    with open("main.py", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is not worth its import here
        code = file.read()
    sys.argv = ["main.py"]
    sys.path.insert(0, work)
    exec(compile(code, "main.py", "exec"), {"__name__": "__main__", "__file__": "main.py"})  # noqa: S102 - this is what the jail is for


def _limit(seconds: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, 9)
    for what, value in (
        (resource.RLIMIT_CPU, seconds + 1),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (value, value))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)


def _drop_capabilities() -> None:
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("II", 0x20080522, 0)
    if _libc.capset(header, bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capset failed")


def _landlock(work: str, readable: list[str]) -> None:
    version = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        raise OSError(ctypes.get_errno(), "this kernel has no Landlock")
    handled = _FS_ALL_V1
    handled |= _FS_REFER if version >= 2 else 0
    handled |= _FS_TRUNCATE if version >= 3 else 0
    handled |= _FS_IOCTL if version >= 5 else 0
    net = 3 if version >= 4 else 0
    scoped = 3 if version >= 6 else 0
    attributes = struct.pack("QQQ", handled, net, scoped)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset failed")
    _allow(ruleset, work, handled & ~(_FS_MAKE_SPECIAL | _FS_EXECUTE | _FS_IOCTL | _FS_REFER))
    for path in readable:
        if os.path.exists(path):  # noqa: PTH110 - pathlib is not worth its import here
            _allow(ruleset, path, _READ if os.path.isdir(path) else _FS_READ_FILE)  # noqa: PTH112 - likewise
    for device in ("/dev/null", "/dev/urandom", "/dev/zero"):
        _allow(ruleset, device, _FS_READ_FILE | (_FS_WRITE_FILE if device == "/dev/null" else 0))
    if _libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "landlock_restrict_self failed")
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", access, handle)
        if _libc.syscall(_ADD_RULE, ruleset, 1, rule, 0) != 0:
            raise OSError(ctypes.get_errno(), f"landlock_add_rule failed for {path}")
    finally:
        os.close(handle)


def _seccomp() -> None:
    machine = platform.machine()
    if machine not in _REFUSED:
        raise OSError(_ENOSYS, f"no system call table for {machine}")
    load_number, load_arch, load_arg0 = (0x20, 0, 0, 0), (0x20, 0, 0, 4), (0x20, 0, 0, 16)
    load_arg1 = (0x20, 0, 0, 24)
    refuse, no_such, allow, kill = ((0x06, 0, 0, value) for value in (_ERRNO | _EPERM, _ERRNO | _ENOSYS, _ALLOW, _KILL))
    program = [load_arch, (0x15, 1, 0, _AUDIT_ARCH[machine]), kill, load_number]
    if machine == "x86_64":
        program += [(0x35, 0, 1, 0x40000000), kill]
    program += [(0x15, 0, 1, _CLONE3), no_such]
    program += [(0x15, 0, 4, _CLONE[machine]), load_arg0, (0x45, 0, 1, _CLONE_THREAD), allow, refuse]
    program += [(0x15, 0, 4, _TGKILL[machine]), load_arg0, (0x15, 0, 1, os.getpid()), allow, refuse]
    ioctl = 16 if machine == "x86_64" else 29
    program += [(0x15, 0, 4, ioctl), load_arg1, (0x15, 0, 1, 0x5412), refuse, allow]
    for number in sorted(_REFUSED[machine].values()):
        program += [(0x15, 0, 1, number), refuse]
    program.append(allow)
    packed = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(packed)
    filter_program = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer))
    if _libc.prctl(_PR_SET_SECCOMP, 2, filter_program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this kernel has no seccomp filter")


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


if __name__ == "__main__":
    main()
