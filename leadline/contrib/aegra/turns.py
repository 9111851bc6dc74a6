"""Enforces one run per thread on Aegra 0.11, which stores a run's `multitask_strategy` but does not apply it.

A run looks for earlier runs of its thread before its first step, on whichever worker it is; all see the same order.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from services.run.errors import BadInput

LOOK = 0.5
"""Seconds between two checks of earlier runs."""
ABANDONED = 90.0
"""Seconds for which a run waits for a run without a worker: all workers may be busy with waiting runs."""
_UNFINISHED = ("pending", "running")


@dataclass(frozen=True, slots=True)
class _Place:
    run: str
    worker: str | None
    strategy: str
    user: str


async def take_turn(thread: str, run: str) -> None:
    """Give way to earlier runs of the thread according to this run's `multitask_strategy`.

    `enqueue`, or nothing: wait for their ends. `interrupt`: cancel them, and wait for that. `reject` and `rollback`: give up.

    Raises:
        BadInput: this run must not wait, or waits for a run without a worker.
    """
    held, cancelled = time.monotonic(), set[str]()
    while True:
        line = await _line(thread)
        before = line[: next((number for number, turn in enumerate(line) if turn.run == run), 0)]
        if not before:
            return
        [own] = [turn for turn in line if turn.run == run]
        if own.strategy == "interrupt":
            for turn in before:
                if turn.run not in cancelled:
                    cancelled.add(turn.run)
                    await _cancel(thread, turn)
        elif own.strategy in {"reject", "rollback"}:
            raise BadInput(_busy(thread, before[0].run))
        if before[0].worker is not None:
            held = time.monotonic()
        elif time.monotonic() - held > ABANDONED:
            raise BadInput(_busy(thread, before[0].run))
        await asyncio.sleep(LOOK)


def _busy(thread: str, run: str) -> str:
    return f"Thread {thread} is busy with run {run}. Wait until it ends or cancel it, then ask again; or ask in another thread."


async def _line(thread: str) -> list[_Place]:
    """Return a thread's unfinished runs, earliest first."""
    from aegra_api.core.database import db_manager
    from aegra_api.core.orm import Run
    from sqlalchemy import select

    unfinished = select(Run.run_id, Run.claimed_by, Run.execution_params, Run.user_id).where(
        Run.thread_id == thread, Run.status.in_(_UNFINISHED)
    )
    async with db_manager.get_engine().connect() as connection:
        rows = (await connection.execute(unfinished.order_by(Run.created_at, Run.run_id))).all()
    return [_Place(str(run), worker, _strategy(params), str(user)) for run, worker, params, user in rows]


def _strategy(params: Any) -> str:
    return str(((params or {}).get("behavior") or {}).get("multitask_strategy") or "enqueue")


async def _cancel(thread: str, place: _Place) -> None:
    """Cancel a run: by its worker, or here if it has none yet."""
    from aegra_api.core.database import db_manager
    from aegra_api.services.run_status import interrupt_unowned_run
    from aegra_api.services.streaming_service import streaming_service
    from sqlalchemy.ext.asyncio import AsyncSession

    async with AsyncSession(db_manager.get_engine(), expire_on_commit=False) as session:
        unowned = await interrupt_unowned_run(session, place.run, thread, user_id=place.user)
    await streaming_service.interrupt_run(place.run, emit_end_event=not unowned)
