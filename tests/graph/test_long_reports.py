"""Long reports: sections written side by side from their own evidence, joined by one call, streamed in order."""

import json
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from graph import build_graph
from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.context import RunContext
from schemas.reporter import Report
from services.run.settings import forget_settings
from services.search.providers import allow_folders
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion

pytestmark = pytest.mark.long

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
BODY: dict[str, Any] = {
    "model": "m",
    "messages": [],
    "stream": True,
    "stream_options": {"include_usage": True},
}
MACHINE = "The wire sounding machine was designed by William Thomson in 1872 [E1-1]."
TALLOW = "Tallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it [E2-1]."
OUTLINE = {
    "title": "Thomson's machine and the armed lead",
    "sections": [
        {"title": "The machine", "focus": "Who designed it.", "excerpt_ids": ["E1-1", "E9-9"]},
        {"title": "The tallow", "focus": "Why it was there.", "excerpt_ids": ["E2-1"]},
        {"title": "Nothing", "excerpt_ids": ["E9-8"]},
    ],
    "terms": ["sounding machine"],
}
JOINING = {
    "title": "Thomson's machine and the armed lead",
    "summary": "William Thomson designed the wire sounding machine in 1872 [E1-1].",
    "conclusion": "Tallow brought up a sample of the bottom [E2-1].",
    "follow_up_questions": ["Where was it tried?"],
}


@pytest.fixture
def endpoint(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    monkeypatch.setenv("LEADLINE_MAX_RETRIES", "0")
    forget_settings()
    endpoint.script |= {
        "reporter_outline": [json.dumps(OUTLINE)],
        "reporter_section": [MACHINE, f"## The tallow\n\n{TALLOW}"],
        "reporter_joining": [json.dumps(JOINING)],
    }
    return endpoint


async def run(docs: Path, **choices: Any) -> Report:
    return await aresearch(QUESTION, docs=[docs], length="full", **choices)


async def test_sections_are_written_from_their_own_evidence_and_joined(endpoint: OpenAIServer, docs: Path) -> None:
    report = await run(docs)
    text = report.markdown
    order = ["# Thomson's machine", "**TL;DR**", "## Conclusion", "## The machine", "## The tallow", "## References"]
    places = [text.index(one) for one in order]
    assert places == sorted(places)
    assert text.count("## The tallow") == 1
    assert all(claim.verified for claim in report.citations)
    assert report.follow_up_questions == ["Where was it tried?"]
    assert set(report.prompts) >= {"reporter", "reporter_outline", "reporter_section", "reporter_joining"}
    sections = [
        body for role, body in zip(endpoint.roles, endpoint.requests, strict=True) if role == "reporter_section"
    ]
    shown = sorted(
        [f'excerpt id="{one}"' in body["messages"][1]["content"] for one in ("E1-1", "E2-1")] for body in sections
    )
    assert shown == [[False, True], [True, False]]


async def test_sections_are_written_side_by_side(endpoint: OpenAIServer, docs: Path) -> None:
    meeting = threading.Barrier(2, timeout=20)

    def meet(number: int) -> None:
        if endpoint.roles[number - 1] == "reporter_section":
            meeting.wait()

    endpoint.on_request = meet
    await run(docs)
    assert not meeting.broken
    assert endpoint.roles.count("reporter_section") == 2


async def test_sections_stream_in_their_order_whichever_is_done_first(endpoint: OpenAIServer, docs: Path) -> None:
    second = threading.Event()
    endpoint.script["reporter_section"] = []
    slow, fast = completion(BODY, MACHINE), completion(BODY, TALLOW)

    def script(number: int) -> None:
        if endpoint.roles[number - 1] == "reporter_section":
            first = 'section title="The machine"' in str(endpoint.requests[number - 1])
            gate = second if first else None
            endpoint.script["reporter_section"] = [Reply(events=(slow if first else fast).events, gate=gate)]
            if not first:
                second.set()

    endpoint.on_request = script
    allow_folders([docs])
    choices = RunContext(documents=[str(docs)], length="full")
    stream: Any = build_graph().compile().astream({"question": QUESTION}, context=choices, stream_mode="messages")
    text = "".join([message.text async for message, _ in stream if message.type == "AIMessageChunk"])
    assert text.strip() == f"## The machine\n\n{MACHINE}\n\n## The tallow\n\n{TALLOW}"


async def test_a_section_that_the_model_refuses_quotes_its_evidence(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.script["reporter_section"] = [MACHINE, Reply(400, {"error": {"message": "no", "type": "x"}})]
    report = await run(docs)
    assert "could not be written by the model" in report.markdown
    assert "> " in report.markdown


async def test_without_an_answer_to_joining_the_sections_stand_as_they_are(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.script["reporter_joining"] = ["nothing of use"] * 3
    report = await run(docs)
    assert "were not revised together" in report.markdown
    assert report.title == OUTLINE["title"]
    assert "**TL;DR**" in report.markdown


async def test_a_limit_leaves_a_report_all_the_same(endpoint: OpenAIServer, docs: Path) -> None:
    report = await run(docs, max_tokens=9_000)
    assert report.usage.total.tokens <= 9_900
    assert "William Thomson" in report.markdown


async def test_a_long_report_replays_without_any_call(
    endpoint: OpenAIServer, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = await run(docs)
    asked = len(endpoint.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    forget_settings()
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(endpoint.requests) == asked


EXAMPLES = Path(__file__).parents[2] / "examples" / "deep-sea"
TOPICS = (
    "lead line", "wire sounding machine", "echo sounder", "multibeam", "satellite altimetry", "Challenger expedition",
    "Marie Tharp", "Seabed 2030", "tallow arming the lead", "Fessenden oscillator", "Trieste dive", "Meteor expedition",
)  # fmt: skip


def _verbose(endpoint: OpenAIServer, number: int) -> None:
    """Plan a step a topic, outline a section a step, and fill each section with the words it is to have."""
    role, body = endpoint.roles[number - 1], endpoint.requests[number - 1]
    asked = body["messages"][1]["content"]
    if role == "planner":
        steps = [
            {"id": str(place), "title": one, "description": one, "queries": [one]}
            for place, one in enumerate(TOPICS, 1)
        ]
        plan = {"locale": "en-US", "thought": "t", "title": "Depth", "steps": steps, "has_enough_context": False}
        endpoint.script["planner"] = [json.dumps(plan)]
    if role == "reflector":
        endpoint.script["reflector"] = [json.dumps({"has_enough_context": True, "confidence": 1.0})]
    if role == "reporter_outline":
        cited = dict.fromkeys(re.findall(r'excerpt id="(E(\d+)-\d+)"', asked))
        sections = [
            {"title": one, "focus": one, "excerpt_ids": [item for item, step in cited if step == str(place)]}
            for place, one in enumerate(TOPICS, 1)
        ]
        endpoint.script["reporter_outline"] = [json.dumps({"title": "Depth", "sections": sections})]
    if role == "reporter_joining":
        endpoint.script["reporter_joining"] = [json.dumps(JOINING)]
    if role == "reporter_section":
        found = re.findall(r'<excerpt id="([^"]+)"[^>]*>\n(.*?)\n</excerpt>', asked, re.DOTALL)
        words = re.findall(r"[A-Za-z]{3,}", " ".join(quote for _, quote in found))
        wanted = int(re.findall(r'words="(\d+)"', asked)[0])
        dice = random.Random(number)  # noqa: S311 - words in some order, always the same
        lines = [" ".join(dice.choices(words, k=30)).capitalize() for _ in range(-(-wanted // 30))]
        text = "\n\n".join(f"{line} {''.join(f'[{one}]' for one, _ in found)}." for line in lines)
        endpoint.script["reporter_section"].append(text)


@pytest.mark.long
async def test_a_full_report_from_twelve_steps_has_eight_thousand_words(endpoint: OpenAIServer) -> None:
    endpoint.script.clear()
    endpoint.script["reporter_section"] = []
    lock = threading.Lock()

    def on_request(number: int) -> None:
        with lock:
            _verbose(endpoint, number)

    endpoint.on_request = on_request
    report = await aresearch("Explain the history of measuring depth.", docs=[EXAMPLES], length="full", max_step_num=12)
    assert [report.markdown.count(f"\n## {topic}\n") for topic in TOPICS] == [1] * 12
    body = report.markdown.partition("## References")[0]
    assert len(re.sub(r"\]\([^)]*\)", "]", body).split()) >= 8_000
    sections = [one for one, role in zip(endpoint.requests, endpoint.roles, strict=True) if role == "reporter_section"]
    assert all(section["max_tokens"] >= 1_400 for section in sections)  # room for the 700 words that each is asked for


async def test_a_few_hundred_words_are_written_in_one(endpoint: OpenAIServer, docs: Path) -> None:
    await run(docs, words=500)
    assert "reporter_outline" not in endpoint.roles
    assert any("About 500 words" in str(body) for body in endpoint.requests)


async def test_the_offline_model_writes_a_full_report_in_one(docs: Path) -> None:
    report = await run(docs)
    assert "William Thomson" in report.markdown
