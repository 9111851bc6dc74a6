"""Texinfo is read as its readers see it: as Markdown, with its title, sections, items and examples."""

import pytest

from services.search.files.convert_plain import convert_plain
from services.text.passages import split
from tests.attacks.processor_time import processor_time

MANUAL = r"""\input texinfo
@c %**start of header
@setfilename sound.info
@settitle Sounding
@macro optItem{command,option,param}
@anchor{\command\-\option\}
@item \option\\param\
@opindex \option\
@end macro
@macro hints
Mind the @code{wire}.
@end macro

@node timeout
@chapter @command{timeout}: Sound with a limit
@cindex limits

It @emph{ends} after a
@var{duration}@dots{} (@pxref{Time,,Units of time}).  @xref{Signals}.
@hints

@example
@group
$ sound -k @var{duration} @{all@}
# Output "."
@end group
@end example

@table @option
@optItem{timeout,-k,@w{ }@var{duration}}
@itemx --kill
Send @samp{KILL(9)}.@c for now
@end table

@itemize @bullet
@item
one ``rope''
@item two -- or three
@end itemize

@menu
* Signals::  All of them.
@end menu

@multitable {a} {b}
@headitem Wire @tab Mass
@item iron @tab 20@tie{}kg
@end multitable

@unnumberedsubsec More
See @uref{https://a.example,the log}, bugs@@a.example and @unknown{this}.
"""


def read(text: str) -> str:
    return convert_plain("sound.texi", text.encode())["text"]


def test_a_manual_is_read_as_its_readers_see_it() -> None:
    assert read(MANUAL).strip() == (
        "# Sounding\n\n## `timeout`: Sound with a limit\n\n"
        "It ends after a\nduration… (see Units of time).  See Signals.\nMind the `wire`.\n\n"
        '```\n$ sound -k duration {all}\n# Output "."\n```\n\n'
        "- `-k duration`, `--kill`:\nSend `KILL(9)`.\n\n"
        "- one “rope”\n- two – or three\n\n"
        "| Wire | Mass |\n| --- | --- |\n| iron | 20 kg |\n\n"
        "#### More\n\nSee [the log](https://a.example), bugs@a.example and this."
    )


def test_passages_stand_below_its_sections_and_not_below_comments_of_examples() -> None:
    converted = convert_plain("sound.texi", MANUAL.encode())
    assert converted["title"] == "Sounding"
    text = converted["text"]
    assert {span.heading for span in split(text, 60) if "KILL" in text[span.start : span.end]} == {
        "Sounding > `timeout`: Sound with a limit"
    }


@pytest.mark.parametrize(
    "piece",
    ["{", "}", "@code{", "@example\n", "@macro a{b}\n", "@a{", "@table @code\n", "@item a\n", "@c ", "@a{,", "--", "@tab ", "@end example\n"],
)  # fmt: skip
def test_hostile_markup_is_read_in_linear_time(piece: str) -> None:
    with processor_time(6):
        words = read(MANUAL + piece * 20_000 + "\n\nthe end")
    assert words.endswith("the end") or piece.startswith("@c")


def test_macros_that_multiply_are_replaced_up_to_a_length() -> None:
    macros = "".join(f"@macro a{n}\n{f'@a{n + 1}{{}}' * 50}\n@end macro\n" for n in range(9))
    text = f"{macros}@a0{{}}\n\nthe end"
    with processor_time(6):
        assert len(read(text)) < 4 * len(text)
