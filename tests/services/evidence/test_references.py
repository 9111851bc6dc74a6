"""Quotes are the stored text of the sentences that a model names; it hears once of references that name none."""

import json
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence import Passage
from schemas.researcher import Findings, NumberedPassage, ResearcherPrompt, findings_schema
from services.evidence.references import MOST_QUOTED, Taken, ask_for_references, numbered, taken
from services.run.errors import ModelError
from services.text.units import LONGEST
from tests.attacks.processor_time import processor_time
from tests.fakes.excerpts import stretch
from tests.fakes.openai_server import OpenAIServer, error

STORED = "# Wire\n\nWire replaced hemp. It was tried in Biscay.\nA cast took\tan hour. The lead held tallow. 钢丝取代了麻绳。它更快！"
WIRE = STORED.index("Wire replaced")
SENTENCES = ["Wire replaced hemp.", "It was tried in Biscay.", "A cast took\tan hour.", "The lead held tallow."]
CHINESE = ["钢丝取代了麻绳。", "它更快！"]


def passage(text: str, name: str = "P1", start: int = 0, source: str = "a", **place: str) -> NumberedPassage:
    """Number one passage."""
    shown = Passage(id=name, content_hash=source, title="t", start=start, end=start + len(text), text=text, **place)
    return numbered([shown])[0]


WIRES = passage(STORED[WIRE:], start=WIRE)
OTHER = passage("Tallow stuck to the lead. It held sand.", "P2", source="b")
PASSAGES = [WIRES, OTHER]
PROMPT = ResearcherPrompt(
    question="What replaced hemp?",
    locale="en-US",
    title="Wire",
    description="What replaced hemp",
    queries=["Wire replaced hemp"],
    feedback="",
    findings=[],
    passages=PASSAGES,
)


def take(*references: str, passages: list[NumberedPassage] = PASSAGES) -> Taken:
    """Take what one answer names."""
    return taken(Findings(high=list(references)), passages, "3")


def quotes(*references: str) -> list[str]:
    return [excerpt.quote for excerpt in take(*references).excerpts]


@pytest.mark.parametrize(
    ("reference", "places"),
    [
        ("P1:2", [2]),
        ("[P1:2]", [2]),
        ("p1:2", [2]),
        ("P1: 2", [2]),
        ("P1：2", [2]),
        ("(P1.2)", [2]),
        ("P1#2", [2]),
        ("P1:2-4", [2, 3, 4]),
        ("p1:2–4", [2, 3, 4]),
        ("P1:2 — 4", [2, 3, 4]),
        ("P1:2-P1:4", [2, 3, 4]),
        ("P1:4-2", [2, 3, 4]),
        ("P1:0-2", [1, 2]),
        ("P1:3-99999", [3, 4, 5, 6]),
        ("P1:5-6 (Chinese)", [5, 6]),
        ("P1", [1, 2, 3, 4, 5, 6]),
        ("[p1]", [1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_reference_names_sentences_of_a_passage(reference: str, places: list[int]) -> None:
    sentences = [*SENTENCES, *CHINESE]
    [excerpt] = take(reference).excerpts
    assert excerpt.quote.startswith(sentences[places[0] - 1])
    assert excerpt.quote.endswith(sentences[places[-1] - 1])
    assert [one in excerpt.quote for one in sentences].count(True) == len(places)


@pytest.mark.parametrize(
    ("reference", "named"),
    [
        ("P1:2, P2:1", [SENTENCES[1], "Tallow stuck to the lead."]),
        ("P1:1，3-4", [SENTENCES[0], f"{SENTENCES[2]} {SENTENCES[3]}"]),
        ("P1:1-P2:1", [SENTENCES[0], "Tallow stuck to the lead."]),
        ("P1:1 (see 3.4)", [SENTENCES[0]]),
        ("P9:2, 1, P1:1", [SENTENCES[0]]),
    ],
)
def test_several_stretches_may_stand_in_one_reference(reference: str, named: list[str]) -> None:
    assert quotes(reference) == named
    assert take(reference).unknown == []


@pytest.mark.parametrize(
    "reference",
    ["P1:0", "P1:7", "P1:99999", f"P1:{'9' * 500}", "P9:1", "P9", "P1-2", "2", "Rope replaced wire.", "", "：", "²"],
)
def test_a_reference_that_names_no_sentence_is_told_apart(reference: str) -> None:
    assert take(reference, "P2:2") == Taken(take("P2:2").excerpts, [reference])


def test_a_sentence_is_known_by_its_beginning_where_a_model_writes_its_words() -> None:
    assert quotes("It was tried in Bisc") == ["It was tried in Biscay."]
    assert quotes("a cast took an hour") == ["A cast took\tan hour."]
    assert quotes("钢丝取代") == ["钢丝取代了麻绳。"]
    twice = [*PASSAGES, passage("It was tried in Bristol. It was tried in Biscay, too.", "P3", source="c")]
    assert take("It was tried in Bisc", passages=twice).unknown == ["It was tried in Bisc"]
    assert take("It was", "tried in Biscay.", "Wire").unknown == ["It was", "tried in Biscay.", "Wire"]


def test_a_request_says_the_form_of_a_reference_and_an_answer_may_have_another() -> None:
    for shown in (Findings.model_json_schema(), findings_schema(PROMPT).model_json_schema()):
        form = re.compile(shown["properties"]["high"]["items"]["pattern"])
        assert all(form.search(reference) for reference in ("P1:2", "P12:2-14"))
        assert not any(form.search(reference) for reference in ("P1", "It was tried", "P1:2, P2:1", "P1:2\nx"))
    assert take("P1 : 2 to nothing").excerpts


def test_a_quote_is_the_stored_text_with_its_place_in_the_source() -> None:
    found = taken(Findings(medium=["P2:2"], high=["P1:3-4", "P1:5"], low="P1:1"), PASSAGES, "3", first=7)
    assert found.excerpts == [
        stretch(f"{SENTENCES[2]} {SENTENCES[3]}", STORED, "E3-7", "a", relevance="high"),
        stretch(CHINESE[0], STORED, "E3-8", "a", relevance="high"),
        stretch("It held sand.", OTHER.text, "E3-9", "b", relevance="medium"),
        stretch(SENTENCES[0], STORED, "E3-10", "a", relevance="low"),
    ]


def test_a_sentence_that_two_passages_of_a_text_hold_is_taken_once() -> None:
    whole = passage(STORED, "P5")
    assert [one.quote for one in take("P1:2", "P5:2", passages=[*PASSAGES, whole]).excerpts] == [SENTENCES[1]]


def test_what_a_long_quote_has_no_room_for_can_be_named_by_itself() -> None:
    sentences = [f"The {place} mark of the line was {'far ' * 50}below the ship." for place in range(1, 15)]
    long = passage(" ".join(sentences))
    found = [one.quote for one in take("P1", "P1:12", passages=[long]).excerpts]
    assert all(len(quote) <= MOST_QUOTED for quote in found)
    assert found == [*(" ".join(sentences[place : place + 3]) for place in (0, 3, 6)), sentences[11]]


@given(
    text=st.text(max_size=3_000)
    | st.lists(st.sampled_from(["a. ", "钢丝。", "x" * 700, "\n", "| 1 |\n", ", ", " "]), max_size=40).map("".join)
)
def test_the_numbered_sentences_hold_all_of_a_text_and_none_is_too_long(text: str) -> None:
    shown = passage(text, start=5)
    ends = [0, *(place for span in shown.spans for place in span), len(text)]
    assert ends == sorted(ends)
    written = (line.partition("| ")[2] for one in shown.lines for line in one.split("\n"))
    assert "".join(filter(str.isalnum, "".join(written))) == "".join(filter(str.isalnum, text))
    assert all(0 < right - left <= LONGEST for left, right in shown.spans)
    found = take("P1", passages=[shown]).excerpts
    assert all(one.quote == text[one.start - 5 : one.end - 5] and len(one.quote) <= MOST_QUOTED for one in found)


def test_code_is_one_unit_with_its_lines_and_long_code_has_parts() -> None:
    code = "```sh\nnpm init? -w ./packages/a\n\n  npm ci\n```"
    found = passage(f"You can run:\n{code}\n\nIt makes the folder.")
    assert [found.text[start:end] for start, end in found.spans] == ["You can run:", code, "It makes the folder."]
    assert found.lines[1] == "2| " + code.replace("\n", "\n | ")
    lines = [f"  step_{number}()" for number in range(50)]
    long = passage("\n".join(lines), above="```")
    assert [long.text[start:end] for start, end in long.spans] == ["\n".join(lines[at : at + 20]) for at in (0, 20, 40)]


def test_the_head_of_a_table_has_no_number_and_goes_with_its_rows() -> None:
    table = "| Ship | Depth |\n| --- | --- |\n| Vema. Old | 9000 |\n| Egeria | 8000 |"
    found = passage(f"It was deep.\n\n{table}")
    assert found.lines[1:] == ["#| | Ship | Depth |\n2| | Vema. Old | 9000 |", "3| | Egeria | 8000 |"]
    [excerpt] = take("P1:3", passages=[found]).excerpts
    assert excerpt.headed_quote == "| Ship | Depth |\n| Egeria | 8000 |"
    amid = passage("| Egeria | 8000 |", above="| Ship | Depth |")
    assert amid.lines == ["#| | Ship | Depth |\n1| | Egeria | 8000 |"]
    assert take("P1", passages=[amid]).excerpts[0].heads == "| Ship | Depth |"


def test_rows_are_told_apart_by_their_sections() -> None:
    below = passage("## In 1874\n\n| Ship | Depth |\n| --- | --- |\n| Egeria | 8000 |")
    [row] = take(f"P1:{len(below.spans)}", passages=[below]).excerpts
    assert (row.quote, row.section) == ("| Egeria | 8000 |", "In 1874")
    amid = passage(row.quote, above=row.heads, section="In 1875")
    assert take("P1", passages=[amid]).excerpts[0].section == "In 1875"


def test_marks_of_items_belong_to_what_follows_and_headings_and_rulers_have_no_number() -> None:
    text = """#. After two releases (i.e., in 2026), the build is released
   with ``--lock``.
#. The lock goes.

1. Foo is good.

## Costs

Some. More.

Related work
------------

.. note::

   Accepted.

Outlook
======="""
    found = passage(text)
    assert "\n".join(found.lines).split("\n") == [
        "1| #. After two releases (i.e., in 2026), the build is released with ``--lock``.",
        "2| #. The lock goes.",
        "3| 1. Foo is good.",
        "#| ## Costs",
        "4| Some.",
        "5| More.",
        "#| Related work",
        "6| .. note::",
        "7| Accepted.",
        "#| Outlook",
    ]
    assert [one.quote for one in take("P1:4", "P1:2", passages=[found]).excerpts] == ["Some.", "#. The lock goes."]


def test_headings_are_numbered_where_there_is_nothing_else() -> None:
    found = passage("# The Tanager\n\n## Crew")
    assert found.lines == ["1| # The Tanager", "2| ## Crew"]


def test_a_passage_lies_in_one_of_the_same_text_that_holds_it() -> None:
    whole, part, other = passage("One. Two.", start=10), passage("Two.", start=15), passage("Two. Three.", start=15)
    assert part.lies_in(whole)
    assert not other.lies_in(whole)
    assert not part.model_copy(update={"content_hash": "b"}).lies_in(whole)


def answer(*references: str) -> str:
    return json.dumps({"high": references, "finding": f"{len(references)} references", "confidence": 0.5})


async def test_the_model_hears_once_which_references_name_nothing_and_the_rest_is_dropped_and_logged(
    endpoint: OpenAIServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    endpoint.script["researcher"] = [answer("P1:99", "P7:1"), answer("P1:1", "P2:44")]
    found = await ask_for_references(PROMPT)
    assert [one.quote for one in taken(found, PASSAGES).excerpts] == [SENTENCES[0]]
    first, second = endpoint.requests
    assert len(first["messages"]) == 2
    assert "2 references name no sentence that there is: P1:99; P7:1." in second["messages"][-1]["content"]
    assert [
        "count=1 of=2" in record.getMessage()
        for record in caplog.records
        if "references_dropped" in record.getMessage()
    ] == [True]


@pytest.mark.parametrize(("references", "calls"), [((), 1), (("P1:1", "P1:2", "P9:1"), 1), (("P1:1", "P9:1"), 2)])
async def test_one_call_is_the_rule_and_half_of_the_references_wrong_the_exception(
    endpoint: OpenAIServer, references: tuple[str, ...], calls: int
) -> None:
    endpoint.script["researcher"] = [answer(*references), answer("P9:1", "P9:2", "P2:1")]
    found = await ask_for_references(PROMPT)
    assert len(endpoint.requests) == calls
    assert calls == 1 or found.high == ["P9:1", "P9:2", "P2:1"], "the second answer counts"


async def test_a_second_answer_that_names_nothing_does_not_take_away_what_the_first_names(
    endpoint: OpenAIServer,
) -> None:
    endpoint.script["researcher"] = [answer("P1:1", "P9:1"), answer("P9:1")]
    assert (await ask_for_references(PROMPT)).high == ["P1:1", "P9:1"]


async def test_what_the_first_answer_names_survives_when_the_second_call_fails(endpoint: OpenAIServer) -> None:
    refused = error(401, "No more.", "invalid_api_key")
    endpoint.script["researcher"] = [answer("P1:1", "P9:1"), refused]
    assert (await ask_for_references(PROMPT)).high == ["P1:1", "P9:1"]
    endpoint.script["researcher"] = [answer("P9:1"), refused]
    with pytest.raises(ModelError):
        await ask_for_references(PROMPT)


async def test_hostile_references_are_bounded_and_told_in_short(endpoint: OpenAIServer) -> None:
    hostile = [f"P9:{'1' * 100_000}", *(f"P9:{place}{'-' * 200}" for place in range(300))]
    endpoint.script["researcher"] = [answer(*hostile), answer("P1:1")]
    assert (await ask_for_references(PROMPT)).high == ["P1:1"]
    assert len(endpoint.requests[1]["messages"][-1]["content"]) < 1_500


@pytest.mark.parametrize(
    "unit", ["P", "1", "P1:", "P1:1-", "1 ", "P1:1 - ", "P1:1-P1", "9,", "：", "\u3000", "a:1", "(P1:1)"]
)
def test_a_reference_of_100_000_characters_is_read_in_linear_time(unit: str) -> None:
    with processor_time(5):
        take((unit * 100_000)[:100_000])


def test_a_text_of_100_000_characters_without_a_sentence_is_numbered_in_linear_time() -> None:
    with processor_time(5):
        for unit in ("x", "a ", "{},", "|", ".", "、"):
            assert len(passage((unit * 100_000)[:100_000]).spans) >= 100
