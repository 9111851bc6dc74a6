"""Steers a local run in another process or task."""

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.runs.store import Home, RunRecord, config_of, open_home
from schemas.steering import Steering, SteeringAction
from services.run.errors import BadInput
from services.run.settings import settings
from services.turn.steering import Standing, steer_thread


@dataclass(frozen=True, slots=True)
class Steered:
    """A message left for a run."""

    run_id: str
    status: str
    """Status of the run; a run that is not `running` follows the message when it is resumed."""
    message: Steering


async def asteer(
    text: str = "", run_id: str | None = None, *, skip: Sequence[int | str] = (), write: bool = False
) -> Steered:
    """Leave a message for a run, which follows it at its next boundary, even after a crash.

    Args:
        text: the message, such as "only the costs" or "also: who paid for it?".
        run_id: id of the run, or its beginning; by default the latest unfinished run.
        skip: numbers of steps to leave out, in place of a message.
        write: whether the report is to be written from what there is, in place of a message.

    Raises:
        BadInput: the run does not exist, its report is written or being written, or the message cannot be used; the
            error says what to do.
    """
    async with open_home(settings().leadline_home) as home:
        record = await _record(home, run_id)
        state = await home.graph.aget_state(config_of(record))
        values = state.values if isinstance(state.values, dict) else {}
        standing = Standing(record.id, state.next, values, state.metadata or {})
        action: SteeringAction = "write" if write else "skip" if skip else "message"
        message = await steer_thread(home.store, standing, text, action, [str(step) for step in skip])
        return Steered(record.id, record.status, message)


async def _record(home: Home, run_id: str | None) -> RunRecord:
    if run_id is not None:
        return await home.record(run_id)
    unfinished = [record for record in await home.records() if record.status != "done"]
    running = [record for record in unfinished if record.status == "running"]
    if not unfinished:
        raise BadInput('No run is running. To ask a follow-up: leadline follow "…"')
    return (running or unfinished)[0]
