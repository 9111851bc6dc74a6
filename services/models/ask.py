"""Calls a role's model on behalf of a node: `ask` for an answer of a schema, `write` for free text.

`ask` wants an answer of a schema: what does not fit is asked for again with the error, what was cut off while it made progress with
more room, at most twice; what repeated itself without end once more, in another way. `write` returns free text and lets its tokens stream.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

from prompts import as_data
from services.models.model_call import FIRST, ModelCall
from services.models.reply import REPEATED, Reply
from services.models.structured_output import explain, is_json, parse
from services.models.token_limits import MORE_ROOM
from services.run.errors import LimitReached, UselessAnswer
from services.run.log import WARNING, log

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
        f"The model for the role {role} gave no usable {schema.__name__} in {attempt + 1} attempts: {problem}. "
        f"It answered: {text[:200]!r}.",
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
        raise UselessAnswer(
            f"The model for the role {role} answered with nothing, {1 + MAX_REPEATS} times.", role=role, problem="empty"
        )
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
