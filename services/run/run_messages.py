"""Messages to a run under way, in the run's store: users leave them, and the run takes them at its boundaries.

They lie beside the run's journal, under the same name: of one turn of one thread. What a boundary takes is journaled before it is used, so a
run that is killed there takes the same when it goes on, and a replay does what the run did.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from langgraph.store.base import BaseStore
from pydantic import BaseModel

from schemas.steering import MAX_MESSAGES, MAX_TEXT, Steering, SteeringAction
from services.run.errors import BadInput
from services.run.journal import Journal
from services.run.scope import Run
from services.run.ui_text import told

_leaving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
"""Locks by run: messages are counted and left one after the other, so that there are never more than may be."""


class _Taken(BaseModel):
    messages: list[Steering]


def _place(key: str) -> tuple[str, str]:
    return ("steering", key)


async def leave_message(
    store: BaseStore, key: str, action: SteeringAction, text: str, steps: list[str] | None = None
) -> Steering:
    """Leave a message for a run.

    Raises:
        BadInput: the message is empty or too long, or the run has reached its maximum number of messages.
    """
    if not text.strip():
        raise BadInput(**told("steer_empty"))
    if len(text) > MAX_TEXT:
        raise BadInput(**told("steer_long", count=len(text), limit=MAX_TEXT))
    async with _leaving.setdefault(key, asyncio.Lock()):
        if len(await messages_of(store, key)) >= MAX_MESSAGES:
            raise BadInput(**told("steer_many", limit=MAX_MESSAGES))
        message = Steering(
            id=f"{time.time_ns():020d}-{secrets.token_hex(4)}",
            text=text,
            action=action,
            steps=steps or [],
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        await store.aput(_place(key), message.id, message.model_dump(mode="json"), index=False)
    return message


async def messages_of(store: BaseStore, key: str) -> list[Steering]:
    """Return all messages to a run, oldest first."""
    items = await store.asearch(_place(key), limit=2 * MAX_MESSAGES)
    return sorted((Steering.model_validate(item.value) for item in items), key=lambda message: message.id)


async def take_messages(journal: Journal, boundary: str, is_wanted: Callable[[Steering], bool]) -> list[Steering]:
    """Take the waiting messages at a boundary of a run.

    The boundary's name is unique in the task.
    """
    apart = replace(journal, branch_key="")  # a message to one branch of a thread is not for its other branches

    async def read() -> _Taken:
        if apart.store is None:
            return _Taken(messages=[])
        return _Taken(messages=[message for message in await messages_of(apart.store, apart.key) if is_wanted(message)])

    if apart.store is None and not apart.replays:
        return []
    waiting = _Taken(messages=[]) if apart.replays else await read()
    if not await apart.decided("steering", lambda: bool(waiting.messages), boundary):
        return []
    return (await apart.once("steering", boundary, {"boundary": boundary}, _Taken, read)).answer.messages


async def ends_early(run: Run, boundary: str) -> bool:
    """Tell whether a step should end here, because a message drops it or asks for the report.

    Only steps end this way; the boundary's name is unique in the step.
    """

    def ends(message: Steering) -> bool:
        return message.action == "write" or run.step_id in message.steps

    return bool(run.step_id) and bool(await take_messages(run.journal, boundary, ends))
