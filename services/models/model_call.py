"""One call to a role's model: journaled, within the budget, fitted to the context, in a form that the endpoint takes."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, BaseMessage, messages_to_dict
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from prompts import render
from schemas.usage import CallUsage
from services.models.attempts import Attempts, attempt_until_answered
from services.models.chat import build
from services.models.failures import CallFailed
from services.models.learned import Learned, learned
from services.models.local_endpoint import settled
from services.models.prompt_fit import DoesNotFit, Fitted, estimate_tokens, fit, off_loop
from services.models.reasoning_tags import without_thinking
from services.models.reply import Reply, finish_reason_of, tool_calls_of, usage_of
from services.models.structured_output import (
    STEPS_DOWN,
    answer_text,
    as_tool,
    is_json,
    response_format,
    shape_of,
    with_schema,
)
from services.run.budget import Reservation
from services.run.errors import LeadlineError, LimitReached, ModelError, NoNativeTools, SettingsError
from services.run.prices import Price, price_of
from services.run.roles import CONTEXT_WINDOW, OFFLINE, RoleModel, role_model
from services.run.scope import Run, current_run
from services.text.sanitize import sanitize

LEAST_OUTPUT = 0.5
"""Share of a role's most tokens below which a call is not worth making."""
FILTERED = frozenset({"content_filter", "safety", "prohibited_content", "blocklist", "recitation", "spii"})
"""Reasons for which a provider keeps an answer back."""
OUTPUT_SHARE = 4
"""An answer has at most this part of the context: one fourth."""
MARGIN = 64
"""Tokens kept free for what estimates miss."""
SHRINK = 0.7
"""Share of the context that is tried next, where an endpoint finds a prompt too long and names no limit."""
MORE_ROOM = 4
"""By how much the room of an answer grows when it was cut off."""
QUIET: RunnableConfig = {"tags": ["nostream"]}


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What one role is asked, in as many calls as it takes."""

    role: str
    prompt: BaseModel
    schema: type[BaseModel] | None = None
    tools: Sequence[dict[str, Any]] = ()
    """Tools that are offered natively, in OpenAI's form."""
    instructions: str = ""
    """Added to the system message."""
    stream: bool = False
    template: str = ""
    """Stem of the template where it is not the role's own."""
    on_token: Callable[[str], None] | None = None
    """Takes the tokens as they come, instead of whoever streams the run's messages."""
    scale: float = 1.0
    """By how much the role's most tokens are multiplied, for answers that are longer by nature."""

    async def say(self, more: Sequence[BaseMessage] = (), room: int = 1) -> Reply:
        """Make one call, or take its answer from the journal.

        Args:
            more: messages that follow the prompt: earlier answers and what was wrong with them, results of tools.
            room: by how much the most tokens of the answer are multiplied.

        Raises:
            LimitReached: the budget leaves no room for the call, or no time.
            ModelError: the endpoint refused or failed.
        """
        run = current_run()
        name = f"{self.stem} ({self.schema.__name__})" if self.schema else self.stem
        request = await self._request(more, room)
        known = await run.journal.once("model", name, request, Reply, lambda: self._in_time(run, more, room))
        run.count_call(self.role, known.answer.used, fresh=known.fresh)
        run.left_out += known.answer.left_out
        return known.answer

    @property
    def stem(self) -> str:
        """Stem of the template."""
        return self.template or self.role

    @property
    def overhead(self) -> int:
        """Estimated tokens of schema and tools, which travel beside the messages."""
        shapes = [shape_of(self.schema)] if self.schema else []
        return (len(json.dumps([*shapes, *self.tools])) + len(self.instructions)) // 4

    async def _request(self, more: Sequence[BaseMessage], room: int) -> dict[str, Any]:
        """Return all that decides the answer; which model gives it does not count, as what was paid for is paid for."""
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
            "room": room,
        }

    async def _in_time(self, run: Run, more: Sequence[BaseMessage], room: int) -> Reply:
        """Make the call in the time that the run has left."""
        try:
            async with asyncio.timeout(max(0.0, run.seconds_left)):
                model = await settled(role_model(self.role, run.context))
                return await _Exchange(self, run, model, await _price(run, model), more, room).reply()
        except TimeoutError:
            raise LimitReached("time_limit", run.context.max_seconds) from None


async def _price(run: Run, model: RoleModel) -> Price | None:
    """Return a model's price; what limits nothing is looked up when the call is paid."""
    limited = run.context.max_cost is not None
    price = await price_of(model, listed=limited)
    if price is None and limited:
        raise SettingsError(
            f"max_cost cannot hold, because the price of {model.name} is not known. Name it in a price file "
            "(LEADLINE_PRICES, see .env.example), or run without max_cost."
        )
    return price


@dataclass(slots=True)
class _Exchange:
    """One call under way: its prompt as far as it fits, and the room in the budget that it holds."""

    call: ModelCall
    run: Run
    model: RoleModel
    price: Price | None
    more: Sequence[BaseMessage]
    room: int
    fitted: Fitted = field(init=False)
    held: Reservation = field(init=False)
    dialect: str = ""
    """The form of the latest attempt."""

    async def reply(self) -> Reply:
        """Make the call, paid out of the run's budget."""
        attempts = Attempts()
        try:
            return await self._paid(attempts)
        except LeadlineError as error:
            error.log_fields = {**attempts.log_fields(), **error.log_fields}
            raise

    async def _paid(self, attempts: Attempts) -> Reply:
        await self._prepare()
        started = time.monotonic()
        try:
            message = await attempt_until_answered(self.model, attempts, self._send, self._change)
            seconds = time.monotonic() - started
            price = self.price or await price_of(self.model)
        except CallFailed as failure:
            self._release()
            raise failure.error from failure.__cause__
        except BaseException:
            self._release()
            raise
        used = usage_of(message, self.fitted.messages, price, seconds)
        self.run.budget.settle(self.held, used.tokens, used.cost or 0.0)
        reply = self._read(message, used, attempts)
        if reply.refusal or reply.finish_reason in FILTERED:
            self.run.count_call(self.call.role, used, fresh=True)
            refused = ModelError(
                f"The model {self.model.name} refused to answer for the role {self.call.role}: "
                f"{reply.refusal or 'its content filter stopped it'}. Ask in other words, or name another model."
            )
            refused.log_fields = reply.log_fields
            raise refused
        self._learn(reply)
        return reply

    async def _prepare(self) -> None:
        """Render the prompt into what context and budget have room for, and reserve that room."""
        call, known = self.call, learned(self.model)
        most = int(self.model.max_tokens * call.scale) * max(self.room, known.room)
        output = min(most, _window(self.model, known) // OUTPUT_SHARE)
        least = max(1, int(min(output, self.model.max_tokens) * LEAST_OUTPUT))
        self.fitted = await self._fit(output, least)
        reading = estimate_tokens(self.fitted.messages) + call.overhead
        per_token = (self.price.input / 1e6, self.price.output / 1e6) if self.price else None
        self.held = self.run.budget.reserve(reading, output, per_token, least=least)

    async def _fit(self, output: int, least: int) -> Fitted:
        call = self.call
        following = estimate_tokens(self.more) + call.overhead + MARGIN
        window = _window(self.model, learned(self.model))
        left = self.run.budget.room()
        free = window - output - following
        affordable = free if left is None else min(free, left - least - following)
        try:
            fitted = await off_loop(call.stem, partial(fit, call.stem, call.prompt, affordable))
        except DoesNotFit:
            if affordable < free:
                raise LimitReached("token_limit", self.run.context.max_tokens or 0) from None
            raise ModelError(
                f"The prompt of the role {call.role} does not fit into the {window:,} tokens of {self.model.name}, "
                f"even without evidence. Ask in fewer words, or set LEADLINE_CONTEXT_WINDOW_{call.role.upper()}."
            ) from None
        first, *others = fitted.messages
        if call.instructions:
            first = type(first)(content=f"{first.text}\n\n{call.instructions}")
        return fitted._replace(messages=[first, *others, *self.more])

    def _release(self) -> None:
        self.run.budget.settle(self.held, 0, 0.0)
        self.held = Reservation(0, 0, 0.0)

    async def _send(self, on_piece: Callable[[], None]) -> AIMessage:
        """Make one attempt, in the form that the endpoint takes as far as is known."""
        call, messages = self.call, self.fitted.messages
        schema = None if self.model.provider == OFFLINE else call.schema
        self.dialect = learned(self.model).dialect if schema else ""
        chat = build(
            self.model,
            self.held.output_tokens,
            response_format=response_format(schema) if schema and self.dialect == "schema" else None,
            stream=call.stream,
            prompt=self.fitted.prompt,
            on_piece=on_piece,
            on_token=call.on_token,
        )
        config: RunnableConfig = {} if call.stream and call.on_token is None else QUIET
        if schema and self.dialect == "tool":
            return await chat.bind_tools([as_tool(schema)], tool_choice=schema.__name__).ainvoke(messages, config)
        if schema and self.dialect == "text":
            messages = with_schema(messages, schema)
        if call.tools:
            return await chat.bind_tools(list(call.tools)).ainvoke(messages, config)
        return await chat.ainvoke(messages, config)

    async def _change(self, failure: CallFailed) -> bool:
        """Change what the endpoint could not take, and remember it: a prompt that is too long, function calls, a form."""
        known = learned(self.model)
        if failure.kind == "too_long":
            window = _window(self.model, known)
            named = failure.window
            known.context_window = named if named and named < window else int(window * SHRINK)
            self._release()
            await self._prepare()
            return True
        if failure.kind != "refused":
            return False
        if self.call.tools and known.native_tools:
            known.native_tools = False
            raise NoNativeTools(
                f"The endpoint {self.model.endpoint} takes no function calls. Set LEADLINE_TOOL_PROTOCOL=structured."
            )
        if self.dialect not in STEPS_DOWN:
            return False
        if known.dialect == self.dialect:
            known.dialect = STEPS_DOWN[known.dialect]
        return True

    def _learn(self, reply: Reply) -> None:
        known = learned(self.model)
        if reply.cut_off and not reply.text:
            known.room = min(known.room * MORE_ROOM, MORE_ROOM**2)
        elif (
            self.dialect and known.dialect == "schema" and reply.text and not reply.cut_off and not is_json(reply.text)
        ):
            known.dialect = "text"

    def _read(self, message: AIMessage, used: CallUsage, attempts: Attempts) -> Reply:
        call, model, meta = self.call, self.model, message.response_metadata
        finish_reason = finish_reason_of(meta)
        return Reply(
            text=sanitize(without_thinking(answer_text(message) if call.schema else message.text)),
            calls=tool_calls_of(message) if call.tools else [],
            finish_reason=finish_reason,
            refusal=sanitize(str(message.additional_kwargs.get("refusal") or "")),
            model=model.name,
            left_out=self.fitted.left_out,
            waited=round(attempts.waited, 3),
            faults=attempts.faults,
            used=used,
            log_fields={
                "role": model.role,
                "provider": model.provider,
                "model": model.model,
                "answered_by": meta.get("model_name"),
                "host": urlsplit(model.base_url).hostname if model.base_url else None,
                "temperature": model.temperature,
                "max_tokens": self.held.output_tokens,
                "tokens_in": used.input_tokens,
                "tokens_out": used.output_tokens,
                "cached": used.cached_tokens or None,
                "cost": None if used.cost is None else round(used.cost, 9),
                "finish": [finish_reason] if finish_reason else None,
                **attempts.log_fields(),
            },
        )


def _window(model: RoleModel, known: Learned) -> int:
    """Return the tokens that prompt and answer may have together."""
    wanted = model.context_window or CONTEXT_WINDOW
    return min(wanted, known.context_window or wanted)
