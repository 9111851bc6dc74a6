"""Numbers on a list, opposites in one place, `only`, and `each` against `together`: a claim has them as its quotes do."""

import pytest

from services.evidence.readings import read
from services.evidence.support import check_support
from services.evidence.wording import turned

HARBOURS = "The dredger cleared 3 berths at Oldport, 7 at Marl and none elsewhere. The Lyra arrived in 1911, the Vesta in 1924."
OVENS = "甲炉日产砖第二，乙炉日产瓦第一。库房存有1,200块方砖和3,400块青瓦。"
MOSS = "The moss grows slowly on shaded walls. It prefers high humidity and needs little light. The northern slope is bare."
HILL = "山的正南面有一座古庙。新井水位较高的地段不宜建房。"
GUILD = "The guild teaches weaving and dyeing. Its two workshops train 40 apprentices each."
CLUB = "协会教授织布与染色，两处作坊各招收四十名学徒。"


@pytest.mark.parametrize(
    ("claim", "quote", "turn"),
    [
        ("The dredger cleared 7 berths at Oldport and 3 at Marl.", HARBOURS, "roles"),
        ("The Lyra came in 1924 and the Vesta in 1911.", HARBOURS, "roles"),
        ("库房存有1,200块青瓦和3,400块方砖。", OVENS, "roles"),
        ("The moss grows quickly on shaded walls.", MOSS, "opposite"),
        ("The moss prefers low humidity.", MOSS, "opposite"),
        ("The southern slope is bare.", MOSS, "opposite"),
        ("山的正北面有一座古庙。", HILL, "opposite"),
        ("The guild teaches only weaving.", GUILD, "scope"),
        ("The guild by itself teaches weaving and dyeing.", GUILD, "scope"),
        ("Together, the two workshops train 40 apprentices.", GUILD, "scope"),
        ("两处作坊合计招收四十名学徒。", CLUB, "scope"),
    ],
)
def test_an_exchange_is_told(claim: str, quote: str, turn: str) -> None:
    found = turned(read(claim), [read(quote)])
    assert found is not None
    assert found.turn == turn


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("At Marl the dredger cleared 7 berths, and at Oldport 3.", HARBOURS),
        ("In 1924 the Vesta arrived, thirteen years after the Lyra in 1911.", HARBOURS),
        ("库房存有3,400块青瓦和1,200块方砖。", OVENS),
        ("The moss prefers high humidity and little light.", MOSS),
        ("古庙在山的正南面。", HILL),
        ("Weaving and dyeing are taught by the guild.", GUILD),
        ("Each of the two workshops trains 40 apprentices.", GUILD),
        ("两处作坊各有学徒四十名。", CLUB),
    ],
)
def test_the_same_in_another_order_passes(claim: str, quote: str) -> None:
    assert turned(read(claim), [read(quote)]) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Ida Marsh was 42 when the bridge opened.",
        "Ida Marsh lived to be 79.",
        "Repairs cost nearly one and a half million euros.",
        "Over a thousand rivets were tested, of which 87 had cracks.",
        "More than nine tenths of the rivets had no cracks.",
    ],
)
def test_numbers_that_follow_pass(claim: str) -> None:
    quote = (
        "The bridge was opened in 1894. It was designed by Ida Marsh (1852–1931). Of 1,240 rivets that were tested, 87 had cracks. "
        "Repairs cost €1.48 million."
    )
    assert not check_support(claim, [quote]).failing


@pytest.mark.parametrize(
    "claim",
    [
        "Ida Marsh was 52 when the bridge opened.",
        "Over two thousand rivets were tested.",
        "Two tenths of the rivets had no cracks.",
    ],
)
def test_numbers_that_do_not_follow_fail(claim: str) -> None:
    quote = "The bridge was opened in 1894. It was designed by Ida Marsh (1852–1931). Of 1,240 rivets that were tested, 87 had cracks."
    assert check_support(claim, [quote]).failing == "numbers"


def test_a_year_beside_a_cell_and_a_count_of_rows_are_not_taken_for_other_cells() -> None:
    offices = "| Office | Staff | Opened | Lifts |\n|---|---|---|---|\n| Graz | 143 | 1998 | 2 |\n| Leipzig | 88 | 2006 | 1 |\n| Brno | 117 | 2018 | 3 |"
    assert not check_support("The office in Graz has 143 employees and opened in 1998.", [offices]).failing
    assert not check_support(
        "Two of the three offices, Graz and Brno, have more than 100 employees.", [offices]
    ).failing
    assert check_support("The office in Graz has 88 employees and opened in 1998.", [offices]).failing


def test_a_plan_in_the_passive_is_no_fact() -> None:
    dam = "A turbine hall was planned in 1952 but dropped because the Treasury refused the loan."
    assert check_support("A turbine hall was built in 1952.", [dam]).failing == "hedge"
    assert not check_support("A turbine hall was planned in 1952.", [dam]).failing
