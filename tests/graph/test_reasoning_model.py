"""A whole run at an endpoint that thinks before it answers: no call too many, and its thoughts stay its own."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.reporter import Report
from services.models import close_clients
from services.models.endpoint import forget_endpoints
from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.fakes.reasoning_server import THOUGHT, ReasoningServer, reasoning_server

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
FORMS: dict[str, dict[str, Any]] = {
    "suppressed by forced JSON": {"forced_json_suppresses_thinking": True},
    "in tags, with temperature": {"shown": "think", "takes_temperature": True},
}
"""How the model thinks."""


@pytest.fixture
async def thinker(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ReasoningServer]:
    """Serve a reasoning model on loopback and point the environment to it."""
    with reasoning_server() as server:
        connect(server, monkeypatch)
        yield server
        await close_clients()


def connect(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point the environment to a server, as a new process finds it."""
    monkeypatch.setenv("OPENAI_API_KEY", server.key)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("LEADLINE_MODEL", "thinker-1")
    forget_settings()
    forget_endpoints()


async def needed_calls(docs: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the calls of the same run at an endpoint that answers at once."""
    with openai_server() as plain:
        connect(plain, monkeypatch)
        await aresearch(QUESTION, docs=[docs])
        await close_clients()
    return len(plain.requests)


def holds(report: Report, server: ReasoningServer) -> None:
    """Make sure that a report is the model's own work, and that no thought stands in it or in a prompt."""
    assert "William Thomson" in report.markdown
    assert any(claim.verified for claim in report.citations)
    assert not [limit for limit in report.limits if "model" in limit]
    thought = THOUGHT.split(". ")[0]
    assert thought not in report.model_dump_json()
    for request in server.requests:
        assert all(thought not in str(message.get("content")) for message in request["messages"])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
async def test_the_first_run_makes_one_call_too_many_at_most_and_the_second_none(
    thinker: ReasoningServer, docs: Path, form: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = await needed_calls(docs, monkeypatch)
    connect(thinker, monkeypatch)
    for name, value in form.items():
        setattr(thinker, name, value)
    first = await aresearch(QUESTION, docs=[docs])
    assert len(thinker.requests) <= needed + 1, (thinker.refused, thinker.empty)
    holds(first, thinker)

    thinker.requests.clear()
    forget_endpoints()  # as in another process, which knows what the first has kept
    second = await aresearch(QUESTION, docs=[docs])
    assert len(thinker.requests) == needed, (thinker.refused, thinker.empty)
    holds(second, thinker)


async def test_usage_counts_the_thinking(thinker: ReasoningServer, docs: Path) -> None:
    report = await aresearch(QUESTION, docs=[docs])
    assert report.usage.total.output_tokens >= thinker.thinking_tokens * report.usage.total.calls


async def test_a_report_that_stands_where_reasoning_belongs_is_taken_the_second_time(
    thinker: ReasoningServer, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = await needed_calls(docs, monkeypatch)
    connect(thinker, monkeypatch)
    thinker.takes_temperature, thinker.shown = True, "instead"
    holds(await aresearch(QUESTION, docs=[docs]), thinker)
    assert thinker.roles.count("reporter") == 2
    assert len(thinker.requests) == needed + 1
