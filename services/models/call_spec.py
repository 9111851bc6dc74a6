"""The specification of a model call: role, prompt, schema and bounds."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from services.models.structured_output import shape_of


@dataclass(frozen=True, slots=True)
class CallSpec:
    """Specification of one role's model call: prompt, answer form and output bounds."""

    role: str
    prompt: BaseModel
    schema: type[BaseModel] | None = None
    tools: Sequence[dict[str, Any]] = ()
    """Tools that are offered natively, in OpenAI's form."""
    must_call: bool = False
    """Whether some tool must be called, if the endpoint can demand that."""
    instructions: str = ""
    """Text that is added to the system message."""
    stream: bool = False
    template: str = ""
    """Stem of the template where it is not the role's own."""
    on_token: Callable[[str], None] | None = None
    """Called with each token as it arrives; the tokens then do not go to the run's message stream."""
    scale: float = 1.0
    """Factor on the role's maximum number of output tokens, for long answers."""

    @property
    def stem(self) -> str:
        """Stem of the template."""
        return self.template or self.role

    @property
    def overhead(self) -> int:
        """Estimated tokens of schema and tools, which are sent beside the messages."""
        shapes = [shape_of(self.schema)] if self.schema else []
        return (len(json.dumps([*shapes, *self.tools])) + len(self.instructions)) // 4
