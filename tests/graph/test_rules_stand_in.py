"""Where a model's answers cannot be used, rules stand in for its role, and the report says so."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from tests.fakes.openai_server import OpenAIServer

QUESTION = "Who designed the wire sounding machine and where was it tried first?"
INVENTED = json.dumps({"high": ["P77:1", "P1:999"], "finding": "The machine was made of wood by Noah."})


@pytest.mark.parametrize("answer", ["no", INVENTED])
async def test_rules_choose_the_quotes_of_a_step_whose_model_gives_none(
    endpoint: OpenAIServer, docs: Path, answer: str
) -> None:
    endpoint.script["researcher"] = [answer] * 20
    report = await aresearch(QUESTION, docs=[docs])
    assert any("rules chose its quotes" in limit for limit in report.limits)
    assert "William Thomson" in report.markdown
    assert "Noah" not in report.markdown
    assert all(result.status == "done" for result in report.results)


async def test_rules_judge_what_a_plan_with_an_outline_came_to_where_the_model_gives_no_judgement(
    endpoint: OpenAIServer, docs: Path
) -> None:
    endpoint.script["reflector"] = ["no"] * 20
    report = await aresearch(QUESTION, docs=[docs])
    asked = next(body for body, role in zip(endpoint.requests, endpoint.roles, strict=True) if role == "reflector")
    assert "<outline>" in asked["messages"][1]["content"]
    assert any("so rules decided" in limit for limit in report.limits)
    assert "William Thomson" in report.markdown
