"""A step whose time ran out."""

from typing import cast

import pytest

from schemas.context import RunContext
from schemas.planner import Step
from schemas.results import StepResult
from schemas.state import StepTask
from schemas.usage import Allowance
from services.run.journal import Entry, Journal, Recording, replaying
from services.run.scope import Run
from services.turn.steps import Outcome, _guarded

PLACE = "1:researcher:1"


@pytest.mark.parametrize(("marked", "status"), [(False, "done"), (True, "skipped")])
async def test_a_replay_skips_a_step_whose_time_ran_out_after_its_last_answer_was_stored(
    marked: bool, status: str
) -> None:
    step = Step(id="1", title="Wire", description="d", queries=["wire"])
    task = cast("StepTask", {"step": step, "locale": "en-US", "results": {}, "allowance": Allowance(seconds=60)})
    timeout = Entry(kind="timeout", name="", place=PLACE, request="timeout", occurrence=0, answer={})

    async def work() -> Outcome:
        return Outcome(StepResult(step_id="1", status="done"))

    with replaying(Recording("run", {(PLACE, "timeout", 0): timeout} if marked else {})):
        outcome = await _guarded(task, Run(RunContext(), "researcher", journal=Journal(place=PLACE)), work)
    assert outcome.result.status == status
