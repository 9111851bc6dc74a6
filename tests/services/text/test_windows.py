"""Which sentences of a passage are quoted for a question."""

import pytest

from services.text.units import best_window, widen

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
