"""The attempts of one model call: wait for a slot, keep the time limit, repeat after faults that pass or can be fixed."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Set
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage

from schemas.events import CallProgress
from services.models.answer_watch import AnswerWatch, BrokeOff, RepeatsItself, Sign, progress_reported
from services.models.chat import comes_in_pieces
from services.models.endpoint import turn_at
from services.models.endpoint_memory import Learned, learned
from services.models.failures import CallFailed, failure_of
from services.models.llamacpp import at_hand
from services.run.log import WARNING, log
from services.run.roles import RoleModel
from services.run.settings import settings

Send = Callable[[Callable[[Sign, str], None]], Awaitable[AIMessage]]
"""Makes one attempt; it calls the function that it is given for each piece of the answer."""
OnProgress = Callable[[CallProgress], None]
"""Called with the progress of the call."""
UNKNOWN_SECONDS = 120.0
"""Seconds of silence allowed before the answer of an endpoint with fewer than `KNOWN_ANSWERS` answers: a slow machine
takes its time to read, and a reasoning model may think in silence."""
HEARTBEAT = 30.0
"""Seconds between two signs of life of a llama.cpp server that reads a prompt (`--sse-ping-interval`)."""
KNOWN_SECONDS = 1.5 * HEARTBEAT
"""Minimum seconds of silence allowed before the answer of a known endpoint."""
AMID_SECONDS = 1.5 * HEARTBEAT
"""Seconds of silence allowed between two signs of life of an answer: a server may read another prompt in between."""
KNOWN_ANSWERS = 3
"""Answers after which an endpoint's silence is known: the first prompts of a run are short."""
PATIENCE = 3.0
"""Factor on a model's longest silence so far."""

UNREACHED = 4
"""Maximum repetitions if no server accepts the connection: the address may be wrong."""
FIRST_PAUSE = 0.5
"""Seconds before the first repetition after a passing fault; they double each time, and are taken at random from the upper half."""
LONGEST_PAUSE = 30.0
"""Seconds that a pause never exceeds, unless the endpoint asks for more in Retry-After."""


@dataclass(slots=True)
class Attempts:
    """Counts of the attempts of one call: faults, waiting time, requests, abandoned answers."""

    faults: list[str] = field(default_factory=list)
    """Passing faults: `HTTP 429`, `unreached` and the like."""
    waited: float = 0.0
    """Seconds of waiting: for a slot, and after passing faults."""
    stalls: int = 0
    made: int = 0
    """Requests that were sent."""
    abandoned: int = 0
    """Requests that were given up or broke off while the model was generating; a provider may charge for them."""
    abandoned_characters: int = 0
    """Characters that the abandoned requests had received."""
    characters: int = 0
    """Characters received in the latest attempt."""

    def log_fields(self) -> dict[str, object]:
        """Return the fields for the log."""
        return {"waited": round(self.waited, 3) or None, "retries": self.faults or None}


async def attempt_until_answered(
    model: RoleModel,
    attempts: Attempts,
    send: Send,
    change: Callable[[CallFailed], Awaitable[bool]],
    on_progress: OnProgress = lambda _: None,
) -> AIMessage:
    """Make one call, in as many attempts as its faults allow.

    `send` builds a new request and makes one attempt; `change` changes the form or the length of one that the endpoint
    refused, and returns False if nothing is left to change. Refused parameters are stored in `learned(model)`, what was
    attempted in `attempts`.

    Raises:
        CallFailed: no further attempt can help.
        RepeatsItself: the answer repeats itself without end.
    """
    known = learned(model)
    while True:
        left_out = frozenset(known.refused)
        try:
            return await _attempt(model, attempts, send, on_progress)
        except RepeatsItself:
            raise
        except Exception as error:  # noqa: BLE001 - each provider's client raises what it likes
            cause, failure = error, failure_of(model, error)
        attempts.stalls += failure.fault == "silent"
        pause = _pause(failure, len(attempts.faults))
        if pause is not None:
            log("model_retry", WARNING, fault=failure.fault, attempt=len(attempts.faults) + 1, wait=round(pause, 3))
            attempts.faults.append(failure.fault)
            attempts.waited += pause
        elif not await _adapted(failure, known.refused, left_out, change):
            raise failure from cause
        on_progress(_again(model, attempts, failure, pause or 0.0))
        await asyncio.sleep(pause or 0.0)


def _pause(failure: CallFailed, faults: int) -> float | None:
    """Return the seconds to wait after a failure and so many passing faults before it, or None if there is no next attempt."""
    most = settings().leadline_max_retries
    if failure.kind != "passing" or faults >= (min(most, UNREACHED) if failure.fault == "unreached" else most):
        return None
    if failure.retry_after is not None:
        return failure.retry_after
    pause: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2**faults)
    return pause * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries; nothing secret hangs on it


async def _adapted(
    failure: CallFailed, refused: set[str], left_out: Set[str], change: Callable[[CallFailed], Awaitable[bool]]
) -> bool:
    if failure.output_limits and await change(failure):
        return True
    if failure.parameter and failure.parameter not in left_out:
        refused.add(failure.parameter)
        return True
    return not failure.output_limits and await change(failure)


async def _attempt(model: RoleModel, attempts: Attempts, send: Send, on_progress: OnProgress) -> AIMessage:
    began = time.monotonic()
    watch = AnswerWatch()
    async with at_hand(model), turn_at(model.endpoint, alone=model.file is not None):
        attempts.waited += time.monotonic() - began
        attempts.made += 1
        try:
            async with (
                progress_reported(lambda: watch.state, model.role, attempts.made, on_progress),
                asyncio.timeout(model.timeout),
            ):
                if not comes_in_pieces(model):
                    return await send(watch.hear)
                async with stall_limited(model, attempts.stalls) as watch.on_sign:
                    return await send(watch.hear)
        except (TimeoutError, BrokeOff, asyncio.CancelledError):
            attempts.abandoned += 1
            attempts.abandoned_characters += watch.characters
            raise
        finally:
            attempts.characters = watch.characters


def _again(model: RoleModel, attempts: Attempts, failure: CallFailed, pause: float) -> CallProgress:
    takes_no_form = failure.kind == "refused" and failure.status != 404  # which mostly means the model or the path
    reason = failure.kind if takes_no_form or failure.kind == "too_long" else failure.fault
    return CallProgress(
        role=model.role, state="again", seconds=round(pause, 1), attempt=attempts.made + 1, reason=reason
    )


@asynccontextmanager
async def stall_limited(model: RoleModel, stalls: int) -> AsyncIterator[Callable[[bool], None]]:
    """Abort an attempt that is silent for too long; yields the function to call for each sign of life.

    The function takes whether any reasoning or answer has come: until then, each heartbeat restarts the first limit.
    The longest silence of a model raises its later limits, and each of the `stalls` before doubles them.

    Raises:
        TimeoutError: the model sent nothing for as long as the limit.
    """
    known = learned(model)
    first, between = (min(model.timeout, seconds * 2**stalls) for seconds in _limits(model, known))
    loop = asyncio.get_running_loop()
    last, longest = loop.time(), 0.0
    async with asyncio.timeout(first) as limit:

        def sign_came(begun: bool) -> None:
            nonlocal last, longest
            now = loop.time()
            longest, last = max(longest, now - last), now
            with suppress(RuntimeError):  # the limit was reached in this very moment
                limit.reschedule(now + (between if begun else first))

        yield sign_came
    known.longest_silence = max(known.longest_silence, longest)


def _limits(model: RoleModel, known: Learned) -> tuple[float, float]:
    minimum = PATIENCE * known.longest_silence
    unknown = known.answers < KNOWN_ANSWERS
    first = model.first_token_timeout or (UNKNOWN_SECONDS if unknown else KNOWN_SECONDS)
    return max(first, minimum), max(model.token_timeout or AMID_SECONDS, minimum)
