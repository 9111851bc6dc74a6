"""Compares sentences with quotes in another language by meaning, with the local embedding model if it is in use."""

from collections.abc import Callable, Sequence

from pydantic import BaseModel

from services.embedding.models import Embedder, embedders
from services.run.scope import current_run
from services.run.settings import settings
from services.text.passages import sentences

MODEL = "use"
"""The model on whose cosines `support.MEANING` was chosen."""
Likeness = Callable[[str, Sequence[str]], float | None]
"""Returns the similarity of a sentence to quotes as a cosine; None if no model can compare them."""
Pair = tuple[str, Sequence[str]]
"""A sentence and its cited quotes."""


class _Cosines(BaseModel):
    by_pair: list[float] | None
    """None where the model is not in use."""


async def likeness_of(pairs: Sequence[Pair]) -> Likeness | None:
    """Compare sentences with quotes once; the journal records the results.

    Returns:
        The highest cosine of each sentence with a sentence of its quotes; None without pairs, or if the local model is
        not in use.
    """
    if not pairs:
        return None

    async def work() -> _Cosines:
        model = next((embedder for embedder in embedders(settings()) if embedder.name.split()[0] == MODEL), None)
        return _Cosines(by_pair=await cosines(pairs, model) if model else None)

    request = {"pairs": [[text, list(quotes)] for text, quotes in pairs]}
    journal = current_run().journal
    values = (await journal.once("likeness", f"{len(pairs)} sentences", request, _Cosines, work)).answer.by_pair
    if values is None:
        return None
    by_pair = {(text, tuple(quotes)): cosine for (text, quotes), cosine in zip(pairs, values, strict=True)}
    return lambda text, quotes: by_pair.get((text, tuple(quotes)))


async def cosines(pairs: Sequence[Pair], model: Embedder) -> list[float]:
    """Return for each pair the highest cosine of the sentence with a sentence of its quotes."""
    split = [
        (text, [quote[span.start : span.end] for quote in quotes for span in sentences(quote)])
        for text, quotes in pairs
    ]
    texts = list(dict.fromkeys(text for sentence, parts in split for text in (sentence, *parts)))
    vectors = await model.passages(texts)
    place = {text: row for row, text in enumerate(texts)}
    return [
        round(float(max(vectors[place[part]] @ vectors[place[text]] for part in parts)), 3) if parts else 0.0
        for text, parts in split
    ]
