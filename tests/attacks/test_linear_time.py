"""No regular expression of the source can be made to take long: each reads 50,000 characters of its own hard cases in half a second.

What takes quadratic time takes a twenty-fifth of it for a fifth of the text, so most cases are cleared by that.
"""

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests.attacks.hard_cases import SIZE, hard_cases, has_possessive_group
from tests.attacks.processor_time import ProcessorTimeExceeded, processor_time
from tests.attacks.source_patterns import files, hidden_of, patterns_of

SECONDS = 0.5
"""Processor time that a hard case may take."""
FIRST = 5
"""How many times shorter the text of each case is that a pattern is given first."""
OWN_TEXT = {
    "prompts/__init__.py:_FRONT_MATTER": "front matter of the built-in templates",
    "prompts/overrides.py:_SYSTEM": "the built-in templates",
    "services/embedding/dictionary.py:_ENTRY": "the dictionary's own file",
    "services/embedding/dictionary.py:_ASIDE": "the dictionary's own file",
}
"""Patterns that see nothing from outside, and what they see."""
LITERALS = {
    "leadline/runs/persistence.py:_note_column": "a column's name",
    "prompts/data.py:neutraliser": "names of tags and of control tokens, escaped",
    "services/reports/merge_sections.py:_with_terms": "a term, escaped",
    "services/text/numerals.py:_words": "CLDR's own words, escaped",
    "services/check/numbers.py:_stands_in_name": "the digits of a number",
    "services/run/wishes.py:pasted_text": "the first words of a text, escaped",
}
"""Functions that make a pattern while they run, and of what: a literal with fixed words around it."""


def _takes_long(pattern: re.Pattern[Any], text: str, seconds: float, *, anchored: bool) -> bool:
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    try:
        with processor_time(seconds):
            if anchored:
                pattern.match(given)
                pattern.fullmatch(given)
            else:
                for _ in pattern.finditer(given):
                    pass
    except ProcessorTimeExceeded:
        return True
    return False


def _hardest(pattern: re.Pattern[Any], size: int, *, anchored: bool) -> str:
    """Return the first hard case that takes long, or nothing."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags if isinstance(pattern.pattern, str) else pattern.flags | re.UNICODE
    flags &= ~re.DEBUG
    for short, case in hard_cases(source, flags, [size // FIRST, size]):
        if not _takes_long(pattern, short, SECONDS / FIRST**2, anchored=anchored):
            continue
        if _takes_long(pattern, case, SECONDS, anchored=anchored):
            return repr(case[:60])
    return ""


@pytest.mark.parametrize("file", files())
def test_every_pattern_reads_its_hardest_text_in_half_a_second(file: str) -> None:
    """And repeats no group possessively, which Python before 3.11.5 matches wrongly where the group backtracks (CPython issue 106052)."""
    found = patterns_of(file)
    slow = {
        entry.place: case
        for entry in found
        if entry.place not in OWN_TEXT and (case := _hardest(entry.pattern, SIZE, anchored=entry.anchored))
    }
    assert slow == {}
    assert [
        entry.place
        for entry in found
        if isinstance(entry.pattern.pattern, str)
        and has_possessive_group(entry.pattern.pattern, entry.pattern.flags & ~re.DEBUG)
    ] == []
    assert set(hidden_of(file)) == _in_file(file, LITERALS), "patterns are made while the program runs"
    assert _in_file(file, OWN_TEXT) <= {entry.place for entry in found}


def _in_file(file: str, places: Iterable[str]) -> set[str]:
    return {place for place in places if place.startswith(f"{file}:")}


def test_what_is_left_out_is_still_there() -> None:
    assert {place.partition(":")[0] for place in (*OWN_TEXT, *LITERALS)} <= set(files())


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s+$", r"[^\]]*\]", r"a+b", r"(?:a+)+b", r"\[\s*\w+(?:\s*,?\s*\w+)*\]", r"<!--.*?-->", r"(?:\d+,?)+x", r"#\s+(.*?)\s*#*$",
        r"\w*\d+\w*!", r"(?P<a>.+?) and (?P<b>.+?) but",
    ],
)  # fmt: skip
def test_patterns_that_can_be_made_to_take_long_are_caught(pattern: str) -> None:
    assert _hardest(re.compile(pattern), SIZE, anchored=False)


@pytest.mark.parametrize(
    "pattern", [r"(?<!\s)\s++$", r"(?<!a)a++b", r"\[[^\[\]]*\]", r"(?<!\d)\d++(?:,\d{3})*+", r"[a-z]+"]
)
def test_patterns_in_linear_time_pass(pattern: str) -> None:
    assert not _hardest(re.compile(pattern), SIZE, anchored=False)


def test_groups_that_are_repeated_possessively_are_caught() -> None:
    assert has_possessive_group(r"(?<!\d)\d++(?:,\d{3})*+")
    assert not has_possessive_group(r"(?<!\d)\d++(?>(?:,\d{3})*)[ab]?+")
