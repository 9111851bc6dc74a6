"""What the check by code finds against a statement, and what it must let pass, in English and Chinese."""

import pytest

from schemas.evidence import NO_INPUT, Source
from services.check.compared_text import read
from services.check.numbers import missing, proving
from services.check.support import check_inference, check_support

GECKOS = "Survival fell from 71 percent in the cool summer of 2013 to 38 percent in the hot summer of 2017."
FERRIES = "In 2018 the Orsa ferries carried 412,000 passengers. In 2019 they carried 438,000."
LOANS = "| Branch | Loans 2018 | Loans 2022 | Staff |\n|---|---|---|---|\n| Ashby | 48,200 | 51,300 | 6 |\n| Fellgate | 57,900 | 55,100 | 7 |"
POTATO = "Toss the quinces with 120 g of sugar, the juice of one lemon and 30 g of butter."
SHRIMP = "上半年5G用户平均每户月流量为18.3GB，4G用户为11.7GB。"
HARBOUR = "2021年该港吞吐量为120万吨，比2020年增长了8%。"
CARD = (
    "PEP 703 – Making the Global Interpreter Lock Optional (Sam Gross, created 09-Jan-2023, accepted 2023-10-24, Final)"
)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The survival of geckos dropped by 33 percentage points between 2013 and 2017.", GECKOS),
        ("In the summer of 2013 it had been 71 percent.", GECKOS),
        ("Within four years it fell to 38 percent.", GECKOS),
        ("The ferries carried 26,000 passengers more in 2019 than in 2018.", FERRIES),
        ("Some 440,000 passengers took the Orsa ferries in 2019.", FERRIES),
        ("The two branches together made 106,400 loans in 2022.", LOANS),
        ("Ashby made 51,300 loans in 2022 with a staff of 6.", LOANS),
        ("The lake is 1.2 km long.", "The lake is 1,200 metres long."),
        ("The fare went up by a third.", "The fare rose from 4.20 to 5.60 pounds."),
        ("Two fifths of the pupils walk.", "Of 450 pupils 180 walk."),
        ("La ligne a coûté 0,12 million d’euros.", "La ligne a coûté 120 000 euros."),
        ("该港2021年的吞吐量达到120万吨。", HARBOUR),
        ("4G用户每月平均用11.7GB。", SHRIMP),
        ("六成的票赞成这一方案。", "县议会以31票赞成、17票反对、4票弃权通过了方案。"),
        ("Mill | 92.1 % | 96.4 %, 2019", "Mill had 92.1 percent in 2016, and a high of 96.4 percent in 2019."),
        ("Lys | 3.6 million euros | not given", "A Sund cost 2.9 million euros, a Lys 3.6 million."),
        ("Mill grew most strongly, by 18.4 percent.", "Mill grew by 18.4 percent, Harbour by 3.4 percent, its lowest."),
        ("What fares leave open grew from 42 to 53 percent.", "Fares covered 58 percent of the costs in 2019 and 47 percent in 2024."),
        ("The widow gave it away 27 years later, in 1978.", "He bought it in 1951; his widow gave it away 27 years later."),
    ],
)  # fmt: skip
def test_what_the_quotes_give_or_let_compute_passes(claim: str, quote: str) -> None:
    assert check_support(claim, [quote]).fault == ""


@pytest.mark.parametrize(
    ("claim", "quote", "absent"),
    [
        ("2019 waren es 438 Tausend Fahrgäste, 26.000 mehr als 2018.", FERRIES, []),
        ("2019 waren es rund 440.000 Fahrgäste.", FERRIES, []),
        ("2019 waren es 439.000 Fahrgäste, 27.000 mehr.", FERRIES, ["439.000", "27.000"]),
        ("Das Schiff lotete rund 9.400 Meter.", "The ship sounded 9,427 metres.", []),
    ],
)
def test_points_between_thousands_may_be_rounded_and_computed_with(claim: str, quote: str, absent: list[str]) -> None:
    assert missing(read(claim), [read(quote)])[0] == absent


def test_a_number_that_is_only_computed_is_noted() -> None:
    verdict = check_support("In 2019 the Orsa ferries carried 26,000 passengers more.", [FERRIES])
    assert (verdict.fault, verdict.computed) == ("", ("26,000",))
    assert check_inference("The Orsa ferries may gain another 26,000.", [FERRIES]).computed == ("26,000",)
    suspected = check_support("In 2018 the Orsa ferries carried 438,000 passengers, 26,000 more.", [FERRIES])
    assert (suspected.fault, suspected.computed) == ("period", ("26,000",))


@pytest.mark.parametrize(
    ("claim", "quote", "fault"),
    [
        ("Survival fell to 44 percent in 2017.", GECKOS, "numbers"),
        ("Survival fell to 38 percent in 2016.", GECKOS, "numbers"),
        ("The casts reached 2,001 metres.", "The casts reached 2,000 metres.", "numbers"),
        ("On the islet 71 percent survived in the summer of 2017.", GECKOS, "period"),
        ("In 2018 the ferries carried 438,000 passengers.", FERRIES, "period"),
        ("The Ashby branch made 55,100 loans in 2022.", LOANS, "row"),
        ("Ashby made 51,300 loans in 2018.", LOANS, "period"),
        ("Toss the quinces with 30 g of sugar.", POTATO, "subject"),
        ("The lake is 62 feet deep.", "The lake is 62 metres deep.", "unit"),
        ("The telescope cost 84 million dollars.", "The telescope cost 84 million euros.", "unit"),
        ("Rents fell by 7.3 percent.", "Rents climbed by 7.3 percent.", "opposite"),
        ("The pump restarts by itself after a stop.", "After a stop the pump does not restart by itself.", "negation"),
        ("The ferries of Marlow carried 438,000 passengers in 2019.", FERRIES, "names"),
        ("Whales were hunted by everyone.", FERRIES, "words"),
        ("该港2020年吞吐量为120万吨。", HARBOUR, "period"),
        ("该港2021年吞吐量为95万吨。", HARBOUR, "numbers"),
        ("有证据表明食蚊鱼失效。", "没有证据表明食蚊鱼失效。", "negation"),
    ],
)
def test_what_the_quotes_do_not_bear_is_found(claim: str, quote: str, fault: str) -> None:
    assert check_support(claim, [quote]).fault == fault


@pytest.mark.parametrize(
    "claim",
    [
        "PEP 703 makes the global interpreter lock optional.",
        "Sam Gross created PEP 703 on 9 January 2023.",
        "PEP 703, accepted on 24 October 2023, makes the lock optional.",
        "In January 2023 it was proposed to make the lock optional.",
    ],
)
def test_the_card_of_a_source_is_evidence(claim: str) -> None:
    quote = "This proposal makes the lock optional."
    assert check_support(claim, [quote], [CARD]).fault == ""
    assert check_support(claim, [quote]).fault in {"numbers", "names"}


def test_a_document_that_is_named_by_its_number_may_be_named_by_that_alone() -> None:
    quote, card = "The fee is burned.", "EIP-1559 – Fee market change"
    assert check_support("The fee of EIPs 1559 and 4844 is burned.", [f"{quote} See EIP-4844."], [card]).fault == ""
    assert check_support("Of the fee 1559 are burned.", [quote], ["COVID-15 – Fees"]).fault == "numbers"
    claim = read("The fee of BIP 9 is burned.")
    assert missing(claim, [read("By BIP9 the fee is burned.")]) == ([], [])
    assert missing(read("342，美国劳工局"), [read("周刊（第 342 期）：面试")]) == ([], [])
    assert missing(read("342，美国劳工局"), [read("周刊（第 343 期）：面试")]) == (["342"], [])
    assert missing(claim, [read("By BIP91 the fee is burned.")]) == (["9"], [])


def test_a_date_of_the_card_may_stand_beside_a_figure_of_another_year() -> None:
    quote = "In 2010 the depth was measured as 10,984 metres."
    claim = "The paper of 2014 gives a depth of 10,984 metres."
    assert check_support(claim, [quote], ["The depth of the trench 2014-11-02"]).fault == ""


def test_a_statement_without_quotes_is_uncited() -> None:
    assert check_support("It rained.", []).fault == "uncited"


@pytest.mark.parametrize(
    ("statement", "untraced", "fault"),
    [
        ("The mean is 4.2.", [NO_INPUT, "4.2"], "untraced"),
        ("The mean is 4.2.", [NO_INPUT], "untraced"),
        ("The mean is 4.2.", ["4.2"], ""),
        ("The mean is 7.7.", ["9"], "numbers"),
    ],
)
def test_numbers_of_a_program_that_takes_in_nothing_prove_nothing(
    statement: str, untraced: list[str], fault: str
) -> None:
    output = "The mean is 4.2 and the sum is 9."
    source = Source(url="computation:1", title="Mean", kind="computation", content_hash="1", untraced=untraced)
    lacking = [output] if source.without_input else []
    assert check_support(statement, [proving(output, source)], untraced=lacking).fault == fault


def test_two_tables_of_different_width_in_one_quote_are_read() -> None:
    quote = f"{LOANS}\n\nStaff by year:\n\n| Year | Staff |\n|---|---|\n| 2018 | 40 |\n| 2022 | 37 |"
    assert check_support("Ashby made 48,200 loans in 2018.", [quote]).fault == ""
    assert check_support("There were 37 staff in 2022.", [quote]).fault == ""


def test_a_number_in_words_that_counts_what_the_statement_lists_is_a_suspicion() -> None:
    quote = "The manual recommends to oil the drum, to dry the rope and to weigh the lead."
    counted = check_support("The manual recommends three things: oil the drum, dry the rope, weigh the lead.", [quote])
    assert (counted.fault, counted.certain) == ("numbers", False)
    assert check_support("The manual recommends 3 things: oil the drum, dry the rope.", [quote]).certain


@pytest.mark.parametrize(("month", "held"), [("10", True), ("11", False)])
def test_a_chinese_month_stands_by_itself_where_its_year_was_told_before(month: str, held: bool) -> None:
    quote = "河茂铁路1956年3月开工，1958年1月复工，同年10月铺轨通车。"
    assert (not check_support(f"河茂铁路1958年{month}月铺轨通车。", [quote]).fault) is held


@pytest.mark.parametrize("untraced", [[], ["The mean is 4.2."]])
def test_a_count_in_words_of_what_is_listed_is_left_to_a_verifier(untraced: list[str]) -> None:
    verdict = check_support(
        "欠薪、强迫劳动等五种情形要付赔偿金。", ["欠薪、强迫劳动的，要付赔偿金。"], untraced=untraced
    )
    assert (verdict.fault, verdict.certain) == ("numbers", False)


MANY_DEPTHS = [f"In {1950 + 3 * place} a ship sounded {5_137 + 613 * place:,} metres." for place in range(10)]


@pytest.mark.parametrize(("number", "of_many"), [("4,904", True), ("13,000", False)])
def test_a_rough_number_that_follows_from_some_of_many_figures_is_a_coincidence(number: str, of_many: bool) -> None:
    statement = f"The ships differ by {number} metres."
    assert not check_support(statement, MANY_DEPTHS[::4]).fault
    assert (not check_support(statement, MANY_DEPTHS).fault) == of_many


@pytest.mark.parametrize(("share", "follows"), [("11%", True), ("17%", False)])
def test_a_number_that_a_statement_works_out_from_those_beside_it_is_only_computed(share: str, follows: bool) -> None:
    statement = f"The new lead finds {share} fewer shoals ((0.587 − 0.521) / 0.587)."
    verdict = check_support(statement, [*MANY_DEPTHS, "The old lead found 0.587 of all, the new lead 0.521."])
    assert (verdict.fault, verdict.computed) == (("", (share,)) if follows else ("numbers", ()))


def test_a_number_is_not_worked_out_from_many_beside_it() -> None:
    leads = "Leads found 12, 25, 37, 44, 58, 63, 71 and 89 shoals."
    assert check_support(f"{leads[:-1]}, 59% of all.", [*MANY_DEPTHS, leads]).fault == "numbers"


@pytest.mark.parametrize(("number", "held"), [("5.4", True), ("5.5", False)])
def test_a_row_that_is_quoted_alone_gives_its_numbers_rounded(number: str, held: bool) -> None:
    row = "| Pollster Monmouth | Polls 108 | Simple Average Error 5.37568565651222 |"
    verdict = check_support(f"The simple average error of the pollster Monmouth is {number}.", [row])
    assert (not verdict.fault) is held


def test_a_number_in_the_name_of_a_column_is_no_value_of_another_cell() -> None:
    table = "| child | age | axis at 12 months |\n| --- | --- | --- |\n| Ida | 12 | 25.1 |\n| Bo | 11 | 24.3 |"
    assert not check_support("Ida; axis at 12 months: 25.1", [table]).fault
    assert check_support("Ida; axis at 12 months: 24.3", [table]).fault == "row"
    heads = "| child | axis 10_12 | age 10_12 | axis 12_14 | age 12_14 |\n|---|---|---|---|---|"
    table = f"{heads}\n| Ida | 25.1 | 12 | 14 | 3 |\n| Bo | 24.3 | 11 | 25 | 4 |"
    assert not check_support("Bo; axis 12_14: 25", [table]).fault


@pytest.mark.parametrize("members", ["2000", "2021"])
def test_a_number_of_another_row_is_not_the_year_of_a_date(members: str) -> None:
    rows = f"| Alder | {members} | 2019-05-14 |\n| Birch | 870 | 2021-09-03 |"
    table = f"| Club | Members | Founded on |\n|---|---|---|\n{rows}"
    assert check_support("Birch was founded on 2021-09-03.", [table]).fault == ""
    assert check_support("Birch | 870 | 2021-09-03", [table]).fault == ""


def test_a_year_that_stands_alone_is_bound_to_its_row() -> None:
    table = "| Club | Founded |\n|---|---|\n| Alder | 2019 |\n| Birch | unknown |"
    assert check_support("Alder was founded in 2019.", [table]).fault == ""
    assert check_support("Birch was founded in 2019.", [table]).fault == "row"


def test_a_cell_may_have_the_sign_of_its_currency_behind_its_number() -> None:
    table = "| Station | Cost |\n|---|---|\n| Mole | 12.5 € |\n| Quay | 18 € |\n| Bar | 21 € |"
    assert check_support("All stations cost 51.5 € together.", [table]).computed == ("51.5",)
    assert check_support("The station Mole costs 18 €.", [table]).fault == "row"


@pytest.mark.parametrize(
    ("claim", "quote", "known"),
    [
        ("Feedback starts on day 65.", "Feedback starts on the 65th day after the start.", True),
        ("The list is posted 24 days before.", "Step 1 (T-24): the release manager posts the list.", True),
        ("Bugs of severity 1 may be committed.", "An S1 bug may be committed.", True),
        ("Bugs of severity 2 may be committed.", "An S1 bug may be committed.", False),
        ("Feedback starts on day 65.", "Feedback starts on the 165th day after the start.", False),
    ],
)
def test_a_number_that_texts_have_in_a_name_is_given(claim: str, quote: str, known: bool) -> None:
    verdict = check_support(claim, [quote])
    assert (verdict.certain, verdict.computed) == (not known, ())
