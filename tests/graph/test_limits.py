"""Limits that hold: a run never uses more than it may, and its report says what was left out."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from schemas.reporter import Report
from schemas.usage import Allowance
from services.run.budget import shares
from services.run.errors import SettingsError
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion

pytestmark = pytest.mark.long

TWO_STEPS = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
ONE_STEP = "Where was the designer of the wire sounding machine born?"


def counted(endpoint: OpenAIServer) -> tuple[int, int]:
    return sum(read for read, _ in endpoint.counted), sum(wrote for _, wrote in endpoint.counted)


async def test_usage_sums_to_what_the_endpoint_counted_by_role_and_by_step(endpoint: OpenAIServer, docs: Path) -> None:
    body = {"model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True}}
    endpoint.script["reporter"] = [completion(body, "Tallow took a sample of the bottom [E2-1].", cached=7)]
    usage = (await aresearch(TWO_STEPS, docs=[docs])).usage
    assert (usage.total.input_tokens, usage.total.output_tokens) == counted(endpoint)
    assert usage.total.calls == len(endpoint.counted) == len(endpoint.requests)
    assert sum((used.tokens for used in usage.roles.values()), 0) == usage.total.tokens
    assert usage.total.cached_tokens == 7
    assert set(usage.steps) == {"1", "2"}
    assert sum(used.tokens for used in usage.steps.values()) == usage.roles["researcher"].tokens
    assert usage.searches > 0
    assert usage.seconds > 0


@pytest.mark.parametrize("limit", [3_000, 9_000])
async def test_tokens_never_exceed_their_limit_and_a_report_comes_all_the_same(
    endpoint: OpenAIServer, docs: Path, limit: int
) -> None:
    report = await aresearch(TWO_STEPS, docs=[docs], max_tokens=limit)
    assert sum(counted(endpoint)) <= limit * 1.1
    assert report.markdown
    assert report.usage.total.tokens == sum(counted(endpoint))
    if limit < 4_000:
        assert any("max_tokens" in limit for limit in report.limits)


async def test_a_run_without_room_for_any_call_reports_extracts_and_says_so(endpoint: OpenAIServer, docs: Path) -> None:
    report = await aresearch(ONE_STEP, docs=[docs], max_tokens=500)
    assert not endpoint.requests
    assert "William Thomson" in report.markdown
    assert "A limit left no room for the language model to write this report" in report.markdown
    assert "max_tokens" in report.markdown
    assert not any("could not interpret the question" in limit for limit in report.limits)


@pytest.mark.parametrize("limit", [0, 2])
async def test_searches_never_exceed_their_limit(docs: Path, limit: int) -> None:
    report = await aresearch(TWO_STEPS, docs=[docs], max_searches=limit)
    assert report.usage.searches <= limit
    assert any("max_searches" in limit for limit in report.limits)


async def test_money_never_exceeds_its_limit(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path, environment: SetEnvironment
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("test-model: {input: 10, output: 100}\n")
    environment(LEADLINE_PRICES=str(prices), LEADLINE_MODEL="test-model")
    report = await aresearch(TWO_STEPS, docs=[docs], max_cost=0.12)
    read, wrote = counted(endpoint)
    assert endpoint.requests
    assert report.usage.total.cost == pytest.approx((read * 10 + wrote * 100) / 1e6)
    assert report.usage.total.cost is not None
    assert report.usage.total.cost <= 0.12
    assert any("max_cost" in limit for limit in report.limits)


async def test_a_price_that_is_not_known_is_said_to_be_unknown(
    endpoint: OpenAIServer, docs: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_MODEL="a-model-of-our-own")
    report = await aresearch(ONE_STEP, docs=[docs])
    assert report.usage.total.cost is None
    assert json.loads(report.model_dump_json())["usage"]["total"]["cost"] is None
    with pytest.raises(SettingsError, match=r"price of a-model-of-our-own is not known.*LEADLINE_PRICES"):
        await aresearch(ONE_STEP, docs=[docs], max_cost=1)


@pytest.mark.parametrize("slow", ["reporter", "coordinator, planner, reporter"])
async def test_time_that_runs_out_ends_in_a_report(endpoint: OpenAIServer, docs: Path, slow: str) -> None:
    endpoint.script |= {role: [Reply(200, {}, stall=30)] * 9 for role in slow.split(", ")}
    report: Report = await aresearch(TWO_STEPS, docs=[docs], max_seconds=5)
    assert any("max_seconds" in limit for limit in report.limits)
    assert "William Thomson" in report.markdown
    assert report.usage.seconds < 30, "an answer that never comes was waited for"
    assert not report.without_model


def test_fewer_steps_are_sent_rather_than_all_with_too_little() -> None:
    assert len(shares(Allowance(tokens=4_500), 3)) == 2
    assert len(shares(Allowance(tokens=100), 3)) == 1
    assert len(shares(Allowance(), 3)) == 3
