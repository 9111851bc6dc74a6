"""What is marked as inference may conclude from its premises, and brings nothing that they do not bear."""

import pytest

from services.evidence.inference import check_inference, check_marked, kind_of

SODIUM = "The sodium cell kept 80 percent of its capacity for 4,200 cycles at a price of 62 euros per kilowatt-hour."
LITHIUM = "The lithium cell kept 80 percent of its capacity for 6,100 cycles at a price of 108 euros per kilowatt-hour."
LOANS = "The Ulver library lent 120,000 printed books in 2015 and 74,000 in 2022."
DIGITAL = "Digital loans of the Ulver library grew from 8,000 in 2015 to 69,000 in 2022."
PILOT = "All ships of more than 200 metres need a pilot in the sound of Orvik."
VEGA = "The Vega is 230 metres long and calls at Orvik twice a week."
ABSENCE = "The inspectors found no cracks on the south side of the Caster dam."
GROUND = "The south side of the Caster gorge stands on granite, the north side on clay."
DRY = "在干旱田块，抗旱稻“岭优7号”亩产412公斤，普通稻亩产286公斤。"
WET = "在灌溉田块，“岭优7号”亩产498公斤，普通稻亩产547公斤。"
AMMONIA = "白石河氨氮浓度由2017年的每升2.8毫克降至2022年的每升0.7毫克。"
MILLS = "2018年至2020年，白石河沿岸关停了23家造纸厂。"


@pytest.mark.parametrize(
    ("sentence", "premises"),
    [
        ("The lithium cell therefore lasts longer than the sodium cell.", (SODIUM, LITHIUM)),
        ("Buyers who can live with fewer cycles may therefore prefer the sodium cell.", (SODIUM, LITHIUM)),
        ("The sodium cell thus costs 46 euros less per kilowatt-hour.", (SODIUM, LITHIUM)),
        ("Readers of the Ulver library seem to have moved from paper to screens.", (LOANS, DIGITAL)),
        ("The loans of printed books have thus dropped by more than a third within seven years.", (LOANS,)),
        ("可见，“岭优7号”的优势只在缺水的田块才显现出来。", (DRY, WET)),
        ("由此看来，灌溉条件好的农户换种“岭优7号”反而可能减产。", (DRY, WET)),
        ("氨氮浓度下降与关停造纸厂在时间上吻合，关停很可能是好转的原因之一。", (AMMONIA, MILLS)),
    ],
)
def test_a_conclusion_that_its_premises_bear_passes(sentence: str, premises: tuple[str, ...]) -> None:
    assert kind_of(sentence, premises) == "conclusion"
    assert check_inference(sentence, premises).failing == ""


@pytest.mark.parametrize(
    ("sentence", "premises", "failing"),
    [
        ("The sodium cell thus lasts 9,000 cycles.", (SODIUM, LITHIUM), "numbers"),
        ("Loans of printed books have therefore been falling since 2011.", (LOANS, DIGITAL), "numbers"),
        ("The sodium cell therefore costs 62 dollars per kilowatt-hour.", (SODIUM, LITHIUM), "unit"),
        ("The lithium cell thus costs 46 dollars more per kilowatt-hour.", (SODIUM, LITHIUM), "unit"),
        ("Readers in Corvo Bay therefore seem to prefer digital loans.", (LOANS, DIGITAL), "names"),
        ("Digital loans seem to be falling, so readers return to paper.", (LOANS, DIGITAL), "opposite"),
        ("The sodium cell therefore lasts longer than the lithium cell.", (SODIUM, LITHIUM), "opposite"),
        ("Bananas therefore ripen faster in warm rooms.", (SODIUM, LITHIUM), "unrelated"),
        ("Digital lending may therefore replace paper soon.", (DIGITAL, PILOT), "unrelated"),
        ("The Vega may therefore be too long for the harbour of Orvik.", (VEGA,), "premises"),
        ("The sodium cell is a product for patient people.", (SODIUM, LITHIUM), "plain"),
        ("因此，在干旱田块改种“岭优7号”，每亩可以多收350公斤。", (DRY, WET), "numbers"),
        ("可见，白石河氨氮浓度仍在上升，关停造纸厂收效很可能不大。", (AMMONIA, MILLS), "opposite"),
        ("由此看来，南屏大学的研究很可能促成了白石河氨氮浓度的下降。", (AMMONIA, MILLS), "names"),
        ("可见，香蕉在温暖的房间里成熟得更快。", (DRY, WET), "unrelated"),
        ("可见，关停造纸厂对沿岸居民很可能有好处。", (MILLS,), "premises"),
    ],
)
def test_a_conclusion_that_brings_or_turns_something_fails(
    sentence: str, premises: tuple[str, ...], failing: str
) -> None:
    assert check_inference(sentence, premises).failing == failing


@pytest.mark.parametrize(
    ("sentence", "premises"),
    [
        (
            "The loans of printed books rose from 74,000 in 2015 to 120,000 in 2022, so paper is gaining.",
            (LOANS, DIGITAL),
        ),
        ("Therefore the inspectors found cracks on the south side of the Caster dam.", (ABSENCE, GROUND)),
    ],
)
def test_what_a_premise_refutes_is_contradicted_and_not_inferred(sentence: str, premises: tuple[str, ...]) -> None:
    _, verdict = check_marked(sentence, premises)
    assert verdict.failing
    assert verdict.refutes


@pytest.mark.parametrize("lead", ["", "Therefore, ", "This suggests that ", "It is therefore likely that "])
def test_what_one_premise_states_is_a_statement_with_or_without_a_lead(lead: str) -> None:
    said = "the Ulver library lent 74,000 printed books in 2022."
    assert check_marked(f"{lead}{said}", (LOANS, DIGITAL))[0] == "statement"


def test_nothing_follows_from_a_computation_out_of_nowhere() -> None:
    verdict = check_inference(
        "The lithium cell therefore lasts longer.", (SODIUM, LITHIUM), untraced=("cycles: 9,000",)
    )
    assert (verdict.failing, verdict.what) == ("untraced", ("9,000",))


def test_names_may_stand_in_the_question_or_a_title() -> None:
    sentence = "For Norland, digital lending may therefore matter more than paper soon."
    assert check_inference(sentence, (LOANS, DIGITAL)).failing == "names"
    assert check_inference(sentence, (LOANS, DIGITAL), question="How do people read in Norland?").failing == ""


def test_a_conclusion_in_another_language_needs_a_number_or_a_name_of_its_premises() -> None:
    assert check_inference("因此，2022年Ulver的读者可能更喜欢电子书。", (LOANS, DIGITAL)).failing == ""
    assert check_inference("因此，读者可能更喜欢电子书。", (LOANS, DIGITAL)).failing == "language"
