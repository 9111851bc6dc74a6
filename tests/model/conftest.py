"""Two researches at the model that is connected, made once for all tests of this folder."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.model import NOT_CONNECTED, SECONDS, connected_environment, research
from leadline.runs.store import config_of, open_home

COMPARED = (
    "Compare the wire sounding machine and the armed lead: who designed the machine and when, what took the place of rope in it, and "
    "why was tallow pressed into the lead?"
)
SIMPLE = "In which city was William Thomson born?"
SOURCES = {
    "machine.md": "# The wire sounding machine\n\nThe wire sounding machine was designed by William Thomson in 1872. It let a "
    "ship take soundings while under way.\n\nPiano wire took the place of hemp rope in the machine. The wire was tried first in "
    "the Bay of Biscay aboard the yacht Lalla Rookh.\n",
    "thomson.md": "# William Thomson\n\nWilliam Thomson was born in Belfast in 1824. He was knighted in 1866 for his work on the "
    "Atlantic telegraph cable. He became Lord Kelvin in 1892.\n",
    "tallow.md": "# Arming the lead\n\nTallow was pressed into the hollow of the lead so that a sample of the bottom stuck to "
    "it.\n",
}


@dataclass(frozen=True, slots=True)
class Research:
    """What one research came to."""

    ended: dict[str, Any]
    """How the command ended: `exit`, `ended` (by itself and in time) and `seconds`."""
    progress: str
    """What it said on stderr."""
    folder: Path
    """Of the report."""
    state: dict[str, Any]
    """Of the graph, at its end."""
    texts: dict[str, str]
    """Of the sources, by content hash."""


@pytest.fixture(scope="session")
def standard(tmp_path_factory: pytest.TempPathFactory) -> Research:
    """Research a question with a plan."""
    return _researched(COMPARED, tmp_path_factory.mktemp("standard"))


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Research:
    """Answer a question from one search."""
    return _researched(SIMPLE, tmp_path_factory.mktemp("quick"), "--quick")


def _researched(question: str, place: Path, *options: str) -> Research:
    if not os.environ.get("TEST_MODEL"):
        pytest.skip(
            "`make test-model` runs these: they call the model that is connected, which costs time and perhaps money"
        )
    environment = connected_environment()
    if not environment:
        pytest.skip(NOT_CONNECTED)
    documents, out, home = place / "papers", place / "out", place / "home"
    documents.mkdir()
    out.mkdir()
    for name, text in SOURCES.items():
        (documents / name).write_text(text, "utf-8")
    own = {"LEADLINE_HOME": str(home), "LEADLINE_EMBEDDINGS_MODEL": "none"}
    ended = research(question, documents, out, {**environment, **own}, SECONDS, *options)
    progress = (out / "stderr.txt").read_text("utf-8")
    folder = next((file.parent for file in out.glob("*/report.md")), None)
    assert folder is not None, progress
    state, texts = asyncio.run(_kept(home))
    return Research(ended, progress, folder, state, texts)


async def _kept(home: Path) -> tuple[dict[str, Any], dict[str, str]]:
    async with open_home(home) as opened:
        record = await opened.record(None, finished=True)
        values = (await opened.graph.aget_state(config_of(record))).values
        return values, {key: await opened.evidence.get_text(key) for key in values["sources"]}
