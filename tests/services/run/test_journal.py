"""The journal: what was answered is not asked again, and a replay asks nothing."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel

from leadline import aresearch
from leadline.runs.actions import areplay, aresume, aruns
from services.run.errors import BadInput, ModelError
from services.run.journal import Journal, Recording, namespace, replaying
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"


class Said(BaseModel):
    text: str


class Asked:
    """Counts how often it is asked."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.times = 0

    async def __call__(self) -> Said:
        self.times += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Said(text=answer)


def journal(store: InMemoryStore, task: str = "t", place: str = "1:planner") -> Journal:
    return Journal(store, "run", task, place)


async def test_a_task_that_runs_again_takes_its_answers_from_the_journal() -> None:
    store, asked = InMemoryStore(), Asked("one", "two")
    first = journal(store)
    answers = [(await first.once("model", "planner", {"q": 1}, Said, asked)).answer.text for _ in range(2)]
    again = journal(store)
    assert [(await again.once("model", "planner", {"q": 1}, Said, asked)).answer.text for _ in range(2)] == answers
    assert answers == ["one", "two"]
    assert asked.times == 2


async def test_another_task_and_another_request_ask_for_themselves() -> None:
    store, asked = InMemoryStore(), Asked("one", "two", "three")
    await journal(store).once("model", "planner", {"q": 1}, Said, asked)
    await journal(store, task="fork").once("model", "planner", {"q": 1}, Said, asked)
    await journal(store).once("model", "planner", {"q": 2}, Said, asked)
    assert asked.times == 3


async def test_an_error_is_asked_again_by_a_resumed_run_and_repeated_by_a_replay() -> None:
    store, asked = InMemoryStore(), Asked(ModelError("the endpoint failed"), "one")
    with pytest.raises(ModelError):
        await journal(store).once("model", "planner", {"q": 1}, Said, asked)
    recording = await Recording.load(store, "run", "r")
    with replaying(recording), pytest.raises(ModelError, match="the endpoint failed"):
        await journal(store).once("model", "planner", {"q": 1}, Said, asked)
    assert (await journal(store).once("model", "planner", {"q": 1}, Said, asked)).answer.text == "one"


async def test_what_a_run_decided_for_stays_decided_when_it_goes_on_and_in_a_replay() -> None:
    store = InMemoryStore()
    assert not await journal(store).decided("tools", lambda: False)
    assert await journal(store).decided("tools", lambda: True)
    assert await journal(store).decided("tools", lambda: False)
    assert not await journal(store, task="fork").decided("tools", lambda: False)
    with replaying(await Recording.load(store, "run", "r")):
        assert await journal(store).decided("tools", lambda: False)


@pytest.mark.parametrize("text", ["a\x00b", "half a pair: \ud83d", "測深"], ids=["a NUL", "half a pair", "Chinese"])
async def test_an_answer_with_any_characters_is_kept_as_plain_text_that_every_store_takes(text: str) -> None:
    store = InMemoryStore()
    await journal(store).once("model", text, {}, Said, Asked(text))
    [item] = await store.asearch(namespace("run"))
    [kept] = item.value.values()
    assert "\x00" not in kept
    assert kept.encode()
    assert (await journal(store).once("model", text, {}, Said, Asked())).answer.text == text


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "choices",
    [{}, {"max_tokens": 3_000}, {"deep_research": False}],
    ids=["plain", "few tokens", "quick"],
)
async def test_a_replay_asks_nobody_and_writes_the_same_bytes(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path, environment: SetEnvironment, choices: dict[str, Any]
) -> None:
    whole = await aresearch(QUESTION, docs=[docs], out=tmp_path / "first", **choices)
    asked = len(endpoint.requests)
    shutil.rmtree(docs)
    environment(OPENAI_API_KEY=None, OPENAI_BASE_URL=None)
    again = await areplay(whole.run_id, out=tmp_path / "second")
    assert len(endpoint.requests) == asked
    assert again.markdown == whole.markdown
    assert files(tmp_path / "first") == files(tmp_path / "second")


async def test_a_reviewed_run_is_replayed_with_its_answers(docs: Path, tmp_path: Path) -> None:
    answers = [{"action": "edit", "feedback": "also who owned the yacht Lalla Rookh"}, {"action": "accept"}]

    async def review(_: dict[str, Any]) -> object:
        return answers.pop(0)

    whole = await aresearch(
        QUESTION, docs=[docs], out=tmp_path / "first", review_plan=True, on_review=review, max_plan_iterations=1
    )
    await areplay(whole.run_id, out=tmp_path / "second")
    assert files(tmp_path / "first") == files(tmp_path / "second")


async def test_useless_answers_are_counted_and_a_resumed_run_does_not_ask_for_them_again(
    endpoint: OpenAIServer, docs: Path
) -> None:
    endpoint.script["planner"] = ["no", "no", "no"]

    def stop(event: Any) -> None:
        if event.type == "plan":
            task.cancel()

    task = asyncio.ensure_future(aresearch(QUESTION, docs=[docs], on_event=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    report = await aresume()
    assert "Tallow was pressed" in report.markdown
    assert endpoint.roles.count("planner") == 3
    assert report.usage.total.calls == len(endpoint.counted)
    assert (await areplay(report.run_id)).markdown == report.markdown


async def test_what_cannot_be_replayed_says_why(docs: Path) -> None:
    with pytest.raises(BadInput, match=r"leadline\.aruns"):
        await areplay("nothing")
    with pytest.raises(BadInput):
        await aresearch(" ", docs=[docs])
    assert not await aruns()
