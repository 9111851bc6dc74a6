"""AsciiDoc is read as Markdown, and the header of a document as its card."""

import time

import pytest

from schemas.card import Card
from services.search.files.convert_plain import convert_plain

GUIDE = """// draft
:ship: Tallow
= Soundings of the {ship}
Ada Holm <ada@example.org>; Ben Nares
v1.2, 2020-03-04
:description: How to sound.
:toc:

The {ship} sounds; {unknown} stays.
"""


def read(text: str) -> str:
    return convert_plain("guide.adoc", text.encode())["text"]


def test_the_header_of_a_document_is_its_card() -> None:
    answer = convert_plain("guide.adoc", GUIDE.encode())
    card = Card.model_validate(answer["card"])
    assert (card.title, card.version, card.published) == ("Soundings of the Tallow", "1.2", "2020-03-04")
    assert card.authors == ["Ada Holm", "Ben Nares"]
    assert "Description: How to sound.\n\nThe Tallow sounds; {unknown} stays." in answer["text"]
    assert "draft" not in answer["text"]
    assert "toc" not in answer["text"]


def test_named_values_below_an_underlined_title_are_read_into_the_card() -> None:
    answer = convert_plain(
        "log.asciidoc", b"The log\n=======\n:author: Ada Holm\n:revdate: 2020-03-04\n:revnumber: 7\n\nWords."
    )
    card = Card.model_validate(answer["card"])
    assert (card.title, card.authors, card.published, card.version) == ("The log", ["Ada Holm"], "2020-03-04", "7")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("== Wire\n\n=== Rope ===\n\n## Lead", "## Wire\n\n### Rope\n\n## Lead"),
        ("[[id]]\nThe wire\n--------\n\nRope\n~~~~\n\nLead\n^^^^", "## The wire\n\n### Rope\n\n#### Lead"),
        ("It is so.\n\n----", "It is so.\n\n----"),
        ("It is\nlonger\n------\na\n------", "It is\nlonger\n\n```\na\n```"),
    ],
)
def test_titles_are_headings(written: str, shown: str) -> None:
    assert read(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (":a: b\n\n[source,sh]\n----\n$ *x* {a}\n// kept\n----", "```sh\n$ *x* {a}\n// kept\n```"),
        ("....\n== a\n....", "```\n== a\n```"),
        ("```py\nx_ = _y\n```", "```py\nx_ = _y\n```"),
        ("====\nWire\n====\n\n****\nRope\n****\n\n--\nLead\n--\n\n____\nSay\n____", "Wire\n\nRope\n\nLead\n\nSay"),
        ("Wire.\n////\nno\n////\n// nor this\nRope.", "Wire.\nRope."),
        ("====\nnever closed", "====\nnever closed"),
        (".Depths\n[#id]\nWire", "**Depths**\n\nWire"),
        (
            "NOTE: As it is.\n\n[WARNING]\n====\nMind it.\n====\n\n[TIP]\nDo so.",
            "NOTE: As it is.\n\nWarning: Mind it.\n\nTip: Do so.",
        ),
        ("ifdef::x[]\nWire.\nendif::[]\ninclude::a.adoc[]\nRope.", "Wire.\nRope."),
    ],
)
def test_blocks_lose_their_marks_and_code_stands_in_fences(written: str, shown: str) -> None:
    assert read(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("* Wire\n** thin\n* Rope", "- Wire\n  - thin\n- Rope"),
        (". One\n.. within\n. Two\n\n7. seven", "1. One\n  1. within\n1. Two\n\n7. seven"),
        (
            "* Wire\n+\nof steel\n+\n----\na\n b\n----\n\nRope",
            "- Wire\n\nof steel\n\n```\na\n b\n```\n\nRope",
        ),
        ("Wire:: thin\nRope::\n\tof *hemp*\n+\nLong.", "Wire: thin\nRope: of **hemp**\n\nLong."),
        ("`-s`::\n`--short`::\n\n  Be short.\n* item\n\nlast::", "`-s`, `--short`: Be short.\n- item\n\nlast:"),
        ("<1> First\n<2> Second", "<1> First\n<2> Second"),
    ],
)
def test_lists_keep_their_terms_and_what_belongs_to_their_items(written: str, shown: str) -> None:
    assert read(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("|===\n| Year | Depth\n\n| 1875\n| 8,184 *m*\n|===", "| Year | Depth |\n| --- | --- |\n| 1875 | 8,184 **m** |"),
        ('[cols="2*,1"]\n|===\n|a\n|b\n|c\n\n|d\n|e\n|f\n|===', "| a | b | c |\n| --- | --- | --- |\n| d | e | f |"),
        ('[cols="1,2a"]\n|===\n|a\n|b\n\n^.^|c \\| d\nifdef::x[]\na| e\nendif::x[]\nf\n|===', "| a | b |\n| --- | --- |\n| c \\| d | e f |"),
        ("|===\n|a|b\n2+|both\n|===", "| a | b |\n| --- | --- |\n| both |  |"),
        ("|===\n2+|Group|c\n\n.2+|down|x|y\n|z|\n3*|same\n|===", "| Group | Group | c |\n| --- | --- | --- |\n| down | x | y |\n| down | z |  |\n| same | same | same |"),
        ('[cols="1,1"]\n[[id]]\n.Limits\n[options="header"]\n|===\n|Name\n|Least\n|maxLayers|4\n|max |\nifdef::A[1]\nifndef::A[-]\n|===', "**Limits**\n\n\n| Name | Least |\n| --- | --- |\n| maxLayers | 4 |\n| max | 1 - |"),
        ('[format=csv]\n|===\nShip, Depth\n"Blake, the",2\n|===', "| Ship | Depth |\n| --- | --- |\n| Blake, the | 2 |"),
        (",===\na,b\n1,`2`\n,===", "| a | b |\n| --- | --- |\n| 1 | `2` |"),
    ],
)  # fmt: skip
def test_tables_are_those_of_markdown(written: str, shown: str) -> None:
    assert read(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "See https://a.example/x_y[the log^] and link:b.html[B].",
            "See [the log](https://a.example/x_y) and [B](b.html).",
        ),
        ("xref:a.adoc[Wire], <<id,the rope>>.", "Wire, the rope."),
        ("So.footnote:[Why?]", "So. (Why?)"),
        ("+y_z_+, `a *b*`", "`y_z_`, `a *b*`"),
        ("*bold* and _it is_, [.term]*so* [eq]#2^n^#", "**bold** and *it is*, **so** 2^n^"),
        ("snake_case_name 2*3*4 __init__ *.c and *.h", "snake_case_name 2*3*4 __init__ *.c and *.h"),
        ("linkgit:git-config[1] https://a.example/_b_/c", "linkgit:git-config[1] https://a.example/_b_/c"),
    ],
)
def test_inline_markup_is_that_of_markdown(written: str, shown: str) -> None:
    assert read(written) == shown


@pytest.mark.parametrize(
    "written",
    [
        *(
            mark * (200_000 // len(mark))
            for mark in ("[", "|", "{", "*a ", "_a ", "<<a,", "`", "`+", "link:a[", "footnote:[", "::", ";;")
        ),
        *(line * (200_000 // len(line)) for line in ("* a\n+\n", "|===\n|\n", "----\n", "[a\n", "a\n===\n")),
        "a::\n" * 150_000,
        "\n".join(sign * length for length in range(4, 250) for sign in "-.=*_+/"),
        f":a: {'x' * 900}\n\n{'{a} ' * 50_000}",
        f"|===\n|a|b|c\n{'99.99+|x ' * 20_000}\n|===",
        f"|===\n|a|b|c\n{'.99+|x ' * 20_000}\n|===",
        f"|===\n|a|b|c\n{'3.99+|x ' * 20_000}\n|===",
        ",===\n" + "abcd," * 30_000 + "\nx" * 20_000 + "\n,===",
        f"[cols=2]\n|===\n99*|{'x' * 190_000}\n|===",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_text_takes_linear_time_and_room(written: str) -> None:
    started = time.process_time()
    text = read(written)
    assert time.process_time() - started < 5
    assert len(text) < 4 * len(written)
