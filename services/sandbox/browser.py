"""Chromium, confined like model-written code except for its own processes: it prints a page, or renders one without network.

It reads the system's libraries, fonts and programs, writes in its work folder only, and cannot open a connection: not to
the network, and not to another program of this machine. It runs in one process, as its own sandbox and its division into
processes need what the jail refuses. Where nothing can lock it in, it has to bring its own sandbox, or it does not print.

Where it renders, its own interception of requests (the domain `Fetch` of its protocol) hands each of them to a function of ours, which
answers or refuses it. What goes around that, such as a socket of the page's, finds no network: the jail has none. Profile and storage
are new each time, and gone with the work folder. (A private window would keep them in memory, but needs a second profile, which
Chromium does not make in one process.)
"""

import asyncio
import contextlib
import os
import platform
import shutil
import signal
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from services.run.errors import PageError
from services.sandbox.interpreter import SYSTEM, jail_command
from services.sandbox.jail import EXIT_NOT_ISOLATED
from services.sandbox.seccomp import filter_program
from services.sandbox.tab import Drawn, NotStarted, Serve, Tab
from services.sandbox.workfolder import content_of, hold

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAX_PDF = 200_000_000
"""Maximum bytes of any file that the browser writes."""
OPEN_FILES = 1024
_PROGRAMS = ("/usr/bin", "/bin", "/usr/lib", "/usr/lib64", "/lib", "/lib64")
"""System folders with the programs that the browser's start script calls."""
_READ = ("/usr/share", "/etc/chromium", "/etc/chromium.d", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")
ARGUMENTS = (
    "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-breakpad",
    "--disable-crashpad-for-testing", "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=profile",
)  # fmt: skip
"""Arguments that switch off look-ups, updates, reports and extensions."""
_PRINTING = ("--no-pdf-header-footer", "--print-to-pdf=report.pdf")
LOCKED_IN = ("--no-sandbox", "--no-zygote", "--single-process")


def find_browser() -> str | None:
    """Return the path of an installed Chromium, or None. Blocking."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


async def print_page(browser: str, html: str, seconds: float) -> tuple[bytes | None, str]:
    """Print a page, which cannot load anything, as PDF.

    Returns:
        The PDF, or None, and the browser's standard error.
    """
    held = await asyncio.to_thread(hold)
    work = held.folder
    try:
        page = work / "report.html"
        await asyncio.to_thread(page.write_text, html, "utf-8", "replace")
        arguments = [*ARGUMENTS, *_PRINTING, page.as_uri()]
        jailed = await asyncio.to_thread(jailed_browser, [browser, *LOCKED_IN, *arguments], work, browser)
        code, errors = await _finished(jailed, work, seconds) if jailed else (EXIT_NOT_ISOLATED, "")
        if code == EXIT_NOT_ISOLATED:
            code, errors = await _finished([browser, *arguments], work, seconds)
        return await asyncio.to_thread(content_of, work / "report.pdf", MAX_PDF), errors
    finally:
        await asyncio.to_thread(held.release)


def jailed_browser(command: list[str], work: Path, browser: str, *, file_size: int = MAX_PDF) -> list[str]:
    """Return a command with its jail, in which only the folder `work` can be written; empty if this machine has no jail."""
    try:
        instructions = filter_program(platform.machine(), browser=True)
    except ValueError:
        return []
    return jail_command(
        sys.executable,
        instructions,
        work=str(work),
        memory=-1,  # the browser reserves far more memory than it uses
        file_size=file_size,
        open_files=OPEN_FILES,
        readable=[*SYSTEM, *_READ],
        executable=[*_PROGRAMS, str(Path(browser).resolve().parent)],
        command=command,
    )


async def _finished(command: list[str], work: Path, seconds: float) -> tuple[int, str]:
    process = await start(command, work, stderr=asyncio.subprocess.PIPE)
    try:
        _, errors = await asyncio.wait_for(process.communicate(), seconds)
    except TimeoutError:
        return -1, f"it took longer than {seconds:g} seconds"
    finally:
        await end(process)
    return process.returncode or 0, errors.decode("utf-8", "replace")


async def start(
    command: list[str],
    work: Path,
    *,
    stdin: int = asyncio.subprocess.DEVNULL,
    stdout: int = asyncio.subprocess.DEVNULL,
    stderr: int = asyncio.subprocess.DEVNULL,
    limit: int = 65_536,
) -> asyncio.subprocess.Process:
    """Start a browser as the leader of its process group, in its work folder, with an environment without secrets."""
    path = os.environ.get("PATH", os.defpath)
    environment = {"PATH": path, "HOME": str(work), "TMPDIR": str(work), "LANG": "C.UTF-8"}
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=work,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        limit=limit,
    )


def kill(process: asyncio.subprocess.Process) -> None:
    """Kill a browser and all processes that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill a browser and its processes, and wait for them; no other task may be reading its output."""
    kill(process)
    for output in (process.stdout, process.stderr):
        while output is not None and await output.read(1_000_000):  # unread data would keep the pipe open
            pass
    await process.wait()


_PAGE = os.sysconf("SC_PAGE_SIZE")
_GROUP, _RESIDENT = 2, 21
"""Indexes in /proc/PID/stat after the name: the process group, and the resident pages (see proc(5))."""

MAX_MEMORY = 1_200_000_000
"""Maximum bytes of the browser's memory; it starts with about a quarter of that."""
MAX_FILE = 50_000_000
"""Maximum bytes of any of its files; some files of its start have 40 million."""
MAX_DISK = 200_000_000
"""Maximum bytes of all its files."""
WATCHED = 0.1
"""Seconds between two checks of its resources."""
STARTING = 15.0
"""Seconds for the browser to start, in addition to the page's time."""
STARTS = 2
"""Maximum number of starts: in one process, Chromium sometimes ends before it gets the page."""
NOT_LOCKED_IN = "this machine cannot lock a browser in"
_PIPES = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null'
"""Shell command that lets the browser read commands from descriptor 3 and answer on 4."""
_OPTIONS = (
    "--remote-debugging-pipe", "--blink-settings=imagesEnabled=false", "--disable-extensions",
    "--js-flags=--max-old-space-size=512", "about:blank",
)  # fmt: skip


def memory_of(group: int) -> int:
    """Return the resident bytes of a process group; shared memory counts for each process. Blocking."""
    pages = 0
    with contextlib.suppress(OSError), os.scandir("/proc") as entries:
        for entry in entries:
            if not entry.name.isdecimal():
                continue
            with contextlib.suppress(OSError, ValueError, IndexError):  # the process ended meanwhile
                fields = Path(entry.path, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if int(fields[_GROUP]) == group:
                    pages += int(fields[_RESIDENT])
    return pages * _PAGE


def disk_of(work: Path, process: int) -> int:
    """Return the bytes of the files in a folder, and of deleted files that a process holds open. Blocking."""
    size = 0
    for folder, _, names in os.walk(work):
        for name in names:
            with contextlib.suppress(OSError):
                size += 512 * os.lstat(os.path.join(folder, name)).st_blocks  # noqa: PTH118 - thousands of files, often
    with contextlib.suppress(OSError):
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                about = handle.stat()
                size += 512 * about.st_blocks if about.st_nlink == 0 else 0
    return size


async def render_page(
    browser: str,
    url: str,
    serve: Serve,
    *,
    seconds: float,
    longest: int,
    drawn: Drawn = bool,
    around: Collection[str] = (),
) -> str:
    """Open a page, run its scripts until it is done, and return its HTML, of at most `longest` characters.

    `serve` answers all requests of the browser, the page itself included; `drawn` tells whether a text, without that of the elements
    `around` it, is the page's content.

    Raises:
        PageError: the browser cannot be confined, ended, or took too long; the message is a part of a sentence.
    """

    async def attempt() -> str:
        return await _render(browser, url, lambda process: Tab(process, serve, drawn, around), seconds, longest)

    for _ in range(STARTS - 1):
        with contextlib.suppress(NotStarted):
            return await attempt()
    return await attempt()


async def _render(
    browser: str, url: str, open_tab: Callable[[asyncio.subprocess.Process], Tab], seconds: float, longest: int
) -> str:
    held = await asyncio.to_thread(hold)
    try:
        work = held.folder
        arguments = ["/bin/sh", "-c", _PIPES, browser, *LOCKED_IN, *ARGUMENTS, *_OPTIONS]
        command = await asyncio.to_thread(jailed_browser, arguments, work, browser, file_size=MAX_FILE)
        if not command:
            raise PageError(NOT_LOCKED_IN)
        process = await start(
            command,
            work,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=6 * longest + 1_000_000,  # an escaped character takes at most six bytes
        )
        watching = asyncio.create_task(_watch(process, work))
        try:
            async with asyncio.timeout(STARTING + seconds):
                return await open_tab(process).html(url, seconds, longest)
        except TimeoutError:
            raise PageError(f"its scripts took longer than {seconds:g} seconds") from None
        except PageError:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 1)
            if process.returncode == EXIT_NOT_ISOLATED:
                raise PageError(NOT_LOCKED_IN) from None
            if watching.done() and (problem := watching.result()):
                raise PageError(problem) from None
            raise
        finally:
            watching.cancel()
            await end(process)
    finally:
        await asyncio.to_thread(held.release)


async def _watch(process: asyncio.subprocess.Process, work: Path) -> str:
    """Kill the browser when it exceeds its resources, and return the reason; empty if it ended by itself."""
    while process.returncode is None:
        if await asyncio.to_thread(memory_of, process.pid) > MAX_MEMORY:
            problem = f"it takes more than {MAX_MEMORY / 1e9:g} GB of memory"
        elif await asyncio.to_thread(disk_of, work, process.pid) > MAX_DISK:
            problem = f"it takes more than {MAX_DISK / 1e6:g} MB on the disk"
        else:
            await asyncio.sleep(WATCHED)
            continue
        kill(process)
        return problem
    return ""
