"""The one way a node talks to a model.

`ask` renders the role's prompt, asks for a schema natively, and validates what comes back; an answer that does not
fit is asked for again with the error, at most twice. `write` returns free text and lets its tokens stream.
"""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from json_repair import repair_json
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, ValidationError

from prompts import render
from services.errors import ModelError
from services.metering import count_model_call
from services.models.chat import chat_model

Answer = TypeVar("Answer", bound=BaseModel)

MAX_REPEATS = 2
"""How often an answer that does not fit is asked for again."""
_QUIET: RunnableConfig = {"tags": ["nostream"]}
_THINK = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)


async def ask(
    role: str, prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Ask a role's model for an answer of a schema.

    Args:
        role: stem of node, template and schema.
        prompt: the role's prompt model.
        schema: what the answer must be.
        check: a further condition; it returns the answer, possibly settled, or raises `ValueError` with what is wrong.

    Raises:
        ModelError: the endpoint refused or could not be reached, or the answer never came to fit.
    """
    messages = render(role, prompt)
    problem = text = ""
    for _ in range(1 + MAX_REPEATS):
        text = await _call(role, messages, {"response_format": _response_format(schema)}, _QUIET)
        try:
            answer = schema.model_validate(_parse(text))
            return check(answer) if check else answer
        except ValueError as error:
            problem = _explain(error)
        messages = [
            *messages,
            AIMessage(text or "(empty)"),
            HumanMessage(
                f"That answer cannot be used: {problem}\nAnswer again, with the whole corrected JSON and nothing else."
            ),
        ]
    raise ModelError(
        f"The model for the role {role} gave no usable {schema.__name__} in {1 + MAX_REPEATS} attempts: {problem} "
        f"It answered: {text[:200]!r}. Name a more capable model with LEADLINE_MODEL_{role.upper()}."
    )


async def write(role: str, prompt: BaseModel) -> str:
    """Return the free text that a role's model writes; its tokens stream to `stream_mode="messages"`.

    Raises:
        ModelError: the endpoint refused or could not be reached, or the text is empty.
    """
    text = await _call(role, render(role, prompt), {}, {})
    if not text:
        raise ModelError(
            f"The model for the role {role} answered with nothing. Try again, or name another with LEADLINE_MODEL_{role.upper()}."
        )
    return text


async def _call(role: str, messages: list[BaseMessage], options: dict[str, Any], config: RunnableConfig) -> str:
    model = chat_model(role)
    try:
        answer = await model.ainvoke(messages, config, **options)
    except Exception as error:
        raise _as_model_error(role, error) from error
    used = answer.usage_metadata
    count_model_call(role, used["input_tokens"] if used else 0, used["output_tokens"] if used else 0)
    return _THINK.sub("", answer.text).strip()


def _as_model_error(role: str, error: Exception) -> Exception:
    """Say in one sentence what went wrong at the endpoint and what to do; anything else stays what it is."""
    status = getattr(error, "status_code", None)
    name = type(error).__name__
    advice = {
        401: "The endpoint rejected the key. Check OPENAI_API_KEY (and that OPENAI_BASE_URL is the endpoint it belongs to).",
        403: "The endpoint forbids this. Check the rights of OPENAI_API_KEY.",
        404: "The endpoint knows no such model or path. Check LEADLINE_MODEL and OPENAI_BASE_URL.",
        429: "The endpoint refused for too many requests or a used-up quota. Wait, or check the account.",
    }
    if status in advice:
        return ModelError(f"{advice[status]} (role {role}, HTTP {status})")
    if name.endswith(("ConnectionError", "TimeoutError")):
        return ModelError(
            f"The model's endpoint could not be reached ({name}, role {role}). Check OPENAI_BASE_URL and the network, then resume the run."
        )
    if status is not None:
        return ModelError(
            f"The model's endpoint failed (role {role}, HTTP {status}). Try again later by resuming the run."
        )
    return error


def _parse(text: str) -> Any:
    """Read JSON that may stand in a fence or amid prose, or be slightly broken."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        found = repair_json(text, return_objects=True)
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object") from None  # noqa: TRY004 - one kind of error says: ask again
        return found


def _explain(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'answer'}: {item['msg']}" for item in error.errors()[:5])
    return str(error)


def _response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Build the native request for a schema, in the strict form: all properties required, no others."""
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "strict": True, "schema": _strict(schema.model_json_schema())},
    }


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    tight = {
        key: _strict(value) for key, value in node.items() if key not in {"default", "title"} or isinstance(value, dict)
    }
    if isinstance(tight.get("properties"), dict):
        tight["required"] = list(tight["properties"])
        tight["additionalProperties"] = False
    return tight
