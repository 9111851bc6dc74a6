"""The interval of watching a report, and the systemd timer or cron line that runs the checks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.run.errors import BadInput

_EVERY = re.compile(r"([1-9]\d{0,3})([mhdw])")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
LEAST = 600
"""Minimum seconds between two checks: searches and sites belong to others."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The time between two checks."""

    count: int
    unit: str
    """`m`, `h`, `d` or `w`."""

    @property
    def seconds(self) -> int:
        """The interval in seconds."""
        return self.count * _SECONDS[self.unit]

    def __str__(self) -> str:
        return f"{self.count}{self.unit}"

    def cron(self) -> str | None:
        """Return the five cron fields; None if cron cannot express the interval."""
        hours, days = self.seconds // 3600, self.seconds // 86_400
        if self.seconds < 3600 and 3600 % self.seconds == 0:
            return f"*/{self.seconds // 60} * * * *"
        if self.seconds < 86_400 and self.seconds % 3600 == 0 and 24 % hours == 0:
            return f"0 */{hours} * * *"
        if self.seconds == 86_400:
            return "0 6 * * *"
        if self.seconds == _SECONDS["w"]:
            return "0 6 * * 1"
        return f"0 6 */{days} * *" if self.seconds % 86_400 == 0 and days < 16 else None


def interval_of(written: str) -> Interval:
    """Parse an interval such as `7d`.

    Raises:
        BadInput: the text is not an interval, or shorter than ten minutes.
    """
    found = _EVERY.fullmatch(written.strip().lower())
    if found is None:
        raise BadInput(f"--every takes a number with m, h, d or w, such as 12h or 7d, not {written!r}.")
    interval = Interval(int(found.group(1)), found.group(2))
    if interval.seconds < LEAST:
        raise BadInput(f"--every {interval} is too often for the sites that are read: use 10m or longer.")
    return interval


def schedules(run_id: str, interval: Interval, program: Sequence[str], home: str) -> str:
    """Return a systemd timer and a cron line that check a run at an interval.

    Args:
        run_id: full id of the run.
        interval: time between two checks.
        program: command line that starts Leadline, with absolute paths.
        home: `LEADLINE_HOME` with the run.
    """
    cron = interval.cron()
    line = (
        f"{cron} LEADLINE_HOME={_in_cron(home)} {' '.join(map(_in_cron, program))} watch {run_id} --once"
        if cron
        else "(cron has no such interval; use the timer)"
    )
    return "\n".join(
        [
            f"# cron (crontab -e): mails what the check prints\n{line}",
            "",
            f"# systemd, ~/.config/systemd/user/leadline-{run_id}.service",
            "[Service]",
            "Type=oneshot",
            f"Environment={_in_unit(f'LEADLINE_HOME={home}')}",
            f"ExecStart={' '.join(map(_in_unit, program))} watch {run_id} --once",
            "SuccessExitStatus=1",
            "",
            f"# ~/.config/systemd/user/leadline-{run_id}.timer; then: systemctl --user enable --now leadline-{run_id}.timer",
            "[Timer]",
            "OnActiveSec=1min",
            f"OnUnitActiveSec={interval.seconds}s",
            "Persistent=true",
            "[Install]",
            "WantedBy=timers.target",
        ]
    )


def _in_cron(text: str) -> str:
    """Quote a text for cron's shell, in which an unquoted `%` ends the line."""
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return quoted.replace("%", "\\%")


def _in_unit(text: str) -> str:
    """Quote a text for a systemd unit."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
