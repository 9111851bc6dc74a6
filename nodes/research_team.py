"""Research team: sends all steps with settled dependencies at once."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from schemas.context import RunContext
from schemas.state import ResearchState
from services.run.scope import choices
from services.turn.steering import for_planner, hear, wants_report
from services.turn.steps import tasks_of


async def research_team(
    state: ResearchState, runtime: Runtime[RunContext]
) -> Command[Literal["researcher", "coder", "reflector"]]:
    """Send each ready step to its own researcher or coder; if none is ready, go to the reflector.

    It also goes to the reflector when a user's message is for the planner, or asks for the report.
    """
    state, update = await hear(state, runtime, "research_team")
    if wants_report(state) or for_planner(state):
        return Command(update=update, goto="reflector")
    sends = [
        Send("coder" if task["step"].step_type == "processing" else "researcher", task)
        for task in tasks_of(state, choices(runtime))
    ]
    return Command(update=update, goto=sends or "reflector")
