"""The part of `leadline doctor` that checks external programs: browser, fonts, MCP runners, disk space."""

import os
import shlex
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from leadline.setup.check import NOTE, OK, Check
from services.run.settings import settings
from services.run.ui_text import say
from services.sandbox.browser import find_browser

FONT_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/System/Library/Fonts",
)
CHINESE = (
    "notosanscjk",
    "notoserifcjk",
    "notosanssc",
    "wqy",
    "sourcehan",
    "droidsansfallback",
    "pingfang",
    "simsun",
    "msyh",
)
"""Prefixes of the file names of Chinese fonts."""

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
        ("Chinese font", _chinese_fonts(), "doctor_chinese_font", "apt-get install fonts-noto-cjk"),
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


def _chinese_fonts() -> str:
    for folder in FONT_FOLDERS:
        for _, _, files in os.walk(Path(folder).expanduser()):
            for name in sorted(files):
                if name.lower().replace("-", "").startswith(CHINESE):
                    return name
    return ""


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
