"""What was under way when a process was killed, by kinds; and the sums of it."""

import difflib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.known import completed, repeated
from tests.crash.moments import Moment
from tests.crash.world import AFTER, World

_REPORT = (".writing-", "report.", "evidence.json", "slides.", "source")
_PHASES = {"asked": "asked", "half": "half answered", "answered": "answered but not kept"}


@dataclass(slots=True)
class Tally:
    """What came of killing runs."""

    kills: int = 0
    runs: int = 0
    calls: int = 0
    """Calls that the far ends counted."""
    kept: int = 0
    """Calls that a life found completed in the journal, summed over all lives after a kill."""
    kept_again: int = 0
    """Of these, calls that were made again: there must be none."""
    again: int = 0
    """Calls that were made again, as a kill had hit them while they were under way."""
    under_way: Counter[str] = field(default_factory=Counter)
    """Kills by what they hit; steps run side by side, so one may hit several things."""

    def life(self, world: World, number: int, known: set[str]) -> None:
        """Count a life that began with calls completed; check that it made none of them."""
        made = {one.label for one in world.seen if one.life == number and one.phase == "asked"}
        self.kept += len(known)
        self.kept_again += len(made & known)
        again = made & known
        assert not again, f"made again although the journal has their answers: {again}\n{_difference(world, again)}"

    def kill(self, world: World, home: Path, out: Path, moment: Moment) -> None:
        """Count a kill, before the world takes note of it."""
        self.kills += 1
        self.under_way.update(hit(world, home, out, moment))

    def run(self, world: World) -> None:
        self.runs += 1
        self.calls += sum(one.phase == "asked" for one in world.seen)
        self.again += sum(repeated(world).values())

    def plain(self) -> dict[str, int]:
        """Return all counts by name."""
        return {
            "kills": self.kills,
            "runs": self.runs,
            "calls at the far ends": self.calls,
            "calls under way at a kill, made again": self.again,
            "completed calls found in the journal after a kill": self.kept,
            "completed calls made again": self.kept_again,
            **{f"hit: {kind}": count for kind, count in sorted(self.under_way.items())},
        }


def _difference(world: World, again: set[str]) -> str:
    """Return what the last two prompts of each role differ in: another prompt is another call."""
    lines: list[str] = []
    for role in sorted(again & set(world.model.roles)):
        asked = [one for one, who in zip(world.model.requests, world.model.roles, strict=False) if who == role]
        before, after = (json.dumps(one, ensure_ascii=False).replace("\\n", "\n").splitlines() for one in asked[-2:])
        lines += difflib.unified_diff(before, after, role, role, n=1, lineterm="")
    return "\n".join(lines)


def hit(world: World, home: Path, out: Path, moment: Moment) -> set[str]:
    phases = {one.label: one.phase for one in world.seen if one.life == world.life}
    done = completed(home)
    found = {_kind(label, phase) for label, phase in phases.items() if label in AFTER and label not in done}
    if moment[0].startswith("checkpoints.sqlite"):
        found.add("checkpoint write")
    journal = home / "store.sqlite-journal"
    if moment[0].startswith("store.sqlite") or (journal.exists() and journal.stat().st_size):
        found.add("store write")
    if moment[0].startswith(_REPORT) or any(out.rglob(".writing-*")):
        found.add("report write")
    return found or {"between" if phases else "start"}


def _kind(label: str, phase: str) -> str:
    if label in {"tool", "code"}:
        return {"tool": "tool call", "code": "code run"}[label]
    kind = label.split(maxsplit=1)[0] if label.startswith(("search ", "page ")) else "model call"
    return f"{kind} {_PHASES[phase]}"
