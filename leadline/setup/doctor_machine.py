"""The parts of `leadline doctor` that check this machine: browser, fonts, MCP runners, disk space, and the isolation of model-written code and file parsers."""

import asyncio
import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from leadline.setup import BROKEN, NOTE, OK, Check
from services.run.errors import LeadlineError, problem_text
from services.run.installation import in_project, reinstall_command
from services.run.settings import settings
from services.run.ui_text import say, spoken_locale, unsearched
from services.sandbox.browser import find_browser
from services.sandbox.interpreter import LIBRARIES, default_python, interpreter
from services.sandbox.jail import landlock_version
from services.sandbox.sandbox import CanaryResult, Sandbox
from services.search.files.converters import Converters

MIN_ROOM = 1_000_000_000
"""Bytes of free disk space below which there is a note: indexes, checkpoints and stored texts grow."""


def programs() -> Iterable[Check]:
    """Check programs and fonts for formats and tools."""
    for name, path, missing, remedy in (
        (
            "Chromium",
            find_browser(),
            "doctor_chromium",
            "apt-get install chromium",
        ),
        *(("Chinese font", font, "doctor_chinese_font", "apt-get install fonts-noto-cjk") for font in _chinese_fonts()),
        ("npx", shutil.which("npx"), "doctor_npx", "apt-get install nodejs npm"),
        ("uvx", shutil.which("uvx"), "doctor_uvx", "pip install uv"),
    ):
        yield Check(
            area="programs",
            name=name,
            state=OK if path else NOTE,
            found=path or say(missing),
            remedy="" if path else remedy,
        )


def _chinese_fonts() -> list[str]:
    """Return a font with Chinese characters, empty if there is none; nothing without fontconfig, by which browsers find fonts on Linux."""
    if (lister := shutil.which("fc-list")) is None:
        return []
    listed = subprocess.run([lister, ":lang=zh", "family"], capture_output=True, text=True, check=False).stdout
    return [min(listed.splitlines(), default="")]


def places() -> Iterable[Check]:
    """Check the free disk space, and the permissions of private folders."""
    home = settings().leadline_home
    nearest = next(folder for folder in (home, *home.parents) if folder.is_dir())
    free = shutil.disk_usage(nearest).free
    yield Check(
        area="home",
        name="disk space",
        state=OK if free >= MIN_ROOM else NOTE,
        found=say("doctor_room", size=f"{free / 1e9:.1f}"),
        remedy="" if free >= MIN_ROOM else say("doctor_room_remedy", folder=home),
    )
    for place, what in ((home, "LEADLINE_HOME"), (Path(".env"), ".env")):
        if os.name == "posix" and place.exists():
            readers, remedy = _readers(place)
            yield Check(
                area="home", name=f"who can read {what}", state=NOTE if remedy else OK, found=readers, remedy=remedy
            )


def _readers(place: Path) -> tuple[str, str]:
    """Return who can read a folder or file, and the command that leaves it to its owner alone, if others can."""
    mode = stat.S_IMODE(place.stat().st_mode)
    if not mode & 0o077:
        return say("doctor_owner", mode=f"{mode:o}"), ""
    who = "doctor_everybody" if mode & 0o007 else "doctor_group"
    remedy = f"chmod {'-R ' if place.is_dir() else ''}go-rwx {shlex.quote(str(place))}"
    return say(who, mode=f"{mode:o}", group="" if mode & 0o007 else place.group()), remedy


async def isolation() -> list[Check]:
    """Check the kernel, and run the canaries' escape attempts."""
    check = partial(Check, area="isolation")
    version = await asyncio.to_thread(landlock_version)
    seccomp = await asyncio.to_thread(Path("/proc/sys/kernel/seccomp").exists)
    linux = sys.platform == "linux"
    wanted = settings().leadline_sandbox == "isolated"
    bad = BROKEN if linux and wanted else NOTE
    checks = [
        check(
            name="kernel",
            state=OK if version > 0 else bad,
            found=say(
                "doctor_kernel" if version > 0 else "doctor_old_kernel",
                system=f"{platform.system()} {platform.release()}",
                version=version,
                seccomp=say("doctor_seccomp" if seccomp else "doctor_no_seccomp"),
            ),
            remedy="" if version > 0 else say("doctor_needs"),
        )
    ]
    if not wanted:
        remedy = say("doctor_unsafe_remedy")
        checks.append(check(name="LEADLINE_SANDBOX", state=NOTE, found=say("doctor_unsafe"), remedy=remedy))
    try:
        canaries = await Sandbox(mode="isolated").canaries()
    except LeadlineError as error:
        return [
            *checks,
            check(name="canaries", state=bad, found=problem_text(error, spoken_locale()), remedy=say("doctor_needs")),
        ]
    checks.extend(_of_canary(canary, bad) for canary in canaries)
    return checks


def _of_canary(canary: CanaryResult, bad: str) -> Check:
    check = partial(Check, area="isolation", name=canary.name)
    if canary.stopped:
        return check(state=OK, found=say("doctor_stopped", by=canary.by))
    if canary.required:
        return check(state=bad, found=say("doctor_not_stopped"))
    return check(state=NOTE, found=say("doctor_looked"), remedy=say("doctor_looked_remedy"))


async def libraries() -> list[Check]:
    """Check the libraries for programs."""
    check = partial(Check, area="libraries")
    python = await asyncio.to_thread(default_python)
    try:
        chosen = await interpreter(python)
    except LeadlineError as error:
        return [check(name="python", state=BROKEN, found=problem_text(error, spoken_locale()))]
    missing = [name for name in LIBRARIES if name not in chosen.libraries]
    setup = await asyncio.to_thread(_setting_up)
    return [
        check(name="python", state=OK, found=str(python)),
        check(
            name="installed",
            state=OK if chosen.libraries else NOTE,
            found=", ".join(chosen.libraries) or say("doctor_none"),
        ),
        *([check(name="missing", state=NOTE, found=", ".join(missing), remedy=setup)] if missing else []),
        check(
            name="Chinese in charts",
            state=OK if chosen.fonts else NOTE,
            found=say("doctor_chart_font" if chosen.fonts else "doctor_no_chart_font"),
            remedy="" if chosen.fonts else setup,
        ),
    ]


def _setting_up() -> str:
    if in_project():
        return say("doctor_libraries_here")
    return say("doctor_libraries", libraries=", ".join(LIBRARIES))


async def parsers() -> list[Check]:
    """Let the parsing process read a file."""
    check = partial(Check, area="parsers", name="files and pages")
    async with Converters() as converters:
        answer = await converters.convert_data("probe.html", b"<h1>Probe</h1><p>Seven fathoms.</p>")
        problem = converters.problem
    if "error" in answer:
        return [
            check(
                state=BROKEN,
                found=say("doctor_probe", reason=unsearched(answer["error"], spoken_locale())),
                remedy=await asyncio.to_thread(reinstall_command),
            )
        ]
    if problem:
        condition = say("doctor_parsers_unlocked", reason=problem)
        return [
            check(state=BROKEN if sys.platform == "linux" else NOTE, found=condition, remedy=say("doctor_parsers_need"))
        ]
    return [check(state=OK, found=say("doctor_parsers"))]
