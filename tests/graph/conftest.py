"""What several runs of the whole graph search."""

import sqlite3
from pathlib import Path

import pytest

from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.read_folder import read_before
from tests.graph.judging import QUOTES, quoted_whole
from tests.graph.soundings import write_papers


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return read_before(write_papers(tmp_path / "papers"))


@pytest.fixture
def casts(tmp_path: Path, environment: SetEnvironment) -> Path:
    """Configure a database of the casts of two ships, and return its file."""
    file = tmp_path / "ships.db"
    with sqlite3.connect(file) as ships:
        ships.execute("CREATE TABLE casts (ship TEXT, fathoms INTEGER)")
        ships.executemany("INSERT INTO casts VALUES (?, ?)", [("Gazelle", 100), ("Gazelle", 300), ("Vema", 7)])
    ships.close()
    environment(LEADLINE_DATABASES=f"primary=sqlite:///{file}")
    return file


@pytest.fixture
def ferry(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """A folder with one document, and a model that plans one step and quotes all of it."""
    return quoted_whole(endpoint, tmp_path / "ferry", "The ferry of Norland", QUOTES)
