"""Rounds of a run that was interrupted or is replayed: no search and no call is made again."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from leadline import aresearch
from leadline.runs.actions import areplay, atimeline
from schemas.events import Event
from services.models import close_clients
from services.run.journal import Journal, Recording, replaying
from services.run.settings import forget_settings
from tests.fakes.forked import Command
from tests.fakes.killed import killed_and_resumed
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.services.turn.rounds.steps import TOPICS, Step, fact, human, quotes, remove, wanting


async def test_rounds_that_were_interrupted_go_on_without_repeating_a_search_or_a_call(
    endpoint: OpenAIServer, folder: Path
) -> None:
    store = InMemoryStore()
    endpoint.script["researcher"] = [
        wanting("anchor", ask="bilge"),
        wanting("bilge", ask="davit"),
        quoting(fact("davit")),
    ]

    def journal() -> Journal:
        return Journal(store, "run", "task", "1:researcher:1")

    step = Step(endpoint, journal=journal())

    def die(data: dict[str, Any]) -> None:
        if data["round"] == 2:
            raise KilledError

    step.on_round = die
    with pytest.raises(KilledError):
        await step.search("anchor")
    known = set((await Recording.load(store, "run", "r")).entries)
    remove(folder, "anchor", "bilge")  # what was searched before is not searched again
    gathered = await Step(endpoint, journal=journal()).search("anchor")
    assert quotes(gathered) == [fact("anchor"), fact("bilge"), fact("davit")]
    assert len(endpoint.requests) == 3
    recording = await Recording.load(store, "run", "r")
    assert known < recording.entries.keys()
    with replaying(recording):
        again = await Step(None, journal=journal()).search("anchor")
    assert again == gathered


class KilledError(Exception):
    """Stands for the end of the process."""


QUESTION = "How heavy are the anchor and the bilge of the ship?"
PLAN = {"title": "Weights", "steps": [{"id": "1", "title": "Weights", "description": "d", "queries": ["anchor"]}]}


def of_graph(body: dict[str, Any]) -> str | None:
    """Answer as a planner of one step, as its researcher in two rounds, and as a reporter who cites both."""
    role = role_of(body)
    if role == "planner":
        return json.dumps(PLAN)
    if role == "researcher":
        second = "<so_far>" in human(body)
        answer: str = (quoting(fact("bilge")) if second else wanting("anchor", ask="bilge"))(body)
        return answer
    if role == "reflector":
        return json.dumps({"has_enough_context": True})
    if role == "reporter":
        return f"{fact('anchor')} [E1-1] {fact('bilge')} [E1-2]"
    return None


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.long
async def test_a_run_tells_of_its_rounds_and_is_replayed_byte_for_byte_without_a_model(
    endpoint: OpenAIServer, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.choose = of_graph
    events: list[Event] = []
    report = await aresearch(
        QUESTION, docs=[folder], out=tmp_path / "first", verify="code", on_event=events.append, max_plan_iterations=1
    )
    assert quotes_of(report.excerpts) >= {fact("anchor"), fact("bilge")}
    assert all(claim.verified for claim in report.citations)
    rounds = [event.data for event in events if event.type == "round"]
    assert [(data["step"], data["round"], data["queries"]) for data in rounds] == [
        ("1", 1, ["weight of the bilge"]),
        ("1", 2, []),
    ]
    _, timeline = await atimeline(report.run_id)
    assert {span.kind for span in timeline.spans if span.place.endswith(":researcher:1")} == {"gather", "model"}, (
        "a decision is no call"
    )
    asked = len(endpoint.requests)
    await close_clients()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    forget_settings()
    remove(folder, *TOPICS)
    await areplay(report.run_id, out=tmp_path / "second")
    assert files(tmp_path / "first") == files(tmp_path / "second")
    assert len(endpoint.requests) == asked


def quotes_of(excerpts: Any) -> set[str]:
    return {excerpt.quote for excerpt in excerpts}


@pytest.mark.long
def test_a_run_that_is_killed_between_two_rounds_goes_on_without_repeating_a_call(
    endpoint: OpenAIServer, folder: Path, tmp_path: Path
) -> None:
    children: list[Command] = []
    answered: list[str] = []

    def answer(body: dict[str, Any]) -> str | None:
        if len(children) == 1 and "<so_far>" in human(body):
            children[0].send_signal(signal.SIGKILL)
            return None
        answered.append(json.dumps(body["messages"]))
        return of_graph(body)

    endpoint.choose = answer
    out = killed_and_resumed(["research", QUESTION, "--docs", str(folder), "--max-plans", "1"], tmp_path, children)
    assert len(answered) == len(set(answered)), "no call that was answered is made again"
    assert sum("You do one step of a research plan" in one for one in answered) == 2
    assert "The bilge weighs 101 pounds" in out
