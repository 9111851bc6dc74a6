"""Sources of manual pages are read as their readers see them: as Markdown, whatever their files are called."""

import pytest

from services.search.files.convert_plain import convert_plain
from services.text.passages import split
from tests.attacks.processor_time import processor_time

PAGE = r""".\" for the editor
.de Sh
.br
..
.ie n \{\
\    .ds C
'br\}
.TH "SOUND" 1 "17 August 2007"
.SH NAME
sound \- measure the \fIdepth\fP
.SH OPTIONS
The
.B \-d
and
.BR \-r ( fathoms )
options count.
.TP
\fB\-f <file>\fP
Read \(aqfile\(aq,
or more.
.IP \(bu
One.
.IP \-q
Be quiet.
.nf
$ sound \-f a
  10 \e n
.fi
"""


def read(text: str, name: str = "sound.1") -> str:
    return convert_plain(name, text.encode())["text"]


@pytest.mark.parametrize("name", ["sound.1", "sound.man", "sound.txt"])
def test_a_page_is_read_as_its_readers_see_it(name: str) -> None:
    assert read(PAGE, name).strip() == (
        "# SOUND(1)\n\n## NAME\n\nsound - measure the depth\n\n## OPTIONS\n\n"
        "The -d and -r(fathoms) options count.\n\n- -f <file>:\nRead 'file', or more.\n\nOne.\n\n- -q:\nBe quiet.\n\n"
        "```\n$ sound -f a\n  10 \\ n\n```"
    )


def test_a_page_has_its_title_and_sections() -> None:
    converted = convert_plain("sound.1", PAGE.encode())
    assert converted["title"] == "SOUND(1)"
    text = converted["text"]
    assert {span.heading for span in split(text, 40) if "quiet" in text[span.start : span.end]} == {
        "SOUND(1) > OPTIONS"
    }


@pytest.mark.parametrize("piece", [".de a\n", ".nf\n", ".TP\n", "\\f[", '.B "a', "\\h'", ".\n", ".SH a\n", " a\n"])
def test_hostile_sources_are_read_in_linear_time(piece: str) -> None:
    with processor_time(6):
        read(PAGE + piece * 20_000)
        read(piece * 20_000 + PAGE)
