"""What a model file gets of a machine, by its size."""

from pathlib import Path

import pytest

from services.models.llamacpp.resources import FreeResources, share_of, size_of, this_machine
from services.run.errors import SettingsError

GB = 10**9


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Write a file of 1 GB, which takes no place on the disk."""
    with (tmp_path / "small.gguf").open("wb") as file:
        file.truncate(GB)
    return tmp_path / "small.gguf"


@pytest.mark.parametrize(("memory", "context"), [(16, 32_768), (4, 16_384), (3, 8_192), (2.2, 4_096)])
def test_a_model_gets_as_much_context_as_there_is_memory_for(model: Path, memory: float, context: int) -> None:
    assert share_of(model, FreeResources(int(memory * GB), 4), None).context == context


def test_the_operators_context_is_taken_as_it_is(model: Path) -> None:
    assert share_of(model, FreeResources(GB, 4), 12_000).context == 12_000


def test_prompts_are_kept_only_where_memory_is_plenty(model: Path) -> None:
    assert share_of(model, FreeResources(16 * GB, 4), None).cache
    assert not share_of(model, FreeResources(4 * GB, 4), None).cache


def test_all_parts_of_a_model_count(tmp_path: Path) -> None:
    for name in ("big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "big.gguf"):
        (tmp_path / name).write_bytes(b"12345")
    assert size_of(tmp_path / "big-00001-of-00002.gguf") == 10
    assert size_of(tmp_path / "big.gguf") == 5


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"is a folder\. Name the model file in it"):
        size_of(tmp_path)


def test_a_container_has_what_its_limits_leave(tmp_path: Path) -> None:
    pytest.importorskip("psutil", reason="The extra `local` is not installed")
    unlimited = this_machine(tmp_path)
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("700000\n")
    (tmp_path / "memory.stat").write_text("anon 400000\ninactive_file 200000\nactive_file 50000\n")
    (tmp_path / "cpu.max").write_text("100000 100000\n")
    assert this_machine(tmp_path) == FreeResources(550_000, 1)
    (tmp_path / "memory.max").write_text("max\n")
    assert unlimited.memory > 10**8 < this_machine(tmp_path).memory
