"""The command that plays a recorded run, without a model and without a network."""

import asyncio
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from leadline.cli.command_list import examples
from leadline.cli.command_run import echo_report, until_interrupted
from leadline.cli.options import Events, Out
from leadline.progress.lines import progress_shown
from leadline.progress.terminal import echo
from schemas.events import Event, EventType
from services.reports.bundle_files import read_report
from services.run.installation import EXAMPLES
from services.run.ui_text import say

RECORDING = EXAMPLES / "demo"
"""The events of a run in `events.jsonl`, about the recording in `about.json`, and the report's folder."""
_PACE: dict[EventType, float] = {"plan": 6, "reflection": 4, "step_finished": 3, "round": 2, "report": 2, "source": 0.3}
"""How long an event is shown, relative to the others."""

commands = typer.Typer()


@commands.command(epilog=examples("demo"))
def demo(
    out: Out = Path("out"),
    seconds: Annotated[float, typer.Option(min=0, max=600, help="How long it takes.")] = 20.0,
    as_events: Events = False,
) -> None:
    """Play a recorded run of a strong model: plan, search, report, quotes. Needs no model.

    It shows what a connected model brings; without one, `leadline research` shows the closest passages.
    """
    about = json.loads((RECORDING / "about.json").read_text("utf-8"))
    lines = (RECORDING / "events.jsonl").read_text("utf-8").splitlines()
    echo(say("demo_begins", **{name: about[name] for name in ("date", "model", "calls", "minutes")}), err=True)
    played = _play([Event.model_validate_json(line) for line in lines], seconds, as_events)
    until_interrupted(played, "leadline demo", "demo_interrupted")
    folder = out / about["folder"]
    shutil.copytree(RECORDING / about["folder"], folder, dirs_exist_ok=True)
    echo_report(read_report(folder))
    echo(f"\n{say('demo_ends', folder=folder)}", err=True)


async def _play(events: Sequence[Event], seconds: float, as_events: bool) -> None:
    whole = sum(_PACE.get(event.type, 1.0) for event in events)
    began, shown = time.monotonic(), 0.0
    with progress_shown(as_json=as_events) as progress:
        for event in events:
            progress(event)
            shown += _PACE.get(event.type, 1.0)
            await asyncio.sleep(max(0.0, began + seconds * shown / whole - time.monotonic()))
