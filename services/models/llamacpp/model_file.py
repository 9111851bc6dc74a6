"""Reads the head of a model file: size of the model, its trained context, and the memory that a context takes.

The format is GGUF (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): a magic number, then named values, then tensors.
"""

import re
import struct
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from services.run.errors import SettingsError

_MAGIC = b"GGUF"
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""`struct` formats of the value types with a fixed size."""
_STRING, _ARRAY = 8, 9
_MAX_VALUES, _MAX_ITEMS, _MAX_TEXT = 10_000, 5_000_000, 16_000_000
"""Upper bounds of a genuine file: vocabularies have some 300,000 tokens."""
_MAX_LISTED = 4_096
"""Maximum length of an array whose numbers are kept, such as the heads of each layer."""
_PART = re.compile(r"-00001-of-(\d{5})\.gguf$")
_CACHE_BYTES = 2
"""Bytes of a number in the context's cache: llama.cpp stores 16-bit floats."""
_UNKNOWN_TRAINED = 4_096
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFile:
    """Size and memory needs of a model file."""

    path: Path
    weights: int
    """Bytes of the file and of the model's other parts."""
    trained_context: int
    """Maximum context in tokens that the model was trained for."""
    bytes_per_token: int
    """Bytes of the context's cache per token."""
    vocabulary: int

    def memory(self, context: int) -> int:
        """Return the approximate bytes of memory that the model takes with a context of so many tokens."""
        working = (
            512 * self.vocabulary * 4 + 256 * _MIB
        )  # scores of a batch for every token of the vocabulary, and layers
        return self.weights + context * self.bytes_per_token + working


def read_model_file(path: Path) -> ModelFile:
    """Read the head of a model file. Blocking, some 0.1 s for a large vocabulary.

    Raises:
        SettingsError: there is no such file, it is no model file, or it is incomplete.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            values = _Head(file, size).values(path)
    except FileNotFoundError:
        raise SettingsError(
            f"The model file {path} is not there. Correct its path in LEADLINE_MODEL (llamacpp:/path/model.gguf)."
        ) from None
    except IsADirectoryError:
        raise SettingsError(f"{path} is a folder. Name the model file in it: llamacpp:/path/model.gguf") from None
    except OSError as error:
        raise SettingsError(f"The model file {path} cannot be read ({error.strerror}).") from None
    except _Incomplete:
        raise SettingsError(
            f"The model file {path} is broken or incomplete. Download it again, and compare its size with that of the original."
        ) from None
    return _described(path, size + _other_parts(path), values)


class _Incomplete(Exception):
    """The file ends before its head does, or the head holds something impossible."""


class _Head:
    """Reads the values before the tensors."""

    def __init__(self, file: BufferedReader, size: int) -> None:
        self._file, self._size = file, size

    def values(self, path: Path) -> dict[str, Any]:
        """Return the values by name; of an array, its numbers or its length.

        Raises:
            SettingsError: the file is not a model file, or has an unknown version.
            _Incomplete: the file is broken.
        """
        magic = self._file.read(len(_MAGIC))
        if magic != _MAGIC:
            raise SettingsError(
                f"{path} is not a model file of llama.cpp: it does not begin as GGUF files do. Download the model as a file whose "
                "name ends with .gguf."
            )
        version, _, count = self._unpack("<IQQ")
        if version not in {2, 3}:
            raise SettingsError(f"{path} is a GGUF file of version {version}; only versions 2 and 3 can be read.")
        if count > _MAX_VALUES:
            raise _Incomplete
        return {self._text(): self._value(*self._unpack("<I")) for _ in range(count)}

    def _unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._take(struct.calcsize(form)))

    def _take(self, length: int) -> bytes:
        raw = self._file.read(length)
        if len(raw) < length:
            raise _Incomplete
        return raw

    def _skip(self, length: int) -> None:
        if self._file.tell() + length > self._size:
            raise _Incomplete
        self._file.seek(length, 1)

    def _length(self) -> int:
        length = int(self._unpack("<Q")[0])
        if length > _MAX_TEXT:
            raise _Incomplete
        return length

    def _text(self) -> str:
        return self._take(self._length()).decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise _Incomplete
        return self._unpack(f"<{_SCALARS[kind]}")[0]

    def _array(self) -> Any:
        kind, count = self._unpack("<IQ")
        if count > _MAX_ITEMS:
            raise _Incomplete
        if kind == _STRING:
            for _ in range(count):
                self._skip(self._length())
            return count
        if kind not in _SCALARS:  # no model value is an array of arrays
            raise _Incomplete
        if count <= _MAX_LISTED:
            return list(self._unpack(f"<{count}{_SCALARS[kind]}"))
        self._skip(count * struct.calcsize(_SCALARS[kind]))
        return count


def _described(path: Path, weights: int, values: dict[str, Any]) -> ModelFile:
    family = values.get("general.architecture")

    def number(name: str, otherwise: int = 0) -> int:
        value = values.get(f"{family}.{name}")
        return value if isinstance(value, int) and value > 0 else otherwise

    tokens = values.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, int) or not number("block_count"):
        raise SettingsError(
            f"{path} holds no language model (its family is {str(family)[:40]!r}). Name the file of the model itself, and not "
            "that of an adapter or of a part that reads pictures."
        )
    heads = values.get(f"{family}.attention.head_count")
    most_heads = max(heads) if isinstance(heads, list) and heads else number("attention.head_count", 1)
    per_head = number("embedding_length") // max(most_heads, 1)
    both = number("attention.key_length", per_head) + number("attention.value_length", per_head)
    shared = values.get(f"{family}.attention.head_count_kv", most_heads)
    all_heads = sum(shared) if isinstance(shared, list) else int(shared) * number("block_count")
    if latent := number("attention.kv_lora_rank"):  # families that store one small vector instead of keys and values
        both, all_heads = latent + number("rope.dimension_count"), number("block_count")
    return ModelFile(
        path, weights, number("context_length", _UNKNOWN_TRAINED), max(1, both * all_heads * _CACHE_BYTES), tokens
    )


def _other_parts(path: Path) -> int:
    """Return the bytes of the other files of a model that comes in parts.

    Raises:
        SettingsError: a part is missing.
    """
    if (part := _PART.search(path.name)) is None:
        return 0
    total, size = int(part[1]), 0
    for number in range(2, total + 1):
        other = path.with_name(f"{path.name[: part.start()]}-{number:05}-of-{part[1]}.gguf")
        try:
            size += other.stat().st_size
        except OSError:
            raise SettingsError(
                f"The model {path} comes in {total} files, but {other.name} is not next to it."
            ) from None
    return size
