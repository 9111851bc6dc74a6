"""Hybrid search of one folder: words and meaning in parallel, merged into one ranking of passages.

Words, their translations and, in folders that are not large, each embedding model bring in their best passages; every passage that came in is then scored by all of them, and
by how much of the query stands together in it (`proximity.py`), and the weighted sum decides. Tried against reciprocal rank fusion, which forgets by how much a passage is better, the sum was
ahead on five sets of six and level on HotpotQA; `benchmarks/README.md` has figures.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from services.embedding.dictionary import dictionary
from services.embedding.models import Embedder
from services.embedding.vectors import Vectors, pack, unpack
from services.run.settings import settings
from services.search.files.file_types import SHORTEST_MEANING
from services.search.index import MOST_PASSAGES, FolderIndex
from services.search.index_vectors import Unembedded
from services.search.proximity import proximity
from services.text.passages import sentences
from services.text.ranking import take_turns
from services.text.tokens import has_cjk, tokens

COMMON = 0.2
"""Minimum share of passages with a translation of a word for the word to be ignored as too common."""

Ways = Literal["both", "words", "meaning"]

WHOLLY_EMBEDDED = 2_500
"""Passages of a folder up to which all are embedded before its first search, and found by their meaning alone, too."""
CANDIDATES = 40
"""Passages from words, and as many from translations, that are embedded for a query of a larger folder: a second of processor time."""
DEPTH, AHEAD = 50, 4
"""Passages that are scored in detail: sentence by sentence, and for words shared with the query; and how many times as many are looked at
for those of other files."""
TRANSLATED = 0.4
"""Weight of translated query words in a passage; the words themselves weigh 1 to 1.6."""
TOGETHER = 0.4
"""Weight of the proximity of query word parts in a passage, relative to the words themselves."""
DIGITS = 5
"""Decimals of a similarity that count: the last ones depend on what else a model embedded in the same call."""
ALIKE = 0.8
"""Share of the words of two passages of a file from which they differ in particulars alone, as records of one kind do."""
MAX_SENTENCES = 16
"""Maximum embedded sentences of a passage; tables have many lines that mean nothing alone."""


def translated_hits(index: FolderIndex, query: str, limit: int) -> dict[int, float]:
    """Return passages with translations of a query's words, best first; empty if no dictionary is installed. Blocking.

    Returns:
        Weighted share of the query's translated words in each passage, by its id.
    """
    if not index.words.in_another_language(has_cjk(query)):
        return {}
    words = dictionary()
    concepts = [*words.concepts(query).values()] if words else []
    if not concepts:
        return {}
    count = index.passages()
    max_passages = max(1, int(COMMON * count))
    scores: dict[int, float] = {}
    total = 0.0
    for passages in index.words.passages_holding(concepts, max_passages + 1):
        if len(passages) > max_passages:
            continue
        weight = max(math.log((count - len(passages) + 0.5) / (len(passages) + 0.5)), 1e-6)
        total += weight
        for passage in passages:
            scores[passage] = scores.get(passage, 0.0) + weight
    best = sorted(scores, key=lambda passage: (-scores[passage], passage))[:limit]
    return {passage: scores[passage] / total for passage in best}


async def hybrid(
    index: FolderIndex, models: Sequence[Embedder], query: str, limit: int, ways: Ways = "both"
) -> dict[int, float]:
    """Rank passages for a query, by words, meaning or both.

    Without the vectors of all passages of a model, those of its candidates are computed and kept. Half of the `limit`
    come from words and half from meaning, at least `LEADLINE_TOP_K` from each, and from translated words.

    Returns:
        Ids of passages, best first, with scores comparable among folders.

    Raises:
        SearchError: the endpoint of an embedding model failed.
    """
    whole = await asyncio.to_thread(wholly_embedded, index, models)
    by_words = ways != "meaning" or not whole
    lexical, crossed = await asyncio.to_thread(_by_words, index, query, limit) if by_words else ({}, {})
    if not models or ways == "words":
        every = lexical | crossed
        sums = {each: lexical.get(each, 0.0) + TRANSLATED * crossed.get(each, 0.0) for each in every}
        ranked = await asyncio.to_thread(_records_last, index, query, _best(sums, len(sums)))
        best = dict(islice(ranked.items(), limit))
        return best if ways == "words" else await asyncio.to_thread(_closest, index, query, best, TOGETHER)
    among = None if whole else list(dict.fromkeys([*list(lexical)[:CANDIDATES], *list(crossed)[:CANDIDATES]]))
    if among is not None:
        await _embed_some(index, models, among)
    if ways == "meaning":
        lexical, crossed = {}, {}
    semantic, clear = await _semantic(index, models, query, among)
    semantic = await asyncio.to_thread(_records_last, index, query, semantic)
    depth = limit if ways == "meaning" else max(settings().leadline_top_k, -(-limit // 2))
    closest = list(semantic)[:depth]
    by_meaning = [passage for passage in closest if passage in clear or passage in lexical or passage in crossed]
    candidates = dict.fromkeys([*list(lexical)[:depth], *list(crossed)[:depth], *by_meaning])
    words = min(model.words for model in models)
    scores = {
        passage: words * lexical.get(passage, 0.0) + TRANSLATED * crossed.get(passage, 0.0) + semantic.get(passage, 0.0)
        for passage in candidates
    }
    if ways == "meaning":
        return _best(scores, limit)
    beside = dict.fromkeys([*list(lexical)[:limit], *list(crossed)[:limit], *list(semantic)[:limit]])
    return _best(await asyncio.to_thread(_closest, index, query, scores, TOGETHER * words, beside), limit)


def _best(scores: Mapping[int, float], limit: int) -> dict[int, float]:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit])


def _closest(
    index: FolderIndex, query: str, scores: Mapping[int, float], weight: float, beside: Iterable[int] = ()
) -> dict[int, float]:
    """Rank passages by their scores and by the proximity of the query's words in them, compared with other passages."""
    texts = index.texts(list(dict.fromkeys([*scores, *beside])))
    shares = dict(zip(texts, proximity(query, list(texts.values())), strict=True))
    sums = {passage: score + weight * shares.get(passage, 0.0) for passage, score in scores.items()}
    return _best(sums, len(sums))


def _by_words(index: FolderIndex, query: str, limit: int) -> tuple[dict[int, float], dict[int, float]]:
    floor = settings().leadline_lexical_threshold
    depth = max(DEPTH, limit)
    lexical, crossed = index.words.lexical(query, AHEAD * depth), translated_hits(index, query, depth)
    above = [{passage: score for passage, score in ranking.items() if score > floor} for ranking in (lexical, crossed)]
    return _records_last(index, query, above[0]), _records_last(index, query, above[1])


def _records_last(index: FolderIndex, query: str, ranking: Mapping[int, float]) -> dict[int, float]:
    """Move passages to the end that resemble a better one of their file and hold no further word of the query. Blocking.

    Otherwise the records of one file, such as the ballots of a vote, would displace all other files. A record that the query names stays.
    Of the best `DEPTH`, which are compared, one file has half as long as others have any left.
    """
    best = take_turns(list(ranking), {passage: passage // MOST_PASSAGES for passage in ranking}, DEPTH, DEPTH // 2)
    query_terms = set(tokens(query))
    better: dict[int, list[set[str]]] = {}
    last: list[int] = []
    for passage, text in index.texts(best).items():
        terms = set(tokens(text))
        of_file = better.setdefault(passage // MOST_PASSAGES, [])
        if any(query_terms & terms <= other and len(terms & other) >= ALIKE * len(terms | other) for other in of_file):
            last.append(passage)
        of_file.append(terms)
    order = dict.fromkeys([*(passage for passage in best if passage not in last), *last, *ranking])
    return {passage: ranking[passage] for passage in order}


def wholly_embedded(index: FolderIndex, models: Sequence[Embedder]) -> bool:
    """Tell whether passages can be found by their meaning alone: the folder is not large, and all of them have vectors. Blocking."""
    count = index.passages()
    return count <= WHOLLY_EMBEDDED and all(index.vectors.count(model.name) == count for model in models)


async def _semantic(
    index: FolderIndex, models: Sequence[Embedder], query: str, among: Sequence[int] | None
) -> tuple[dict[int, float], set[int]]:
    """Compare a query with all passages, or with those `among` them, by meaning.

    Returns:
        The best passages with their similarity (0 is unrelated) times the weights of the models, best first; and those
        of them that reach `LEADLINE_SEMANTIC_THRESHOLD` in at least one model.
    """
    bar = settings().leadline_semantic_threshold
    clear: set[int] = set()
    parts: list[tuple[NDArray[np.int64], Vectors]] = []
    for model in models:
        vector = (await model.query(query))[0]
        floor, span = await model.scale()
        ids, cosines = await asyncio.to_thread(index.vectors.cosines, model.name, vector, among)
        if model.by_sentence:
            best = np.argsort(-cosines, kind="stable")[:DEPTH]
            closer = await asyncio.to_thread(_closer, index, model.name, vector, ids[best], cosines[best])
            cosines = cosines * np.float32(0.5)
            cosines[best] = closer
        likeness = (cosines - np.float32(floor)) / np.float32(span)
        clear.update(ids[likeness >= bar].tolist())
        parts.append((ids, likeness * np.float32(model.weight)))
    every = np.array(sorted({key for ids, _ in parts for key in ids.tolist()}), dtype=np.int64)
    sums = np.zeros(len(every), dtype=np.float32)
    for ids, part in parts:
        sums[np.searchsorted(every, ids)] += part
    sums = np.round(sums, DIGITS)
    order = np.argsort(-sums, kind="stable")[: AHEAD * DEPTH]
    return dict(zip(every[order].tolist(), sums[order].tolist(), strict=True)), clear


def _closer(index: FolderIndex, model: str, query: Vectors, ids: NDArray[np.int64], cosines: Vectors) -> Vectors:
    sentence_vectors = index.vectors.of_sentences(model, ids.tolist())
    closer = cosines.copy()
    for place, passage in enumerate(ids.tolist()):
        if data := sentence_vectors.get(passage):
            closer[place] = (cosines[place] + (unpack(data, len(query)) @ query).max()) / 2
    return closer


async def embed(index: FolderIndex, model: Embedder, count: Callable[[int], None] = lambda _: None) -> None:
    """Embed the passages without vectors of a model, and store the vectors; `count` is told of each number of them.

    Raises:
        SearchError: the endpoint of the model failed; finished vectors are kept.
    """
    batches = index.vectors.missing(model.name, model.batch)
    while batch := await asyncio.to_thread(next, batches, None):
        await _embed_batch(index, model, batch)
        count(len(batch))


async def _embed_some(index: FolderIndex, models: Sequence[Embedder], passages: Sequence[int]) -> None:
    for model in models:
        missing = await asyncio.to_thread(index.vectors.missing_among, model.name, passages)
        for start in range(0, len(missing), model.batch):
            await _embed_batch(index, model, missing[start : start + model.batch])


async def _embed_batch(index: FolderIndex, model: Embedder, batch: Sequence[Unembedded]) -> None:
    sentences_of = [_sentences(passage) if model.by_sentence else [] for passage in batch]
    texts = [_text(passage) for passage in batch] + [text for texts in sentences_of for text in texts]
    vectors = await model.passages(texts)
    of_passages: dict[int, bytes] = {}
    of_sentences: dict[int, bytes] = {}
    start = len(batch)
    for place, (passage, sentence_texts) in enumerate(zip(batch, sentences_of, strict=True)):
        of_passages[passage.passage] = pack(vectors[place : place + 1])
        if sentence_texts:
            of_sentences[passage.passage] = pack(vectors[start : start + len(sentence_texts)])
        start += len(sentence_texts)
    await asyncio.to_thread(index.vectors.add, model.name, of_passages, of_sentences)


def _text(passage: Unembedded) -> str:
    text = passage.text.lstrip("# ")
    return text if text.startswith(passage.title) else f"{passage.title}. {text}"


def _sentences(passage: Unembedded) -> list[str]:
    """Return a passage's sentences, each with the title; empty for a single sentence, which has the passage's vector."""
    texts = [passage.text[span.start : span.end] for span in sentences(passage.text)]
    statements = [text for text in texts if len(text) >= SHORTEST_MEANING and not text.startswith("#")][:MAX_SENTENCES]
    return [f"{passage.title}. {text}" for text in statements] if len(statements) > 1 else []
