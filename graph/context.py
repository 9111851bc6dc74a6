"""The choices of a run in the order of Studio's form: the common choices, the others, the prompts.

The model is `schemas.context.RunContext`, because nodes read it too and may not import the graph. Studio's form knows no groups:
it shows the fields in their order, by their titles. Prompts have the texts that they have, so that they can be edited.
"""

from copy import copy
from typing import Any

from pydantic import ConfigDict, create_model

from prompts.overrides import system_text
from schemas.context import STEMS, RunContext

__all__ = ["BASIC", "RunContext", "StudioContext"]

BASIC = (
    "depth",
    "review_plan",
    "documents",
    "search",
    "locale",
    "length",
    "output_formats",
    "max_cost",
    "max_seconds",
)
"""Fields at the top of the form, in this order; all other fields are advanced."""


def _arrange(schema: dict[str, Any]) -> None:
    """Order the fields of the form, and mark the advanced ones in their titles."""
    fields: dict[str, dict[str, Any]] = schema["properties"]
    prompts = [f"{stem}_prompt" for stem in STEMS]
    advanced = [name for name in fields if name not in BASIC and name not in prompts]
    schema["properties"] = {name: fields[name] for name in (*BASIC, *advanced, *prompts)}
    for name in advanced:
        fields[name]["title"] = f"Advanced: {fields[name]['title']}"
    for name in prompts:
        fields[name]["title"] = f"Prompt: {fields[name]['title'].removesuffix(' Prompt')}"


class _Arranged(RunContext):
    """The context, its fields in the order of the form."""

    model_config = ConfigDict(json_schema_extra=_arrange)


def _field(stem: str) -> Any:
    """Return the field of a prompt with its present text as default; an unchanged text has no effect."""
    field = copy(RunContext.model_fields[f"{stem}_prompt"])
    field.default = system_text(stem)
    return (str, field)


fields: Any = {f"{stem}_prompt": _field(stem) for stem in STEMS}
StudioContext: type[RunContext] = create_model("RunContext", __base__=_Arranged, __doc__=RunContext.__doc__, **fields)
