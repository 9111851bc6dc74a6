"""One call to a role's model: recorded in the journal and limited to the run's remaining time."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage, messages_to_dict

from prompts import render
from schemas.events import CallProgress
from services.models.call_execution import CallSpec, Exchange
from services.models.local_endpoint import settled
from services.models.prompt_fit import off_loop
from services.models.reply import Reply
from services.models.structured_output import shape_of
from services.run.errors import LimitReached, SettingsError
from services.run.prices import Price, price_of
from services.run.roles import RoleModel, role_model
from services.run.scope import Run, current_run


@dataclass(frozen=True, slots=True)
class Repeat:
    """Reason and form of a repeated call; the defaults describe a first call."""

    because: str = ""
    """Fault of the previous answer: `cut_off`, `repeated`, `empty`, or `unusable: …`."""
    room: int = 1
    """Factor on the maximum number of output tokens."""
    varied: bool = False
    """Whether to try another temperature and a lower output limit, after an answer that repeated itself."""


FIRST = Repeat()


class ModelCall(CallSpec):
    """A model call that can be repeated with further messages."""

    async def say(self, more: Sequence[BaseMessage] = (), repeat: Repeat = FIRST) -> Reply:
        """Make one call, or return its answer from the journal.

        `more` follows the prompt: earlier answers and what was wrong with them, results of tools.

        Raises:
            LimitReached: the budget or the time left does not suffice for the call.
            ModelError: the endpoint refused or failed.
        """
        run = current_run()
        name = f"{self.stem} ({self.schema.__name__})" if self.schema else self.stem
        request = await self._request(more, repeat)
        known = await run.journal.once("model", name, request, Reply, lambda: self._in_time(run, more, repeat))
        run.count_call(self.role, known.answer.used, fresh=known.fresh)
        run.left_out += known.answer.left_out
        return known.answer

    async def _request(self, more: Sequence[BaseMessage], repeat: Repeat) -> dict[str, Any]:
        """Return the journal key's content: all that decides the answer, except the model, so that paid answers are reused."""
        shape = json.dumps(shape_of(self.schema), sort_keys=True) if self.schema else ""
        messages = messages_to_dict([*await off_loop(self.stem, partial(render, self.stem, self.prompt)), *more])
        return {
            "role": self.stem,
            "messages": [
                [message["type"], message["data"]["content"], message["data"].get("tool_calls", [])]
                for message in messages
            ],
            "instructions": self.instructions,
            "schema": hashlib.sha256(shape.encode()).hexdigest() if shape else "",
            "tools": list(self.tools),
            **({"tool_choice": "required"} if self.must_call else {}),
            "room": repeat.room,
            **({"varied": True} if repeat.varied else {}),
        }

    async def _in_time(self, run: Run, more: Sequence[BaseMessage], repeat: Repeat) -> Reply:
        if repeat.because:
            reason = repeat.because.partition(":")[0]
            run.emit_progress(CallProgress(role=self.role, state="again", seconds=0, reason=reason))
        try:
            async with asyncio.timeout(max(0.0, run.seconds_left)):
                model = await settled(role_model(self.role, run.context))
                price = await _price(run, model)
                reply = await Exchange(self, run, model, price, more, repeat.room, repeat.varied).reply()
                return reply.model_copy(update={"asked_because": repeat.because})
        except TimeoutError:
            raise LimitReached("time_limit", run.context.max_seconds) from None


async def _price(run: Run, model: RoleModel) -> Price | None:
    """Return a model's price; what limits nothing is looked up when the call is paid."""
    limited = run.context.max_cost is not None
    price = await price_of(model, listed=limited)
    if price is None and limited:
        raise SettingsError(
            f"max_cost cannot be kept, because the price of {model.name} is not known. Add it to a price file "
            "(LEADLINE_PRICES, see .env.example), or run without max_cost.",
            page=f"The cost limit cannot be kept, because the price of {model.name} is not known. Leave “Cost in US dollars” in the "
            "settings empty, or ask the operator of this server to add the price.",
        )
    return price
