"""Titles named in texts."""

import pytest

from services.search.links import Titles

TITLES = Titles(
    [
        ("a", "William Thomson"),
        ("b", "Thomson"),
        ("c", "The Beatles (band)"),
        ("d", "近视防控"),
        ("e", "It"),
        ("f", "Thomson"),
    ]
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("It was William Thomson's machine.", {"william thomson": ["a"]}),
        ("What Thomson said", {"thomson": ["b", "f"]}),
        ("a song by the Beatles", {"the beatles": ["c"]}),
        ("Thomsonite is a mineral.", {}),
        ("各地开展近视防控工作。", {"近视防控": ["d"]}),
    ],
)
def test_the_longest_titles_of_whole_words_are_found(text: str, named: dict[str, list[str]]) -> None:
    assert TITLES.named(text) == named
