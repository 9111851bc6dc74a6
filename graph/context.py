"""What a run can choose, as Studio shows it: the prompts with the texts that they have, so that they can be edited.

The model is `schemas.context.RunContext`, because nodes read it too and may not import the graph.
"""

from copy import copy
from typing import Any

from pydantic import create_model

from prompts.overrides import system_text
from schemas.context import STEMS, RunContext

__all__ = ["RunContext", "StudioContext"]


def _field(stem: str) -> Any:
    """Return the field of a prompt with its present text; left as it is, it changes nothing."""
    field = copy(RunContext.model_fields[f"{stem}_prompt"])
    field.default = system_text(stem)
    return (str, field)


fields: Any = {f"{stem}_prompt": _field(stem) for stem in STEMS}
StudioContext: type[RunContext] = create_model("RunContext", __base__=RunContext, __doc__=RunContext.__doc__, **fields)
