"""Reports in sections: each written from its own evidence, side by side, by the outline of the run; then joined by one call."""

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from graph import build_graph
from leadline import aresearch
from schemas.context import RunContext
from schemas.reporter import Report
from services.run.ui_text import say
from services.search.providers import allow_folders
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion, role_of
from tests.graph.soundings import (
    JOINING,
    PAPERS,
    QUESTION,
    QUOTED,
    TITLES,
    WANTED,
    Script,
    human,
    section_of,
    sections_of,
    shown_to,
    told_of,
)

pytestmark = pytest.mark.long
LAST = QUOTED[-1] + 2
BODY: dict[str, Any] = {"model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture
def endpoint(endpoint: OpenAIServer, asked_once: None) -> OpenAIServer:
    """Serve a model that writes section by section."""
    endpoint.choose = Script()
    return endpoint


async def run(docs: Path, question: str = QUESTION, **choices: Any) -> Report:
    return await aresearch(question, docs=[docs], **choices)


def asked(endpoint: OpenAIServer, role: str = "reporter_section") -> list[dict[str, Any]]:
    return [body for asking, body in zip(endpoint.roles, endpoint.requests, strict=True) if asking == role]


async def test_from_standard_on_the_nodes_of_the_outline_are_sections_and_each_sees_its_own_evidence(
    endpoint: OpenAIServer, papers: Path
) -> None:
    report = await run(papers)
    text = report.markdown
    order = ["# Rope, wire", "**TL;DR**", "## The machine", "## The lead", "## The echo", "## References"]
    places = [text.index(one) for one in order]
    assert places == sorted(places)
    assert report.follow_up_questions == JOINING["follow_up_questions"]
    assert set(report.prompts) >= {"reporter_section", "reporter_joining"}
    assert "reporter" not in endpoint.roles, "no call but those for sections and for joining"
    bodies = asked(endpoint)
    assert len(bodies) == 3
    assert len({body["messages"][0]["content"] for body in bodies}) == 1
    [before] = {human(body).partition("<task")[0] for body in bodies}
    assert all(told in before for told in [*TITLES.values(), *WANTED.values()]), "what the neighbours are to tell"
    for name, title in TITLES.items():
        [body] = [one for one in bodies if section_of(one) == title]
        quoted = [quote for key, quote in shown_to(body).items() if key.startswith("E")]
        assert sorted(quoted) == sorted(PAPERS[name][place] for place in QUOTED)
        assert all(quote.rstrip(".") in sections_of(text)[title] for quote in quoted)
        around = human(body).partition("<task")[2]
        two_behind = f"<after>{PAPERS[name][LAST - 1]} {PAPERS[name][LAST]}</after>"
        assert two_behind in around, "two sentences behind the last"
        assert all(around.count(sentence) == 1 for sentence in PAPERS[name]), "nothing is shown twice"


async def test_a_handful_of_excerpts_is_written_in_one_call(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.choose = None
    await run(docs, "Who designed the wire sounding machine, and why was tallow pressed into the lead?")
    assert asked(endpoint, "reporter")
    assert not asked(endpoint)


@pytest.mark.parametrize("choices", [{"words": 500}, {"length": "brief"}, {"depth": "quick"}])
async def test_what_is_to_be_short_is_written_in_one_call(
    endpoint: OpenAIServer, papers: Path, choices: dict[str, Any]
) -> None:
    await run(papers, **choices)
    assert not asked(endpoint)


async def test_sections_are_written_side_by_side(endpoint: OpenAIServer, papers: Path) -> None:
    meeting = threading.Barrier(3, timeout=20)

    def meet(number: int) -> None:
        if endpoint.roles[number - 1] == "reporter_section":
            meeting.wait()

    endpoint.on_request = meet
    await run(papers)
    assert not meeting.broken


async def test_sections_stream_in_their_order_whichever_is_done_first(endpoint: OpenAIServer, papers: Path) -> None:
    last = threading.Event()
    script = Script()

    def slow_first(body: dict[str, Any]) -> Reply | str | None:
        if "<task" not in human(body):
            return script(body)
        written = completion(BODY, told_of(body))
        if section_of(body) == TITLES["machine"]:
            return Reply(events=written.events, gate=last)
        if section_of(body) == TITLES["echo"]:
            last.set()
        return written

    endpoint.choose = slow_first
    allow_folders([papers])
    choices = RunContext(documents=[str(papers)])
    stream: Any = build_graph().compile().astream({"question": QUESTION}, context=choices, stream_mode="messages")
    text = "".join([message.text async for message, _ in stream if message.type == "AIMessageChunk"])
    assert [*sections_of(text)] == [*TITLES.values()]


async def test_a_section_that_the_model_refuses_quotes_its_evidence(endpoint: OpenAIServer, papers: Path) -> None:
    script = Script()
    refusal = Reply(400, {"error": {"message": "no", "type": "x"}})
    endpoint.choose = lambda body: (
        refusal if "<task" in human(body) and section_of(body) == "The lead" else script(body)
    )
    report = await run(papers)
    assert "The model could not write the section “The lead”" in report.markdown
    assert f"> {PAPERS['tallow'][1]}" in sections_of(report.markdown)["The lead"]


async def test_without_an_answer_to_joining_the_sections_stand_as_they_are(
    endpoint: OpenAIServer, papers: Path
) -> None:
    endpoint.script["reporter_joining"] = ["nothing of use"] * 3
    report = await run(papers)
    assert "were not edited together" in report.markdown
    assert report.title == "Measuring depth", "that of the plan"
    assert "**TL;DR**" in report.markdown


async def test_a_section_that_fell_short_goes_on_once_with_the_excerpts_that_it_has_not_used(
    endpoint: OpenAIServer, papers: Path
) -> None:
    endpoint.choose = Script(short="The lead")
    report = await run(papers)
    first, more = [body for body in asked(endpoint) if section_of(body) == "The lead"]
    assert [*shown_to(more)] == [*shown_to(first)][1:]
    assert f"<written>\n{told_of(first, 1)}\n</written>" in human(more)
    assert human(more).startswith(human(first).partition("<task")[0])
    assert all(PAPERS["tallow"][place].rstrip(".") in sections_of(report.markdown)["The lead"] for place in QUOTED)
    assert len(asked(endpoint)) == 4, "the others have used all that they have"


async def test_a_report_that_misses_the_words_that_were_asked_for_says_so(endpoint: OpenAIServer, papers: Path) -> None:
    report = await run(papers, words=1_000)
    assert any("length aimed at was 1,000 words" in limit for limit in report.limits)
    assert not any("length aimed at" in limit for limit in (await run(papers)).limits), "nobody asked for a number"


async def test_words_that_were_asked_for_are_shared_among_sections_by_their_evidence(
    endpoint: OpenAIServer, papers: Path
) -> None:
    dice = random.Random(1)  # noqa: S311 - words in some order, always the same
    words = [word.lower() for told in PAPERS.values() for sentence in told for word in sentence[:-1].split()]

    def at_length(body: dict[str, Any]) -> Reply | str | None:
        if "<task" not in human(body):
            return Script()(body)
        key = next(iter(shown_to(body)))
        return " ".join(
            f"{' '.join(dice.choices(words, k=20)).capitalize()} [{key}]." for _ in range(share(body) // 20)
        )

    endpoint.choose = at_length
    report = await run(papers, words=2_000)
    shares = [share(body) for body in asked(endpoint)]
    assert len(shares) == 3, "none goes on, as all have the words that they were to have"
    assert abs(sum(shares) - 2_000) <= 3
    quoted = {section_of(body): len(" ".join(shown_to(body).values())) for body in asked(endpoint)}
    assert sorted(quoted, key=lambda title: quoted[title]) == sorted(
        quoted, key=lambda title: next(share(body) for body in asked(endpoint) if section_of(body) == title)
    )
    assert not any("length aimed at" in limit for limit in report.limits)


def share(body: dict[str, Any]) -> int:
    return int(human(body).partition('words="')[2].partition('"')[0])


async def test_a_model_that_cannot_write_the_whole_in_one_answer_writes_in_sections(
    endpoint: OpenAIServer, papers: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_ONE_CALL_TOKENS="100000")
    script = Script()

    def answer(body: dict[str, Any]) -> Any:
        return completion(body, "# Depth\n\nIt was", "length") if role_of(body) == "reporter" else script(body)

    endpoint.choose = answer
    report = await run(papers)
    assert len(asked(endpoint)) == 3
    assert [*TITLES.values()] == [title for title in sections_of(report.markdown) if title in TITLES.values()]
    assert say("cut_off", "en-US") not in report.limits


@pytest.mark.parametrize(("words", "sections"), [(4_000, 0), (6_000, 3)])
async def test_what_one_answer_can_hold_is_written_in_one_call(
    endpoint: OpenAIServer, papers: Path, environment: SetEnvironment, words: int, sections: int
) -> None:
    environment(LEADLINE_ONE_CALL_TOKENS="100000")
    script = Script()
    endpoint.choose = lambda body: "# Depth\n\n" + told_of(body, 3) if role_of(body) == "reporter" else script(body)
    await run(papers, words=words)
    assert len({section_of(body) for body in asked(endpoint)}) == sections
    assert all(body["max_tokens"] >= 2 * words for body in asked(endpoint, "reporter"))


@pytest.mark.parametrize(("enough", "sections"), [(15_000, 3), (0, 0)])
async def test_a_deep_report_has_the_most_relevant_quotes_only_where_these_are_enough(
    endpoint: OpenAIServer,
    papers: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: SetEnvironment,
    enough: int,
    sections: int,
) -> None:
    environment(LEADLINE_ONE_CALL_TOKENS="100000")
    monkeypatch.setattr("services.turn.writing.MOST_EVIDENCE", 80)
    monkeypatch.setattr("services.models.prompt_fit.LEAST_EVIDENCE", 0)
    monkeypatch.setattr("services.turn.writing.ENOUGH", enough)
    script = Script()
    endpoint.choose = lambda body: "# Depth\n\n" + told_of(body, 3) if role_of(body) == "reporter" else script(body)
    await run(papers, depth="deep")
    assert len({section_of(body) for body in asked(endpoint)}) == sections
