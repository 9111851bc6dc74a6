"""The specification of a model call: role, prompt, schema and bounds."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from services.models.structured_output import shape_of


@dataclass(frozen=True, slots=True)
class CallSpec:
    """What one role is asked, and in which form."""

    role: str
    prompt: BaseModel
    schema: type[BaseModel] | None = None
    tools: Sequence[dict[str, Any]] = ()
    """Tools that are offered natively, in OpenAI's form."""
    tool_choice: str = "auto"
    """`auto`, `required` (it must call some tool) or the name of the tool that it must call, as far as the endpoint takes that."""
    instructions: str = ""
    """Added to the system message."""
    stream: bool = False
    template: str = ""
    """Stem of the template where it is not the role's own."""
    on_token: Callable[[str], None] | None = None
    """Takes the tokens as they come, instead of whoever streams the run's messages."""
    scale: float = 1.0
    """By how much the role's most tokens are multiplied, for answers that are longer by nature."""

    @property
    def stem(self) -> str:
        """Stem of the template."""
        return self.template or self.role

    @property
    def overhead(self) -> int:
        """Estimated tokens of schema and tools, which travel beside the messages."""
        shapes = [shape_of(self.schema)] if self.schema else []
        return (len(json.dumps([*shapes, *self.tools])) + len(self.instructions)) // 4
