"""Plain text is read with its sections, and code of an unknown ending as code."""

import pytest

from services.search.files.cards import text_card
from services.search.files.convert_plain import convert_plain
from services.text.passages import split
from tests.attacks.processor_time import processor_time

MANUAL = """\
                     ----------------------
                             Lead
                      Sounding Manual
                     ----------------------
                          version 3.5

This document covers the lead.

Summary
-------

1.    Quick reminder
1.2.      Weights

1. Quick reminder
-----------------

Cast it, then read:

      $ sound "10 fathoms"

      # assuming that the bottom is mud

1.2. Weights
------------

Sinkers of iron weigh 20 kg.

Sort    Mass
------------
iron    20
"""


def read(text: str, name: str = "manual.txt") -> str:
    return convert_plain(name, text.encode())["text"]


@pytest.mark.parametrize("name", ["manual.txt", "manual.unknown"])
def test_underlined_lines_are_sections_below_the_title_between_rules(name: str) -> None:
    converted = convert_plain(name, MANUAL.encode())
    text = converted["text"]
    assert converted["title"] == "Lead Sounding Manual"
    headings = {text[span.start : span.end]: span.heading for span in split(text, 60)}
    [weights] = [heading for passage, heading in headings.items() if "Sinkers" in passage]
    assert weights == "Lead Sounding Manual > 1. Quick reminder > 1.2. Weights"
    assert "Sort    Mass\n------------" in text


def test_a_line_alone_above_underlined_headings_is_the_title() -> None:
    text = read("Guide to wire\n\n\nNeeds\n=====\nA winch.\n\n*****\nUse:\n*****\n\n绞车\n====\n\nHaul.")
    assert text == "# Guide to wire\n\n\n## Needs\nA winch.\n\n### Use:\n\n## 绞车\n\nHaul."
    assert text_card(text, "guide").title == "Guide to wire"
    assert read("Posted: 2020-01-02\n\nNeeds\n=====\n\nA winch.").startswith("Posted: 2020-01-02\n\n# Needs")


def test_an_outline_has_sections_and_notes_with_asterisks_have_none() -> None:
    news = "News of the lead\n\n* Release 8.0\n\n** Bug fixes\n\n  It sinks.\n\n* one\n* two\n"
    assert read(news, "NEWS") == "News of the lead\n\n# Release 8.0\n\n## Bug fixes\n\n  It sinks.\n\n* one\n* two"
    notes = "Depths fell.\n\n* p < 0.05\n** p < 0.01\n"
    assert read(notes, "NOTES") == notes.strip()


def test_a_line_of_a_drawing_is_no_title() -> None:
    assert convert_plain("peers.txt", b"  +------+\n  | host |\n  +------+\n\nIt has a host.")["title"] == "| host |"


def test_a_file_with_comments_is_code_and_its_comments_head_nothing() -> None:
    makefile = "# Builds the winch.\n# For all.\n\nall: winch\n\n# oil it\noil:\n\tcat oil\n"
    assert read(makefile, "Makefile.am") == f"```\n{makefile.strip()}\n```"
    assert read("#!/bin/sh\n\n# Hauls\nhaul", "haul").startswith("```\n#!/bin/sh")
    assert read("# Winches\nHaul.\n\n# Wires\nCoil.\n", "NOTES") == "# Winches\nHaul.\n\n# Wires\nCoil."


@pytest.mark.parametrize(
    "piece", ["# a\n", "#\n", "a\n---\n\n", "---\n", "1.2. a  b\n---------\n", "a  b ", "-", "1.", "** a\n\n", "*"]
)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    with processor_time(6):
        words = read(piece * 20_000 + "the end")
    assert "the end" in words
