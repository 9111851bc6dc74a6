"""Messages from a person to a run under way, which reach the planner at the run's next boundary."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from schemas.clean_text import CleanText

MAX_MESSAGES = 20
"""Messages that one turn of a run takes."""
MAX_TEXT = 2_000
"""Characters of a message."""

SteeringAction = Annotated[
    Literal["message", "skip", "write"], BeforeValidator(lambda value: "message" if value == "ask" else value)
]
"""`message` stands behind the question from then on, `skip` drops steps, `write` ends the research and has the report written.

Earlier versions had `ask`, which is a message.
"""


class Steering(BaseModel):
    """One message."""

    id: str
    """Messages are taken in the order of their ids, which is that in which they came."""
    text: CleanText = Field(max_length=MAX_TEXT)
    """As it was written."""
    action: SteeringAction = "message"
    steps: list[str] = Field(default_factory=list)
    """Ids of the steps that are dropped."""
    at: str = ""
    """ISO time at which it came."""
    plan: int = 0
    """Number of the plan that was under way when it was taken; 0 before the first."""
    planned: bool = False
    """Whether a plan has been made with it. The actions `skip` and `write` need none."""

    @property
    def for_planner(self) -> bool:
        """Tell whether the planner has to hear it still."""
        return self.action == "message" and not self.planned
