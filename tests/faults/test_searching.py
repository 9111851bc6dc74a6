"""The fault matrix, what is searched: searches and pages that fail, stall or give nothing, and servers of tools that die."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.run.settings import forget_settings
from services.search.web import forget_web
from tests.conftest import PROJECT
from tests.fakes.http import Reply
from tests.fakes.openai_server import completion
from tests.fakes.site import Answer, Site, site
from tests.fakes.tavily_server import TavilyServer, page, search_there, tavily_server
from tests.faults.conftest import CHINESE, Ended, Lab
from tests.faults.faults import chance
from tests.services.search.test_duckduckgo import results
from tests.services.tools.mcp.conftest import left

TIDES = "Who designed the tide predicting machine and in which year was it built?"
TEXT = (
    "# Tide predicting machines\n\nThe first tide predicting machine was designed by William Thomson and built in 1873. "
    "It added up ten harmonic constituents by means of pulleys.\n"
)
PAGE = f"<html><head><title>Tides</title></head><body><article><p>{TEXT[27:]}</p></article></body></html>"
Trouble = Callable[[TavilyServer], None]


@pytest.fixture
def tavily(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[TavilyServer]:
    """Serve a web search with one page; the other web search cannot be reached."""
    with tavily_server(page("https://tides.example/machine", "Tide machines", TEXT)) as server:
        search_there(server, monkeypatch)
        yield server


@pytest.fixture
def web(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Serve a search that finds two pages, and the pages."""
    with site() as served:
        pages = [served.page("/machine", PAGE), served.page("/other", PAGE.replace("ten", "forty"))]
        found = results(
            *(
                (one, f"Tide machines {place}", "The tide predicting machine of 1873, in short.")
                for place, one in enumerate(pages)
            )
        )
        served.pages["/html/"] = Answer(found.encode())
        monkeypatch.setenv("LEADLINE_ALLOW_PRIVATE_HOSTS", served.host)
        monkeypatch.setenv("LEADLINE_DUCKDUCKGO_URL", served.url("/html/"))
        forget_settings()
        forget_web()
        yield served


def fails(tavily: TavilyServer) -> None:
    tavily.status = 500


def refuses(tavily: TavilyServer) -> None:
    tavily.status = 432


def stalls(tavily: TavilyServer) -> None:
    tavily.stall = 60


def talks_nonsense(tavily: TavilyServer) -> None:
    tavily.malformed = True


def finds_nothing(tavily: TavilyServer) -> None:
    tavily.pages = []


def search(lab: Lab, *options: object, question: str = TIDES) -> Ended:
    return lab.run(None, "--search", "tavily", *options, question=question)


@pytest.mark.parametrize("trouble", [fails, refuses, stalls, talks_nonsense, finds_nothing])
def test_a_search_that_never_gives_anything(lab: Lab, tavily: TavilyServer, trouble: Trouble, tmp_path: Path) -> None:
    lab.docs = tmp_path / "nothing of use"
    lab.docs.mkdir()
    (lab.docs / "note.md").write_text("# Bread\n\nThe bread of the mess was baked on Mondays.\n")
    trouble(tavily)
    ended = search(lab)
    assert ended.code == 3
    assert trouble is finds_nothing or ended.names("Tavily")
    assert tavily.key not in ended.report.model_dump_json()


@pytest.mark.parametrize("trouble", [stalls, talks_nonsense])
def test_a_search_that_fails_beside_documents_that_answer(lab: Lab, tavily: TavilyServer, trouble: Trouble) -> None:
    trouble(tavily)
    ended = search(lab, question="Who designed the wire sounding machine, and why was tallow pressed into the lead?")
    assert ended.code == 0
    assert ended.names("Tavily")


def test_a_chinese_report_names_a_search_that_fails_in_chinese(lab: Lab, tavily: TavilyServer) -> None:
    fails(tavily)
    ended = search(lab, question=CHINESE)
    assert ended.code == 0
    assert ended.names("Tavily 的服务出错（HTTP 500）。请稍后再试")


def test_searches_that_fail_at_a_rate(lab: Lab, tavily: TavilyServer) -> None:
    whole = search(lab)
    tavily.fails = lambda number: chance(4, number) < 30
    tried = search(lab)
    assert tried.code == 0
    assert tried.text == whole.text or tried.names("Tavily")


@pytest.mark.parametrize("how", ["fails", "stalls", "breaks off"])
def test_a_page_that_cannot_be_read(lab: Lab, web: Site, how: str) -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async def reset(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    wrong = {"fails": Answer(b"", 500), "stalls": Answer(stream=never), "breaks off": Answer(stream=reset)}
    web.pages["/machine"] = wrong[how]
    ended = lab.run(None, "--search", "duckduckgo", question=TIDES)
    assert ended.code == 0
    assert ended.names("/machine")


@pytest.mark.parametrize(
    ("role", "wrong"),
    [
        ("researcher", "unknown tool"),
        ("coder", "wrong arguments"),
        ("researcher", "no JSON"),
        ("researcher", "never ends"),
        ("coder", "never ends"),
    ],
)
def test_tools_that_are_used_wrongly(lab: Lab, role: str, wrong: str) -> None:
    calls: dict[str, list[tuple[str, str]]] = {
        "unknown tool": [("open_the_pod_bay_doors", "{}")],
        "wrong arguments": [("search_documents", '{"depth": [1]}'), ("run_python", '{"code": 7}')],
        "no JSON": [("search_documents", '{"query": "tallow'), ("run_python", "print(1)")],
        "never ends": [("read_result", '{"id": "result_of_nothing"}')],
    }
    step = {
        "id": "1", "title": "The tallow", "description": "Find it.", "queries": ["tallow"], "need_web_search": False,
        "step_type": "processing" if role == "coder" else "research", "tools": ["search_documents", "run_python"],
    }  # fmt: skip
    plan = {"locale": "en-US", "has_enough_context": False, "thought": "", "title": "Tallow", "steps": [step]}
    asked = [0]

    def fault(number: int, asking: str, body: dict[str, Any]) -> Reply | str | None:
        if asking == "planner":
            return json.dumps(plan)
        if asking != role or not body.get("tools"):
            return None
        asked[0] += 1
        return (
            completion(body, "", calls=calls[wrong]) if wrong == "never ends" or asked[0] < 4 else "Nothing came of it."
        )

    ended = lab.run(fault, "--max-plans", 1)
    assert ended.report.results[0].status == "failed"
    assert ended.names("The tallow")
    assert asked[0] <= 16  # eight rounds, two attempts


@pytest.mark.parametrize("tool", ["die", "fail"])
def test_a_server_of_tools_that_breaks_in_mid_run(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    mark = f"mark-of-{tmp_path}-{os.getpid()}"
    program = [sys.executable, "-P", str(PROJECT / "tests" / "fakes" / "mcp_server.py"), "pump"]
    server = {"command": program[0], "args": program[1:], "env": {"LEADLINE_TEST": mark}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"Pump": server}}))
    monkeypatch.setenv("LEADLINE_MCP", str(tmp_path / "mcp.json"))
    forget_settings()
    steps = [
        {"id": "1", "title": "The pump", "description": "Ask it.", "need_web_search": False, "tools": ["Pump"]},
        {"id": "2", "title": "The tallow", "description": "Why was tallow used?", "queries": ["Tallow was pressed into the lead."]},
    ]  # fmt: skip

    def fault(number: int, role: str, body: dict[str, Any]) -> Reply | str | None:
        if role == "planner":
            return json.dumps({"title": "Pump and tallow", "steps": steps})
        if role == "researcher" and body.get("tools"):
            return (
                completion(body, "", calls=[(f"Pump__{tool}", "{}")])
                if len(body["messages"]) < 3
                else "It says nothing."
            )
        return None

    ended = lab.run(fault, "--max-plans", 1)
    assert ended.code == 0
    assert ended.names("The pump")
    assert tool != "die" or ended.names("broke off in the middle of a call")
    assert left(mark) == []
