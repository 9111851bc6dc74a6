"""Several turns in one conversation: what was found is used again, said so, and costs less than asking anew."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from leadline import Report, aresearch
from leadline.runs.actions import areplay, aresume, aruns, atimeline
from schemas.conversation import Former
from schemas.coordinator import Triage, Turn
from schemas.events import Event
from services.reports.bundle import verify_bundle
from services.run.errors import BadInput
from services.turn.conversation import conversation_of, stands_alone
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.read_folder import written

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("endpoint")]

FIRST = "Who designed the wire sounding machine in 1872, and where was it tried first?"
KNOWN = "What took the place of hemp rope in the machine?"
HALF_KNOWN = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"


async def turn(question: str, **options: Any) -> tuple[dict[str, Any], Report, list[Event]]:
    seen: list[Event] = []
    report = await aresearch(question, on_event=seen.append, **options)
    return next(event.data for event in seen if event.type == "triage"), report, seen


async def test_what_the_conversation_knows_is_answered_without_plan_or_search(docs: Path, tmp_path: Path) -> None:
    first = await aresearch(FIRST, docs=[docs])
    triage, report, seen = await turn(KNOWN, after=first, out=tmp_path / "out")
    assert (triage["answered"], report.usage.searches) == ("whole", 0)
    assert not any(event.type in {"plan", "source"} for event in seen)
    assert set(report.usage.roles) == {"coordinator"}
    assert "Piano wire took the place of hemp rope" in report.markdown
    assert any("earlier answers" in limit for limit in report.limits)
    assert "earlier answers" in report.markdown
    check = verify_bundle(Path(report.folder or ""))
    assert check.problems == []
    assert check.checked["quotes"] > 0


async def test_of_what_it_knows_in_part_only_the_rest_is_planned(docs: Path) -> None:
    first = await aresearch(FIRST, docs=[docs])
    triage, report, _ = await turn(HALF_KNOWN, after=first.run_id)
    assert triage["answered"] == "part"
    assert [step.title.lower() for plan in report.plans for step in plan.steps] == [
        "why was tallow pressed into the lead"
    ]
    assert "Tallow was pressed" in report.markdown
    assert "designed by William Thomson" in report.markdown
    cited = {citation for claim in report.citations for citation in claim.citations}
    assert any(one.startswith("T0-") for one in cited)
    assert any(one.startswith("E1-") for one in cited)
    assert all(result.step_id != "0" for result in report.results)


async def test_the_planner_of_a_follow_up_sees_what_the_folders_hold_now(docs: Path, endpoint: OpenAIServer) -> None:
    first = await aresearch(FIRST, docs=[docs])
    (docs / "tallow.md").write_text(
        "# Tallow in the lead\n\nTallow was pressed into the lead to bring up the ground.\n"
    )
    triage, _, _ = await turn(HALF_KNOWN, after=first.run_id)
    assert triage["answered"] == "part"
    shown = endpoint.asked("planner")[-1]
    assert "Tallow in the lead" in shown.partition("<folders>")[2].partition("</folders>")[0]
    asked = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "planner"]
    assert "Nothing but these folders can be searched" in asked[-1]


async def test_an_answer_that_cites_nothing_known_is_not_taken(docs: Path, endpoint: OpenAIServer) -> None:
    first = await aresearch(FIRST, docs=[docs])
    endpoint.script["coordinator"] = [
        '{"intent": "in_scope", "question": "What took the place of hemp rope?", "locale": "en-US", "complexity": "simple", '
        '"answered": "whole", "uses": ["T0-1"], "answer": "Silk did."}'
    ]
    report = await aresearch(KNOWN, after=first)
    assert "Silk" not in report.markdown
    assert "reporter" in report.usage.roles


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("When did the Challenger expedition begin?", True),
        ("Who was William Thomson’s teacher at Cambridge?", True),
        ("What is a tide gauge?", True),
        ("小学生每天需要多少户外活动？", True),
        ("And where was he born?", False),
        ("How much did the machine weigh?", False),
        ("What happened in Brest then?", False),
        ("Why?", False),
        ("Wie tief ist der Atlantik?", False),
        ("它每天要戴多久？", False),
        ("那塑形镜呢？", False),
    ],
)
def test_what_leans_on_the_conversation_is_asked_with_it(question: str, alone: bool) -> None:
    former = Former(question=FIRST, asked=FIRST)
    conversation = [Turn(role="assistant", text="The wire sounding machine was designed by William Thomson.")]
    assert stands_alone(question, former, conversation) is alone


def test_of_the_conversation_the_last_answer_and_the_last_questions_are_shown_in_prose() -> None:
    asked = [f"Question {number}" for number in range(5)]
    messages = [
        one
        for text in asked
        for one in (HumanMessage(text), AIMessage("# Title\n\n**TL;DR** It was [[1]](x).\n\n> Quote"))
    ]
    turns = conversation_of(messages, None)
    assert [turn.text for turn in turns] == [*asked[-3:], "It was."]


def completed(question: str, locale: str, **more: str) -> str:
    """Return the answer of a coordinator that completes a question."""
    return Triage(intent="in_scope", question=question, locale=locale, **more).model_dump_json()


async def test_pronouns_are_filled_in_and_the_triage_says_how(docs: Path, endpoint: OpenAIServer) -> None:
    first = await aresearch(FIRST, docs=[docs])
    endpoint.script["coordinator"] = [
        completed("Where was William Thomson born?", "en-US", rewriting="he is William Thomson")
    ]
    triage, report, _ = await turn("And where was he born?", after=first)
    assert triage["original"] == "And where was he born?"
    assert triage["question"] == "Where was William Thomson born?"
    assert triage["rewritten"]
    assert "William Thomson" in triage["rewriting"]
    assert report.question == triage["question"]
    assert "Belfast" in report.markdown


async def test_chinese_follow_ups_are_completed_and_answered_from_what_is_known(
    tmp_path: Path, endpoint: OpenAIServer
) -> None:
    texts = {
        "离焦框架镜": "离焦框架镜两年使近视进展减缓52%，眼轴增长减少62%。\n\n离焦框架镜每天至少要戴12小时，效果才稳定。\n\n离焦框架镜的价格在各地不同，一般由眼镜店公示。",
        "角膜塑形镜": "角膜塑形镜夜间佩戴，使眼轴增长减少43%。",
    }
    folder = written(tmp_path / "papers", texts)
    first = await aresearch("离焦框架镜使近视进展减缓多少？依据是什么？", docs=[folder])
    endpoint.script["coordinator"] = [
        completed("离焦框架镜每天要戴多久？", "zh-CN", answered="whole"),
        completed("角膜塑形镜每天要戴多久？", "zh-CN"),
    ]
    triage, report, _ = await turn("它每天要戴多久？", after=first)
    assert (triage["question"], triage["answered"]) == ("离焦框架镜每天要戴多久？", "whole")
    assert "12小时" in report.markdown
    assert any("前几轮" in limit for limit in report.limits)
    triage, report, _ = await turn("那角膜塑形镜呢？", after=report)
    assert "角膜塑形镜" in triage["question"]
    assert triage["answered"] == "no"
    assert report.usage.searches > 0


async def test_a_number_stands_for_a_recommended_question(docs: Path, endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = [f"William Thomson designed the machine [E1-1].\n\n===\n\n{KNOWN}"]
    first = await aresearch(FIRST, docs=[docs])
    assert first.follow_up_questions == [KNOWN]
    report = await aresearch("1", after="latest")
    assert report.question == KNOWN
    with pytest.raises(BadInput, match="recommends no question 9"):
        await aresearch("9", after=first)


async def test_a_turn_starts_over_but_for_its_sources(docs: Path) -> None:
    first = await aresearch(FIRST, docs=[docs], max_searches=2)
    assert any("max_searches" in limit for limit in first.limits)
    _, second, _ = await turn("Why was tallow pressed into the lead?", after=first, max_searches=None)
    assert not any("max_searches" in limit for limit in second.limits)
    assert second.usage.total.calls <= 5
    triage, third, _ = await turn(KNOWN, after=second)
    assert triage["answered"] == "whole"
    assert third.usage.searches == 0


async def test_an_unclear_question_is_asked_back_once_and_its_answer_researched(
    docs: Path, endpoint: OpenAIServer
) -> None:
    unclear = '{"intent": "unclear", "question": "the machine?", "locale": "en-US", "reply": "What about it?"}'
    endpoint.script["coordinator"] = [unclear, unclear]
    first = await aresearch("The machine?", docs=[docs])
    assert (first.markdown, first.asks_back) == ("What about it?", True)
    triage, second, _ = await turn("who designed it", after=first)
    assert "<asked_back>" in endpoint.requests[1]["messages"][-1]["content"]
    assert triage["intent"] == "in_scope"
    assert not second.direct


async def test_a_follow_up_is_resumed_replayed_and_shown_like_any_run(docs: Path) -> None:
    first = await aresearch(FIRST, docs=[docs])
    whole = await aresearch(HALF_KNOWN, after=first)

    def stop(event: Event) -> None:
        if event.type == "step_finished":
            task.cancel()

    task = asyncio.ensure_future(aresearch(HALF_KNOWN, after=first, on_event=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    stopped = (await aruns())[0]
    resumed = await aresume(stopped.id)
    assert resumed.markdown == whole.markdown
    assert (await areplay(stopped.id)).markdown == whole.markdown
    record, timeline = await atimeline(stopped.id)
    assert record.after == first.run_id
    assert timeline.lines()


async def test_a_former_page_of_a_site_that_is_now_left_out_is_not_quoted(docs: Path) -> None:
    from schemas.evidence import Source
    from services.run.evidence_store import EvidenceStore
    from services.run.scope import memory
    from services.search.filters import Filters
    from services.turn.conversation import recall

    store = EvidenceStore(memory())
    key = await store.put_text("Piano wire took the place of hemp rope.")
    page = Source(url="https://wire.example.org/a", title="Wire", kind="web", content_hash=key)
    former = Former(question="What is piano wire?", sources={key: page})
    assert await recall("What took the place of hemp rope?", former, [], store, Filters.of())
    assert not await recall("What took the place of hemp rope?", former, [], store, Filters.of(never=["example.org"]))
    broad = "Which costs, crews and customs decided whether a ship of that navy carried rope or something else?"
    assert not await recall(broad, former, [], store, Filters.of())
    [window] = await recall(broad, former, [], store, Filters.of(), broad=True)
    assert (window.id, window.content_hash) == ("T0-1", key)


@pytest.mark.parametrize(
    ("complexity", "role", "begins"), [("complex", "planner", True), ("simple", "reporter", False)]
)
async def test_research_of_a_question_that_leans_on_the_conversation_begins_with_what_was_read(
    docs: Path, endpoint: OpenAIServer, complexity: str, role: str, begins: bool
) -> None:
    first = await aresearch(FIRST, docs=[docs])
    question = (
        "Why was tallow pressed into the lead, and how does that compare with the sounding machine of William Thomson?"
    )
    endpoint.script["coordinator"] = [completed(question, "en-US", answered="no", complexity=complexity)]
    await turn("And what would decide between them?", after=first)
    [asked, *_] = endpoint.asked("coordinator")[-1:]
    [seen, *_] = endpoint.asked(role)[-1:]
    assert "T0-" not in asked
    assert ("T0-1" in seen) == begins
