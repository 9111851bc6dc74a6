"""Messages from a person to a run under way, which reach the planner at the run's next boundary."""

from typing import Literal

from pydantic import BaseModel, Field

from schemas.clean_text import CleanText

MAX_MESSAGES = 20
"""Messages that one turn of a run takes."""
MAX_TEXT = 2_000
"""Characters of a message."""

SteeringAction = Literal["message", "ask", "skip", "write"]
"""`message` is for the planner, `ask` adds a question, `skip` drops steps, `write` ends the research and has the report written."""


class Steering(BaseModel):
    """One message."""

    id: str
    """Messages are taken in the order of their ids, which is that in which they came."""
    text: CleanText = Field(max_length=MAX_TEXT)
    """As it was written; of `ask` the question alone."""
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
        return self.action in {"message", "ask"} and not self.planned
