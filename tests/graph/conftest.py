"""What several runs of the whole graph search."""

from pathlib import Path

import pytest

from tests.graph.soundings import write_papers


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Return the folder of documents on three topics."""
    return write_papers(tmp_path / "papers")
