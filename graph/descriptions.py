"""One-sentence descriptions of the nodes for Studio, the page and the README."""

from typing import Any

DESCRIPTIONS: dict[str, str] = {
    "coordinator": "reads the question: language, scope, simple or complex; answers greetings, asks back what is unclear, and has a finished report changed",
    "background_investigator": "searches the question once, so that planning starts informed",
    "planner": "makes a plan of research and processing steps with an outline of the report; on a replan only for what is missing",
    "human_feedback": "waits for your review of the plan, if you want one",
    "research_team": "sends every step that can run, side by side",
    "researcher": "searches, ranks passages, names the sentences to quote, says what is missing; again until it is covered",
    "coder": "computes: writes a program and runs it in a sandbox, or works with tools; every number comes from a run",
    "reflector": "a verdict on every step, thin places of the outline, contradictions, gaps, and whether it is enough",
    "reporter": "writes the report, a longer one section by section; code checks every statement, a model as verifier judges the rest; what fails is written anew, marked or left out",
}


def described(node: str) -> dict[str, Any]:
    """Return a node's metadata.

    The text is in a mapping by language because LangGraph's pictures show plain values in their boxes, and only in one
    language because the metadata is sent with every streamed token.
    """
    return {"description": {"en": DESCRIPTIONS[node]}}
