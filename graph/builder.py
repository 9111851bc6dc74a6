"""The whole graph on one screen: nine nodes and the edges between them."""

from langgraph.graph import START

from graph import routing
from graph.context import StudioContext
from graph.machine import Builder, described
from nodes.background_investigator import background_investigator
from nodes.coder import coder
from nodes.coordinator import coordinator
from nodes.human_feedback import human_feedback
from nodes.planner import planner
from nodes.reflector import reflector
from nodes.reporter import reporter
from nodes.research_team import research_team
from nodes.researcher import researcher
from schemas.state import ResearchInput, ResearchState, StepTask


def build_graph() -> Builder:
    """Return the graph, not yet compiled: `build_graph().compile(checkpointer=…, store=…)`."""
    builder = Builder(ResearchState, context_schema=StudioContext, input_schema=ResearchInput)

    builder.add_node("coordinator", coordinator, metadata=described("coordinator"))
    builder.add_node("background_investigator", background_investigator, metadata=described("background_investigator"))
    builder.add_node("planner", planner, metadata=described("planner"))
    builder.add_node("human_feedback", human_feedback, metadata=described("human_feedback"))
    builder.add_node("research_team", research_team, metadata=described("research_team"))
    builder.add_node("researcher", researcher, input_schema=StepTask, metadata=described("researcher"))
    builder.add_node("coder", coder, input_schema=StepTask, metadata=described("coder"))
    builder.add_node("reflector", reflector, metadata=described("reflector"))
    builder.add_node("reporter", reporter, metadata=described("reporter"))

    builder.add_edge(START, "coordinator")
    builder.add_conditional_edges("coordinator", routing.after_coordinator)
    builder.add_conditional_edges("background_investigator", routing.after_background_investigator)
    builder.add_conditional_edges("planner", routing.after_planner)
    builder.add_conditional_edges("human_feedback", routing.after_human_feedback)
    builder.add_edge("researcher", "reflector")
    builder.add_edge("coder", "reflector")
    builder.add_conditional_edges("reflector", routing.after_reflector)
    builder.set_finish_point("reporter")
    return builder
