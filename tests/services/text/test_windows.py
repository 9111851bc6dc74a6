"""Which sentences of a passage are quoted for a question."""

import pytest

from services.text.windows import best_window

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
