"""A report of one sentence an excerpt, as the model is asked for where its own report proves nothing."""

import json

from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from services.reports.report_draft import write_sentences
from tests.fakes.openai_server import OpenAIServer

WIRE = "Piano wire took the place of hemp rope in the machine."
BAY = "The wire was tried first in the Bay of Biscay aboard the yacht Lalla Rookh."


def view(identifier: str, quote: str) -> EvidenceView:
    return EvidenceView(id=identifier, title="The machine", quote=quote)


async def test_what_is_said_of_two_excerpts_stands_at_the_excerpt_that_it_is_nearer_to(endpoint: OpenAIServer) -> None:
    finding = FindingView(
        step_id="1", title="Wire", status="done", finding="", evidence=[view("E1-1", WIRE), view("E1-2", BAY)]
    )
    prompt = ReporterPrompt(
        question="Where was the wire tried first?",
        locale="en",
        today="2026-01-01",
        length="standard",
        tone="",
        findings=[finding],
        background=[],
        contradictions=[],
        missing_aspects=[],
    )
    said = [{"number": 1, "sentence": "The wire was tried first in the Bay of Biscay."}, {"number": 2, "sentence": BAY}]
    endpoint.script["reporter_sentences"] = [json.dumps({"sentences": said})]
    assert await write_sentences(prompt) == f"- {BAY} [E1-2]"
