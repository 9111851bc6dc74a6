"""The choices of a run as Studio's form shows them: the common ones, and one object, `advanced`, with all others.

The model is `schemas.context.RunContext`, because nodes read it too and may not import the graph. There the advanced choices stand
beside the others.
"""

from typing import Any

from pydantic import ConfigDict

from schemas.context import RunContext

__all__ = ["COMMON", "RunContext", "StudioContext"]

COMMON = (
    *("depth", "review_plan", "documents", "search", "locale", "length", "output_formats", "output_style"),
    *("models", "profile", "max_cost", "max_seconds", "max_plan_iterations", "max_step_num"),
)
"""Fields of the form, in its order; all other fields are advanced. A server drops what the form does not hold, so `leadline.server.auth` moves it into `advanced`."""


def _arrange(schema: dict[str, Any]) -> None:
    """Order the fields of the form, and gather the advanced ones in one object."""
    fields: dict[str, dict[str, Any]] = schema["properties"]
    advanced = {name: field for name, field in fields.items() if name not in COMMON}
    gathered = {
        "type": "object",
        "title": "Advanced",
        "description": "All other choices, by their names.",
        "default": {name: field["default"] for name, field in advanced.items()},
        "properties": advanced,
        "additionalProperties": False,
    }
    schema["properties"] = {name: fields[name] for name in COMMON} | {"advanced": gathered}


class StudioContext(RunContext):
    """The choices of a run, its fields in the order of the form."""

    model_config = ConfigDict(json_schema_extra=_arrange, title="RunContext")
