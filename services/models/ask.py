"""Calls a role's model on behalf of a node: `ask` for an answer of a schema, `write` for free text.

Each call is recorded in the journal and limited to the run's remaining time. An answer that does not fit its schema is asked for again
with the error, one that was cut off with more room, at most twice; what repeated itself without end, unless only its last text did, once more,
in another way.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, messages_to_dict
from pydantic import BaseModel

from prompts import as_data, render
from schemas.events import CallProgress
from services.models.call_execution import CallSpec, Exchange
from services.models.local_endpoint import settled
from services.models.prompt_fit import MORE_ROOM, off_loop
from services.models.reply import FIRST, REPEATED, Repeat, Reply
from services.models.structured_output import explain, is_json, parse, shape_of
from services.run.errors import LimitReached, SettingsError, UselessAnswer
from services.run.log import WARNING, log
from services.run.prices import price_of
from services.run.roles import role_model
from services.run.scope import Run, current_run
from services.run.ui_text import say, told


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
        rendered = await off_loop(self.stem, partial(render, self.stem, self.prompt))
        request = self._request([*rendered, *more], repeat)
        known = await run.journal.once(
            "model", name, request, Reply, lambda: self._in_time(run, rendered, more, repeat)
        )
        run.count_call(self.role, known.answer.used, fresh=known.fresh)
        run.left_out["left_out_by_limit" if known.answer.limited else "left_out"] += known.answer.left_out
        return known.answer

    def _request(self, messages: Sequence[BaseMessage], repeat: Repeat) -> dict[str, Any]:
        """Return the journal key's content: all that decides the answer, except the model, so that paid answers are reused."""
        shape = json.dumps(shape_of(self.schema), sort_keys=True) if self.schema else ""
        return {
            "role": self.stem,
            "messages": [
                [message["type"], message["data"]["content"], message["data"].get("tool_calls", [])]
                for message in messages_to_dict(messages)
            ],
            "instructions": self.instructions,
            "schema": hashlib.sha256(shape.encode()).hexdigest() if shape else "",
            "tools": list(self.tools),
            **({"tool_choice": "required"} if self.must_call else {}),
            "room": repeat.room,
            **({"varied": True} if repeat.varied else {}),
        }

    async def _in_time(
        self, run: Run, rendered: list[BaseMessage], more: Sequence[BaseMessage], repeat: Repeat
    ) -> Reply:
        if repeat.because:
            reason = repeat.because.partition(":")[0]
            run.emit_progress(CallProgress(role=self.role, state="again", seconds=0, reason=reason))
        try:
            async with asyncio.timeout(max(0.0, run.seconds_left)):
                model = await settled(role_model(self.role, run.context))
                price = await price_of(model)
                if price is None and run.context.max_cost is not None:
                    raise SettingsError(**told("price_unknown", model=model.name))
                reply = await Exchange(self, run, model, price, rendered, more, repeat).reply()
                return reply.model_copy(update={"asked_because": repeat.because})
        except TimeoutError:
            raise LimitReached("time_limit", run.context.max_seconds) from None


Answer = TypeVar("Answer", bound=BaseModel)

MAX_REPEATS = 2
"""Maximum number of repetitions of a call whose answer does not fit the schema."""
MAX_REPEATING = 1
"""Maximum number of repetitions of a call whose answer repeated itself without end."""
SAY_ONCE = (
    "Your answer repeated itself without end, and was stopped. Answer again, in few words, and say everything once."
)


async def ask(
    role: str,
    prompt: BaseModel,
    schema: type[Answer],
    check: Callable[[Answer], Answer] | None = None,
    *,
    template: str = "",
    scale: float = 1.0,
) -> Answer:
    """Ask a role's model for an answer of a schema.

    `check` is a further condition: it returns the answer, possibly settled, or raises `ValueError` with what is wrong.
    `template` is the stem of the template where it is not the role's own, and `scale` a factor on the role's output
    tokens, for long answers.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        UselessAnswer: no attempt gave an answer that fits the schema, or the answer repeated itself twice.
        ModelError: the endpoint refused or could not be reached.
    """
    call = ModelCall(role, prompt, schema, template=template, scale=scale)
    more: list[BaseMessage] = []
    repeat, problem, text, repeating = FIRST, "", "", 0
    for attempt in range(1 + MAX_REPEATS):
        reply = await call.say(more, repeat)
        text = reply.text
        if reply.finish_reason == REPEATED:
            with suppress(ValueError):
                answer = schema.model_validate(parse(text, schema, repeated=True))
                return check(answer) if check else answer
            problem, repeating = "it repeats itself without end", repeating + 1
            if repeating > MAX_REPEATING:
                break
            _log_refusal(role, problem)
            more, repeat = [HumanMessage(SAY_ONCE)], replace(repeat, because="repeated", varied=True)
            continue
        if reply.cut_off and attempt < MAX_REPEATS:
            _log_refusal(role, "it was cut off")
            repeat = replace(repeat, because="cut_off" if text else "empty", room=repeat.room * MORE_ROOM)
            continue
        try:
            answer = schema.model_validate(parse(text, schema))
            return check(answer) if check else answer
        except ValueError as error:
            problem = explain(error)
        _log_refusal(role, problem)
        more, repeat = [*more, *_correction(text, problem, schema)], replace(repeat, because=f"unusable: {problem}")
    raise UselessAnswer(
        say("answer_unusable", role=role, schema=schema.__name__, count=attempt + 1, problem=problem, text=text[:200]),
        role=role,
        problem="repeated" if reply.finish_reason == REPEATED else "cut_off" if reply.cut_off else "unusable",
    )


async def write(
    role: str,
    prompt: BaseModel,
    *,
    scale: float = 1.0,
    template: str = "",
    on_token: Callable[[str], None] | None = None,
) -> Reply:
    """Return the free text that a role's model writes; its tokens stream to `stream_mode="messages"`, or else to `on_token`.

    A text that never comes to its end is returned as far as it came (`cut_off`); so is a text that repeats itself twice.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        UselessAnswer: the text was empty in every attempt.
        ModelError: the endpoint refused or could not be reached.
    """
    call = ModelCall(role, prompt, stream=True, scale=scale, template=template, on_token=on_token)
    reply, more, repeat = await call.say(), list[BaseMessage](), FIRST
    for _ in range(MAX_REPEATS):
        if reply.finish_reason == REPEATED:
            if repeat.varied:
                break
            more, repeat = [HumanMessage(SAY_ONCE)], replace(repeat, because="repeated", varied=True)
        elif reply.cut_off:
            repeat = replace(repeat, because="cut_off" if reply.text else "empty", room=repeat.room * MORE_ROOM)
        elif reply.text:
            return reply
        else:
            repeat = replace(repeat, because="empty")
        _log_refusal(role, repeat.because)
        try:
            again = await call.say(more, repeat)
        except LimitReached:
            break
        reply = _with_text(again) if again.text or not reply.text else reply
    if not reply.text:
        raise UselessAnswer(say("answer_nothing", role=role, count=1 + MAX_REPEATS), role=role, problem="empty")
    return reply


def _with_text(reply: Reply) -> Reply:
    """Move the answer from the reasoning to the text: some servers expect every answer to begin with reasoning."""
    if reply.text or reply.cut_off:
        return reply
    return reply.model_copy(update={"text": reply.reasoning})


def _log_refusal(role: str, problem: str) -> None:
    log("answer_refused", WARNING, role=role, problem=problem)


def _correction(text: str, problem: str, schema: type[BaseModel]) -> list[BaseMessage]:
    """Return a message with the model's answer and its error, and with the schema if the answer held no JSON."""
    request = (
        f"That answer cannot be used: {as_data(problem)}\nAnswer again, with the whole corrected JSON and nothing else."
    )
    if not is_json(text):
        request += f"\nThe JSON schema is: {json.dumps(schema.model_json_schema(), ensure_ascii=False)}"
    return [AIMessage(text or "(empty)"), HumanMessage(request)]


async def answer_by_rules(prompt: BaseModel) -> str:
    """Return the offline model's answer to a prompt."""
    from services.models import offline

    return await asyncio.to_thread(offline.answer, prompt)


async def ask_by_rules(
    prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Return the offline model's answer that fits a schema."""
    answer = schema.model_validate_json(await answer_by_rules(prompt))
    return check(answer) if check else answer
