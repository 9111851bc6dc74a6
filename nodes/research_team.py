"""Research team: sends every step whose dependencies are settled, all at once."""

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
    """Hand each ready step to a researcher or a coder of its own; when none is ready, reflect on what there is.

    So it does when somebody has said something that the planner has to hear, or wants the report.
    """
    state, update = await hear(state, runtime, "research_team")
    if wants_report(state) or for_planner(state):
        return Command(update=update, goto="reflector")
    sends = [
        Send("coder" if task["step"].step_type == "processing" else "researcher", task)
        for task in tasks_of(state, choices(runtime))
    ]
    return Command(update=update, goto=sends or "reflector")
