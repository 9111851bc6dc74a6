"""Six runs at a time on one server: each has its own evidence, documents, limits, usage and journal, and no other's."""

import asyncio
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from services.run.journal import Entry, namespace, run_key
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.server.conftest import dev_server, model_of, researched

MAKERS = {
    "abalone": "Ramsden", "bergamot": "Hadley", "cinnabar": "Troughton", "dulcimer": "Cary", "elderberry": "Dollond",
    "fandango": "Adams",
}  # fmt: skip
"""Whom each run's only document names."""
QUESTION = "Who made the {name} quadrant, and in which town was the {name} quadrant made?"


async def made_by(client: LangGraphClient, folder: Path, name: str, context: dict[str, Any]) -> tuple[str, Any]:
    """Research who made a run's quadrant, in the folder that holds its document; return the thread and its state."""
    return await researched(client, QUESTION.format(name=name), context={"documents": [str(folder)], **context})


def others(name: str) -> list[str]:
    """Return the words of all other runs' documents."""
    return [word for marker, maker in MAKERS.items() if marker != name for word in (marker, maker)]


def asked_by(endpoint: OpenAIServer, name: str) -> list[str]:
    """Return the prompts that a run sent."""
    prompts = [json.dumps(one["messages"]) for one in endpoint.requests]
    return [prompt for prompt in prompts if f"{name} quadrant" in prompt]


def journal_of(home: Path, thread: str, turn: int) -> list[Entry]:
    """Return the entries of a run's journal on disk."""
    prefix = ".".join(namespace(run_key(thread, turn)))
    with closing(sqlite3.connect(home / "store.sqlite")) as db:
        rows = db.execute("SELECT value FROM store WHERE prefix = ?", (prefix,)).fetchall()
    return [Entry.read(json.loads(value)) for (value,) in rows]


async def test_runs_at_a_time_know_nothing_of_each_other(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for name, maker in MAKERS.items():
        (notes / name).mkdir(parents=True)
        (notes / name / "note.md").write_text(
            f"# The {name} quadrant\n\nThe {name} quadrant was made by {maker} in London.\n"
        )
    limited = list(MAKERS)[::2]
    limits: dict[str, dict[str, Any]] = {name: {"max_searches": 1} for name in limited}
    with openai_server() as endpoint:
        endpoint.on_request = lambda _: time.sleep(0.1)  # a model takes its time, in which others are asked
        with dev_server(tmp_path, LEADLINE_DOCS=str(notes), **model_of(endpoint)) as (address, _):
            async with get_client(url=address) as client:
                done = await asyncio.gather(
                    *(made_by(client, notes / name, name, limits.get(name, {})) for name in MAKERS)
                )
        assert endpoint.most_at_once > 1
        calls = {name: asked_by(endpoint, name) for name in MAKERS}
        assert sum(map(len, calls.values())) == len(endpoint.requests)
        for (name, maker), (thread, state) in zip(MAKERS.items(), done, strict=True):
            whole = json.dumps(state)
            assert maker in state["report"]["markdown"], name
            assert [word for word in others(name) if word in whole] == [], name
            assert [word for word in others(name) if any(word in prompt for prompt in calls[name])] == [], name
            assert state["usage"]["total"]["calls"] == len(calls[name]), name
            assert state["usage"]["searches"] <= (1 if name in limited else 99), name
            assert any("search" in one.lower() for one in state["limits"]) == (name in limited), name
            journal = journal_of(tmp_path / "home", thread, state["turn"])
            assert sum(one.kind == "model" for one in journal) == len(calls[name]), name
            entries = [one.model_dump_json() for one in journal]
            assert [word for word in others(name) if any(word in entry for entry in entries)] == [], name
            assert endpoint.key not in whole
    for file in (tmp_path / "home").rglob("*.sqlite*"):
        assert endpoint.key.encode() not in file.read_bytes(), file
