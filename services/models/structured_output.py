"""Requests and reads answers of a schema: natively, as a call of one tool, or as JSON in the text.

The request contains the schema's limits; an answer that exceeds them is cut, and not requested again.
"""

import copy
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.utils.json_schema import dereference_refs
from pydantic import BaseModel, ValidationError

from services.models.endpoint_memory import Dialect
from services.run.errors import reason_of
from services.run.log import log
from services.text.sanitize import sanitize

LONGEST_REPAIRED, DEEPEST_REPAIRED = 200_000, 60
"""Maximum characters and bracket depth of broken JSON to repair; many unclosed brackets make the repair slow."""
_BRACKET = re.compile(r"[{}()\[\]]")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n")
_BETWEEN_WORDS = re.compile(r"\s")
_NAMED = 200
"""Characters of an answer's property names that an error message to the model lists."""
_SETTLED_AT_MOST, _LOGGED = 4, 10
"""Maximum rounds of leaving out values, since a value that is left out may have been required; maximum values that are logged."""
STEPS_DOWN: dict[Dialect, Dialect] = {"schema": "tool", "tool": "text"}
"""The next form to try when an endpoint refuses a form."""


@lru_cache(maxsize=64)
def shape_of(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the cached JSON schema of an answer; callers must not change it."""
    return schema.model_json_schema()


def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Build the native request for a schema, in the strict form: all properties required, no others."""
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "strict": True, "schema": _strict(shape_of(schema))},
    }


def as_tool(schema: type[BaseModel]) -> dict[str, Any]:
    """Describe a schema as a tool whose arguments are the answer."""
    return {
        "type": "function",
        "function": {
            "name": schema.__name__,
            "description": "Give the answer.",
            "parameters": _inlined(shape_of(schema)),
        },
    }


def _inlined(shape: dict[str, Any]) -> dict[str, Any]:
    """Replace a schema's references by their definitions: some providers take no references in a tool's arguments."""
    inlined: dict[str, Any] = dereference_refs(copy.deepcopy(shape))
    inlined.pop("$defs", None)
    return inlined


def with_schema(messages: list[BaseMessage], schema: type[BaseModel]) -> list[BaseMessage]:
    """Write the schema into the first system message, for models that take it in no other way."""
    text = json.dumps(shape_of(schema), ensure_ascii=False, separators=(",", ":"))
    request = f"Answer with one JSON object that fits this JSON schema, and with nothing else:\n{text}"
    return [SystemMessage(f"{messages[0].text}\n\n{request}"), *messages[1:]]


def answer_text(message: AIMessage) -> str:
    """Return the JSON of an answer, from the tool call if the answer came as one."""
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[0]["args"] or ""
    return message.text


IN_LAST_TEXT = 2
"""What is left open where an answer breaks off in a text of its object."""


def parse(text: str, schema: type[BaseModel], *, repeated: bool = False) -> Any:
    """Parse JSON that may be fenced, amid prose or slightly broken, and fit it to the schema.

    Code fixes what it can: it cuts texts to their maximum length and drops optional values that do not fit, so that
    only other faults cause a repetition. An answer that `repeated` itself without end in its last text is complete without that end.

    Raises:
        ValueError: there is no JSON object, or it has none of the schema's properties.
    """
    shape = shape_of(schema)
    try:
        answer = _loaded(text)
        if isinstance(answer, list):
            answer = max((item for item in answer if isinstance(item, dict)), key=len, default=None)
        if not isinstance(answer, dict) or not answer:
            raise ValueError("it is not a JSON object")
        left_open = _left_open(text)
        allowed = IN_LAST_TEXT if repeated else 1
        if left_open > allowed or (left_open and not shape["properties"].keys() <= answer.keys()):
            raise ValueError("it breaks off before it is complete")
        return fitted(answer, schema)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def fitted(answer: dict[str, Any], schema: type[BaseModel]) -> dict[str, Any]:
    """Fit an answer to its schema, and drop properties that the schema does not have.

    Raises:
        ValueError: the answer has none of the schema's properties.
    """
    shape = shape_of(schema)
    known = {name: value for name, value in answer.items() if name in shape["properties"]}
    if not known:
        raise ValueError(f"it has {', '.join(answer)[:_NAMED]}, and nothing of {', '.join(shape['properties'])}")
    return _without_misfits(_bent(sanitize(known), shape, shape.get("$defs", {})), schema)


def _without_misfits(answer: dict[str, Any], schema: type[BaseModel]) -> dict[str, Any]:
    """Drop optional values that do not fit the schema, and list items that lack required values.

    If a required value does not fit, or nothing would be left, the answer is returned unchanged, and is requested
    again.
    """
    settled, left_out = answer, list[str]()
    for _ in range(_SETTLED_AT_MOST):
        try:
            schema.model_validate(settled)
        except ValidationError as error:
            places = [item["loc"][:-1] if item["type"] == "missing" else item["loc"] for item in error.errors()]
            if not all(places):
                return answer
            left_out += [".".join(map(str, place)) for place in places]
            settled = _without(settled, places)
        else:
            break
    else:
        return answer
    if not left_out or not any(settled.values()):
        return answer
    log("answer_settled", schema=schema.__name__, left_out=left_out[:_LOGGED])
    return settled


def _without(value: Any, places: Sequence[tuple[int | str, ...]]) -> Any:
    gone = {place[0] for place in places if len(place) == 1}
    deeper: dict[int | str, list[tuple[int | str, ...]]] = {}
    for place in places:
        deeper.setdefault(place[0], []).append(place[1:])
    if isinstance(value, dict):
        return {name: _without(item, deeper.get(name, [])) for name, item in value.items() if name not in gone}
    if isinstance(value, list):
        return [_without(item, deeper.get(place, [])) for place, item in enumerate(value) if place not in gone]
    return value


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # no JSON, a number longer than Python reads, or brackets without end
        return repaired(text)


def repaired(text: str) -> Any:
    """Parse JSON that is slightly broken.

    Raises:
        ValueError: the text is too long to be repaired, or nested too deeply.
    """
    from json_repair import repair_json

    if len(text) > LONGEST_REPAIRED:
        raise ValueError(f"it is not valid JSON, and too long ({len(text):,} characters) to be repaired")
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket.group() in "{[(" else max(0, depth - 1)
        if depth > DEEPEST_REPAIRED:
            raise ValueError("it is nested too deeply")
    return repair_json(text, return_objects=True)


def _left_open(text: str) -> int:
    """Count the unclosed brackets at the end of a JSON object: repairing a truncated object would hide that data is missing.

    A single one may have been forgotten. A string that is left open counts, too, unless as many brackets close as open in
    the whole text: then the quotation marks are out of step, and it is complete.
    """
    depth, inside, escaped = 0, False, False
    for char in text[text.find("{") :]:
        if escaped or (inside and char not in '\\"'):
            escaped = False
        elif char == "\\":
            escaped = inside
        elif char == '"':
            inside = not inside
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth <= 0:
                return 0
    if not inside:
        return depth
    return 0 if text.count("{") == text.count("}") else depth + 1


def is_json(text: str) -> bool:
    """Tell whether a text holds a JSON object, even if it is slightly broken."""
    try:
        return "{" in text and isinstance(_loaded(text), dict | list)
    except (ValueError, RecursionError):
        return False


def explain(error: ValueError) -> str:
    """Describe in one line what is wrong with an answer."""
    if isinstance(error, ValidationError):
        return "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'answer'}: {reason_of(item)}" for item in error.errors()[:5]
        )
    return str(error)


def _bent(value: Any, schema: dict[str, Any], defs: dict[str, Any]) -> Any:
    """Fix frequent mistakes of models: enums in another case, null for an empty list, a single item for a list."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option.get("type") != "null"]
        if value is None or len(options) != 1:
            return value
        return _bent(value, options[0], defs)
    if "enum" in schema and isinstance(value, str):
        return next((option for option in schema["enum"] if str(option).lower() == value.strip().lower()), value)
    kind = schema.get("type")
    if kind == "object" and isinstance(value, dict):
        return _bent_object(value, schema, defs)
    if kind == "array":
        shape = schema.get("items", {})
        items = [_bent(item, shape, defs) for item in _items(value, shape)]
        return items[: schema.get("maxItems", len(items))]
    if kind == "string":
        return _bent_text(value, schema.get("maxLength"))
    return value


def _items(value: Any, shape: dict[str, Any]) -> list[Any]:
    """Return the items of a list; a text that is too long for an item is split into its lines."""
    items = [] if value is None or value == "" else value if isinstance(value, list) else [value]
    longest = shape.get("maxLength")
    if longest is None:
        return items
    lines = (item.split("\n") if isinstance(item, str) and len(item) > longest else [item] for item in items)
    return [line for item in lines for line in item]


def _bent_text(value: Any, longest: int | None) -> Any:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return within(value, longest) if isinstance(value, str) and longest is not None else value


def within(text: str, longest: int) -> str:
    """Cut a text to its maximum length: after the last sentence that fits, else after the last word."""
    if len(text) <= longest:
        return text
    start, min_length = text[:longest], longest // 2
    end = max((match.end() for match in _SENTENCE_END.finditer(start)), default=0)
    if end < min_length:
        end = max((match.start() for match in _BETWEEN_WORDS.finditer(start)), default=0)
    return start[: end if end >= min_length else longest].rstrip()


def _bent_object(value: dict[str, Any], schema: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    bent = {key: _bent(item, properties[key], defs) if key in properties else item for key, item in value.items()}
    return {
        key: item
        for key, item in bent.items()
        if not (item is None and key in properties and key not in required and "anyOf" not in properties[key])
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
        tight.pop("description", None)
    return tight
