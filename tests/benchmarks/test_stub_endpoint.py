"""The stub endpoint, in a process of its own, asked by the real client; and a chain of calls weighed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_openai import ChatOpenAI

from benchmarks.run import critical_path, stub
from leadline import aresearch
from prompts import render
from schemas.coordinator import CoordinatorPrompt, Triage
from services.models import close_clients
from services.run.settings import settings

QUESTION = "Where was the designer of the wire sounding machine born?"


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with stub(first_token=0.0, per_token=0.0) as address:
        yield address


@pytest.fixture
async def client(base_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=base_url) as client:
        await client.delete(_log(base_url))
        yield client


@pytest.fixture
def model(client: httpx.AsyncClient, base_url: str) -> ChatOpenAI:
    with httpx.Client() as unused:
        return ChatOpenAI(
            model="stub",
            base_url=base_url,
            api_key="none",
            http_async_client=client,
            http_client=unused,
            stream_usage=True,
        )


def _log(base_url: str) -> str:
    return base_url.removesuffix("/v1") + "/log"


def _prompt() -> list[BaseMessage]:
    return render("coordinator", CoordinatorPrompt(question=QUESTION, conversation=[], profile=None, locale="auto"))


async def _logged(client: httpx.AsyncClient, base_url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(_log(base_url))).json()
    return found


async def test_a_whole_run_is_logged_call_by_call(
    client: httpx.AsyncClient, base_url: str, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    settings.cache_clear()
    report = await aresearch(QUESTION, docs=[docs])
    await close_clients()
    calls = await _logged(client, base_url)
    assert "Belfast" in report.markdown
    assert {call["role"] for call in calls} == set(report.usage.roles)
    assert sum(use.input_tokens for use in report.usage.roles.values()) == sum(call["prompt_tokens"] for call in calls)
    assert all(call["start"] <= call["end"] for call in calls)


async def test_a_schema_is_answered_streamed_or_not(
    model: ChatOpenAI, client: httpx.AsyncClient, base_url: str
) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "Triage", "schema": Triage.model_json_schema()}}
    whole = await model.ainvoke(_prompt(), response_format=wanted)
    pieces = [piece async for piece in model.astream(_prompt(), response_format=wanted)]
    assert Triage.model_validate_json(whole.text).intent == "in_scope"
    assert "".join(piece.text for piece in pieces) == whole.text
    assert len(pieces) > 10
    assert [call["streamed"] for call in await _logged(client, base_url)] == [False, True]


async def test_a_stream_ends_with_the_usage_that_the_whole_answer_has(model: ChatOpenAI) -> None:
    whole = await model.ainvoke(_prompt())
    used = [piece.usage_metadata async for piece in model.astream(_prompt()) if piece.usage_metadata]
    assert used == [whole.usage_metadata]


async def test_a_schema_that_is_asked_for_as_a_tool_is_answered_as_a_call(model: ChatOpenAI) -> None:
    tool = {"type": "function", "function": {"name": "Triage", "parameters": Triage.model_json_schema()}}
    whole = await model.ainvoke(_prompt(), tools=[tool])
    [call] = whole.tool_calls
    assert call["name"] == "Triage"
    assert Triage.model_validate(call["args"]).question == QUESTION
    streamed = None
    async for piece in model.astream(_prompt(), tools=[tool]):
        streamed = piece if streamed is None else streamed + piece
    assert streamed is not None
    assert streamed.tool_calls[0]["args"] == call["args"]


async def test_without_a_schema_the_prompt_tells_who_asks(
    model: ChatOpenAI, client: httpx.AsyncClient, base_url: str
) -> None:
    await model.ainvoke(_prompt())
    await model.ainvoke([HumanMessage(_prompt()[1].text)])
    assert [call["role"] for call in await _logged(client, base_url)] == ["coordinator", "reporter"]


async def test_many_calls_at_once_are_all_answered(model: ChatOpenAI, client: httpx.AsyncClient, base_url: str) -> None:
    answers = await asyncio.gather(*(model.ainvoke(_prompt()) for _ in range(20)))
    assert len({answer.text for answer in answers}) == 1
    assert len(await _logged(client, base_url)) == 20


async def test_a_request_that_is_none_is_refused(client: httpx.AsyncClient) -> None:
    assert (await client.post("/chat/completions", content=b"{")).status_code == 400
    assert (await client.post("/chat/completions", json={"messages": []})).status_code == 400


def test_the_critical_path_is_the_heaviest_chain_without_overlaps() -> None:
    calls = [
        {"start": 0.0, "end": 1.0},
        {"start": 1.5, "end": 2.0},
        {"start": 1.5, "end": 4.5},
        {"start": 1.6, "end": 3.0},
        {"start": 5.0, "end": 6.0},
    ]
    assert critical_path(calls) == pytest.approx(1.0 + 3.0 + 1.0)
    assert critical_path([]) == 0.0
