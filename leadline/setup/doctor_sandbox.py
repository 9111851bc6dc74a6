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
from services.run.ui_text import unsearched
from services.sandbox.canaries import CanaryResult
from services.sandbox.interpreter import LIBRARIES, default_python, interpreter
from services.sandbox.jail import landlock_version
from services.sandbox.sandbox import Sandbox
from services.search.converters import Converters

NEEDS = "Linux 5.13 or later with Landlock and seccomp switched on, on x86_64 or aarch64"


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
            found=f"{platform.system()} {platform.release()}, Landlock "
            f"{f'version {version}' if version > 0 else 'is not there'}, seccomp {_seccomp()}",
            remedy="" if version > 0 else f"Programs need {NEEDS}",
        )
    ]
    if not wanted:
        remedy = "Unset LEADLINE_SANDBOX to have programs isolated, or refused where they cannot be"
        checks.append(
            check(name="LEADLINE_SANDBOX", state=NOTE, found="unsafe: programs run unisolated", remedy=remedy)
        )
    try:
        canaries = await Sandbox(mode="isolated").canaries()
    except LeadlineError as error:
        return [*checks, check(name="canaries", state=bad, found=str(error), remedy=f"Programs need {NEEDS}")]
    checks.extend(_of_canary(canary, bad) for canary in canaries)
    return checks


def _of_canary(canary: CanaryResult, bad: str) -> Check:
    check = partial(Check, area="isolation", name=canary.name)
    if canary.stopped:
        return check(state=OK, found=f"stopped by {canary.by}")
    if canary.required:
        return check(state=bad, found="NOT STOPPED: programs are refused")
    remedy = "Allow Leadline's user to make user namespaces (containers and some distributions forbid it)"
    return check(state=NOTE, found="not stopped: programs see names, sizes and times of files outside", remedy=remedy)


def _seccomp() -> str:
    return "is there" if os.path.exists("/proc/sys/kernel/seccomp") else "is not there"  # noqa: PTH110 - one look


async def libraries() -> list[Check]:
    """Check the libraries for programs."""
    check = partial(Check, area="libraries")
    python = await asyncio.to_thread(default_python)
    try:
        chosen = await interpreter(python)
    except LeadlineError as error:
        return [check(name="python", state=BROKEN, found=str(error))]
    missing = [name for name in LIBRARIES if name not in chosen.libraries]
    setup = await asyncio.to_thread(_setting_up)
    return [
        check(name="python", state=OK, found=str(python)),
        check(name="installed", state=OK if chosen.libraries else NOTE, found=", ".join(chosen.libraries) or "none"),
        *([check(name="missing", state=NOTE, found=", ".join(missing), remedy=setup)] if missing else []),
        check(
            name="Chinese in charts",
            state=OK if chosen.fonts else NOTE,
            found="a font is there" if chosen.fonts else "only with a system font",
            remedy="" if chosen.fonts else setup,
        ),
    ]


def _setting_up() -> str:
    if in_project():
        return "In the project: rm -rf .venv-sandbox && make setup"
    return f"Make a virtual environment with {', '.join(LIBRARIES)}, and set LEADLINE_SANDBOX_PYTHON to its bin/python"


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
                found=f"the probe {unsearched(answer['error'])}",
                remedy=await asyncio.to_thread(reinstall_command),
            )
        ]
    if problem:
        condition = f"in a process of their own with limits, not locked in ({problem})"
        return [check(state=BROKEN if sys.platform == "linux" else NOTE, found=condition, remedy=f"It needs {NEEDS}")]
    return [check(state=OK, found="in a locked-in process")]
