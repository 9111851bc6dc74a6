"""A sentence is supported when its numbers, names and enough of its words stand in what it cites."""

import pytest

from services.evidence.support import check_about, check_support
from services.text.names import missing_names, names
from tests.services.conftest import QUOTES

CHALLENGER, WIRE, PLAN, OUTDOORS = QUOTES.values()


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("HMS Challenger sounded 4,475 fathoms near Guam on 23 March 1875.", CHALLENGER),
        ("In March 1875 the Challenger found about 4,500 fathoms near Guam.", CHALLENGER),
        ("A depth of 4,475 fathoms was sounded near Guam by HMS Challenger in 1875.", CHALLENGER),
        ("Hemp lines were slow and heavy, and wire replaced them.", WIRE),
        ("Wire took the place of slow and heavy hemp lines.", WIRE),
        ("教育部等八部门于二〇一八年八月三十日印发该实施方案，目标是到2030年小学生近视率降到百分之三十八以下。", PLAN),
        ("户外活动每天2小时以上，近视发生风险降低约三分之一。", OUTDOORS),
        ("每天户外活动两小时以上，近视风险可降低三分之一左右。", OUTDOORS),
        ("2030年的目标是小学生近视率低于38%。", PLAN),
        ("The target for 2030 is a rate below 38%.", PLAN),
    ],
)
def test_what_the_quote_says_is_supported(sentence: str, quote: str) -> None:
    assert check_support(sentence, [quote]).failing == ""


@pytest.mark.parametrize(
    ("sentence", "quote", "failing", "what"),
    [
        ("HMS Challenger sounded 4,575 fathoms near Guam.", CHALLENGER, "numbers", ("4,575",)),
        ("HMS Challenger sounded near Guam on 24 March 1875.", CHALLENGER, "numbers", ("24 March 1875",)),
        ("HMS Challenger sounded 4,475 fathoms near Guam in March 1876.", CHALLENGER, "numbers", ("March 1876",)),
        ("In 1875 HMS Beagle sounded 4,475 fathoms.", CHALLENGER, "names", ("HMS Beagle",)),
        ("John Murray sounded 4,475 fathoms near Guam.", CHALLENGER, "names", ("John Murray",)),
        ("Cousteau sounded 4,475 fathoms near Guam.", CHALLENGER, "names", ("Cousteau",)),
        ("The Challenger sounded near Hawaii.", CHALLENGER, "names", ("Hawaii",)),
        ("The crew ate well and complained of the heat.", CHALLENGER, "words", ()),
        ("Wire never replaced the hemp line.", WIRE, "denied", ("The piano wire of Lucas replaced the hemp line",)),
        ("到2035年小学生近视率下降到38%以下。", PLAN, "numbers", ("2035年",)),
        ("《健康中国行动》要求小学生近视率下降到38%以下。", PLAN, "names", ("健康中国行动",)),
        ("北京大学等八部门印发实施方案，要求小学生近视率下降。", PLAN, "names", ("北京大学",)),
        ("睡眠不足的学生更容易肥胖。", OUTDOORS, "words", ()),
        ("日本的八部门于2018年8月30日印发实施方案。", PLAN, "names", ("日本",)),
        (
            "Interest in hemp lines declined.",
            "There was a resurgence of interest in hemp lines.",
            "opposite",
            ("declined",),
        ),
        ("户外活动每天两小时以上，可使近视发生风险提高约三分之一。", OUTDOORS, "opposite", ("提高",)),
        ("小学生近视率2030年上升到38%。", PLAN, "opposite", ("上升",)),
        ("户外活动不能使近视发生风险降低。", OUTDOORS, "denied", ("可使近视发生风险降低约三分之一",)),
        ("Outdoor time is good for the eyes.", OUTDOORS, "language", ()),
    ],
)
def test_what_the_quote_does_not_say_fails_and_is_named(
    sentence: str, quote: str, failing: str, what: tuple[str, ...]
) -> None:
    verdict = check_support(sentence, [quote])
    assert (verdict.failing, verdict.what) == (failing, what)


def test_names_but_not_numbers_may_stand_in_the_title_of_the_source() -> None:
    assert (
        check_support("Tizard wrote that wire replaced the hemp line.", [WIRE], ["Letters of T. H. Tizard"]).failing
        == ""
    )
    assert check_support("In 1874 wire replaced the hemp line.", [WIRE], ["Letters of 1874"]).failing == "numbers"


def test_several_quotes_support_a_sentence_together() -> None:
    sentence = "HMS Challenger sounded 4,475 fathoms, and wire replaced the hemp line."
    assert check_support(sentence, [CHALLENGER, WIRE]).failing == ""
    assert check_support(sentence, []).failing == "uncited"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The Royal Society of London paid for it.", ["Royal Society of London"]),
        ("Sir Charles Wyville Thomson led; Murray followed.", ["Sir Charles Wyville Thomson"]),
        ("They met Murray in March at NASA.", ["Murray", "NASA"]),
        ("However, the ship was slow.", []),
        ("Divers found it.", []),
        ("Murray later wrote it down.", ["Murray"]),
        ("The LAMP2 trial and 研究ATOM1组", ["LAMP2", "ATOM1"]),
        ("这所大学位于该省，由中山大学牵头。", ["中山大学"]),
        ("其面积居四县之首。", []),
    ],
)
def test_names_are_told_from_words_that_begin_a_sentence(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


def test_a_name_may_stand_in_a_table_without_the_kind_that_its_heading_gives() -> None:
    table = "| 线路 | 公司 |\n|---|---|\n| 3路 | 星河 |"
    assert missing_names("3路由星河公司运营。", table) == []
    assert missing_names("3路由通达公司运营。", table) == ["通达公司"]


def test_a_sentence_with_numbers_that_the_quotes_hold_may_have_words_of_its_own() -> None:
    quote = "The islands were ceded in 1763 and handed over in 1771."
    assert check_support("Eight years later the islands actually changed owners.", [quote]).failing == ""
    assert check_support("Much later the islands really and actually changed owners.", [quote]).failing == "words"


@pytest.mark.parametrize(
    ("question", "quote", "failing"),
    [
        (
            "How did landings at the Kelmar ports change?",
            "2015: 112.1 thousand tonnes\n2023: 100.1 thousand tonnes",
            "",
        ),
        ("How did landings at the Kelmar ports change?", "Skelwick landed 112.1 thousand tonnes in 2015.", "names"),
        ("How do landings at Kelmar and at Orsa compare?", "2015: 112.1 thousand tonnes", "names"),
        ("How did landings change?", "2015: 112.1 thousand tonnes", "names"),
    ],
)
def test_quotes_without_a_name_are_about_the_one_name_of_the_question(question: str, quote: str, failing: str) -> None:
    claim = "In 2015 the ports of Kelmar landed 112.1 thousand tonnes."
    assert check_about(question, claim, [quote], ["Computation"]).failing == failing
