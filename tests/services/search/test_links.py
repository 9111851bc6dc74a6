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


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("PEPs 703 and 3 say so.", ["PEP 703", "PEP 3"]),
        ("What does eip-1559 change, what EIP 4844?", ["EIP-1559"]),
        ("PEP 703 was measured on Skylake and Zen 3, with one thread.", ["PEP 703"]),
        ("In 1559 there was a PEP.", []),
    ],
)
def test_a_number_names_a_source_only_behind_its_word(text: str, named: list[str]) -> None:
    titles = Titles([], [("a", "PEP 703"), ("b", "PEP 3"), ("c", "EIP-1559")])
    assert list(titles.numbered(text)) == named
