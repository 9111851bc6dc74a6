"""Reading the head of model files: sizes, and what is wrong with files that are none."""

import re
import shutil
import struct
from pathlib import Path

import pytest

from services.models.llamacpp.model_file import read_model_file
from services.run.errors import SettingsError
from tests.fakes.tiny_gguf import write_tiny_model


def number(name: str, value: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<II", 4, value)


def test_sizes_are_read_from_the_head(tmp_path: Path) -> None:
    model = read_model_file(write_tiny_model(tmp_path / "tiny.gguf"))
    assert model.weights == (tmp_path / "tiny.gguf").stat().st_size
    assert (model.trained_context, model.vocabulary) == (8_192, 259)
    assert model.bytes_per_token == 2 * 32 * 2  # keys and values of one layer, as 16-bit numbers


def test_heads_that_share_keys_need_less_context_memory(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "tiny.gguf")
    path.write_bytes(
        path.read_bytes().replace(
            number("llama.attention.head_count_kv", 2), number("llama.attention.head_count_kv", 1)
        )
    )
    assert read_model_file(path).bytes_per_token == 32 * 2


def test_all_parts_of_a_model_count(tmp_path: Path) -> None:
    first = write_tiny_model(tmp_path / "big-00001-of-00003.gguf")
    with pytest.raises(SettingsError, match=r"comes in 3 files, but big-00002-of-00003\.gguf is not next to it"):
        read_model_file(first)
    for part in (2, 3):
        shutil.copy(first, tmp_path / f"big-0000{part}-of-00003.gguf")
    assert read_model_file(first).weights == 3 * first.stat().st_size


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "is not there. Correct its path in LEADLINE_MODEL"),
        (b"", "is not a model file of llama.cpp"),
        (b"<!DOCTYPE html>", "is not a model file of llama.cpp"),
        (b"GGUF", "is broken or incomplete"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "GGUF file of version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "is broken or incomplete"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62), "is broken or incomplete"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + number("llama.block_count", 1), "holds no language model"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match=re.escape(told)):
        read_model_file(path)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"is a folder\. Name the model file in it"):
        read_model_file(tmp_path)


def test_a_head_that_was_cut_off_anywhere_is_broken(tmp_path: Path) -> None:
    whole = write_tiny_model(tmp_path / "tiny.gguf", without_tensors=True).read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in range(4, 2_000, 37):
        cut.write_bytes(whole[:length])
        with pytest.raises(SettingsError, match="broken or incomplete"):
            read_model_file(cut)
