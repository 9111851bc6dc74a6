"""Rounds of a run that was interrupted or is replayed: no search and no call is made again."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from services.run.journal import Journal, Recording, replaying
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.services.turn.rounds.steps import Step, fact, quotes, remove, wanting


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
