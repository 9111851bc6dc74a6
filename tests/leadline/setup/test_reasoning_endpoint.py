"""`leadline init`, `leadline doctor --models` and runs with a model that thinks before it answers: what one finds out, the others know."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.fakes.reasoning_server import ReasoningServer, reasoning_server
from tests.leadline.conftest import Leadline


@pytest.fixture
def thinker(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReasoningServer]:
    """Serve a reasoning model on loopback."""
    with reasoning_server() as server:
        server.silence = 0.3
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        yield server


def test_it_is_set_up_checked_and_used_and_meets_each_refusal_once(
    thinker: ReasoningServer, anew: Leadline, docs: Path
) -> None:
    made = anew("init", "--endpoint", thinker.base_url, "--model", "thinker-1")
    assert made.code == 0, made.err
    assert dotenv_values(".env")["LEADLINE_MODEL"] == "thinker-1"
    table = anew("doctor", "--models")
    assert table.code == 0, table.err
    report = anew("research", "Who designed the wire sounding machine?", "--docs", docs, "--quick")
    assert report.code == 0, report.err
    assert "William Thomson" in report.out
    assert thinker.refused == ["temperature"] * 2  # doctor tests anew, and a run does not
    assert thinker.empty == []
