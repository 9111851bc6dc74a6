"""The seccomp filter: the list of system calls that jailed code may make; all others fail.

The list is what CPython, NumPy and pandas need to compute and to use files; Landlock decides which files. There is
no way in it to open a socket, start a process or another program, signal anybody, or change modes, owners and times
of files (which Landlock does not guard). See seccomp(2) and linux/filter.h.
"""

import struct

# name: (number on x86_64, number on aarch64)
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # memory, and reading and writing
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62), "mmap": (9, 222),
    "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216), "msync": (26, 227),
    "mincore": (27, 232), "madvise": (28, 233), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65),
    "writev": (20, 66), "preadv": (295, 69), "pwritev": (296, 70),
    # files by name; Landlock decides which files
    "creat": (85, None), "access": (21, None), "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79),
    "statx": (332, 291), "statfs": (137, 43), "fstatfs": (138, 44), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "getdents": (78, None), "getdents64": (217, 61),
    "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50), "mkdir": (83, None), "mkdirat": (258, 34),
    "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36),
    # files by descriptor
    "ftruncate": (77, 46), "fsync": (74, 82), "fdatasync": (75, 83), "fadvise64": (221, 223),
    "readahead": (187, 213), "flock": (73, 32), "umask": (95, 166), "sendfile": (40, 71),
    "copy_file_range": (326, 285), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None),
    "pipe2": (293, 59), "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    # own signals and time
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132), "pause": (34, None),
    "alarm": (37, None), "getitimer": (36, 102), "setitimer": (38, 103), "restart_syscall": (219, 128),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153),
    # queries about the process and the system
    "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getpgid": (121, 155), "getpgrp": (111, None),
    "getsid": (124, 156), "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "getrusage": (98, 165),
    "getrlimit": (97, 163), "uname": (63, 160), "sysinfo": (99, 179), "getpriority": (140, 141),
    "sched_getaffinity": (204, 123), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "getcpu": (309, 168),
    "getrandom": (318, 278),
    # threads and exit
    "futex": (202, 98), "set_robust_list": (273, 99), "get_robust_list": (274, 100), "set_tid_address": (218, 96),
    "rseq": (334, 293), "membarrier": (324, 283), "sched_yield": (24, 124), "wait4": (61, 260), "waitid": (247, 95),
    "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip

# For a browser, whose processes talk over socket pairs. None of these calls reaches outside: a socket that
# is not part of a pair cannot be connected, and no call leaves the process group that is killed as a whole.
_OF_A_BROWSER: dict[str, tuple[int | None, int | None]] = {
    "execve": (59, 221), "fork": (57, None), "vfork": (58, None), "socketpair": (53, 199), "sendmsg": (46, 211),
    "recvmsg": (47, 212), "sendto": (44, 206), "recvfrom": (45, 207), "shutdown": (48, 210), "getsockname": (51, 204),
    "getpeername": (52, 205), "getsockopt": (55, 209), "setsockopt": (54, 208), "memfd_create": (319, 279),
    "bind": (49, 200), "listen": (50, 201), "prctl": (157, 167), "arch_prctl": (158, None), "timerfd_create": (283, 85), "timerfd_settime": (286, 86),
    "sched_getattr": (315, 275),
}  # fmt: skip

# Allowed only with some arguments
_OPEN, _OPENAT, _CLONE, _IOCTL = (2, None), (257, 56), (56, 220), (16, 29)
_FCNTL, _PRLIMIT, _CLONE3, _SOCKET = (72, 25), (302, 261), (435, 435), (41, 198)
_CLOSE_RANGE = (436, 436)

_MACHINES = ("x86_64", "aarch64")
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEWEST_KNOWN = 462
"""Later system calls are unknown here and fail as if the kernel did not have them."""

_O_TRUNC, _O_ACCMODE = 0o1000, 0o3
_AF_UNIX = 1
_CLONE_THREAD, _CLONE_FILES, _CLONE_NEW_ANYTHING = 0x00010000, 0x00000400, 0x7E020000
_CLOSE_RANGE_UNSHARE = 2
"""A thread with its own table of open files could hold deleted files that are invisible from outside."""
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS (is it a terminal?), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
_FCNTLS_REFUSED = (8, 10, 15, 1024, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX (signals to other processes), F_SETLEASE, F_NOTIFY."""

_NUMBER, _ARCH = 0, 4
_EPERM, _ENOSYS = 1, 38
Instruction = tuple[int, int, int, int]


def _load(offset: int) -> Instruction:
    return (0x20, 0, 0, offset)


def _argument(place: int, high: bool = False) -> Instruction:
    return _load(16 + 8 * place + (4 if high else 0))


def _return(value: int) -> Instruction:
    return (0x06, 0, 0, value)


_ALLOW, _KILL = _return(0x7FFF0000), _return(0x80000000)
_REFUSE, _UNKNOWN = _return(0x00050000 | _EPERM), _return(0x00050000 | _ENOSYS)


def _equal(value: int, yes: int, no: int) -> Instruction:
    return (0x15, yes, no, value)


def _any_bit(value: int, yes: int, no: int) -> Instruction:
    return (0x45, yes, no, value)


def _at_least(value: int, yes: int, no: int) -> Instruction:
    return (0x35, yes, no, value)


def _when(number: int | None, *then: Instruction) -> list[Instruction]:
    """Return instructions that run `then` for one system call. `then` ends in a return."""
    return [] if number is None else [_equal(number, 0, len(then)), *then]


def _opening(flags: int) -> tuple[Instruction, ...]:
    """Refuse to truncate a file that is opened read-only: Landlock before Linux 6.2 does not check this."""
    only_these_bits = (0x54, 0, 0, _O_TRUNC | _O_ACCMODE)
    return (_argument(flags), only_these_bits, _equal(_O_TRUNC, 0, 1), _REFUSE, _ALLOW)


def _any_of(values: tuple[int, ...], listed: Instruction, other: Instruction) -> tuple[Instruction, ...]:
    tests = [_equal(value, len(values) - place, 0) for place, value in enumerate(values)]
    return (*tests, other, listed)


def filter_program(machine: str, browser: bool = False) -> bytes:
    """Return the filter for a value of `platform.machine()`, packed as an array of `struct sock_filter`; a browser may have child processes.

    Raises:
        ValueError: no table of system calls for this machine.
    """
    if machine not in _MACHINES:
        raise ValueError(f"there is no table of system calls for {machine}")
    column = _MACHINES.index(machine)
    program = [_load(_ARCH), _equal(_AUDIT_ARCH[machine], 1, 0), _KILL, _load(_NUMBER)]
    if machine == "x86_64":  # x32 calls have other numbers
        program += [_at_least(0x40000000, 0, 1), _KILL]
    program += [_at_least(_NEWEST_KNOWN + 1, 0, 1), _UNKNOWN]
    program += _when(_OPEN[column], *_opening(1))
    program += _when(_OPENAT[column], *_opening(2))
    program += _when(_IOCTL[column], _argument(1), *_any_of(_IOCTLS, _ALLOW, _REFUSE))
    program += _when(_FCNTL[column], _argument(1), *_any_of(_FCNTLS_REFUSED, _REFUSE, _ALLOW))
    if browser:
        program += _when(_SOCKET[column], _argument(0), _equal(_AF_UNIX, 0, 1), _ALLOW, _REFUSE)
    program += _when(_CLONE3[column], _UNKNOWN)  # its flags lie in memory; the C library falls back to clone
    program += _when(
        _CLONE[column],
        _argument(0),
        _any_bit(_CLONE_NEW_ANYTHING, 3, 0),
        _any_bit(0xFFFFFFFF if browser else _CLONE_THREAD, 0, 2),
        _any_bit(0xFFFFFFFF if browser else _CLONE_FILES, 0, 1),
        _ALLOW,
        _REFUSE,
    )
    program += _when(_CLOSE_RANGE[column], _argument(2), _any_bit(_CLOSE_RANGE_UNSHARE, 0, 1), _REFUSE, _ALLOW)
    zero = [(_argument(0), 0), (_argument(2), 0), (_argument(2, high=True), 0)]
    asking_about_itself = [part for place, (load, _) in enumerate(zero) for part in (load, _equal(0, 0, 5 - 2 * place))]
    program += _when(_PRLIMIT[column], *asking_about_itself, _ALLOW, _REFUSE)
    for numbers in (_ALLOWED | (_OF_A_BROWSER if browser else {})).values():
        program += _when(numbers[column], _ALLOW)
    program.append(_REFUSE)
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)
