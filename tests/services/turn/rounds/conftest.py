"""Documents that only queries with their words find, and a model that tests script."""

from pathlib import Path

import pytest

from tests.conftest import SetEnvironment
from tests.fakes.read_folder import read_before
from tests.services.models.conftest import endpoint
from tests.services.turn.rounds.steps import TOPICS, fact

__all__ = ["endpoint"]


@pytest.fixture
def folder(tmp_path: Path, environment: SetEnvironment) -> Path:
    made = tmp_path / "ship"
    environment(LEADLINE_DOCS=str(made))
    made.mkdir()
    for topic in TOPICS:
        (made / f"{topic}.md").write_text(f"# Of the {topic}\n\n{fact(topic)} Someone painted it green.\n")
    return read_before(made)
