"""One exchange with a role's model: journaled, within the budget, fitted to the context, in a form that the endpoint takes."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, BaseMessage, messages_to_dict
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, Field

from prompts import render
from schemas.usage import CallUsage
from services.models.chat import build
from services.models.endpoint import Learned, learned
from services.models.prompt_fit import DoesNotFit, Fitted, estimate_tokens, fit, off_loop
from services.models.reasoning_tags import without_thinking
from services.models.refused_parameters import without_refused
from services.models.structured_output import (
    STEPS_DOWN,
    answer_text,
    as_tool,
    is_json,
    response_format,
    shape_of,
    with_schema,
)
from services.models.token_stream import TokenHandler
from services.models.transport import Refused, TooLong, call, count_waiting
from services.run.errors import LimitReached, ModelError, NoNativeTools, SettingsError
from services.run.instrumentation import note
from services.run.prices import Price, price_of
from services.run.roles import CONTEXT_WINDOW, OFFLINE, RoleModel, role_model
from services.run.scope import Run, current_run
from services.text.sanitize import sanitize

LEAST_OUTPUT = 0.5
"""Share of a role's most tokens below which a call is not worth making."""
SHRINKS = 4
"""How often a prompt that the endpoint found too long is made shorter."""
FILTERED = frozenset({"content_filter", "safety", "prohibited_content", "blocklist", "recitation", "spii"})
"""Reasons for which a provider keeps an answer back."""
OUTPUT_SHARE = 4
"""An answer has at most this part of the context: one fourth."""
MARGIN = 64
"""Tokens kept free for what estimates miss."""
MORE_ROOM = 4
"""By how much the room of an answer grows when it was cut off."""
QUIET: RunnableConfig = {"tags": ["nostream"]}


class ToolCall(BaseModel):
    """A call that a model asks for."""

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    problem: str = ""
    """Why the call cannot be made, where it could not be read."""


class Reply(BaseModel):
    """What came back from one call."""

    text: str
    calls: list[ToolCall] = Field(default_factory=list)
    finish_reason: str = ""
    refusal: str = ""
    model: str = ""
    """Name of the model that answered; `offline` for the offline model."""
    left_out: int = 0
    """Pieces of evidence that did not fit into the prompt."""
    waited: float = 0.0
    """Seconds of it in which the call was not under way: for its turn, and after passing faults."""
    faults: list[str] = Field(default_factory=list)
    """What went wrong before it was answered: `HTTP 429`, or the type of an error."""
    used: CallUsage = CallUsage()

    @property
    def cut_off(self) -> bool:
        """Tell whether the answer ended because there was no more room for it."""
        return self.finish_reason in {"length", "max_tokens", "model_length"}


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
        known = await run.journal.once(
            "model", self._name(), await self._request(more, room), Reply, lambda: self._in_time(run, more, room)
        )
        run.count_call(self.role, known.answer.used, fresh=known.fresh)
        run.left_out += known.answer.left_out
        return known.answer

    def _name(self) -> str:
        return f"{self.stem} ({self.schema.__name__})" if self.schema else self.stem

    @property
    def stem(self) -> str:
        """Stem of the template."""
        return self.template or self.role

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
        try:
            async with asyncio.timeout(max(0.0, run.seconds_left)):
                return await self._fitted(run, more, room)
        except TimeoutError:
            raise LimitReached("time_limit", run.context.max_seconds) from None

    async def _fitted(self, run: Run, more: Sequence[BaseMessage], room: int) -> Reply:
        """Call with as much of the evidence as there is room for, and with less when the endpoint finds it too long."""
        model = role_model(self.role, run.context)
        limited = run.context.max_cost is not None
        price = await price_of(model, listed=limited)  # what limits nothing is looked up when the call is paid
        if price is None and limited:
            raise SettingsError(
                f"max_cost cannot hold, because the price of {model.name} is not known. Name it in a price file "
                "(LEADLINE_PRICES, see .env.example), or run without max_cost."
            )
        known = learned(model)
        for _ in range(SHRINKS):
            output = int(model.max_tokens * self.scale) * max(room, known.room)
            try:
                return await self._called(run, model, price, more, output)
            except TooLong as error:
                window = _window(model, known)
                known.context_window = error.window if error.window and error.window < window else int(window * 0.7)
        raise ModelError(
            f"The endpoint finds the prompt of the role {self.role} too long, however much is left out. "
            f"Set LEADLINE_CONTEXT_WINDOW_{self.role.upper()} to the model's context, or name a model with more."
        )

    async def _called(
        self, run: Run, model: RoleModel, price: Price | None, more: Sequence[BaseMessage], output: int
    ) -> Reply:
        known = learned(model)
        output = min(output, _window(model, known) // OUTPUT_SHARE)
        least = max(1, int(min(output, model.max_tokens) * LEAST_OUTPUT))
        fitted = await self._messages(run, model, more, output, least)
        messages = fitted.messages
        reading = estimate_tokens(messages) + self._overhead()
        per_token = (price.input / 1e6, price.output / 1e6) if price else None
        held = run.budget.reserve(reading, output, per_token, least=least)
        started = time.monotonic()
        try:
            with count_waiting() as patience:
                message = await self._accepted(model, fitted, held.output_tokens)
            seconds = time.monotonic() - started
            price = price or await price_of(model)
        except BaseException:
            run.budget.settle(held, 0, 0.0)
            raise
        used = _used(message, messages, price, seconds)
        _note(model, held.output_tokens, message, used)
        run.budget.settle(held, used.tokens, used.cost or 0.0)
        reply = self._reply(model, message, fitted.left_out, used)
        if reply.refusal or reply.finish_reason in FILTERED:
            run.count_call(self.role, used, fresh=True)
            raise ModelError(
                f"The model {model.name} refused to answer for the role {self.role}: "
                f"{reply.refusal or 'its content filter stopped it'}. Ask in other words, or name another model."
            )
        self._learn(known, reply)
        return reply.model_copy(update={"waited": round(patience.waited, 3), "faults": patience.faults})

    def _learn(self, known: Learned, reply: Reply) -> None:
        if reply.cut_off and not reply.text:
            known.room = min(known.room * MORE_ROOM, MORE_ROOM**2)
        elif self.schema and known.dialect == "schema" and reply.text and not reply.cut_off and not is_json(reply.text):
            known.dialect = "text"

    async def _messages(
        self, run: Run, model: RoleModel, more: Sequence[BaseMessage], output: int, least: int
    ) -> Fitted:
        """Render the prompt into what the context, and then the budget, has room for."""
        following = estimate_tokens(more) + self._overhead() + MARGIN
        window = _window(model, learned(model)) - output - following
        left = run.budget.room()
        affordable = window if left is None else min(window, left - least - following)
        try:
            fitted = await off_loop(self.stem, partial(fit, self.stem, self.prompt, affordable))
        except DoesNotFit:
            if affordable < window:
                raise LimitReached("token_limit", run.context.max_tokens or 0) from None
            raise ModelError(
                f"The prompt of the role {self.role} does not fit into the {_window(model, learned(model)):,} tokens of "
                f"{model.name}, even without evidence. Ask in fewer words, or set LEADLINE_CONTEXT_WINDOW_{self.role.upper()}."
            ) from None
        messages = fitted.messages
        if self.instructions:
            messages[0] = type(messages[0])(content=f"{messages[0].text}\n\n{self.instructions}")
        return fitted._replace(messages=[*messages, *more])

    def _overhead(self) -> int:
        """Estimate the tokens of schema and tools, which travel beside the messages."""
        shapes = [shape_of(self.schema)] if self.schema else []
        return (len(json.dumps([*shapes, *self.tools])) + len(self.instructions)) // 4

    async def _accepted(self, model: RoleModel, fitted: Fitted, output: int) -> AIMessage:
        """Call in the form that the endpoint takes, and remember what it does not."""
        known = learned(model)
        while True:
            dialect = known.dialect
            try:
                return await without_refused(model, partial(self._sent, model, fitted, output, dialect))
            except Refused as refused:
                if self.tools and known.native_tools:
                    known.native_tools = False
                    raise NoNativeTools(
                        f"The endpoint {model.endpoint} takes no function calls. Set LEADLINE_TOOL_PROTOCOL=structured."
                    ) from None
                if self.schema is None or dialect == "text":
                    raise refused.error from None
                if known.dialect == dialect:
                    known.dialect = STEPS_DOWN[dialect]

    async def _sent(self, model: RoleModel, fitted: Fitted, output: int, dialect: str) -> AIMessage:
        messages = fitted.messages
        config: RunnableConfig = {} if self.stream and self.on_token is None else QUIET
        if self.schema is None or model.provider == OFFLINE:
            chat = build(model, output, stream=self.stream, prompt=fitted.prompt)
            if self.on_token is not None:
                chat = chat.model_copy(update={"callbacks": [TokenHandler(self.on_token)]})
            return await call(model, chat.bind_tools(list(self.tools)) if self.tools else chat, messages, config)
        if dialect == "schema":
            return await call(
                model, build(model, output, response_format=response_format(self.schema)), messages, config
            )
        if dialect == "tool":
            chat = build(model, output)
            bound = chat.bind_tools([as_tool(self.schema)], tool_choice=self.schema.__name__)
            return await call(model, bound, messages, config)
        return await call(model, build(model, output), with_schema(messages, self.schema), config)

    def _reply(self, model: RoleModel, message: AIMessage, left_out: int, used: CallUsage) -> Reply:
        meta = message.response_metadata
        return Reply(
            text=sanitize(without_thinking(answer_text(message) if self.schema else message.text)),
            calls=_calls(message) if self.tools else [],
            finish_reason=_finish(meta),
            refusal=sanitize(str(message.additional_kwargs.get("refusal") or "")),
            model=model.name,
            left_out=left_out,
            used=used,
        )


def _note(model: RoleModel, most: int, message: AIMessage, used: CallUsage) -> None:
    """Tell whoever watches what was asked of whom, and what it took."""
    meta = message.response_metadata
    note(
        role=model.role,
        provider=model.provider,
        model=model.model,
        answered_by=meta.get("model_name"),
        host=urlsplit(model.base_url).hostname if model.base_url else None,
        temperature=model.temperature,
        max_tokens=most,
        tokens_in=used.input_tokens,
        tokens_out=used.output_tokens,
        cached=used.cached_tokens or None,
        cost=None if used.cost is None else round(used.cost, 9),
        finish=[finish] if (finish := _finish(meta)) else None,
    )


def _finish(meta: Mapping[str, Any]) -> str:
    """Return why an answer ended, in small letters; each provider names it in its own way."""
    return str(meta.get("finish_reason") or meta.get("stop_reason") or meta.get("done_reason") or "").lower()


def _window(model: RoleModel, known: Learned) -> int:
    """Return the tokens that prompt and answer may have together."""
    wanted = model.context_window or CONTEXT_WINDOW
    return min(wanted, known.context_window or wanted)


def _calls(message: AIMessage) -> list[ToolCall]:
    read = [{"id": call["id"] or "", "name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    broken = [
        {
            "id": call["id"] or "",
            "name": call["name"] or "",
            "problem": f"its arguments are no JSON object: {call['args']!r}"[:300],
        }
        for call in message.invalid_tool_calls
    ]
    return [ToolCall.model_validate(sanitize(one)) for one in [*read, *broken]]


def _used(message: AIMessage, messages: list[BaseMessage], price: Price | None, seconds: float) -> CallUsage:
    """Take the endpoint's own count; an endpoint that counts nothing is estimated."""
    counted = message.usage_metadata
    read = counted["input_tokens"] if counted else estimate_tokens(messages)
    wrote = counted["output_tokens"] if counted else estimate_tokens([message])
    cached = (counted.get("input_token_details") or {}).get("cache_read", 0) if counted else 0
    return CallUsage(
        calls=1,
        input_tokens=read,
        output_tokens=wrote,
        cached_tokens=cached or 0,
        seconds=round(seconds, 3),
        cost=price.cost(read, wrote, cached or 0) if price else None,
    )
