"""What a claim adds up, bounds or calls certain: totals of rows and of people, shares of a total, two sides with numbers of their own."""

import pytest

from services.evidence.support import check_support

FERRY = "The ferry Osprey sank on 3 May 1931 with 84 travellers and 9 sailors aboard. The council voted 27 to 14, with 4 abstentions, for a pier."
VOTE = "会议以36票赞成、12票反对、2票弃权通过了该方案。"
HALLS = "| Hall | Seats | Concerts |\n|---|---|---|\n| Aldermoor | 1,846 | 41 |\n| Bexcombe | 920 | 58 |\n| Carrow | 615 | 17 |"
COURTS = "江前区法院收案数（件）：\n\n| 年份 | 民事 | 刑事 | 行政 |\n|---|---|---|---|\n| 2018 | 4310 | 702 | 96 |\n| 2019 | 4655 | 688 | 104 |"
TOMBS = "The older tomb dates from about 2600 BC, the younger tomb from about 2200 BC."
MASTS = "The Harle mast is 212 metres high and was raised in 1958; the nearby Dunmore mast, 148 metres high, followed in 1971."
FIRE = "The fire at the mill began at night, probably because a bearing had run hot. Inspectors believe that the watchman was asleep."
DAM = "1954年洪水冲垮了西坝，下游农户因此改种旱稻。"
SCHOOL = "Dr Hale attributed the outbreak in Orford to a summer camp."
PHONES = "第三代手机在低温下的续航只有9小时，低于第二代的12小时。"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("There were 93 people aboard the Osprey.", FERRY),
        ("赞成该方案的票约占七成。", VOTE),
        ("Together the Aldermoor and the Bexcombe have 2,766 seats.", HALLS),
        ("The Aldermoor has about 1,800 seats.", HALLS),
        ("2019年江前区法院三类收案合计5447件。", COURTS),
        ("The two tombs lie about four centuries apart.", TOMBS),
        ("Inspectors are certain of nothing, but the fire probably began because a bearing had run hot.", FIRE),
        ("低温下，第二代手机的续航比第三代更长。", PHONES),
        ("The outbreak in Orford was caused by a summer camp, according to Hale.", SCHOOL),
        ("The Bexcombe does not have the most seats.", HALLS),
    ],
)
def test_what_follows_from_a_source_holds(claim: str, quote: str) -> None:
    assert check_support(claim, [quote]).failing == ""


@pytest.mark.parametrize(
    ("claim", "quote", "failing"),
    [
        ("There were 98 people aboard the Osprey.", FERRY, "numbers"),
        ("赞成该方案的票约占四成。", VOTE, "numbers"),
        ("Aldermoor gave 58 concerts, and Bexcombe gave 41 concerts.", HALLS, "subject"),
        ("The Aldermoor does not have the most seats.", HALLS, "table"),
        ("2019年江前区法院三类收案合计5477件。", COURTS, "numbers"),
        ("The two tombs lie about nine centuries apart.", TOMBS, "numbers"),
        ("The Dunmore mast is 212 metres high, and the Harle mast 148 metres.", MASTS, "subject"),
        ("It is certain that the fire began because a bearing had run hot.", FIRE, "hedge"),
        ("Inspectors have established that the watchman was asleep.", FIRE, "hedge"),
        ("由于下游农户改种旱稻，西坝才在1954年被洪水冲垮。", DAM, "cause"),
        ("The outbreak in Orford led to a summer camp, Dr Hale says.", SCHOOL, "cause"),
    ],
)
def test_what_does_not_follow_is_told(claim: str, quote: str, failing: str) -> None:
    assert check_support(claim, [quote]).failing == failing


def test_the_year_in_the_title_of_a_table_is_that_of_its_rows_and_of_no_prose() -> None:
    claim = "In 1998 the Carrow gave 17 concerts."
    assert check_support(claim, [HALLS], ["Concert halls of Mardon, 1998"]).failing == ""
    assert check_support(claim, [HALLS], ["Concert halls of Mardon (1998)"]).failing == "numbers"
    assert (
        check_support(claim, ["The Carrow gave 17 concerts."], ["Concert halls of Mardon, 1998"]).failing == "numbers"
    )


def test_a_time_told_from_another_leaves_the_second_number_to_its_own_year() -> None:
    quote = (
        "| Branch | Loans 2012 | Loans 2017 |\n|---|---|---|\n| North | 40,120 | 36,480 |\n| South | 22,300 | 27,150 |"
    )
    assert check_support("Loans of North fell from 40,120 in 2012 to 36,480 five years later.", [quote]).failing == ""
