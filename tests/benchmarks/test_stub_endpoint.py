"""The stub endpoint, in a process of its own, asked by the real client; and a chain of calls weighed."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.run import critical_path, stub
from benchmarks.stub_answers import coded
from leadline import aresearch
from schemas.coder import CoderPrompt, TableView
from services.models import close_clients
from services.run.settings import settings
from services.sandbox.sandbox import Sandbox

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


def _log(base_url: str) -> str:
    return base_url.removesuffix("/v1") + "/log"


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


async def test_the_program_of_the_stub_reads_the_file_of_all_texts() -> None:
    table = TableView(file="papers-texts.jsonl", title="papers", rows=2, columns=[])
    prompt = CoderPrompt(
        question="How many?",
        locale="en",
        title="Count",
        description="Count",
        feedback="",
        findings=[],
        tables=[table],
        attempts=[],
    )
    ran = await Sandbox(mode="unsafe").run(
        json.loads(coded(prompt))["code"], files={table.file: b'{"title": "a"}\n{"title": "b"}\n'}
    )
    assert ran.stdout == "The table has 2 rows.\n"
