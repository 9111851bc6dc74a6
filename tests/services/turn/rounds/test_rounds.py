"""Rounds of search in one step: each judges what no earlier one was shown, and they end where nothing more is to be had."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.context import RunContext
from schemas.depth import DEPTHS, LEVELS, Depth
from schemas.outline import OutlineNode
from schemas.usage import Allowance
from services.models.prompt_fit import passage_tokens
from services.run.budget import Budget
from services.run.journal import Journal, Recording, replaying
from services.turn.rounds import RoundsResult
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import passages_shown, quoting
from tests.services.turn.rounds.steps import TOPICS, Step, fact, human, on_and_on, quotes, remove, wanting


async def test_a_second_round_searches_what_the_first_one_names_and_shows_no_passage_again(
    endpoint: OpenAIServer, folder: Path
) -> None:
    first = quoting(
        fact("anchor"), finding="It is heavy.", missing_aspects=["the bilge"], queries=["bilge and anchor", "hawser"]
    )
    endpoint.script["researcher"] = [first, quoting(fact("hawser"), fact("bilge"), finding="All are heavy.")]
    step = Step(endpoint)
    gathered = await step.search("anchor")
    assert [[one.id for one in passages] for passages in step.shown] == [["P1"], ["P2", "P3"]]
    assert {one.sentences[-2] for one in step.shown[1]} == {fact("bilge"), fact("hawser")}
    assert [(one.id, one.quote) for one in gathered.excerpts] == [
        ("E1-1", fact("anchor")),
        ("E1-2", fact("hawser")),
        ("E1-3", fact("bilge")),
    ]
    assert all(gathered.sources[one.content_hash].title for one in gathered.excerpts)
    one, two = map(human, endpoint.requests)
    assert "<so_far>" not in one
    assert "<so_far>\n1| It is heavy.\n</so_far>" in two
    assert (gathered.missing_aspects, gathered.rounds, gathered.shown) == ([], 2, 3)
    assert gathered.finding == "It is heavy. All are heavy."
    assert [(data["round"], data["passages"], data["excerpts"], data["queries"]) for data in step.told] == [
        (1, 1, 1, ["bilge and anchor", "hawser"]),
        (2, 2, 3, []),
    ]


async def test_a_later_round_withdraws_what_it_corrects(endpoint: OpenAIServer, folder: Path) -> None:
    first = quoting(
        fact("anchor"), finding="It is heavy. Its owner is unknown.", missing_aspects=["owner"], queries=["bilge"]
    )
    endpoint.script["researcher"] = [first, quoting(fact("bilge"), finding="Ada owns it.", withdrawn=[2, 9])]
    assert (await Step(endpoint).search("anchor")).finding == "It is heavy. Ada owns it."
    first_round, second_round = (
        body["response_format"]["json_schema"]["schema"]["properties"] for body in endpoint.requests
    )
    assert "withdrawn" in second_round
    assert "withdrawn" not in first_round


async def test_a_further_round_searches_what_is_missing_in_the_words_that_say_so(
    endpoint: OpenAIServer, folder: Path
) -> None:
    first = quoting(fact("anchor"), missing_aspects=["the weight of the hawser"], queries=["bilge"])
    endpoint.script["researcher"] = [first, quoting(fact("bilge"), fact("hawser"))]
    step = Step(endpoint)
    assert quotes(await step.search("anchor")) == [fact("anchor"), fact("bilge"), fact("hawser")]
    assert step.told[0]["queries"] == ["bilge"]


@pytest.mark.parametrize("queries", [[], ["anchor"], [" Anchor "], ["nothing of that kind"]])
async def test_the_rounds_end_when_there_is_nothing_new_to_show(
    endpoint: OpenAIServer, folder: Path, queries: list[str]
) -> None:
    endpoint.script["researcher"] = [quoting(fact("anchor"), missing_aspects=["the rest"], queries=queries)]
    gathered = await Step(endpoint, "exhaustive").search("anchor")
    assert (quotes(gathered), len(endpoint.requests)) == ([fact("anchor")], 1)
    assert gathered.missing_aspects == ["the rest"]


async def test_two_rounds_in_a_row_without_evidence_end_them_and_one_does_not(
    endpoint: OpenAIServer, folder: Path
) -> None:
    endpoint.script["researcher"] = [
        wanting(ask="bilge"),
        wanting("bilge", ask="capstan"),
        wanting(ask="davit"),
        wanting(ask="ensign"),
        wanting("ensign", ask="galley"),
    ]
    gathered = await Step(endpoint, "exhaustive").search("anchor")
    assert (quotes(gathered), len(endpoint.requests)) == ([fact("bilge")], 4)


@pytest.mark.parametrize("depth", DEPTHS)
async def test_the_depth_says_how_many_rounds_there_are(endpoint: OpenAIServer, folder: Path, depth: Depth) -> None:
    endpoint.choose = on_and_on
    most = LEVELS[depth].rounds
    gathered = await Step(endpoint, depth).search("the anchor")
    assert quotes(gathered) == [fact(topic) for topic in TOPICS[:most]]
    assert gathered.rounds == len(endpoint.requests) == most
    left = [
        f'rounds_left="{number}"' in human(body)
        for number, body in zip(range(most - 1, 0, -1), endpoint.requests, strict=False)
    ]
    assert left == [True] * (most - 1)
    assert "rounds_left" not in human(endpoint.requests[-1])
    asked_for_queries = [
        "queries" in body["response_format"]["json_schema"]["schema"]["properties"] for body in endpoint.requests
    ]
    assert asked_for_queries == [True] * (most - 1) + [False]


async def test_the_rounds_end_when_as_many_sources_are_quoted_as_are_wanted(
    endpoint: OpenAIServer, folder: Path
) -> None:
    endpoint.choose = on_and_on
    gathered = await Step(endpoint, "exhaustive").search("the anchor", sources=2)
    assert quotes(gathered) == [fact("anchor"), fact("bilge")]


@pytest.mark.parametrize(("tokens", "rounds"), [(16_000, 2), (9_000, 1)])
async def test_a_budget_that_is_nearly_spent_leaves_the_next_round_out(
    endpoint: OpenAIServer, folder: Path, tokens: int, rounds: int
) -> None:
    first = wanting("anchor", ask="bilge", padding=" ".join(map(str, range(5_000))))
    endpoint.script["researcher"] = [first, quoting(fact("bilge"))]
    gathered = await Step(endpoint, budget=Budget(Allowance(tokens=tokens))).search("anchor")
    assert gathered.rounds == len(endpoint.requests) == rounds
    assert quotes(gathered) == [fact("anchor"), fact("bilge")][:rounds]


async def test_a_limit_that_a_later_round_reaches_keeps_what_was_found_and_is_said(
    endpoint: OpenAIServer, folder: Path
) -> None:
    endpoint.script["researcher"] = [wanting("anchor", ask="bilge")]
    gathered = await Step(endpoint, budget=Budget(Allowance(searches=1), RunContext(max_searches=1))).search("anchor")
    assert quotes(gathered) == [fact("anchor")]
    assert any("max_searches" in limit for limit in gathered.limits)


class _SlowAfterAnswers(InMemoryStore):
    """Stores the answer of a second round at once, and says so too late."""

    async def aput(self, namespace: tuple[str, ...], *args: Any, **kwargs: Any) -> None:
        await super().aput(namespace, *args, **kwargs)
        if "weighs less" in str(args):
            await asyncio.sleep(60)


@pytest.mark.parametrize("answered", [False, True])
async def test_a_later_round_that_time_runs_out_on_keeps_what_was_found_also_in_a_replay(
    endpoint: OpenAIServer, folder: Path, answered: bool
) -> None:
    store = _SlowAfterAnswers()
    second = quoting(fact("bilge"), finding="The bilge weighs less.")
    endpoint.script["researcher"] = [wanting("anchor", ask="bilge"), second]
    endpoint.fault = lambda number, *_: None if number == 1 or answered else Reply(stall=300)
    step = Step(endpoint, journal=Journal(store, "run", "task", "1:researcher:1"), budget=Budget())

    def hurry(_: dict[str, Any]) -> None:
        """Leave time for a second round, and too little for an endpoint that does not answer."""
        step.run.budget.allowance = Allowance(seconds=step.run.seconds * 2.5 + 1)

    step.on_round = hurry
    gathered = await step.search("anchor")
    assert (quotes(gathered), gathered.rounds) == ([fact("anchor")], 1)
    recording = await Recording.load(store, "run", "r")
    assert any("time" in kind for _, kind, _ in recording.entries), "a second round was begun"
    assert sum(entry.kind == "model" and bool(entry.answer) for entry in recording.entries.values()) == 1 + answered
    with replaying(recording):
        again = await Step(None, journal=Journal(store, "run", "task", "1:researcher:1")).search("anchor")
    assert again == gathered


async def test_time_that_is_up_leaves_the_next_round_out(endpoint: OpenAIServer, folder: Path) -> None:
    endpoint.script["researcher"] = [wanting("anchor", ask="bilge")]
    step = Step(endpoint, budget=Budget())

    def hurry(_: dict[str, Any]) -> None:
        step.run.budget.allowance = Allowance(seconds=step.run.seconds * 1.01)

    step.on_round = hurry
    assert quotes(await step.search("anchor")) == [fact("anchor")]
    assert len(endpoint.requests) == 1


async def test_what_a_round_found_and_had_no_room_to_show_is_shown_first_where_the_next_query_ranks_it_so(
    endpoint: OpenAIServer, folder: Path, environment: SetEnvironment
) -> None:
    remove(folder, *TOPICS)
    for number in range(24):
        filler = " ".join(f"Mark {number}-{place} of the line went by slowly." for place in range(12))
        (folder / f"{number}.md").write_text(f"# Day {number}\n\nCast {number} found bottom. {filler}\n")
    (folder / "last.md").write_text(f"# Lead\n\nThe tallow of a cast brings up sand. {'The line is old. ' * 20}\n")
    environment(LEADLINE_CONTEXT_WINDOW="4000")
    endpoint.script["researcher"] = [
        quoting("Cast 1 found bottom.", missing_aspects=["sand"], queries=["tallow brings up sand"]),
        quoting("The tallow of a cast brings up sand."),
    ]
    step = Step(endpoint)
    gathered = await step.search("cast 1 found bottom", "mark of the line went by", sources=100)
    assert "tallow" not in str(step.shown[0])
    assert "tallow" in step.shown[1][0].text
    assert quotes(gathered)[-1] == "The tallow of a cast brings up sand."


@pytest.mark.parametrize("depth", ["standard", "deep"])
async def test_a_round_fills_its_room_whatever_the_number_of_its_queries_and_sources(
    endpoint: OpenAIServer, folder: Path, depth: Depth
) -> None:
    remove(folder, *TOPICS)
    parts = (f"## Day {day}\n\nCast {day} found bottom. {'The line ran out. ' * 30}" for day in range(60))
    (folder / "log.md").write_text("# Log\n\n" + "\n\n".join(parts))
    endpoint.script["researcher"] = [quoting("Cast 1 found bottom.")]
    step = Step(endpoint, depth)
    await step.search("cast found bottom", sources=1)
    shown = sum(passage_tokens(passage.text) for passage in step.shown[0])
    assert shown > LEVELS[depth].passage_tokens * 0.9 or len(step.shown[0]) == min(60, LEVELS[depth].hits)


async def test_what_earlier_steps_quote_comes_after_what_nobody_has_quoted(
    endpoint: OpenAIServer, folder: Path
) -> None:
    endpoint.script["researcher"] = [quoting(fact("anchor"))] * 3
    first = await Step(endpoint, "quick").search("anchor weighs pounds")
    quoted = [(one.content_hash, 0, 200) for one in first.excerpts]
    again = Step(endpoint, "quick")
    await again.search("anchor weighs pounds", quoted=quoted)
    before, after = ([passage.title for passage in shown] for shown in again.shown)
    assert before[0] == after[-1] == "Of the anchor"
    assert sorted(before) == sorted(after)


@pytest.mark.parametrize("said", [["1: P1", "2.1: P1 P2"], {"1": ["P1"], "2.1": "P1, P2"}])
async def test_the_model_says_which_sections_what_it_takes_serves(
    endpoint: OpenAIServer, folder: Path, said: object
) -> None:
    sections = [OutlineNode(id="1", title="Weights"), OutlineNode(id="2.1", title="Paint", parent="2")]
    endpoint.script["researcher"] = [quoting(fact("anchor"), fact("galley"), sections=said)]
    gathered = await Step(endpoint).search("anchor galley", sections=sections)
    assert "<sections>\n1: Weights\n2.1: Paint\n</sections>" in human(endpoint.requests[0])
    first, second = (passage.text for passage in passages_shown(endpoint.requests[0]))
    served = {excerpt.quote: excerpt.nodes for excerpt in gathered.excerpts}
    assert [nodes for quote, nodes in served.items() if quote in first] == [["1", "2.1"]]
    assert [nodes for quote, nodes in served.items() if quote in second] == [["2.1"]]


async def test_rules_choose_where_a_round_names_nothing_that_there_is_and_the_next_round_follows(
    endpoint: OpenAIServer, folder: Path
) -> None:
    wrong = json.dumps({"high": ["P9:1"], "finding": "It is light.", "missing_aspects": ["x"], "queries": ["bilge"]})
    endpoint.script["researcher"] = [wanting("anchor", ask="bilge"), wrong, wrong]
    gathered = await Step(endpoint).search("anchor")
    assert gathered.finding != "It is light."
    assert quotes(gathered)[0] == fact("anchor")
    assert [limit for limit in gathered.limits if "rules chose its quotes" in limit]


async def test_nothing_found_is_judged_by_nobody(endpoint: OpenAIServer, folder: Path) -> None:
    gathered = await Step(endpoint).search("nothing of that kind")
    assert (gathered, endpoint.requests) == (RoundsResult(sources=gathered.sources), [])
