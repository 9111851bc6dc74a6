"""The offline model: it answers as a chat model does, the same each time, and refuses what needs a language model."""

import pytest

from services.models.offline import OfflineModel, answer
from services.run.errors import ModelError
from tests.services.models.offline.prompts_of import (
    extract,
    finding,
    plan,
    planner_prompt,
    reflect,
    report,
    triage,
)

OWNER = "The schooner Lalla Rookh was owned by William Thomson."
BORN = "William Thomson was born in Belfast in 1824."


async def test_it_streams_what_it_answers() -> None:
    prompt = planner_prompt("Who owned the schooner?")
    pieces = [chunk.text async for chunk in OfflineModel(prompt=prompt).astream("asked")]
    assert "".join(pieces) == answer(prompt) == answer(prompt)


def test_what_only_a_model_can_answer_is_refused() -> None:
    with pytest.raises(ModelError, match="leadline init"):
        answer(None)


def test_each_part_of_a_question_is_a_step() -> None:
    steps = plan("Who owned the Lalla Rookh, and where was it built?").steps
    assert [step.title for step in steps] == ["Who owned the Lalla Rookh", "Where was it built"]
    assert steps[1].queries == ["where was it built", "where was it built Lalla Rookh"]
    question = "When was the oven replaced, and what did it cost?"
    assert plan(question).steps[1].queries == ["what did it cost", question]


def test_on_a_replan_only_gaps_that_no_step_has_searched_are_planned() -> None:
    done = finding(OWNER).model_copy(update={"title": "William Thomson born"})
    asked = plan("Where was the owner born?", findings=[done], gaps=["William Thomson born", "Belfast"])
    assert [step.title for step in asked.steps] == ["Belfast"]
    assert plan("Where was the owner born?", findings=[done]).has_enough_context


def test_a_question_that_leans_on_the_conversation_is_completed_by_the_last_one() -> None:
    asked = triage("Where was he born?", "Who owned the Lalla Rookh?")
    assert asked.question == "Where was he born (about Lalla Rookh)?"
    assert triage("他在哪里出生？", "Who owned the Lalla Rookh?").question == "他在哪里出生（关于Lalla Rookh）？"
    asked = triage("Who signed?", "When was the oven replaced, and what did it cost?")
    assert asked.question == "Who signed (about “When was the oven replaced”)?"
    assert triage("How deep was it?", asked.question).question == "How deep was it (about “Who signed”)?"
    asked = triage("它花了多少钱？", "何时更换的？")
    assert asked.question == "它花了多少钱（关于“何时更换的”）？"
    assert triage("谁签的？", asked.question).question == "谁签的（关于“它花了多少钱”）？"
    assert triage("And which navy flew Geosat?", "Who owned the Lalla Rookh?").question == "And which navy flew Geosat?"
    assert triage("?!").intent == "unclear"


@pytest.mark.parametrize("said", [OWNER, f"{OWNER[:-1]} at these lengths:"])
def test_a_sentence_is_quoted_with_those_around_it_and_a_small_table_below(said: str) -> None:
    text = f"It lay becalmed. {said}\n\n| year | tons |\n| --- | --- |\n| 1870 | 126 |\n| 1880 | 130 |"
    _, excerpts = extract("Who owned the schooner Lalla Rookh?", text)
    assert [excerpt.quote for excerpt in excerpts] == [text]


@pytest.mark.parametrize(("count", "whole"), [(3, True), (60, False)])
def test_a_row_is_quoted_with_its_table_if_that_is_small(count: int, whole: bool) -> None:
    rows = [f"| Harbour {place} | {30 + place} |" for place in range(count)]
    text = "\n".join(["Harbours", "", "| harbour | late ships |", "| --- | --- |", *rows])
    _, excerpts = extract("How many late ships has Harbour 1?", text)
    assert excerpts[0].quote == ("\n".join(rows) if whole else rows[1])


@pytest.mark.parametrize("title", ["Who owned the schooner? A recount", "# Who owned the schooner? A recount"])
def test_a_quote_has_no_title_and_no_date_line(title: str) -> None:
    _, excerpts = extract(
        "Who owned the schooner Lalla Rookh?", f"{title}\n\nPublished: 2009-05-14\n\n{OWNER} It was sold later."
    )
    assert excerpts[0].quote == f"{OWNER} It was sold later."
    _, excerpts = extract(
        "谁拥有帆船拉拉·鲁克？", "谁拥有帆船？重新统计\n\n发布日期：2009-05-14\n\n帆船拉拉·鲁克归威廉·汤姆森所有。"
    )
    assert excerpts[0].quote == "帆船拉拉·鲁克归威廉·汤姆森所有。"


def test_a_name_that_two_parts_reveal_is_one_step_and_a_line_says_so() -> None:
    question = "Where was the owner of the schooner Lalla Rookh born, and where did the owner of the Lalla Rookh study?"
    asked = reflect(question, finding(OWNER))
    assert asked.reasoning == "Second search for names in the closest passages: William Thomson"
    [step] = plan(
        question, findings=[finding(OWNER)], gaps=asked.missing_aspects, queries=asked.follow_up_queries
    ).steps
    assert step.queries == ["William Thomson born", "William Thomson study"]


def test_a_name_of_the_closest_passage_is_searched_once() -> None:
    question = "Where was the owner of the schooner Lalla Rookh born?"
    assert reflect(question, finding(OWNER)).follow_up_queries == ["William Thomson born"]
    assert reflect(question, finding(OWNER), plans=2).follow_up_queries == []


def test_what_is_searched_for_a_name_is_called_by_the_name_alone() -> None:
    question = "Where was the owner of the schooner Lalla Rookh born?"
    missing = reflect(question, finding(OWNER))
    [step] = plan(
        question, findings=[finding(OWNER)], gaps=missing.missing_aspects, queries=missing.follow_up_queries
    ).steps
    assert (step.title, step.queries) == ("William Thomson", ["William Thomson born"])


@pytest.mark.parametrize(
    ("first", "other", "figures"),
    [
        (
            "The greatest depth of the Challenger Deep was measured as 10,984 metres in 2010.",
            "The greatest depth of the Challenger Deep was measured as 10,994 metres in 2010.",
            "10,984 / 10,994",
        ),
        (
            "The readmission rate of the ward was 2.9 %.",
            "The readmission rate of the ward is restated as 3.6 %.",
            "2.9 % / 3.6 %",
        ),
        ("The ward is 20 metres long.", "The other ward is 30 metres long.", ""),
        ("The readmission rate of ward 1 is 2.9 %.", "The readmission rate of ward 3 is 3.6 %.", ""),
        ("The readmission rate of ward W1 is 2.9 %.", "The readmission rate of ward W3 is 3.6 %.", ""),
        ("The readmission rate of ward W1 is 2.9 %.", "The readmission rate of ward W1 is 3.6 %.", "2.9 % / 3.6 %"),
        ("```\nreadmission rate of the ward: 2.9 %\n```", "```\nreadmission rate of the ward: 3.6 %\n```", ""),
        ("| ward | readmission rate | 2.9 % |", "| ward | readmission rate | 3.6 % |", ""),
    ],
)
def test_figures_of_two_sources_that_differ_are_put_side_by_side(first: str, other: str, figures: str) -> None:
    deep = "Challenger" in first
    question = "How deep is the Challenger Deep?" if deep else "What is the readmission rate of the ward?"
    found = reflect(question, finding(first, other)).contradictions
    assert [each.explanation for each in found] == [figures] * bool(figures)
    assert [each.excerpt_ids for each in found] == [["E1-1", "E1-2"]] * bool(figures)
    assert [each.said for each in found] == [[first, other]] * bool(figures)


@pytest.mark.parametrize(("question", "count"), [("How much does the boiler hold?", 1), ("How much does it cost?", 0)])
def test_short_statements_are_compared_where_they_say_what_is_asked(question: str, count: int) -> None:
    said = finding("The boiler holds 1.8 litres.", "The boiler holds 2.1 litres according to the maker's sheet.")
    assert len(reflect(question, said).contradictions) == count


SAID = "The Riverside oven was replaced on {} February 2025. The new oven cost {} euros. Revenue in 2024 was {} million euros. Northmill was late {} times."
BOTH = (SAID.format(18, "46,300", "1.84", "nine"), SAID.format(25, "49,750", "1.79", "eleven"))


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("When was the Riverside oven replaced?", ["18 February 2025 / 25 February 2025", "46,300 / 49,750"]),
        ("What did the new oven cost?", ["46,300 / 49,750", "18 February 2025 / 25 February 2025"]),
        ("What was the revenue in 2024?", ["1.84 / 1.79"]),
        ("How often was Northmill late?", ["nine / eleven"]),
    ],
)
def test_the_figures_that_the_question_asks_for_are_first_and_others_are_not_shown(
    question: str, figures: list[str]
) -> None:
    found = reflect(question, finding(*BOTH)).contradictions
    assert [each.explanation.replace(" million", "") for each in found] == figures


DEEP = "The borehole of the allotment is 34 metres deep."


@pytest.mark.parametrize(
    ("quotes", "sides"),
    [
        ([DEEP, "After the survey the borehole of the allotment is 29 metres deep."], [["E1-1", "E1-2"]]),
        ([f"{DEEP} It was sunk in 2019. Now the borehole of the allotment is 29 metres deep."], [["E1-1"]]),
        ([DEEP, "The borehole of the allotment is 34 metres deep and its pump 29 metres."], []),
        ([DEEP, "The borehole of the orchard is 29 metres deep."], []),
    ],
)
def test_a_source_that_gives_two_figures_in_the_same_words_disagrees_with_itself(
    quotes: list[str], sides: list[list[str]]
) -> None:
    found = reflect("How deep is the borehole?", finding(*quotes, titles=("Note", "Note"))).contradictions
    assert [each.excerpt_ids for each in found] == sides


def test_the_report_shows_passages_of_different_sources_and_no_answer() -> None:
    told = report("Who owned the schooner Lalla Rookh?", finding(OWNER, BORN, "The schooner was fast."))
    assert told.startswith("# Closest passages: Who owned the schooner Lalla Rookh?\n\n**Source 1** [E1-1]")
    assert f"> {OWNER} [E1-1]" in told
    assert "TL;DR" not in told


def test_what_is_shown_for_one_part_is_named_for_another_and_not_repeated() -> None:
    both = "The oven was replaced in May and cost 900 euros."
    told = report("When was the oven replaced, and what did it cost?", finding(both, "The mixer cost 300 euros."))
    assert told.count(both) == 1
    assert "## What did it cost\n\n*Shown above:*\n\n- **Source 1** [E1-1]\n\n**Source 2** [E1-2]" in told


def test_a_table_below_its_title_is_shown_in_its_rows() -> None:
    table = "Catch of 1901\n\n| Port | Herring |\n| --- | --- |\n| Stavoll | 120 |\n| Ekholm | 75 |"
    told = report("How many herring were caught in Stavoll?", finding(table))
    assert told.endswith(
        "> Catch of 1901 [E1-1]\n\n| Port | Herring |\n| --- | --- |\n| Stavoll | 120 [E1-1] |\n| Ekholm | 75 [E1-1] |"
    )


def test_a_row_that_is_cut_stands_in_its_table() -> None:
    row = finding("| herring | Stavoll caught most of it, says")
    row.evidence[0].columns = "| Name | Text | Year |"
    told = report("Who caught herring in Stavoll?", row)
    assert told.endswith(
        "| Name | Text | Year |\n| --- | --- | --- |\n| herring | Stavoll caught most of it, says [E1-1] |  |"
    )


def test_prose_below_the_rows_of_a_table_gets_no_bar() -> None:
    rows = finding("| Stavoll | 120 |\n| Ekholm | 75 |\n\nA barrel of herring cost 5 kroner.")
    rows.evidence[0].columns = "| Port | Herring |"
    told = report("What did a barrel of herring cost?", rows)
    assert told.endswith("| Ekholm | 75 [E1-1] |\n\n> A barrel of herring cost 5 kroner. [E1-1]")


def test_a_question_is_no_close_passage() -> None:
    asked, told = "Who owned the schooner Lalla Rookh?", "Thomson owned her."
    shown = report(asked, finding(f"[{asked} Who else?](owners.md)", f"The Lalla Rookh. {told}", asked))
    assert told in shown
    assert "Who else" not in shown
    assert "[E1-3]" not in shown


def test_what_stands_below_a_heading_is_about_what_the_heading_says() -> None:
    asked = "How do a winch and a drum differ?"
    _, excerpts = extract(
        asked, f"# Rules\n\n{asked}", "## How a winch and a drum differ\n\nOne is lighter.", "A drum is round."
    )
    assert excerpts[0].quote == "One is lighter."


def test_what_looks_like_a_tag_in_a_quote_stays_text() -> None:
    told = report(
        "Who owned the schooner Lalla Rookh?", finding("The schooner Lalla Rookh is written `<owner>: <ship>`.")
    )
    assert "written \\<owner>: \\<ship>. [E1-1]" in told


def test_headers_and_lists_of_links_are_no_passages_and_code_keeps_its_lines() -> None:
    code = "The schooner Lalla Rookh sails so:\n\n```sh\nsail --owner\n  Thomson"
    told = report(
        "Who owned the schooner Lalla Rookh?",
        finding(
            "- title: Source 1\n- owner: The schooner Lalla Rookh",
            "* [The owner of the schooner Lalla Rookh](a.md)",
            code,
        ),
    )
    assert "title:" not in told
    assert "[E1-2]" not in told
    assert told.endswith("> The schooner Lalla Rookh sails so: [E1-3]\n>\n> ```\n> sail --owner\n>   Thomson\n> ```")


def test_the_title_of_a_source_is_no_passage() -> None:
    found = finding("Owners of the schooner Lalla Rookh", "Thomson owned the schooner Lalla Rookh.")
    found.evidence[0].title = "Owners of the schooner Lalla Rookh"
    told = report("Who owned the schooner Lalla Rookh?", found)
    assert ("[E1-1]" in told, "[E1-2]" in told) == (False, True)


def test_a_quote_from_amid_code_is_code_as_far_as_that_reaches() -> None:
    found = finding("# The schooner Lalla Rookh\n- owner: x # <y>\n```\n\nThe owner of it sailed.")
    found.evidence[0].columns = "```yaml"
    told = report("Who owned the schooner Lalla Rookh?", found)
    quoted = "> ```\n> # The schooner Lalla Rookh\n> - owner: x # <y>\n> ```\n>\n> The owner of it sailed. [E1-1]"
    assert told.endswith(f"**Source 1** [E1-1]\n\n{quoted}")
