"""The vectors of an index's passages and of their sentences. Blocking."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.embedding.vectors import Cache, Matrix, Vectors
from services.search.index_file import Connections, count_change, generation

_matrices = Cache[Matrix]()
_ALL = "SELECT passage, vector FROM vectors WHERE model = ? ORDER BY passage"
_SOME = (
    "SELECT passage, vector FROM vectors "
    "WHERE model = ? AND passage IN (SELECT value FROM json_each(?)) ORDER BY passage"
)
_UNEMBEDDED = (
    "SELECT id, coalesce((SELECT title FROM files WHERE files.hash = passages.hash ORDER BY path LIMIT 1), ''), "
    "substr(text, first + 1, last - first) FROM passages JOIN texts ON texts.hash = passages.hash "
    "WHERE NOT by_words AND NOT EXISTS (SELECT 1 FROM vectors WHERE model = ? AND passage = id) AND "
)
_FURTHER = _UNEMBEDDED + "id > ? ORDER BY id LIMIT ?"
_CHOSEN = _UNEMBEDDED + "id IN (SELECT value FROM json_each(?)) ORDER BY id"  # noqa: S608 - constant text


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage without a vector of a model."""

    passage: int
    title: str
    text: str


class PassageVectors:
    """Vectors stored in an index's file."""

    def __init__(self, connections: Connections) -> None:
        self._file = str(connections.file)
        self._open, self._rows = connections.open, connections.rows

    def cosines(
        self, model: str, query: Vectors, among: Sequence[int] | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """Return the ids of passages with a vector of a model, all or those `among` them, and their cosines with a query's vector."""
        if among is None:
            with self._open() as db:
                current = generation(db)
            matrix = _matrices.get((self._file, model), current, lambda: Matrix(self._rows(_ALL, model), len(query)))
        else:
            matrix = Matrix(self._rows(_SOME, model, json.dumps(among)), len(query))
        return matrix.ids, matrix.cosines(query)

    def of_sentences(self, model: str, passages: Sequence[int]) -> dict[int, bytes]:
        """Return the packed vectors of the passages' sentences."""
        statement = (
            "SELECT passage, vectors FROM sentence_vectors "
            "WHERE model = ? AND passage IN (SELECT value FROM json_each(?))"
        )
        return dict(self._rows(statement, model, json.dumps(passages)))

    def count(self, model: str) -> int:
        """Return the number of passages with a vector of a model."""
        return int(self._rows("SELECT count(*) FROM vectors WHERE model = ?", model)[0][0])

    def missing_among(self, model: str, passages: Sequence[int]) -> list[Unembedded]:
        """Return those of some passages that have no vector of a model."""
        return [Unembedded(*row) for row in self._rows(_CHOSEN, model, json.dumps(passages))]

    def missing(self, model: str, batch: int) -> Iterator[list[Unembedded]]:
        """Return the passages without a vector of a model, in batches."""
        last = 0
        while rows := self._rows(_FURTHER, model, last, batch):
            last = rows[-1][0]
            yield [Unembedded(*row) for row in rows]

    def add(self, model: str, vectors: Mapping[int, bytes], sentences: Mapping[int, bytes]) -> None:
        """Take in packed vectors of passages and of their sentences; passages that are gone by now are left out.

        Vectors of other versions of the model are forgotten.
        """
        family = model.rpartition(" ")[0] + " "
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            older = (len(family), family, model)
            db.execute("DELETE FROM vectors WHERE substr(model, 1, ?) = ? AND model != ?", older)
            db.execute("DELETE FROM sentence_vectors WHERE substr(model, 1, ?) = ? AND model != ?", older)
            if_present = "SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?)"
            db.executemany(
                f"INSERT OR REPLACE INTO vectors (model, passage, vector) {if_present}",
                [(model, passage, data, passage) for passage, data in vectors.items()],
            )
            db.executemany(
                f"INSERT OR REPLACE INTO sentence_vectors (model, passage, vectors) {if_present}",
                [(model, passage, data, passage) for passage, data in sentences.items()],
            )
            count_change(db)
