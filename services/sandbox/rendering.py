"""Renders a page with Chromium in a jail without network; every request goes through a pipe.

The browser's own interception of requests (the domain `Fetch` of its protocol) hands each of them to a function of ours, which
answers or refuses it. What goes around that, such as a socket of the page's, finds no network: the jail has none. Profile and storage
are new each time, and gone with the work folder. (A private window would keep them in memory, but needs a second profile, which
Chromium does not make in one process.)
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Collection
from pathlib import Path

from services.run.errors import PageError
from services.sandbox.browser import ARGUMENTS, LOCKED_IN, end, jailed_browser, kill, start
from services.sandbox.jail import EXIT_NOT_ISOLATED
from services.sandbox.tab import Drawn, NotStarted, Serve, Tab
from services.sandbox.workfolder import hold

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
