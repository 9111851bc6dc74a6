"""The input of a run from outside: its fields are checked before the graph takes them, whatever client sent them."""

from collections.abc import Mapping

from langchain_core.messages import convert_to_messages
from langgraph.types import Command, Overwrite

from services.run.errors import BadInput

_FORM = 'Send {"question": "…"}, or {"messages": [{"role": "user", "content": "…"}]}.'


def checked_input(given: object) -> object:
    """Return the input of a run without its empty fields.

    Raises:
        BadInput: the input or one of its fields has a wrong type; the message names it and shows the form.
    """
    if isinstance(given, Command):
        if isinstance(given.update, Mapping):
            _check(given.update)
        return given
    if given is None:
        return given
    if not isinstance(given, Mapping):
        raise BadInput(f"The input of a run is an object, and not {_kind(given)}. {_FORM}")
    fields = {name: value for name, value in given.items() if value is not None}
    _check(fields)
    return fields


def _check(fields: Mapping[str, object]) -> None:
    question, messages = fields.get("question", ""), fields.get("messages", [])
    if not isinstance(question, str):
        raise BadInput(f"The input's question is a text, and not {_kind(question)}. {_FORM}")
    if isinstance(messages, Overwrite):
        return
    for place, message in enumerate(messages if isinstance(messages, list) else [messages], 1):
        try:
            convert_to_messages([message])
        except (ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
            raise BadInput(f"Item {place} of the input's messages is no message. {_FORM}") from None


def _kind(value: object) -> str:
    """Return the name of a value's type, in the words of JSON."""
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), type(value).__name__)
