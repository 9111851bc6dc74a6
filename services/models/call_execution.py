"""Executes one model call: fits the prompt to context and budget, makes the attempts, reads the answer and books its cost."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from schemas.events import CallProgress
from schemas.usage import CallUsage
from services.models.answer_watch import RepeatsItself, Sign, progress_reported
from services.models.attempts import Attempts, attempt_until_answered
from services.models.chat import build
from services.models.endpoint_memory import Dialect, keep_learned, learned, load_learned
from services.models.failures import CallFailed
from services.models.llamacpp import at_hand
from services.models.prompt_fit import (
    MARGIN,
    DoesNotFit,
    Fitted,
    estimate_tokens,
    fit,
    off_loop,
    output_room,
    window_of,
)
from services.models.reply import REPEATED, Repeat, Reply, reply_in, usage_of
from services.models.structured_output import STEPS_DOWN, as_tool, is_json, response_format, shape_of, with_schema
from services.run.budget import Reservation
from services.run.errors import LeadlineError, ModelError, NoNativeTools, PromptTooLong
from services.run.prices import Price
from services.run.roles import OFFLINE, RoleModel
from services.run.scope import Run
from services.run.ui_text import say, told

LEAST_OUTPUT = 0.5
"""Share of a role's maximum output tokens below which a call is not worth making."""
FILTERED = frozenset({"content_filter", "safety", "prohibited_content", "blocklist", "recitation", "spii"})
"""Finish reasons with which a provider withholds an answer."""
SHRINK = 0.6
"""Share of the latest request's tokens to try next, if an endpoint finds a prompt too long and names no limit."""
MAX_SHORTENED = 3
"""Maximum number of attempts with a shorter prompt."""
LEAST_CONTEXT = 4_096
"""Tokens up to which a request is not made shorter for a refusal that names no reason: any model takes as many."""
QUIET: RunnableConfig = {"tags": ["nostream"]}
WARM, COOL = 0.7, 0.2
"""Temperatures to try after an answer that repeated itself: the one farther from the role's own temperature is taken."""


@dataclass(frozen=True, slots=True)
class CallSpec:
    """Specification of one role's model call: prompt, answer form and output bounds."""

    role: str
    prompt: BaseModel
    schema: type[BaseModel] | None = None
    tools: Sequence[dict[str, Any]] = ()
    """Tools that are offered natively, in OpenAI's form."""
    must_call: bool = False
    """Whether some tool must be called, if the endpoint can demand that."""
    instructions: str = ""
    """Text that is added to the system message."""
    stream: bool = False
    template: str = ""
    """Stem of the template where it is not the role's own."""
    on_token: Callable[[str], None] | None = None
    """Called with each token as it arrives; the tokens then do not go to the run's message stream."""
    scale: float = 1.0
    """Factor on the role's maximum number of output tokens, for long answers."""

    @property
    def stem(self) -> str:
        """Stem of the template."""
        return self.template or self.role

    @property
    def overhead(self) -> int:
        """Estimated tokens of schema and tools, which are sent beside the messages."""
        shapes = [shape_of(self.schema)] if self.schema else []
        return (len(json.dumps([*shapes, *self.tools])) + len(self.instructions)) // 4


@dataclass(slots=True)
class Exchange:
    """One call under way: the prompt that fits, and the tokens reserved for it in the budget."""

    call: CallSpec
    run: Run
    model: RoleModel
    price: Price | None
    rendered: list[BaseMessage]
    """The whole prompt."""
    more: Sequence[BaseMessage]
    repeat: Repeat
    fitted: Fitted = field(init=False)
    held: Reservation = field(init=False)
    dialect: Dialect | None = None
    """Form in which an answer of a schema is requested now; None for other answers."""
    shortened: int = 0
    """Attempts with a shorter prompt."""
    forces_call: bool = False
    """Whether the latest attempt forced a tool call."""

    async def reply(self) -> Reply:
        """Make the call and charge it to the run's budget."""
        await load_learned()
        if self.call.schema and self.model.provider != OFFLINE:
            self.dialect = learned(self.model).dialect
        if self.repeat.varied:
            other = WARM if (self.model.temperature or 0.0) < (WARM + COOL) / 2 else COOL
            self.model = self.model.model_copy(update={"temperature": other})
        attempts = Attempts()
        try:
            async with AsyncExitStack() as until_answered:
                # A large file loads for long
                async with progress_reported(lambda: "waiting", self.model.role, 1, self._report):
                    await until_answered.enter_async_context(at_hand(self.model))
                return await self._paid(attempts)
        except LeadlineError as error:
            error.log_fields = {**attempts.log_fields(), **error.log_fields}
            raise

    def _report(self, progress: CallProgress) -> None:
        """Tell the progress of a call; without a model nobody waits for one."""
        if self.model.provider != OFFLINE:
            self.run.emit_progress(progress)

    async def _paid(self, attempts: Attempts) -> Reply:
        await self._prepare()
        started = time.monotonic()
        try:
            message = await self._answered(attempts)
            seconds = time.monotonic() - started
        except BaseException as error:
            self._release()
            if attempts.abandoned:
                self.run.count_call(self.call.role, self._abandoned(CallUsage(), attempts), fresh=True)
            if isinstance(error, CallFailed):
                # the endpoint's own error may repeat the key, and a server logs causes
                raise error.error from (None if isinstance(error.error, LeadlineError) else error.__cause__)
            raise
        used = self._abandoned(usage_of(message, self.fitted.messages, self.price, seconds), attempts)
        self.run.budget.settle(self.held, used.tokens, used.cost or 0.0)
        reply = self._read(message, used, attempts)
        if reply.refusal or reply.finish_reason in FILTERED:
            self.run.count_call(self.call.role, used, fresh=True)
            refused = ModelError(
                **told(
                    "answer_refused",
                    model=self.model.name,
                    role=self.call.role,
                    reason=reply.refusal or say("answer_filtered"),
                )
            )
            refused.log_fields = reply.log_fields
            raise refused
        await self._learn(reply, message)
        return reply

    async def _answered(self, attempts: Attempts) -> AIMessage:
        try:
            return await attempt_until_answered(self.model, attempts, self._send, self._change, self._report)
        except RepeatsItself as repeating:
            read, wrote = estimate_tokens(self.fitted.messages), attempts.characters // 4
            return AIMessage(
                repeating.text,
                response_metadata={"finish_reason": REPEATED},
                usage_metadata=UsageMetadata(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote),
            )

    def _abandoned(self, used: CallUsage, attempts: Attempts) -> CallUsage:
        """Add the usage of attempts that were abandoned while the model was generating."""
        read = estimate_tokens(self.fitted.messages) * attempts.abandoned
        wrote = attempts.abandoned_characters // 4
        return used.model_copy(update={"abandoned": attempts.abandoned, "abandoned_tokens": read + wrote})

    async def _prepare(self) -> None:
        """Render the prompt within context and budget, and reserve its tokens."""
        call = self.call
        output = output_room(self.model, call.scale, self.repeat.room)
        if self.repeat.varied:
            output = min(output, self.model.max_tokens)
        min_output = max(1, int(min(output, self.model.max_tokens) * LEAST_OUTPUT))
        per_token = (self.price.input / 1e6, self.price.output / 1e6) if self.price else None
        self.fitted = await self._fit(output, min_output, per_token)
        reading = estimate_tokens(self.fitted.messages) + call.overhead
        self.held = self.run.budget.reserve(reading, output, per_token, min_output=min_output)

    async def _fit(self, output: int, min_output: int, per_token: tuple[float, float] | None) -> Fitted:
        call = self.call
        following = estimate_tokens(self.more) + call.overhead + MARGIN
        window = window_of(self.model)
        room, limit = self.run.budget.affordable(window - output, min_output, per_token)
        try:
            fitted = await off_loop(call.stem, partial(fit, call.stem, call.prompt, room - following, self.rendered))
        except DoesNotFit:
            named = {"role": call.role, "model": self.model.name, "setting": call.role.upper()}
            raise limit or PromptTooLong(**told("prompt_too_long", window=window, **named)) from None
        first, *others = fitted.messages
        if call.instructions:
            first = type(first)(content=f"{first.text}\n\n{call.instructions}")
        return fitted._replace(messages=[first, *others, *self.more], limited=limit is not None)

    def _release(self) -> None:
        self.run.budget.settle(self.held, 0, 0.0)
        self.held = Reservation(0, 0, 0.0)

    async def _send(self, on_piece: Callable[[Sign, str], None]) -> AIMessage:
        call, messages = self.call, self.fitted.messages
        schema = call.schema if self.dialect else None
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
            self.forces_call = call.must_call and "tool_choice" not in learned(self.model).refused
            forced = {"tool_choice": "any"} if self.forces_call else {}
            return await chat.bind_tools(list(call.tools), **forced).ainvoke(messages, config)
        return await chat.ainvoke(messages, config)

    async def _change(self, failure: CallFailed) -> bool:
        """Adapt to a refusal and remember it: a prompt or answer that is too long, function calls, a form."""
        known = learned(self.model)
        if failure.kind == "too_long":
            return await self._shorter(failure)
        if failure.kind != "refused":
            return False
        if failure.output_limits:
            smaller = [limit for limit in failure.output_limits if limit < self.held.output_tokens]
            known.max_output = max(smaller, default=None)
            return known.max_output is not None and await self._anew()
        if self.forces_call:
            known.refused.add("tool_choice")
            return True
        if self.call.tools and known.native_tools:
            known.native_tools = False
            await keep_learned(self.model)
            raise NoNativeTools(
                f"The endpoint {self.model.endpoint} does not support function calls. Set LEADLINE_TOOL_PROTOCOL=structured."
            )
        if self.dialect in STEPS_DOWN:
            self.dialect = STEPS_DOWN[self.dialect]
            return True
        # in any form: some endpoints do not say that a prompt is too long
        return failure.status != 404 and self._request_tokens() > LEAST_CONTEXT and await self._shorter(failure)

    async def _shorter(self, failure: CallFailed) -> bool:
        """Prepare the call for the named context, else for less than the latest request; only what is sure is remembered."""
        self.shortened += 1
        if self.shortened > MAX_SHORTENED:
            return False
        known, window, named = learned(self.model), window_of(self.model), failure.window
        smaller = named if named and named < window else int(min(window, self._request_tokens()) * SHRINK)
        if failure.kind == "refused" or named == window:  # it may not be the length, or the token estimate was wrong
            self.model = self.model.model_copy(update={"context_window": smaller})
        else:
            known.context_window = smaller
        try:
            return await self._anew()
        except ModelError:
            if smaller == named:
                raise
            return False

    def _request_tokens(self) -> int:
        return estimate_tokens(self.fitted.messages) + self.call.overhead + self.held.output_tokens

    async def _anew(self) -> bool:
        self._release()
        await self._prepare()
        return True

    async def _learn(self, reply: Reply, message: AIMessage) -> None:
        if self.model.provider == OFFLINE:
            return
        known = learned(self.model)
        known.answers += 1
        if self.dialect and (self.dialect in STEPS_DOWN or not self.shortened):  # else no form was refused for itself
            known.dialect = self.dialect
        counted = (message.usage_metadata.get("output_token_details") if message.usage_metadata else None) or {}
        estimated = estimate_tokens([AIMessage(reply.reasoning)]) if reply.reasoning else 0
        thought = max(counted.get("reasoning") or 0, estimated)
        if reply.cut_off and not reply.text and reply.finish_reason != REPEATED:
            known.thinking = "apart" if known.thinking in {"unknown", "none"} else known.thinking
            thought = max(thought, self.held.output_tokens)
        elif thought:
            known.thinking = "tags" if reply.tagged else "apart"
        elif known.thinking == "unknown" and self.dialect != "schema":  # a schema may keep it from reasoning
            known.thinking = "none"
        known.thinking_tokens = max(known.thinking_tokens, thought)
        ignored = self.dialect and reply.text and not reply.cut_off and not is_json(reply.text)
        if known.dialect == "schema" and (ignored or known.thinking == "tags"):
            known.dialect = "text"  # a schema that the endpoint ignores, or that would keep the model from reasoning
        await keep_learned(self.model)

    def _read(self, message: AIMessage, used: CallUsage, attempts: Attempts) -> Reply:
        model = self.model
        reply = reply_in(message, structured=self.call.schema is not None, with_tools=bool(self.call.tools))
        reply.model, reply.used = model.name, used
        reply.left_out, reply.limited = self.fitted.left_out, self.fitted.limited
        reply.waited, reply.faults, reply.requests = round(attempts.waited, 3), attempts.faults, attempts.made
        reply.log_fields = {
            "role": model.role,
            "provider": model.provider,
            "model": model.model,
            "answered_by": message.response_metadata.get("model_name"),
            "host": urlsplit(model.base_url).hostname if model.base_url else None,
            "temperature": model.temperature,
            "max_tokens": self.held.output_tokens,
            "tokens_in": used.input_tokens,
            "tokens_out": used.output_tokens,
            "cached": used.cached_tokens or None,
            "cost": None if used.cost is None else round(used.cost, 9),
            "finish": [reply.finish_reason] if reply.finish_reason else None,
            **attempts.log_fields(),
        }
        return reply
