"""Choices that come as plain data: validated, or refused in words that name the choice and its bounds."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from schemas.context import RunContext
from services.run.errors import BadInput, refused_value
from services.run.ui_text import say, told


def checked_choices(fields: dict[str, object], names: Iterable[str] = RunContext.model_fields) -> RunContext:
    """Validate choices given as plain data; for one that there is not, the message suggests one of the `names`.

    Raises:
        BadInput: a choice is invalid; the message names it and its bounds.
    """
    try:
        return RunContext.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            name = str(problem["loc"][0])[:60]
            if name == "advanced":  # an object is opened before
                raise BadInput(**told("choice_advanced")) from None
            suggestions = get_close_matches(name, names, 1)
            advice = say("choice_meant", name=suggestions[0]) if suggestions else say("choice_listed")
            raise BadInput(**told("choice_unknown", name=name, advice=advice)) from None
        named = [
            str(part)[:60] for part in problem["loc"] if not isinstance(part, int)
        ]  # a place in a list says little
        if "[key]" in named:  # behind it pydantic writes out the type of the keys
            named = named[: named.index("[key]")]
        if problem["type"] == "extra_forbidden" and len(named) == 2:
            fields = getattr(RunContext.model_fields[named[0]].annotation, "model_fields", {})
            names = say("choice_from", names=", ".join(fields)) if fields else ""
            raise BadInput(**told("choice_no_field", name=".".join(named), names=names)) from None
        raise refused_value(".".join(named), problem, _range_of(named[0], problem["type"])) from None


def _range_of(name: str, problem: str) -> str:
    """Return the bounds of a choice in words, if a number is beyond one of them."""
    if problem not in {"greater_than", "greater_than_equal", "less_than_equal"}:
        return ""
    schema = RunContext.model_json_schema()["properties"].get(name, {})
    bounds: dict[str, Any] = next((kind for kind in (schema, *schema.get("anyOf", ())) if "maximum" in kind), {})
    for key, least in (("value_range", bounds.get("minimum")), ("value_above", bounds.get("exclusiveMinimum"))):
        if least is not None:
            return say(key, least=least, most=bounds["maximum"])
    return ""
