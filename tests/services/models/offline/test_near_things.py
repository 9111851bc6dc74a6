"""Things that are easily taken for each other: names inside longer names, and what is asked of something beside what is said of it."""

import pytest

from schemas.evidence_view import EvidenceView
from services.models.offline.answers import ClauseAnswer, answers
from services.models.offline.question_shape import compared_in, measures_of

CORROW = ("Corrow Dam", "Work on it began in 1931. It is 47 metres high and 310 metres long.")
NETHER = (
    "Nether Corrow Dam",
    "Nether Corrow Dam is an earth dam downstream of Corrow Dam. It was finished in 1968, is 29 metres high and holds much water.",
)
BRIDGE = ("新青岚大桥", "新青岚大桥是云陵市的一座斜拉桥，在青岚大桥下游1.8公里处，2019年6月18日通车。")
ENGINEER = ("梁启文", "梁启文（1938年—2011年），桥梁工程师，云陵市石坪镇人。")
AUTHOR = ("医学宝鉴", "扎赫拉维开创了蒸馏制药的先河，他的《医学宝鉴》特别有趣。")


def asked(question: str, *sources: tuple[str, str]) -> ClauseAnswer:
    evidence = [EvidenceView(id=f"E1-{n}", title=title, quote=quote) for n, (title, quote) in enumerate(sources, 1)]
    [answer] = answers(question, evidence, 2)
    return answer


def test_each_of_two_things_is_told_from_its_own_source() -> None:
    told = asked("Which is higher, Corrow Dam or Nether Corrow Dam?", NETHER, CORROW)
    assert [sentence.title for sentence in told.sentences] == ["Corrow Dam", "Nether Corrow Dam"]
    assert "47 metres" in told.sentences[0].text


def test_a_source_on_a_thing_of_a_longer_name_does_not_answer() -> None:
    told = asked("How high is Corrow Dam?", NETHER, CORROW)
    assert told.whole
    assert told.sentences[0].title == "Corrow Dam"


@pytest.mark.parametrize(
    ("question", "source", "whole"),
    [
        ("新青岚大桥的过桥费是多少？", BRIDGE, False),
        ("云陵市的市长是谁？", ENGINEER, False),
        ("《医学宝鉴》的作者是谁？", AUTHOR, True),
        (
            "青岚大桥改建是什么时候结束的？",
            ("青岚大桥改建", "青岚大桥改建开工于1919年8月，结束于1921年5月14日。"),
            True,
        ),
    ],
)
def test_what_is_asked_of_something_is_told_of_it(question: str, source: tuple[str, str], whole: bool) -> None:
    assert asked(question, source).whole is whole


@pytest.mark.parametrize(
    ("question", "measures"),
    [
        (
            "Which is higher, Corrow Dam or Nether Corrow Dam?",
            ["How high is Corrow Dam?", "How high is Nether Corrow Dam?"],
        ),
        ("青岚大桥和新青岚大桥哪座造价更高？", ["青岚大桥的造价是多少？", "新青岚大桥的造价是多少？"]),
        ("A河与B河哪一条更长？", ["A河多长？", "B河多长？"]),
        ("软镜和硬镜有什么区别？", []),
    ],
)
def test_things_are_compared_by_the_measure_that_is_asked(question: str, measures: list[str]) -> None:
    assert measures_of(question, compared_in(question) or ()) == measures
