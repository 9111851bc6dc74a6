"""One-sentence descriptions of the nodes for Studio, the page and the guide to the architecture."""

from typing import Any

DESCRIPTIONS: dict[str, str] = {
    "coordinator": "reads the question: language, scope, simple or complex; answers greetings, asks for clarification, and starts changes of a finished report",
    "background_investigator": "searches for the question once, to inform the plan",
    "planner": "plans research and processing steps and outlines the report; a replan covers only what is missing",
    "human_feedback": "waits for your review of the plan, if you asked for one",
    "research_team": "starts every step that can run, in parallel",
    "researcher": "searches, ranks passages, selects the sentences to quote, and names gaps; repeats until the step is covered",
    "coder": "computes: writes a program and runs it in a sandbox, or uses tools; every number comes from a run",
    "reflector": "judges every step, finds weak topics, contradictions and gaps, and decides whether enough is known",
    "reporter": "writes the report, a long one section by section; code checks every statement, and a model as verifier judges the rest; what fails is rewritten, marked or left out",
}


def described(node: str) -> dict[str, Any]:
    """Return a node's metadata.

    The text is in a mapping by language because LangGraph's pictures show plain values in their boxes, and only in one
    language because the metadata is sent with every streamed token.
    """
    return {"description": {"en": DESCRIPTIONS[node]}}
