"""What a message to a run asks for, by its words."""

import pytest

from services.text.steering_words import understood


@pytest.mark.parametrize(
    "text",
    [
        "stop", "Stop and write.", "stop, and write the report", "Please write now", "write the report", "Write it up, please",
        "that's enough", "Enough, write the report", "OK, finish with what you have", "stop searching and write the report now",
        "停止", "停止研究，写报告", "够了", "够了，写报告吧", "请现在撰写报告", "可以了，直接出报告", "马上写", "停下吧", "请写报告。",
    ],
)  # fmt: skip
def test_the_report_is_wanted_now(text: str) -> None:
    assert understood(text)[0] == "write"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("skip step 2", ["2"]), ("Drop steps 2, 3 and 5", ["2", "3", "5"]), ("please leave out step 4 now", ["4"]), ("skip 7", ["7"]),
        ("cancel step #3", ["3"]), ("跳过第2步", ["2"]), ("去掉步骤 2", ["2"]), ("不要第2、3步", ["2", "3"]), ("请取消第2步和第3步", []),
        ("略过步骤 1 和 2。", ["1", "2"]),
    ],
)  # fmt: skip
def test_steps_are_dropped(text: str, steps: list[str]) -> None:
    action, _, named = understood(text)
    assert (action, named) == (("skip", steps) if steps else ("message", []))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Add a question: who paid for it", "who paid for it"),
        ("Who paid for it?", "Who paid for it?"),
        ("Also answer: when was it sold", "when was it sold"),
        ("再补充一个问题：它花了多少钱", "它花了多少钱"),
        ("它花了多少钱？", "它花了多少钱？"),
    ],
)
def test_a_question_is_added(text: str, question: str) -> None:
    assert understood(text) == ("ask", question, [])


@pytest.mark.parametrize(
    "text",
    [
        "stop looking at the costs, the ships matter more", "write about the ships", "skip the introduction of the report",
        "drop the 1875 survey", "only the tallow", "leave out step by step guides", "不要谈费用", "写一写船的历史", "只看费用",
    ],
)  # fmt: skip
def test_everything_else_is_for_the_planner(text: str) -> None:
    assert understood(text) == ("message", text, [])
