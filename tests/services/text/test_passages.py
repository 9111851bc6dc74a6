"""Passages and sentences: exact offsets, and cuts where the text itself has them."""

import json
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.text.heads import Sections
from services.text.passages import TARGET, each_passage, kind_of, sentences, split
from services.text.spans import plain_heading
from services.text.units import best_window, widen
from services.text.wrapped_lines import without_chinese_wraps


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Behm lived in Kiel. He measured.", ["Dr. Behm lived in Kiel.", "He measured."]),
        ("W. Thomson used 2.5 km of wire. It held.", ["W. Thomson used 2.5 km of wire.", "It held."]),
        ("“Is it deep?” It is!", ["“Is it deep?”", "It is!"]),
        ("Stichtag ist der 30. Juni 2023. Er gilt.", ["Stichtag ist der 30. Juni 2023.", "Er gilt."]),
        ("There were 30. The lead sank.", ["There were 30.", "The lead sank."]),
        ("近视率下降。户外活动有效！为什么？", ["近视率下降。", "户外活动有效！", "为什么？"]),
        ("他说：“有效。”然后离开。", ["他说：“有效。”", "然后离开。"]),
        ("Ada Reef (b. 1960) is a diver.", ["Ada Reef (b. 1960) is a diver."]),
        ("The lead sinks\nslowly in mud.", ["The lead sinks\nslowly in mud."]),
        ("It is deep.\nLead\nof all kinds", ["It is deep.", "Lead", "of all kinds"]),
        ("See [Is it? It is.](a.md) and `a? b`. Then.", ["See [Is it? It is.](a.md) and `a? b`.", "Then."]),
        ("Run:\n~~~\nis it?\n\n```\n~~~\nIt is. So.", ["Run:", "~~~\nis it?\n\n```\n~~~", "It is.", "So."]),
        ("| A. B | it. is |\n| C | d |", ["| A. B | it. is |", "| C | d |"]),
        ("Use the following: … It holds.", ["Use the following:", "It holds."]),
        ("# How deep? A recount\nIt is deep.", ["# How deep? A recount", "It is deep."]),
        ("# 有多深？重新统计\n很深。", ["# 有多深？重新统计", "很深。"]),
        (
            f"{'A long title ' * 5}\nPublished: 2009-05-14\nIt is deep.",
            [f"{'A long title ' * 5}".strip(), "Published: 2009-05-14", "It is deep."],
        ),
        ("It kept await! as a placeholder. E.g. this one.", ["It kept await! as a placeholder.", "E.g. this one."]),
        ("1. Lower the wire.\n2. Read the drum. Note it.", ["1. Lower the wire.", "2. Read the drum.", "Note it."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# How deep?\n\nPublished: 2009-05-14\nIt is deep.", ["title", "value", "sentence"]),
        ("How deep is it? A recount\n\nIt is deep. The lead sinks", ["title", "title", "sentence", "sentence"]),
        ("有多深：重新统计\n\n发布日期：2009-05-14\n\n很深。", ["value", "value", "sentence"]),
        ("- a lead\n- a line\n\nThe lead\nThe line", ["sentence"] * 4),
        ("They had with them, on each of the voyages, the following\nNote: all\nof it.", ["sentence"]),
    ],
)
def test_a_title_and_a_value_are_no_sentences(text: str, kinds: list[str]) -> None:
    assert [kind_of(text, span.start, span.end) for span in sentences(text)] == kinds


def test_a_passage_does_not_cross_a_heading_and_keeps_its_path() -> None:
    text = "# Sounding\n\nLead lines.\n\n## Wire\n\nPiano wire.\n\n# Echo\n\nSound."
    spans = split(text)
    assert [text[span.start : span.end].splitlines()[-1] for span in spans] == ["Lead lines.", "Piano wire.", "Sound."]
    assert [span.heading for span in spans] == ["Sounding", "Sounding > Wire", "Echo"]


def test_a_section_is_called_by_the_words_of_its_heading_without_addresses() -> None:
    [passage] = split("## [Weight](#weight) of ![a lead](lead.png) leads\n\nSeven pounds.")
    assert passage.section == "Weight of  leads"


def test_the_fields_that_a_text_begins_with_stand_in_the_passage_below_them() -> None:
    text = f"PEP: 900\nTitle: Wires\nStatus: Final\n\n# Abstract\n\n{'It sounds. ' * 90}\n\n# Costs\n\nName: wire\nPrice: 5\n\n# End\n\nSo."
    first, *others = split(text)
    assert text[: first.end].startswith("PEP: 900\nTitle: Wires\nStatus: Final\n\n# Abstract\n\nIt sounds.")
    assert first.heading == "Abstract"
    assert [each.heading for each in others][-2:] == ["Costs", "End"]


def test_a_long_table_is_cut_between_rows() -> None:
    rows = [f"| Station {place} | {place * 100} fathoms |" for place in range(400)]
    text = "\n".join(["| Station | Depth |", "| --- | --- |", *rows])
    pieces = [text[span.start : span.end] for span in split(text)]
    assert len(pieces) > 2
    assert all(piece.startswith("|") and piece.endswith("|") for piece in pieces)


def test_parts_of_long_code_end_at_lines_without_words_where_there_are_some() -> None:
    bodies = ("\n".join(f"read({part}, {line});" for line in range(7)) for part in range(6))
    code = "```c\n" + "\n # \n".join(bodies) + "\n```"
    parts = [code[span.start : span.end] for span in sentences(code)]
    assert [part.splitlines()[0] for part in parts] == ["```c", "read(2, 0);", "read(4, 0);"]
    functions = "\n\n".join(
        f"def f{part}():\n" + "\n\n".join(f"    step({line})" for line in range(6)) for part in range(3)
    )
    code = f"```python\n{functions}\n```"
    parts = [code[span.start : span.end] for span in sentences(code)]
    assert [part.splitlines()[0] for part in parts] == ["```python", "def f1():", "def f2():"]


def test_code_stays_whole_up_to_three_passages_and_longer_code_is_cut_between_lines() -> None:
    def code(lines: int) -> str:
        return "```\n" + "\n\n".join(f"    wire_{place} = '# sound {place}'" for place in range(lines)) + "\n```"

    short, long = code(60), code(300)
    assert short in [short[span.start : span.end] for span in split(f"{short}\n\n{'It ends. ' * 80}")]
    pieces = [long[span.start : span.end] for span in split(long)]
    assert len(pieces) > 2
    assert all(piece.endswith(("'", "```")) for piece in pieces)


def test_a_part_of_code_is_more_than_its_opening_fence_and_is_cut_at_the_ends_of_its_lines() -> None:
    lines = [
        f"wire-{place} of the yard of the harbour: {place * 1000} fathoms of hemp {'rope' * 8}" for place in range(60)
    ]
    text = "\n".join(["```", *lines, "```"])
    assert all(text[span.start : span.end].count("\n") > 10 for span in sentences(text)[:-1])
    pieces = [text[span.start : span.end] for span in split(text)]
    assert [line for piece in pieces for line in piece.split("\n")] == text.split("\n")


def test_a_line_that_is_longer_than_passages_is_cut_between_words() -> None:
    line = " ".join(f"wire-{place}-of-the-harbour" for place in range(400))
    pieces = [line[span.start : span.end] for span in split(line)]
    assert len(pieces) > 2
    assert " ".join(pieces) == line


def test_chinese_passages_are_half_as_long() -> None:
    text = "\n\n".join(["每天户外活动两小时可以降低近视的发生。" * 4] * 20)
    assert max(span.end - span.start for span in split(text)) <= 450


@given(st.text(alphabet="ab. 。\n#|一二!", max_size=400))
def test_offsets_are_in_order_and_lose_no_letter(text: str) -> None:
    spans = split(text, target=40)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    kept = "".join(text[span.start : span.end] for span in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_the_address_of_a_link_is_part_of_its_sentence() -> None:
    text = f"{'The project was led by its founder from the first day ' * 2}until July,\nwhen he `stepped down\n<https://a.org/b>`__."
    assert cut(text) == [text]


def test_an_item_and_the_first_line_of_a_quote_go_on_after_a_wrap() -> None:
    item = "- The log uses many fewer calls of the disk and is thus less vulnerable to\nproblems on old systems."
    assert cut(item) == [item]
    assert cut("Recoding it is unlikely\nsince nobody asks for it. It stays.") == [
        "Recoding it is unlikely\nsince nobody asks for it.",
        "It stays.",
    ]
    assert cut("A short title\nThe text begins.") == ["A short title", "The text begins."]
    assert cut("- first of a list of items that is long enough to be taken for a wrap\n- second") != [item]


def test_a_chinese_sentence_goes_on_after_a_wrap_and_items_titles_and_values_do_not() -> None:
    wrapped = "会议决定：将智慧水务平台的招标时间由4月提前到3月下旬，由周\n杰负责，并于年底前完成。"
    assert cut(wrapped) == [wrapped]
    title = "云岭市供水集团老旧管网改造项目的总体进展情况和存在的问题"
    for below in ("二、下一步工作", "（二）资金", "2.资金", "负责人：周杰", "全年共完成改造九十八公里，" * 5):
        assert cut(f"{title}\n{below}") == [title, below]
    assert [kind_of(wrapped, 0, len(wrapped)), kind_of("地点：三楼\n正文。", 0, 5)] == ["sentence", "value"]


def test_a_line_end_that_divides_a_chinese_word_is_left_out_and_one_between_lines_of_a_list_or_code_is_not() -> None:
    wrapped = "会议决定将智慧水务平台的招标时间由四月提前到三月下旬，由周\n杰负责，并于年底前完成。\n二、其他事项。"
    assert without_chinese_wraps(wrapped) == wrapped.replace("\n杰", "杰")
    titles = "关于老旧管网改造工程进度的通知和几点说明以及附件材料\n关于召开年度总结表彰大会暨安全生产工作部署会议的通知及附件"
    for whole in (titles, f"```\n{wrapped}\n```", wrapped.replace("\n", "\n\n"), wrapped.replace("\n", "\n| ")):
        assert without_chinese_wraps(whole) == whole


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Wire > 2.1 The **drum**", "The drum"),
        ("2. Soundings", "Soundings"),
        ("1872 in the Bay", "1872 in the Bay"),
        ("3 ships", "3 ships"),
        ("1.5 metres of mud", "1.5 metres of mud"),
    ],
)
def test_a_heading_is_named_without_its_number(heading: str, name: str) -> None:
    assert plain_heading(heading) == name


def test_what_introduces_a_list_stands_in_one_passage_with_it() -> None:
    list_of_steps = "\n".join(
        f"{number}. In year {number} the lock is a little more optional than before." for number in range(6)
    )
    text = f"{'A sentence about the past. ' * 28}\n\nThe path might look like this:\n\n{list_of_steps}\n\n{'And then more. ' * 60}"
    [holding] = [text[span.start : span.end] for span in split(text) if "might look" in text[span.start : span.end]]
    assert list_of_steps in holding


def test_a_passage_amid_an_indented_block_has_the_lines_that_enclose_it() -> None:
    ballot = ",\n".join(f'      "{option} {"and tell why " * 15}": 1' for option in ("keep", "remove", "wait"))
    votes = '{\n  "votes": {\n    "ada": {\n' + ballot + '\n    },\n    "ben": {\n' + ballot + "\n    }\n  }\n}"
    assert [span.section for span in split(votes, 250)] == ["", "ada", "ben", "ben"]
    remarks = "\n".join(f"  * Remark {place}: {'the tool confuses people. ' * 9}" for place in range(6))
    minutes = f"# Meeting\n\n* Remove the tool\n{remarks}"
    assert [span.section for span in split(minutes)][1:] == ["Meeting > Remove the tool"]
    novel = "\n".join(f"   It was a wet day.\n{'The rain fell on the sea. ' * 30}" for _ in range(4))
    assert {span.enclosing for span in split(novel)} == {""}


def test_the_first_passage_of_a_long_text_takes_little_memory() -> None:
    """A paragraph of 14 million short lines took 4 GB before its first passage came."""
    text = "x\n" * 500_000
    tracemalloc.start()
    try:
        assert next(each_passage(text)).end <= TARGET
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_sentence_goes_on_behind_a_closing_mark_with_a_small_letter() -> None:
    text = "As told (Smith et al.) the wire broke. He asked “why?” and left. It sank (see above.) Then he came."
    assert [text[span.start : span.end] for span in sentences(text)] == [
        "As told (Smith et al.) the wire broke.",
        "He asked “why?” and left.",
        "It sank (see above.)",
        "Then he came.",
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('He wrote: "We seek no consensus. We vote." They did.', 'He wrote: "We seek no consensus. We vote."'),
        (
            "He wrote “We seek no consensus. We vote” and left. They did.",
            "He wrote “We seek no consensus. We vote” and left.",
        ),
        ("他说“不求一致。投票”。他们投了票。", "他说“不求一致。投票”。"),
        ('A pipe of 5" fits. Another of 6" does, too.', 'A pipe of 5" fits.'),
    ],
)
def test_no_sentence_ends_within_a_quotation(text: str, first: str) -> None:
    assert text[sentences(text)[0].start : sentences(text)[0].end] == first


def test_a_section_is_known_as_earlier_bundles_have_it_too() -> None:
    text = "## 1.0\n\n### Wire\n\nOne.\n\n## 1.1\n\n### Wire\n\nTwo."
    assert Sections(text).names(text.index("Two"))[1:3] == ("1.1 > Wire", "Wire")


TEXT = "哈伯勒有轨电车概况\n作者：陈立文\n蓝线于2018年5月开通，全长6.8公里。最终造价为2.38亿欧元。"


@pytest.mark.parametrize(
    ("question", "limit", "quoted"),
    [
        ("蓝线的造价是多少？", 600, "蓝线于2018年5月开通，全长6.8公里。最终造价为2.38亿欧元。"),
        ("What did the tram cost?", 600, TEXT),
        ("What did the tram cost?", 20, "哈伯勒有轨电车概况\n作者：陈立文"),
    ],
)
def test_a_text_that_shares_no_word_with_the_question_is_quoted_from_its_beginning(
    question: str, limit: int, quoted: str
) -> None:
    start, end = best_window(TEXT, question, limit)
    assert TEXT[start:end] == quoted


@pytest.mark.parametrize("rows", [3, 60])
def test_a_text_that_ends_with_a_colon_is_quoted_with_the_table_that_it_announces(rows: int) -> None:
    table = "\n".join(
        ["| lead | depth |", "|---|---|", *(f"| {place} | {place * 11} fathoms |" for place in range(rows))]
    )
    text = f"How deep is it? By the leads of the survey:\n\n{table}\n\nNobody sounded again."
    start, end = widen(text, (0, text.index("\n")), 100)
    assert text[start:end].startswith("How deep is it? By the leads of the survey:\n\n| lead | depth |")
    assert text[start:end].endswith("| 2 | 22 fathoms |") if rows == 3 else 170 < end - start <= 200


def test_long_code_is_cut_where_its_records_end() -> None:
    ropes = [{"name": f"rope {n}", "lengths": [n, 2, 3, 4], "of": "hemp"} for n in range(9)]
    text = f"```json\n{json.dumps(ropes, indent=1)}\n```"
    parts = [text[part.start : part.end] for part in sentences(text)]
    assert len(parts) > 2
    assert all(part.endswith(" },") for part in parts[:-1])


def test_words_stand_with_their_number_and_with_the_line_that_says_whose_they_are() -> None:
    said = [f"{number}、\n\n{'铅锤要重，绳子要细。' * 44}\n\n-- [《测深{number}》](a.md)" for number in range(1, 6)]
    text = "\n\n".join(["## 言论", *said])
    passages = [text[span.start : span.end] for span in split(text)]
    assert [passage.removeprefix("## 言论\n\n") for passage in passages] == said


def test_ends_of_brackets_and_remarks_enclose_nothing() -> None:
    code = "int haul (int depth)\n#if WIRE\n  cast:\n\n    sound (depth);\n\n#endif\n\n    reel ();\n\n));\n\n    rest ();\n"
    enclosing = {code[span.start : span.end].strip(): span.enclosing for span in split(code, 10)}
    assert enclosing["sound (depth);"] == "int haul (int depth) > cast"
    assert enclosing["reel ();"] == "int haul (int depth) > cast"
    assert enclosing["rest ();"] == ""
