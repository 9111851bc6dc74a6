"""A small model file."""

import importlib.util
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.models import close_clients
from tests.fakes.tiny_gguf import write_tiny_model


@pytest.fixture
async def tiny(tmp_path: Path) -> AsyncIterator[Path]:
    """Write the small model; its process has ended when the next test begins."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("The extra `local` is not installed: pip install xllamacpp psutil")
    yield write_tiny_model(tmp_path / "tiny model.gguf")
    await close_clients()
