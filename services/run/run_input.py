"""The input of a run, or a change of its state, from outside: fields are checked before the graph takes them, whatever client sent them."""

from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

from langchain_core.messages import HumanMessage, convert_to_messages
from langgraph.types import Command, Overwrite, StateSnapshot
from pydantic import TypeAdapter, ValidationError

from schemas.state import ResearchState
from services.run.errors import BadInput
from services.run.ui_text import say, told

_FORM = 'Send {"question": "…"}, or {"messages": [{"role": "user", "content": "…"}]}.'


def checked_input(run_input: object) -> object:
    """Return the input of a run without its empty fields.

    Raises:
        BadInput: the input or one of its fields has a wrong type; the message names it and shows the form.
    """
    if isinstance(run_input, Command):
        check_update(run_input.update)
        return run_input
    if run_input is None:
        return run_input
    if not isinstance(run_input, Mapping):
        raise BadInput(f"The input of a run must be an object, not {_kind(run_input)}. {_FORM}")
    fields = {name: value for name, value in run_input.items() if value is not None}
    if fields and fields.keys().isdisjoint({"question", "messages"}):
        raise BadInput(f"The input of a run has no field {next(iter(fields))!r:.60}. {_FORM}")
    _check_beginning(fields)
    return _with_question_last(fields)


def check_begun(run_input: object, state: StateSnapshot | None) -> None:
    """Check that an input that continues a turn finds a state, unless it names the node to begin with.

    Raises:
        BadInput: the thread has no such state; the message shows the form of a question.
    """
    begins = isinstance(run_input, Command) and run_input.goto
    if not begins and (state is None or state.created_at is None):
        raise BadInput(f"There is no run to continue here. Ask a question. {_FORM}")


def check_update(fields: object) -> None:
    """Check what is to be written into a run's state: fields by their names, or pairs of a name and a value.

    Raises:
        BadInput: one of them has a wrong type; the message names it.
    """
    if isinstance(fields, list) and all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in fields):
        fields = {str(name): value for name, value in fields}
    if not isinstance(fields, Mapping):
        return
    _check_beginning(fields)
    for name in (fields.keys() & ResearchState.__annotations__.keys()) - {"question", "messages"}:
        value = fields[name]
        if name == "revision" and isinstance(value, Mapping):
            continue  # what is wrong with a request is said in words, in its turn
        try:
            if not isinstance(value, Overwrite | None):
                _adapter(name).validate_python(value)
        except ValidationError as error:
            where = "".join(f".{part}" for part in error.errors()[0]["loc"])
            raise BadInput(
                f"The state's {name} cannot be {_kind(value)} like this: {name}{where} has a wrong form."
            ) from None


def check_utf8(text: str) -> None:
    """Check that a text from outside can be stored and sent.

    Raises:
        BadInput: it holds bytes that are no UTF-8, or halves of surrogate pairs.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start].split()[-3:]
        where = say("text_after", words=" ".join(before)) if before else ""
        raise BadInput(**told("text_no_utf8", where=where)) from None


def _check_beginning(fields: Mapping[str, object]) -> None:
    question, messages = fields.get("question", ""), fields.get("messages", [])
    if not isinstance(question, str):
        raise BadInput(f"The input's question must be text, not {_kind(question)}. {_FORM}")
    check_utf8(question)
    if isinstance(messages, Overwrite):
        return
    for place, message in enumerate(messages if isinstance(messages, list) else [messages], 1):
        try:
            convert_to_messages([message])
        except (ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
            raise BadInput(f"Item {place} of the input's messages is not a message. {_FORM}") from None


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(ResearchState)[name])


def _with_question_last(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an input whose messages end with its question, if it has both: a turn's question is its last message."""
    question, messages = fields.get("question", "").strip(), fields.get("messages")
    if not question or not messages or isinstance(messages, Overwrite):
        return fields
    messages = messages if isinstance(messages, list) else [messages]
    last = convert_to_messages(messages[-1:])[0]
    if last.type == "human" and last.text.strip() == question:
        return fields
    return fields | {"messages": [*messages, HumanMessage(question)]}


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), type(value).__name__)
