"""How a model is asked for an answer: bounds of its strings and lists, and only the fields that the case needs.

A bound stands in the JSON schema of the request, where an endpoint that constrains its model holds it. It is no condition:
a longer answer is cut when it is read (`services/models/structured_output.py`), and what a person or an older checkpoint brings
along is taken as it is.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, GetJsonSchemaHandler, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

LONGEST = 1_999
"""Most characters that a bound may name: llama.cpp makes no grammar of more repetitions."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """Bound of a string, in characters, or of a list, in items, as the JSON schema says it."""

    size: int

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the bound to the JSON schema of a string or a list; what is written down, as in a bundle, has none."""
        shape = handler(core_schema)
        if handler.mode == "serialization":
            return shape
        return {**shape, "maxItems" if shape.get("type") == "array" else "maxLength": self.size}


@dataclass(frozen=True, slots=True)
class Form:
    """Form of a string, as a regular expression that the JSON schema of a request says; no condition either."""

    pattern: str

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the form to the JSON schema of a string; what is written down, as in a bundle, has none."""
        shape = handler(core_schema)
        return shape if handler.mode == "serialization" else {**shape, "pattern": self.pattern}


Id = Annotated[str, AtMost(40)]
"""The id of an excerpt, a passage or a step."""
Title = Annotated[str, AtMost(200)]
Reason = Annotated[str, AtMost(300)]
"""One sentence: a reason, an aspect, a query."""
Thought = Annotated[str, AtMost(600)]
Answer = Annotated[str, AtMost(1_500)]
"""Some sentences that answer a question."""


@lru_cache(maxsize=64)
def reduced_schema(schema: type[BaseModel], without: frozenset[str] = frozenset()) -> type[BaseModel]:
    """Return a schema of the same name without some fields; what a model gives for those is left out."""
    fields: dict[str, Any] = {
        name: (field.annotation, field) for name, field in schema.model_fields.items() if name not in without
    }
    return create_model(schema.__name__, __doc__=schema.__doc__, __module__=schema.__module__, **fields)
