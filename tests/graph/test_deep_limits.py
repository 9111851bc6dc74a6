"""Limits, failures and small windows at depth: rounds, rework and sections give way, and the report comes and says so."""

from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.reporter import Report
from tests.fakes import deep_model
from tests.fakes.deep_model import BILGE, QUESTION, moment_of, write_documents
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.read_folder import read_before

pytestmark = pytest.mark.long
SECTIONS = ["section The anchor", "section The bilge", "section The ensign"]


@pytest.fixture
def endpoint(endpoint: OpenAIServer, asked_once: None) -> OpenAIServer:
    endpoint.choose = deep_model.answer
    return endpoint


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return read_before(write_documents(tmp_path / "papers"))


async def run(papers: Path, **choices: Any) -> Report:
    report = await aresearch(QUESTION, docs=[papers], depth="deep", **choices)
    assert report.markdown.startswith("# ")
    return report


def asked(endpoint: OpenAIServer) -> list[str]:
    return [moment_of(body) for body in endpoint.requests]


@pytest.mark.parametrize("tokens", [2_000, 7_000])
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
    report = await run(papers, max_tokens=20_500)
    assert [moment for moment in asked(endpoint) if moment.startswith("section")] == SECTIONS
    assert not [limit for limit in report.limits if "The model could not write" in limit]
    assert f"The limits left no room for more research on the weakest section, “{BILGE}”." in report.limits


@pytest.mark.parametrize("slow", ["round 2", "section", "anew"])
async def test_time_that_runs_out_in_any_phase_ends_in_a_report_that_says_so(
    endpoint: OpenAIServer, papers: Path, slow: str
) -> None:
    endpoint.choose = lambda body: Reply(stall=90) if slow in moment_of(body) else deep_model.answer(body)
    report = await run(papers, max_seconds=12)
    assert any(slow in moment for moment in asked(endpoint))
    assert any("max_seconds" in limit for limit in report.limits)
    assert not any("max_tokens" in limit for limit in report.limits)
    assert report.usage.seconds < 24
    assert (await areplay(report.run_id)).markdown == report.markdown
