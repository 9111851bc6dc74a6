"""The part of `leadline doctor` that checks the isolation of model-written code and of file parsers."""

import asyncio
import os
import platform
import sys
from functools import partial

from leadline.setup.check import BROKEN, NOTE, OK, Check
from services.run.errors import LeadlineError
from services.run.installation import in_project, reinstall_command
from services.run.settings import settings
from services.run.ui_text import problem_text, say, spoken_locale, unsearched
from services.sandbox.interpreter import LIBRARIES, default_python, interpreter
from services.sandbox.jail import landlock_version
from services.sandbox.sandbox import CanaryResult, Sandbox
from services.search.converters import Converters


async def isolation() -> list[Check]:
    """Check the kernel, and run the canaries' escape attempts."""
    check = partial(Check, area="isolation")
    version = await asyncio.to_thread(landlock_version)
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
                seccomp=say("doctor_seccomp" if _has_seccomp() else "doctor_no_seccomp"),
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


def _has_seccomp() -> bool:
    return os.path.exists("/proc/sys/kernel/seccomp")  # noqa: PTH110 - one look


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
