"""What a model gets of a machine."""

from pathlib import Path

import pytest

from services.models.llamacpp.model_file import ModelFile
from services.models.llamacpp.resources import FreeResources, share_of, this_machine
from services.run.errors import SettingsError

GB = 10**9
SMALL = ModelFile(Path("small.gguf"), 1 * GB, 32_768, 28_672, 152_000)
"""Like Qwen2.5 with 1.5 billion parameters, quantized."""


@pytest.mark.parametrize(("memory", "context"), [(16, 32_768), (2.6, 16_384), (2.2, 8_192), (2.0, 4_096)])
def test_a_model_gets_as_much_context_as_there_is_memory_for(memory: float, context: int) -> None:
    assert share_of(SMALL, FreeResources(int(memory * GB), 4), None).context == context


def test_no_model_gets_more_context_than_it_was_trained_with() -> None:
    short = ModelFile(Path("short.gguf"), 1 * GB, 2_048, 28_672, 32_000)
    assert share_of(short, FreeResources(64 * GB, 4), None).context == 2_048
    assert share_of(short, FreeResources(64 * GB, 4), 8_192).context == 2_048


def test_the_operators_context_is_taken_or_refused() -> None:
    assert share_of(SMALL, FreeResources(16 * GB, 4), 12_000).context == 12_000
    with pytest.raises(
        SettingsError, match=r"context of 32,768 tokens it takes about 2\.\d GB, and 2\.0 GB are free.*LEADLINE_CONTEXT"
    ):
        share_of(SMALL, FreeResources(2 * GB, 4), 32_768)


def test_many_cores_answer_two_requests_at_once_where_memory_allows() -> None:
    assert share_of(SMALL, FreeResources(16 * GB, 16), None).slots == 2
    assert share_of(SMALL, FreeResources(16 * GB, 4), None).slots == 1
    assert share_of(SMALL, FreeResources(3 * GB, 16), None).slots == 1


def test_prompts_are_kept_only_where_memory_is_plenty() -> None:
    assert share_of(SMALL, FreeResources(16 * GB, 4), None).cache
    assert not share_of(SMALL, FreeResources(3 * GB, 4), None).cache


def test_a_container_has_what_its_limits_leave(tmp_path: Path) -> None:
    pytest.importorskip("psutil", reason="The extra `local` is not installed")
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("700000\n")
    (tmp_path / "memory.stat").write_text("anon 400000\ninactive_file 200000\nactive_file 50000\n")
    (tmp_path / "cpu.max").write_text("100000 100000\n")
    assert this_machine(tmp_path) == FreeResources(550_000, 1)


def test_a_container_without_limits_has_the_machine(tmp_path: Path) -> None:
    pytest.importorskip("psutil", reason="The extra `local` is not installed")
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "cpu.max").write_text("max 100000\n")
    machine = this_machine(tmp_path)
    assert machine.memory > 10**8
    assert machine.cores >= 1
