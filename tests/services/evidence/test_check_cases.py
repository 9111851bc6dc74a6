"""Right sentences in forms that strong models write, and wrong ones beside them that differ in one thing."""

import pytest

from services.evidence.inference import check_marked
from services.evidence.support import check_support

DIVES = "No one returned for 52 years. Jan Corme dived alone in 2012, and Vic Weston in 2019."
SURVEYS = (
    "The ship Tacuna measured 10,924 metres in 1984. In 2010 the ship Somner mapped the trench, and James Gard gave 10,984 "
    "metres, with an uncertainty of 25 metres."
)
RANGE = ("HMS Kestrel announced 10,863 metres in 1951.", "The ship Vitor reported 11,034 metres in August 1957.")
TRIAL = "0.05%组累计进展0.55D，0.025%组0.85D，0.01%组1.12D。第一年0.01%组的眼轴增长与安慰剂组相差无几，未达统计学显著。"
LENSES = "DIMS组屈光度进展减缓52%，眼轴增长减缓62%。"
LENGTH = "Chen (2023) found that for tables beyond 1000 tokens the performance of GPT-3 degrades to random guesses."
BUCH = "Scott Bucholz is a politician. He has been a member since the election of 2010. He was chief of staff and was a director of CQX Transport for 18 years."
POLL = "Of the residents polled, 46 percent favoured closing the bridge and 38 percent were against it."
BUDGET = "The city plans to spend 412 million crowns in 2025, 18 million more than this year."


@pytest.mark.parametrize(
    ("sentence", "quotes"),
    [
        ("Nobody went down for 52 years, until Jan Corme in 2012 and Vic Weston in 2019.", [DIVES]),
        ("The surveys came next, with 10,924 metres from the Tacuna in 1984 and 10,984 metres, uncertain by 25, from the Somner in 2010.", [SURVEYS]),
        ("Since 1951 figures between 10,863 and 11,034 metres have been announced.", RANGE),
        ("累计进展为0.05%组0.55D、0.025%组0.85D、0.01%组1.12D。", [TRIAL]),
        ("第一年0.01%组的眼轴增长与安慰剂组几乎相同，没有达到统计学显著。", [TRIAL]),
        ("0.05%组累计进展0.55D，DIMS组减缓52%。", [TRIAL, LENSES]),
        ("For tables longer than 1,000 tokens GPT-3 does no better than random guessing.", [LENGTH]),
        ("The set holds about 8,500 problems.", ["We introduce a set of 8.5K problems."]),
        ("The frameworks did as well as baselines that use no LLM.", ["The frameworks did as well as nonLLM baselines."]),
        ("For 18 years Bucholz was one of the directors of CQX Transport.", [BUCH]),
        ("Separate councils were set up for Wales and Scotland.", ["It was replaced by a council for Wales and the Scottish council."]),
        ("More favoured closing the bridge than were against it, but they fell short of half.", [POLL]),
        ("This year the city spends 394 million crowns.", [BUDGET]),
        ("A two-sided test gives p = 0.556.", ["A test of the minutes gives p = 0.556."]),
        ("Rain is all the fresh water that they have.", ["Catchments of rain are the only source of fresh water that they have."]),
    ],
)  # fmt: skip
def test_right_sentences_pass(sentence: str, quotes: list[str]) -> None:
    assert check_support(sentence, quotes).failing == ""


@pytest.mark.parametrize(
    ("sentence", "quote", "failing"),
    [
        ("Jan Corme returned for 52 years.", DIVES, "negation"),
        ("The ship Tacuna measured 10,984 metres in 1984.", SURVEYS, "period"),
        ("2025年支出预算减少到0.6亿元。", "2025年支出11.7亿元，比上年减少0.6亿元。", "other"),
        ("Most films on the disc are sold.", "There are many films on the disc that are sold.", "scope"),
        ("The song was written by Ron Scott, Steve Wolfe and Robin Cable.", "It was written by Ron Scott and Steve Wolfe, who made the song with Robin Cable.", "roles"),
        ("The Grants Committee replaced the Funding Council.", "The Funding Council was a body of the realm replacing the Grants Committee.", "roles"),
        ("The finance councillor, Ms Dahl, called the cut short-sighted.", "Spending is cut, as Ms Dahl wants. The opposition leader, Mr Rusten, called the cut short-sighted.", "roles"),
        ("石桥队以3比1击败云港队。", "云港队在主场以3比1击败卫冕冠军石桥队。", "roles"),
        ("Because of its high value, the city is a popular destination at New Year.", "Because of its high value, the city is a main attraction. It is also a popular destination at New Year.", "cause"),
    ],
)  # fmt: skip
def test_wrong_sentences_do_not(sentence: str, quote: str, failing: str) -> None:
    assert check_support(sentence, [quote]).failing == failing


TABLE = "| Lantern | Brightness (lumens) | Runtime (h) |\n|---|---|---|\n| Fen | 320 | 14 |\n| Ors | 500 | 9 |\n| Tarn | 650 | 11 |"


@pytest.mark.parametrize(
    ("sentence", "failing"),
    [
        ("The brightest lantern is the one with the shortest runtime.", "table"),
        ("The lantern with the least brightness is the one with the longest runtime.", ""),
    ],
)
def test_two_superlatives_of_one_row_must_meet_in_it(sentence: str, failing: str) -> None:
    assert check_support(sentence, [TABLE]).failing == failing


COUNTS = ["Of 14 household things 13 were repaired and 1 was not.", "Of 11 electronics things 6 were repaired and 5 not.",
          "Of 11 kitchen things 6 were repaired and 4 not."]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "premises", "failing"),
    [
        ("It is therefore the least reliable figure of the list.", RANGE, ""),
        ("It is therefore the least reliable figure of the list.", RANGE[:1], "unrelated"),
        ("Nine of the ten failures were electronics or kitchen things.", COUNTS, ""),
        ("Household and kitchen things fall into two groups.", COUNTS, ""),
        ("The 60 metres between the two figures thus come from the treatment.", ["The treatment of 1984 gave a depth of 10,924 metres.", "That of 2010 gave a depth of 10,984 metres."], ""),
        ("The 70 metres between the two figures thus come from the treatment.", ["The treatment of 1984 gave a depth of 10,924 metres.", "That of 2010 gave a depth of 10,984 metres."], "numbers"),
    ],
)  # fmt: skip
def test_conclusions_may_begin_with_a_pronoun_or_a_sum(sentence: str, premises: list[str], failing: str) -> None:
    assert check_marked(sentence, premises)[1].failing == failing
