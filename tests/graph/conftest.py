"""What several runs of the whole graph search."""

from pathlib import Path

import pytest

from tests.fakes.read_folder import read_before
from tests.graph.soundings import write_papers


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return read_before(write_papers(tmp_path / "papers"))
