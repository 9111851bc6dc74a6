"""Runs the browser that prints and renders pages, confined like model-written code except for its own processes.

It reads the system's libraries, fonts and programs, writes in its work folder only, and cannot open a connection: not to
the network, and not to another program of this machine. It runs in one process, as its own sandbox and its division into
processes need what the jail refuses. Where nothing can lock it in, it has to bring its own sandbox, or it does not print.
"""

import asyncio
import contextlib
import os
import platform
import shutil
import signal
import sys
from pathlib import Path

from services.sandbox.interpreter import SYSTEM, jail_command
from services.sandbox.jail import EXIT_NOT_ISOLATED
from services.sandbox.seccomp import filter_program
from services.sandbox.workfolder import hold, read_regular

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
        return await asyncio.to_thread(read_regular, work / "report.pdf", MAX_PDF), errors
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
    """Run a command to its end; return the exit code and the standard error."""
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
