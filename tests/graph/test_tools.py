"""Steps with tools, through the whole graph: the model calls, the tools run, and only what they returned is cited."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.progress.run_view import Watched
from leadline.runs.actions import areplay
from leadline.runs.execute import first_input
from leadline.runs.store import config_of, open_home
from schemas.events import Event
from schemas.planner import Plan, Step
from schemas.reporter import Report
from services.reports.checking.bundle_check import verify_bundle
from services.run.journal import Recording, replaying, run_key
from services.run.settings import settings
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, Scripted, completion
from tests.fakes.search_services.served import served

pytestmark = pytest.mark.long

QUESTION = "How deep were the soundings of the Challenger on average, and who designed the wire sounding machine?"
BODY: dict[str, Any] = {"model": "m", "messages": []}
CODE = """
import pandas
table = pandas.read_csv("soundings.csv")
depths = table[table.ship == "Challenger"].depth_m
print(f"The mean of {len(depths)} soundings of the Challenger is {depths.mean():.1f} m.")
"""


def call(name: str, **arguments: Any) -> Reply:
    return completion(BODY, "", calls=[(name, json.dumps(arguments))])


def plan(*steps: Step) -> str:
    return Plan(locale="en-US", title="Soundings", steps=list(steps)).model_dump_json()


COMPUTE = Step(
    id="1",
    title="Mean depth",
    description="Mean depth_m of the soundings of the Challenger",
    step_type="processing",
    need_web_search=False,
    tools=["run_python"],
)
LOOK_UP = Step(
    id="1", title="Designer", description="Who designed the machine?", need_web_search=False, tools=["search_documents"]
)


@pytest.fixture
def endpoint(endpoint: OpenAIServer, environment: SetEnvironment) -> OpenAIServer:
    environment(LEADLINE_MODEL="test-model")
    return endpoint


async def run(
    endpoint: OpenAIServer, docs: Path, step: Step, out: Path | None = None, **script: list[Scripted]
) -> Report:
    """Research by one attempt at one step."""
    endpoint.script |= {"planner": [plan(step)], **script}
    return await aresearch(QUESTION, docs=[docs], out=out, max_plan_iterations=1, max_step_attempts=1)


def excerpts(report: Report) -> list[str]:
    return [excerpt.quote for result in report.results for excerpt in result.excerpts]


async def test_who_watches_is_told_what_the_searches_of_tools_brought(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path
) -> None:
    with served(tmp_path, "openalex") as twins:
        step = LOOK_UP.model_copy(update={"tools": ["search_documents", "web_search"]})
        calls = [
            call("search_documents", query="the wire sounding machine was designed by"),
            call("web_search", query="depths by echo"),
            call("web_search", query="nothing"),
        ]
        events: list[Event] = []
        endpoint.script |= {"planner": [plan(step)], "researcher": [*calls, "Nothing more."]}
        report = await aresearch(
            QUESTION,
            docs=[docs],
            search="duckduckgo|openalex",
            max_pages=0,
            max_plan_iterations=1,
            max_step_attempts=1,
            on_event=events.append,
        )
        assert len(twins["openalex"].asked) > 1
    told = [event for event in events if event.type == "searched"]
    assert [event.data["queries"] for event in told] == [
        ["the wire sounding machine was designed by"],
        ["depths by echo"],
        ["nothing"],
    ]
    assert all(event.data["step"] == "1" and event.node == "researcher" for event in told)
    assert [one["name"] for one in told[0].data["searched"]] == ["documents"]
    [failed, answered] = told[1].data["searched"]
    assert (failed["name"], failed["failed"], answered["name"], answered["hits"]) == ("duckduckgo", True, "openalex", 2)
    assert told[1].title.startswith("Step 1 searched for “depths by echo” (results: duckduckgo: failed (DuckDuckGo ")
    assert told[1].title.endswith("), openalex 2)")
    watched = Watched()
    for event in events:
        watched.see(event)
    assert watched.searched["openalex"].hits > 0
    assert told_of(await replayed_events(report.run_id)) == told_of(events)


async def replayed_events(run_id: str) -> list[Event]:
    """Return what whoever watches a run is told while it is carried out anew from its journal."""
    async with open_home(settings().leadline_home) as home:
        record = await home.record(run_id, finished=True)
        finished = await home.graph.aget_state(config_of(record))
        recording = await Recording.load(home.store, run_key(record.id, finished.values["turn"]), record.id)
        with replaying(recording):
            given, graph = await first_input(home, record), home.graph_in_memory()
            parts = graph.astream(given, config_of(record), context=record.context, stream_mode="custom")
            return [Event.model_validate(part) async for part in parts]


def told_of(events: list[Event]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return what events said of searches and their sources."""
    return [(event.type, event.title, event.data) for event in events if event.type in {"searched", "source"}]


async def test_a_finding_of_computing_with_tools_is_followed_to_the_run(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path
) -> None:
    said = "The two soundings of the Challenger have a mean of 7660.5 m. The deepest ocean is 10,935 m deep."
    report = await run(endpoint, docs, COMPUTE, coder=[call("run_python", code=CODE, description="mean depth"), said])
    [result] = report.results
    assert result.finding == "The two soundings of the Challenger have a mean of 7660.5 m."
    assert excerpts(report) == ["The mean of 2 soundings of the Challenger is 7660.5 m."]
    [source] = [source for source in report.sources if source.kind == "computation"]
    assert source.kind == "computation"
    assert report.usage.code_runs == 1
    again = await areplay(report.run_id, out=tmp_path)
    assert again.markdown == report.markdown
    folder = await asyncio.to_thread(lambda: next(tmp_path.glob("*/evidence.json")).parent)
    assert not verify_bundle(folder).problems
    assert CODE.strip() in (folder / source.file).read_text()
    sent = [message for body in endpoint.requests for message in body["messages"] if message.get("tool_calls")]
    [made] = sent[0]["tool_calls"]
    assert "pandas" not in made["function"]["arguments"], "code that ran is shown to the model by its id alone"
    assert "code_mean_depth_" in made["function"]["arguments"]


async def test_a_step_whose_tools_return_nothing_fails(endpoint: OpenAIServer, docs: Path) -> None:
    report = await run(endpoint, docs, COMPUTE, coder=["The mean is 5000 m."])
    assert report.results[0].status == "failed"
    assert "5000" not in report.markdown


SHOWN = r"\[(P\d+)\](?:(?!\[P).)*?(\d+)\| The wire sounding machine was designed by William Thomson in 1872\."


@pytest.mark.parametrize("structured", [False, True])
async def test_a_research_step_looks_up_with_tools_and_names_what_they_returned(
    endpoint: OpenAIServer, docs: Path, structured: bool
) -> None:
    query = "The wire sounding machine was designed by"
    searching: Reply | str = call("search_documents", query=query)
    if structured:
        endpoint.refuses = {"tools"}
        asked = {"tool_call_id": "a1", "name": "search_documents", "arguments": {"query": query}}
        searching = json.dumps({"action": {"type": "tool_call", "content": [asked]}})

    def answer(body: dict[str, Any]) -> str | Reply | None:
        if "You do one step of a research plan with tools" not in body["messages"][0]["content"]:
            return None
        if len(body["messages"]) == 2:
            assert body.get("tool_choice") == (None if structured else "required")
            return searching
        [passage, number] = re.findall(SHOWN, body["messages"][-1]["content"], re.DOTALL)[0]
        found = {"high": [f"{passage}:{number}"], "finding": "William Thomson designed it in 1872.", "confidence": 0.9}
        done = {"action": {"type": "complete", "content": json.dumps(found)}}
        return json.dumps(done if structured else found)

    endpoint.choose = answer
    report = await run(endpoint, docs, LOOK_UP)
    assert excerpts(report)[0] == "The wire sounding machine was designed by William Thomson in 1872."
    assert {source.kind for source in report.sources} == {"document"}
    assert report.usage.searches > 1


async def test_a_page_that_no_search_found_is_not_read_and_the_step_says_why_it_failed(
    endpoint: OpenAIServer, docs: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_SEARCH="duckduckgo", LEADLINE_DOCS=str(docs))
    reading = call("web_reader", url="http://127.0.0.1:9/secret")
    report = await run(endpoint, docs, LOOK_UP, researcher=[reading, "Nothing."])
    assert "no search found it" in str(endpoint.requests)
    assert report.results[0].status == "failed"
    assert report.results[0].error.startswith("The last tool call failed: ")
    assert "no search found it" in report.results[0].error


async def test_a_step_asks_a_database_computes_with_its_rows_and_cites_both(
    endpoint: OpenAIServer, docs: Path, casts: Path
) -> None:
    compute = (
        "import glob, pandas\n[name] = glob.glob('rows-*.csv')\nrows = pandas.read_csv(name)\n"
        "print(f'The casts add up to {rows.fathoms.sum()} fathoms.')"
    )
    step = COMPUTE.model_copy(update={"description": "Casts of the Gazelle", "tools": ["query_database"]})
    asked = call(
        "query_database", query="SELECT ship, fathoms FROM casts WHERE ship = :ship", params={"ship": "Gazelle"}
    )
    said = "The Gazelle's casts of 100 and 300 fathoms add up to 400 fathoms."
    report = await run(endpoint, docs, step, coder=[asked, call("run_python", code=compute), said])
    assert report.results[0].finding == said
    cited = {excerpt.content_hash for result in report.results for excerpt in result.excerpts}
    assert {source.kind for source in report.sources if source.content_hash in cited} == {"database", "computation"}
    [planned] = [body for role, body in zip(endpoint.roles, endpoint.requests, strict=True) if role == "planner"]
    assert "SQL over primary (SQLite): casts" in str(planned)
    assert str(casts) not in str(endpoint.requests)


async def test_the_data_style_computes_with_tools_without_being_told(endpoint: OpenAIServer, docs: Path) -> None:
    step = COMPUTE.model_copy(update={"tools": []})
    endpoint.script |= {"planner": [plan(step)], "coder": [call("run_python", code=CODE), "The mean is 7660.5 m."]}
    await aresearch(QUESTION, docs=[docs], max_plan_iterations=1, max_step_attempts=1, output_style="data")
    body = next(one for one in endpoint.requests if "plan with tools" in one["messages"][0]["content"])
    assert {tool["function"]["name"] for tool in body["tools"]} == {
        "file_reader",
        "run_python",
        "read_result",
    }
