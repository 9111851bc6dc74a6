"""Whole runs whose model is a file: they fail with one message, go on when it is back, and write its key nowhere."""

import asyncio
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay, aresume, aruns
from services.models import clients_open
from services.models.llamacpp.serve import serving
from services.run.errors import SettingsError
from services.run.settings import forget_settings, settings

pytestmark = pytest.mark.long
QUESTION = "Where was the designer of the wire sounding machine born?"


@pytest.fixture
def named(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name the small model for all roles."""
    monkeypatch.setenv("LEADLINE_MODEL", f"llamacpp:{tiny}")
    forget_settings()
    return tiny


def holds(folder: Path, text: str) -> list[str]:
    return [str(file) for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


async def test_a_run_whose_model_file_is_missing_goes_on_when_it_is_back(named: Path, docs: Path) -> None:
    away = named.with_suffix(".away")
    await asyncio.to_thread(named.rename, away)
    with pytest.raises(SettingsError, match=r"tiny model\.gguf is not there"):
        await aresearch(QUESTION, docs=[docs], deep_research=False)
    assert (await aruns())[0].status == "failed"
    await asyncio.to_thread(away.rename, named)
    report = await aresume()
    assert report.markdown
    assert (await aruns())[0].status == "done"
    await asyncio.to_thread(named.unlink)
    assert (await areplay()).markdown == report.markdown  # which starts no model


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
