"""Vectors as the index keeps them."""

import numpy as np

from services.embedding.vectors import Cache, Matrix, pack, unpack


def _random(rows: int, dimensions: int = 64) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(3).normal(size=(rows, dimensions)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def test_a_packed_vector_comes_back_nearly_the_same() -> None:
    vectors = _random(5)
    assert np.abs(unpack(pack(vectors), 64) - vectors).max() < 0.01


def test_a_matrix_gives_the_cosines_of_the_exact_vectors() -> None:
    vectors = _random(40)
    matrix = Matrix([(key, pack(vectors[key : key + 1])) for key in range(40)], 64)
    assert matrix.ids.tolist() == list(range(40))
    assert np.abs(matrix.cosines(vectors[7]) - vectors @ vectors[7]).max() < 0.01


def test_what_was_computed_is_kept_until_the_index_changes() -> None:
    cache = Cache[str]()
    assert cache.get(("index", "model"), 1, lambda: "old") == "old"
    assert cache.get(("index", "model"), 1, lambda: "new") == "old"
    assert cache.get(("index", "model"), 2, lambda: "new") == "new"
