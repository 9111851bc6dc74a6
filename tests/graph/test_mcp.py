"""Servers of tools in a whole run: the planner assigns them, failures stand in the report, nothing is left behind."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer
from tests.graph.test_tools import call
from tests.services.tools.mcp.conftest import Configure, configure, fake, left, mark

__all__ = ["configure", "mark"]
pytestmark = pytest.mark.long

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
STEP: dict[str, Any] = {
    "id": "1",
    "title": "The machine",
    "description": "Find its designer.",
    "queries": ["wire sounding machine"],
}
LOOK_UP = {**STEP, "need_web_search": False, "queries": [], "tools": ["Pump"]}


@pytest.fixture(autouse=True)
def servers(configure: Configure) -> None:
    """Configure a server that works and one that does not."""
    configure(Pump=fake(description="asks <the pump>"), missing={"command": "no-such-program"})


async def test_the_planner_sees_servers_by_name_and_assigns_those_that_there_are(
    endpoint: OpenAIServer, docs: Path, mark: str
) -> None:
    plan = {"title": "T", "steps": [{**STEP, "tools": ["pump", "PUMP", "unheard of"]}]}
    endpoint.script["planner"] = [json.dumps(plan)]
    report = await aresearch(QUESTION, docs=[docs], max_plan_iterations=1)
    [prompt] = endpoint.asked("planner")
    assert '<tools>\n<tool name="Pump">asks <the pump></tool>\n</tools>' in prompt
    assert "pump__say" not in prompt
    assert report.plans[0].steps[0].tools == ["Pump"]
    assert any("missing (no-such-program) cannot be started" in limit for limit in report.limits)
    assert left(mark) == []


async def test_a_step_calls_its_servers_tools_which_its_report_cites_and_a_replay_does_without(
    endpoint: OpenAIServer, docs: Path, mark: str, environment: SetEnvironment
) -> None:
    environment(LEADLINE_MODEL="test-model")
    words = "the designer of the wire sounding machine was William Thomson"
    endpoint.script["planner"] = [json.dumps({"title": "T", "steps": [LOOK_UP]})]
    endpoint.script["researcher"] = [
        call("Pump__say", words=words),
        json.dumps({"finding": f"{words}.", "high": ["P1:1"], "confidence": 0.9}),
    ]
    report = await aresearch(QUESTION, docs=[docs], max_plan_iterations=1, max_step_attempts=1)
    [loop, *_] = [request for request in endpoint.requests if request.get("tools")]
    offered = {tool["function"]["name"] for tool in loop["tools"]}
    assert {"Pump__say", "Pump__process"} <= offered
    assert [excerpt.quote for excerpt in report.results[0].excerpts] == [f"pump says {words}"]
    [source] = [source for source in report.sources if source.kind == "tool"]
    others = [other for other in report.sources if other != source]
    assert source.url == "tool:Pump/say"
    assert {one.kind for one in others} == {"document"}, "what the step left open the background search answers"
    assert "a sample of the bottom stuck to it" in report.markdown
    assert left(mark) == []
    environment(LEADLINE_MCP=None)
    again = await areplay(report.run_id)
    assert (again.markdown, again.limits) == (report.markdown, report.limits)
    assert left(mark) == []


async def test_a_cancelled_run_leaves_no_process(docs: Path, mark: str) -> None:
    def stop(event: Any) -> None:
        if event.type == "step_finished":
            task.cancel()

    task = asyncio.ensure_future(aresearch(QUESTION, docs=[docs], on_event=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left(mark) == []
