"""Excerpts whose text another excerpt holds are shown once."""

from schemas.evidence import Excerpt
from services.evidence.repeated_excerpts import held_by


def excerpt(identifier: str, source: str, start: int, end: int) -> Excerpt:
    return Excerpt(id=identifier, content_hash=source, quote="x" * (end - start), start=start, end=end)


def test_of_texts_in_each_other_the_longest_and_of_equal_ones_the_first_is_shown() -> None:
    excerpts = [
        excerpt("E1-1", "a", 10, 20),
        excerpt("E2-1", "a", 10, 20),
        excerpt("E3-1", "a", 5, 30),
        excerpt("E4-1", "b", 10, 20),
        excerpt("E5-1", "a", 25, 40),
    ]
    assert held_by(excerpts) == {"E1-1": "E3-1", "E2-1": "E3-1"}
    assert held_by(excerpts[:2]) == {"E2-1": "E1-1"}
