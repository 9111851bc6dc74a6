"""A model with a context of 8,000 tokens: every prompt fits, and the report says how much evidence did not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.reporter import Report
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, error, role_of
from tests.fakes.quoting import passages_shown
from tests.fakes.read_folder import read_before

pytestmark = pytest.mark.long

WINDOW = 8_000
STEPS = 5
QUESTION = "Who designed the wire sounding machine, why was tallow pressed into the lead, and in how many minutes was the machine lowered?"
_PIECES = re.compile(r"\d|[^\W\d\u4e00-\u9fff]{1,7}|[^\w\s]{1,2}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
CHINESE_TOKENS = 0.85
"""Tokens of a Chinese character. With the pieces above this is within a twentieth of what Qwen2.5 counts of these runs' prompts."""


@pytest.fixture
def long_docs(tmp_path: Path) -> Path:
    """Return a folder of documents each of which is longer than the context: half in English, half in Chinese."""
    folder = tmp_path / "long"
    folder.mkdir()
    for number in range(3):
        english = [
            f"The wire sounding machine number {number}-{at} was designed by William Thomson and was lowered in {at + 2} minutes "
            f"from ship {number * 100 + at}. Tallow was pressed into the lead number {at} of ship {number} to take a sample."
            for at in range(120)
        ]
        chinese = [
            f"第{number}艘船的第{at}台钢丝测深机由威廉·汤姆森设计，放线用了{at + 2}分钟。第{at}个测深锤里压入牛油，以便带回海底样品。"
            for at in range(120)
        ]
        (folder / f"ship-{number}.md").write_text(f"# Ship {number}\n\n" + "\n\n".join(english) + "\n", "utf-8")
        (folder / f"船-{number}.md").write_text(f"# 第{number}艘船\n\n" + "\n\n".join(chinese) + "\n", "utf-8")
    return read_before(folder)


def much_found(body: dict[str, Any]) -> str | None:
    """Answer as a planner of as many steps as there may be, and as a researcher who takes whole passages, three sentences a quote."""
    if role_of(body) == "planner":
        steps = [
            {
                "title": f"Ship {number}",
                "description": "The machines.",
                "queries": [f"wire sounding machine ship {number} 钢丝测深机"],
            }
            for number in range(STEPS)
        ]
        return json.dumps({"has_enough_context": False, "thought": "", "title": "Ships", "steps": steps})
    if role_of(body) != "researcher":
        return None
    references = [
        f"{passage.id}:{place}-{min(place + 2, len(passage.spans))}"
        for passage in passages_shown(body)
        for place in range(1, len(passage.spans) + 1, 3)
    ]
    return json.dumps({"high": references, "finding": "William Thomson did.", "confidence": 0.9})


def tokens_of(body: dict[str, Any]) -> int:
    text = "".join(str(message.get("content") or "") for message in body["messages"])
    read = len(_PIECES.findall(text)) + CHINESE_TOKENS * len(_CHINESE.findall(text))
    return int(read) + int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)


def too_long(number: int, role: str, body: dict[str, Any]) -> Reply | None:
    """Refuse what is longer than the context, as vLLM does."""
    count = tokens_of(body)
    said = f"This model's maximum context length is {WINDOW} tokens. However, you requested {count} tokens."
    return error(400, said, "context_length_exceeded", "messages") if count > WINDOW else None


async def run_in_small_context(endpoint: OpenAIServer, docs: Path) -> Report:
    endpoint.fault, endpoint.choose = too_long, much_found
    report = await aresearch(QUESTION, docs=[docs], max_step_num=STEPS)
    assert any(claim.verified for claim in report.citations)
    return report


async def test_every_prompt_fits_into_the_context_that_was_set(
    endpoint: OpenAIServer, long_docs: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_CONTEXT_WINDOW=str(WINDOW))
    report = await run_in_small_context(endpoint, long_docs)
    assert [(role_of(body), tokens_of(body)) for body in endpoint.requests if tokens_of(body) > WINDOW] == []
    assert len(endpoint.requests) == report.usage.total.calls + report.usage.total.abandoned
    assert [limit for limit in report.limits if "did not fit" in limit]


async def test_a_context_that_nobody_set_is_learned_from_the_first_refusal(
    endpoint: OpenAIServer, long_docs: Path
) -> None:
    report = await run_in_small_context(endpoint, long_docs)
    assert [limit for limit in report.limits if "did not fit" in limit]
    assert len(endpoint.requests) <= report.usage.total.calls + 3


async def test_a_writer_whose_context_has_no_room_for_evidence_is_not_asked(
    endpoint: OpenAIServer, long_docs: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_CONTEXT_WINDOW_REPORTER="3000")
    endpoint.choose = much_found
    report = await aresearch(QUESTION, docs=[long_docs], max_step_num=STEPS, max_plan_iterations=1)
    assert "reporter" not in endpoint.roles
    assert any("have no room for the prompt of the role reporter" in limit for limit in report.limits)
    assert "wire sounding machine" in report.markdown
