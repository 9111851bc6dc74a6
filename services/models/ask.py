"""The one way a node talks to a model.

`ask` wants an answer of a schema: what does not fit is asked for again with the error, what was cut off with more room, at
most twice. `write` returns free text and lets its tokens stream.
"""

import json
from collections.abc import Callable
from typing import TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

from prompts import as_data
from services.models.model_call import MORE_ROOM, ModelCall
from services.models.reply import Reply
from services.models.structured_output import explain, is_json, parse
from services.run.errors import LimitReached, UselessAnswer

Answer = TypeVar("Answer", bound=BaseModel)

MAX_REPEATS = 2
"""How often an answer that does not fit is asked for again."""


async def ask(
    role: str,
    prompt: BaseModel,
    schema: type[Answer],
    check: Callable[[Answer], Answer] | None = None,
    *,
    template: str = "",
) -> Answer:
    """Ask a role's model for an answer of a schema.

    Args:
        role: stem of node, template and schema.
        prompt: the role's prompt model.
        schema: what the answer must be.
        check: a further condition; it returns the answer, possibly settled, or raises `ValueError` with what is wrong.
        template: stem of the template where it is not the role's own.

    Raises:
        LimitReached: the budget leaves no room for it, or no time.
        UselessAnswer: the answer never came to fit.
        ModelError: the endpoint refused or could not be reached.
    """
    exchange = ModelCall(role, prompt, schema, template=template)
    more: list[BaseMessage] = []
    room, problem, text = 1, "", ""
    for attempt in range(1 + MAX_REPEATS):
        reply = await exchange.say(more, room)
        text = reply.text
        if reply.cut_off and attempt < MAX_REPEATS:
            room *= MORE_ROOM
            continue
        try:
            answer = schema.model_validate(parse(text, schema))
            return check(answer) if check else answer
        except ValueError as error:
            problem = explain(error)
        more = [*more, *_correction(text, problem, schema)]
    raise UselessAnswer(
        f"The model for the role {role} gave no usable {schema.__name__} in {1 + MAX_REPEATS} attempts: {problem}. "
        f"It answered: {text[:200]!r}. Name a more capable model with LEADLINE_MODEL_{role.upper()}.",
        role=role,
        problem=problem,
    )


async def write(
    role: str,
    prompt: BaseModel,
    *,
    scale: float = 1.0,
    template: str = "",
    on_token: Callable[[str], None] | None = None,
) -> Reply:
    """Return the free text that a role's model writes; its tokens stream to `stream_mode="messages"`.

    A text that never comes to its end is returned as far as it came (`cut_off`).

    Args:
        role: stem of node, template and schema.
        prompt: the role's prompt model.
        scale: by how much the role's most tokens are multiplied, for texts that are longer by nature.
        template: stem of the template where it is not the role's own.
        on_token: takes the tokens as they come; then they do not stream by themselves.

    Raises:
        LimitReached: the budget leaves no room for it, or no time.
        UselessAnswer: the text is empty, however often it is asked for.
        ModelError: the endpoint refused or could not be reached.
    """
    exchange = ModelCall(role, prompt, stream=True, scale=scale, template=template, on_token=on_token)
    reply = await exchange.say()
    for attempt in range(1, 1 + MAX_REPEATS):
        if reply.text and not reply.cut_off:
            return reply
        try:
            reply = await exchange.say(room=MORE_ROOM**attempt if reply.cut_off else 1)
        except LimitReached:
            break
    if not reply.text:
        raise UselessAnswer(
            f"The model for the role {role} answered with nothing, {1 + MAX_REPEATS} times. "
            f"Name another with LEADLINE_MODEL_{role.upper()}.",
            role=role,
            problem="it is empty",
        )
    return reply


def _correction(text: str, problem: str, schema: type[BaseModel]) -> list[BaseMessage]:
    """Show a model its answer and what is wrong with it; the schema too where it gave no JSON at all."""
    shape = (
        "" if is_json(text) else f"\nThe JSON schema is: {json.dumps(schema.model_json_schema(), ensure_ascii=False)}"
    )
    return [
        AIMessage(text or "(empty)"),
        HumanMessage(
            f"That answer cannot be used: {as_data(problem)}\nAnswer again, with the whole corrected JSON and nothing else.{shape}"
        ),
    ]
