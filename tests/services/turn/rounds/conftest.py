"""Documents that only queries with their words find, and a model that tests script."""

from pathlib import Path

import pytest

from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.read_folder import read_before
from tests.services.turn.rounds.steps import TOPICS, fact


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the documents, and let runs search them."""
    made = tmp_path / "ship"
    monkeypatch.setenv("LEADLINE_DOCS", str(made))
    forget_settings()
    made.mkdir()
    for topic in TOPICS:
        (made / f"{topic}.md").write_text(f"# Of the {topic}\n\n{fact(topic)} Someone painted it green.\n")
    return read_before(made)


@pytest.fixture
def endpoint(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    """Name the model."""
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    forget_settings()
    return endpoint
