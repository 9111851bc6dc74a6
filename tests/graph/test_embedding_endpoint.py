"""Embedding at an endpoint within a run: counted, limited, and on disk before it is used."""

import asyncio
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from tests.fakes.read_folder import written
from tests.services.embedding.test_models import Endpoint, endpoint, folder

pytestmark = pytest.mark.long

__all__ = ["endpoint", "folder"]
QUESTION = "Where did the dog sleep all winter long?"


async def test_a_run_counts_what_embedding_took(endpoint: Endpoint, folder: Path) -> None:
    report = await aresearch(QUESTION, docs=[folder])
    assert "hound" in report.markdown
    used = report.usage.roles["embedding"]
    assert used.calls == used.input_tokens == endpoint.calls
    assert sum(used.tokens for used in report.usage.roles.values()) == report.usage.total.tokens
    again = await aresearch(QUESTION, docs=[folder])
    assert 0 < again.usage.roles["embedding"].calls < used.calls


async def test_runs_side_by_side_are_charged_their_own(endpoint: Endpoint, folder: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other", {"Tide": "The tide gauge at Leith was read every hour by the harbour master."})
    runs = [
        await aresearch(QUESTION, docs=[folder], deep_research=False),
        *await asyncio.gather(
            aresearch("Who read the tide gauge at Leith?", docs=[other], deep_research=False),
            aresearch(f"{QUESTION} Tell me again.", docs=[folder], deep_research=False),
        ),
    ]
    used = [run.usage.roles["embedding"] for run in runs]
    assert sum(one.calls for one in used) == endpoint.calls
    assert used[2].calls < used[0].calls, "the passages of the first folder were paid for by the first run"
    again = await aresearch("Who read the tide gauge at Leith?", docs=[other], deep_research=False)
    assert again.usage.roles["embedding"].calls < used[1].calls


async def test_a_replay_asks_no_endpoint_and_counts_the_same(endpoint: Endpoint, folder: Path, tmp_path: Path) -> None:
    whole = await aresearch(QUESTION, docs=[folder], out=tmp_path / "first")
    asked = endpoint.calls
    again = await areplay(whole.run_id, out=tmp_path / "second")
    assert endpoint.calls == asked
    assert again.usage == whole.usage


async def test_a_limit_leaves_passages_and_queries_to_words(endpoint: Endpoint, tmp_path: Path) -> None:
    texts = {f"Note {place}": f"The hound number {place} slept by the stove. " * 15 for place in range(30)}
    folder = written(tmp_path / "long", texts)
    report = await aresearch("Where did the hound sleep all winter long?", docs=[folder], max_tokens=3_000)
    assert "hound" in report.markdown
    assert report.usage.total.tokens <= 6_000
    assert "embedding" not in report.usage.roles


async def test_money_cannot_be_limited_where_the_price_of_embedding_is_not_known(
    endpoint: Endpoint, folder: Path
) -> None:
    report = await aresearch("Where did the hound sleep all winter long?", docs=[folder], max_cost=1.0)
    assert "hound" in report.markdown
    assert endpoint.calls == 0
