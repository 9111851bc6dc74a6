"""A small model file, and a folder for temporary files of the test's own."""

import asyncio
import importlib.util
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.models import close_clients
from services.models.llamacpp import serve
from tests.fakes.tiny_gguf import write_tiny_model

ENDS_WITHIN = 30
"""Seconds after which a model's process that nobody uses any more must have ended."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep locks and records in the test's folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
async def tiny(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """Write the small model; its process has ended when the next test begins."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("The extra `local` is not installed: pip install xllamacpp psutil")
    monkeypatch.setattr(serve, "GRACE_SECONDS", 0.3)
    yield write_tiny_model(tmp_path / "tiny model.gguf")
    await close_clients()
    for child in list(serve._children.values()):  # it outlives its use by the grace; the test waits for its end
        await asyncio.to_thread(child.wait, ENDS_WITHIN)
