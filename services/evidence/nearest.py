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
    others = list({excerpt.quote: excerpt for excerpt in excerpts}.values())
    held = [tokens(f"{sources[excerpt.content_hash].title} {excerpt.quote}") for excerpt in others]
    scores = bm25(held, tokens(text))
    best = sorted(range(len(others)), key=lambda place: (-scores[place], place))[:most]
    return [others[place] for place in best if scores[place] > 0]
