"""Org is read as its readers see it: as Markdown, with its title, author and date as its card."""

import pytest

from services.search.files.convert_plain import convert_plain
from services.text.passages import split
from tests.attacks.processor_time import processor_time

LOG = """\
#+TITLE: Sea log
#+AUTHOR: Ada Müller
#+DATE: 2020-01-02
#+OPTIONS: toc:nil

* Haul
:PROPERTIES:
:ID: 7
:END:
By =hand=, see [[https://a.example/x][the log]] and a=b=c.
# for the editor
** Rope
Of hemp.
#+begin_src sh -n
# never a heading
* nor this
#+end_src
| Wire | Mass |
|------+------|
| iron |   20 |
"""


def read(text: str) -> str:
    return convert_plain("log.org", text.encode())["text"]


def test_a_log_is_read_as_its_readers_see_it() -> None:
    converted = convert_plain("log.org", LOG.encode())
    assert converted["text"].strip() == (
        "# Sea log\nAuthor: Ada Müller\nDate: 2020-01-02\n\n\n## Haul\n"
        "By `hand`, see [the log](https://a.example/x) and a=b=c.\n\n### Rope\nOf hemp.\n"
        "\n```sh\n# never a heading\n* nor this\n```\n\n| Wire | Mass |\n|------|------|\n| iron |   20 |"
    )
    card = converted["card"]
    assert (card["title"], card["authors"], card["published"]) == ("Sea log", ["Ada Müller"], "2020-01-02")
    text = converted["text"]
    [rope] = [span.heading for span in split(text, 40) if "hemp" in text[span.start : span.end]]
    assert rope == "Sea log > Haul > Rope"


@pytest.mark.parametrize(
    "piece", ["#+begin_src\n", "* ", "[[a", "=a", "~", "|-+", ":a:\n", "#+title: ", "# a\n", "#+end_src\n"]
)
def test_hostile_markup_is_read_in_linear_time(piece: str) -> None:
    with processor_time(6):
        words = read(LOG + piece * 20_000 + "\n\nthe end")
    assert words.endswith("the end")
