"""Limits, failures and small windows at depth: rounds, rework and sections give way, and the report comes and says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.events import Event
from schemas.reporter import Report
from services.run.prices import forget_prices
from services.run.settings import forget_settings
from tests.fakes import deep_model
from tests.fakes.deep_model import BILGE, QUESTION, moment_of, write_documents
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, error, role_of
from tests.fakes.read_folder import read_before
from tests.graph.test_small_context import tokens_of

pytestmark = pytest.mark.long
SECTIONS = ["section The anchor", "section The bilge", "section The ensign"]
FILLER = 12


@pytest.fixture
def endpoint(endpoint: OpenAIServer, asked_once: None) -> OpenAIServer:
    """Serve the scripted model."""
    endpoint.choose = deep_model.answer
    return endpoint


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Return the folder of documents."""
    return read_before(write_documents(tmp_path / "papers"))


async def run(papers: Path, **choices: Any) -> Report:
    """Research at depth; a replay without calls gives the same report."""
    report = await aresearch(QUESTION, docs=[papers], depth="deep", **choices)
    assert report.markdown.startswith("# ")
    assert (await areplay(report.run_id)).markdown == report.markdown
    return report


def asked(endpoint: OpenAIServer) -> list[str]:
    """Return what was asked for."""
    return [moment_of(body) for body in endpoint.requests]


def results(report: Report) -> dict[str, tuple[str, int]]:
    """Return status and number of excerpts of each step."""
    return {result.step_id: (result.status, len(result.excerpts)) for result in report.results}


@pytest.mark.parametrize("tokens", [2_000, 4_000, 7_000, 10_000, 14_000, 18_000])
async def test_tokens_hold_and_what_they_leave_no_room_for_is_said(
    endpoint: OpenAIServer, papers: Path, tokens: int
) -> None:
    report = await run(papers, max_tokens=tokens)
    assert sum(map(sum, endpoint.counted)) <= tokens * 1.1
    assert any("max_tokens" in limit for limit in report.limits)
    assert len(asked(endpoint)) == len(set(asked(endpoint)))


async def test_sections_that_cannot_be_paid_for_beside_each_other_are_written_one_after_the_other(
    endpoint: OpenAIServer, papers: Path
) -> None:
    report = await run(papers, max_tokens=19_500)
    assert [moment for moment in asked(endpoint) if moment.startswith("section")] == SECTIONS
    assert not [limit for limit in report.limits if "The model could not write" in limit]
    assert f"The limits left no room for more research on the weakest section, “{BILGE}”." in report.limits


@pytest.mark.parametrize("cost", [0.1, 0.2, 0.3, 0.4])
async def test_money_holds(
    endpoint: OpenAIServer, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cost: float
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("test-model: {input: 10, output: 100}\n")
    monkeypatch.setenv("LEADLINE_PRICES", str(prices))
    forget_settings()
    forget_prices()
    report = await run(papers, max_cost=cost)
    assert 0 < (report.usage.total.cost or 0) <= cost
    assert any("max_cost" in limit for limit in report.limits)


@pytest.mark.parametrize(
    "slow", ["round 1", "round 2", "reflector 1", "planner 2", "section", "The bilge, round 1", "anew", "joining"]
)
async def test_time_that_runs_out_in_any_phase_ends_in_a_report_that_says_so(
    endpoint: OpenAIServer, papers: Path, slow: str
) -> None:
    endpoint.choose = lambda body: Reply(stall=90) if slow in moment_of(body) else deep_model.answer(body)
    report = await run(papers, max_seconds=12)
    assert any(slow in moment for moment in asked(endpoint))
    assert any("max_seconds" in limit for limit in report.limits)
    assert not any("max_tokens" in limit for limit in report.limits)
    assert report.usage.seconds < 24


async def test_a_later_round_that_time_runs_out_on_keeps_what_the_first_one_found(
    endpoint: OpenAIServer, papers: Path
) -> None:
    endpoint.choose = lambda body: Reply(stall=90) if "round 2" in moment_of(body) else deep_model.answer(body)
    report = await run(papers, max_seconds=12)
    assert (results(report)["1"], results(report)["2"]) == (("done", 4), ("done", 4))


async def test_a_later_round_in_which_the_endpoint_fails_keeps_what_the_first_one_found(
    endpoint: OpenAIServer, papers: Path
) -> None:
    failing = "Ground tackle, round 2"
    endpoint.choose = lambda body: (
        error(400, "No.", "bad_request") if moment_of(body) == failing else deep_model.answer(body)
    )
    report = await run(papers)
    assert (results(report)["1"], results(report)["2"]) == (("done", 4), ("done", 8))
    assert any("role researcher" in limit for limit in report.limits)


@pytest.mark.parametrize(("window", "more_rounds"), [(5_000, 2), (4_000, 2)])
async def test_a_small_window_means_less_in_each_round_more_of_them_and_the_same_evidence(
    endpoint: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int, more_rounds: int
) -> None:
    def answer(body: dict[str, Any]) -> Reply | str | None:
        """Miss something as long as there are rounds left."""
        said = deep_model.answer(body)
        if role_of(body) == "researcher" and isinstance(said, str):
            return json.dumps({**json.loads(said), "missing_aspects": ["more"]})
        return said

    endpoint.choose = answer
    papers = write_documents(tmp_path / "long", FILLER)
    rounds: list[dict[str, Any]] = []

    def note(event: Event) -> None:
        rounds.extend([event.data] if event.type == "round" else [])

    large = await run(papers, on_event=note)
    at_once, calls = sizes(rounds), len(endpoint.requests)
    rounds.clear()
    monkeypatch.setenv("LEADLINE_CONTEXT_WINDOW", str(window))
    forget_settings()
    small = await run(papers, on_event=note)
    portions = sizes(rounds)
    assert len(portions["4"]) == len(at_once["4"]) + more_rounds
    assert max(portions["4"]) < max(at_once["4"])
    assert sum(portions["4"]) == sum(at_once["4"])
    assert max(map(tokens_of, endpoint.requests[calls:])) <= window
    assert results(small) == results(large)
    assert {excerpt.quote for excerpt in small.excerpts} == {excerpt.quote for excerpt in large.excerpts}
    assert sum(claim.verified for claim in small.citations) == sum(claim.verified for claim in large.citations)


def sizes(rounds: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Return how many passages each round of each step was shown."""
    found: dict[str, list[int]] = {}
    for data in rounds:
        found.setdefault(data["step"], []).append(data["passages"])
    return found
