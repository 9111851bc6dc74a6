"""A whole run at an endpoint that thinks before it answers: no call too many, and its thoughts stay its own."""

from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.reporter import Report
from services.models import close_clients
from services.models.endpoint import forget_endpoints
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import openai_server
from tests.fakes.reasoning_server import THOUGHT, ReasoningServer
from tests.services.models.conftest import thinker

__all__ = ["thinker"]

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
FORMS: dict[str, dict[str, Any]] = {
    "suppressed by forced JSON": {"forced_json_suppresses_thinking": True},
    "in tags, with temperature": {"shown": "think", "takes_temperature": True},
}
"""How the model thinks."""


@pytest.fixture
async def needed(docs: Path, environment: SetEnvironment) -> int:
    """Count the calls of the same run at an endpoint that answers at once."""
    with openai_server() as plain:
        environment(OPENAI_API_KEY=plain.key, OPENAI_BASE_URL=plain.base_url, LEADLINE_MODEL="thinker-1")
        forget_endpoints()
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
    needed: int, thinker: ReasoningServer, docs: Path, form: dict[str, Any]
) -> None:
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
    needed: int, thinker: ReasoningServer, docs: Path
) -> None:
    thinker.takes_temperature, thinker.shown = True, "instead"
    holds(await aresearch(QUESTION, docs=[docs]), thinker)
    assert thinker.roles.count("reporter") == 2
    assert len(thinker.requests) == needed + 1
