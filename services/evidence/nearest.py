"""The excerpts that have most in common with a statement."""

from collections.abc import Iterable, Mapping

from schemas.evidence import Excerpt, Source
from services.text.ranking import bm25
from services.text.tokens import tokens


def nearest(text: str, excerpts: Iterable[Excerpt], sources: Mapping[str, Source], most: int) -> list[Excerpt]:
    """Return the excerpts that share most words with a text, with their sources' titles, the nearest first and each quote once.

    Args:
        text: the statement.
        excerpts: those to choose from.
        sources: by content hash.
        most: maximum number.
    """
    [found] = nearest_each([text], excerpts, sources, most)
    return found


def nearest_each(
    texts: Iterable[str], excerpts: Iterable[Excerpt], sources: Mapping[str, Source], most: int
) -> list[list[Excerpt]]:
    """Return the nearest excerpts of each text; each excerpt is read once, which takes most of the time."""
    others = list({excerpt.quote: excerpt for excerpt in excerpts}.values())
    held = [tokens(f"{sources[excerpt.content_hash].title} {excerpt.quote}") for excerpt in others]
    found: list[list[Excerpt]] = []
    for text in texts:
        scores = bm25(held, tokens(text))
        best = sorted(range(len(others)), key=lambda place: (-scores[place], place))[:most]
        found.append([others[place] for place in best if scores[place] > 0])
    return found
