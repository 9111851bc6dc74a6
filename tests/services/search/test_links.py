"""Titles named in texts."""

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


def test_the_longest_title_at_a_place_counts() -> None:
    assert TITLES.named("It was William Thomson's machine.") == {"william thomson": ["a"]}


def test_sources_of_one_title_are_all_named() -> None:
    assert TITLES.named("What Thomson said") == {"thomson": ["b", "f"]}


def test_what_distinguishes_a_title_in_brackets_need_not_be_said() -> None:
    assert TITLES.named("a song by the Beatles") == {"the beatles": ["c"]}


def test_a_part_of_a_word_names_nothing() -> None:
    assert TITLES.named("Thomsonite is a mineral.") == {}


def test_a_chinese_title_is_found_inside_a_sentence() -> None:
    assert TITLES.named("各地开展近视防控工作。") == {"近视防控": ["d"]}
