"""A whole run whose model is a file writes neither its key nor its place anywhere."""

import asyncio
from pathlib import Path

import pytest

from leadline import aresearch
from services.models import clients_open
from services.models.llamacpp.serve import serving
from services.run.settings import forget_settings, settings

pytestmark = pytest.mark.long
QUESTION = "Where was the designer of the wire sounding machine born?"


@pytest.fixture
def named(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name the small model for all roles."""
    monkeypatch.setenv("LEADLINE_MODEL", f"llamacpp:{tiny}")
    monkeypatch.setenv("LEADLINE_MAX_TOKENS", "100")
    forget_settings()
    return tiny


def holds(folder: Path, text: str) -> list[str]:
    return [str(file) for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


async def test_the_key_and_the_place_of_a_model_are_in_nothing_that_a_run_writes(
    named: Path, docs: Path, tmp_path: Path
) -> None:
    async with clients_open():
        await aresearch(QUESTION, docs=[docs], deep_research=False, out=tmp_path / "out")
        async with serving(named) as served:
            key = served.key.get_secret_value()
    for folder in (settings().leadline_home, tmp_path / "out"):
        assert not await asyncio.to_thread(holds, folder, key)
        assert not await asyncio.to_thread(holds, folder, str(named))
