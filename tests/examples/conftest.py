"""The examples, searched as a user who installed Leadline searches them."""

from pathlib import Path

import pytest

from services.run.settings import forget_settings


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, example_indexes: Path) -> Path:
    """Return a home in which the examples were read."""
    home = tmp_path_factory.mktemp("examples")
    (home / "documents").symlink_to(example_indexes)
    return home


@pytest.fixture(autouse=True)
def _as_installed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words and by meaning, as a user who installed Leadline does."""
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "use")
    forget_settings()
