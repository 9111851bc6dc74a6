"""A claim keeps the time, the other side, the speaker, the place and the doer of what its quotes tell."""

import pytest

from services.evidence.number_binding import misbound
from services.evidence.readings import read
from services.evidence.wording import turned

ISLANDS = "The treaty was signed in 1763. The islands were handed over only in 1771, under a new king."
POTATOES = "Tubers kept in light sprouted 11 days later than those kept in the dark. Yields were the same."
TRAM = "Mayor Okafor says that the line will open in March because tests had failed. The contractor, Hallam, disputes this and says the city changed the plans."
CRACK = "Engineers had measured the crack in May. They blame weeks of frost for it, not the blasting, as neighbours had claimed."
STEAMER = "The Corvina was launched at Ramsholt in 1894 and plied to Ostrey until 1927. She was broken up in 1931."
BRIDGE = "It was designed by Ingrid Solheim and built by the firm Berg & Moe."
ORDERS = "Orders rose 8 percent to 64 million, while sales slipped 3 percent to 57 million."
TREATY = "北越国将沙洲和鹤屿割让给南陵国。1689年条约签订，直到1695年鹤屿才完成移交。"
OPERA = "1931年她收沈玉翎为徒，后来沈玉翎创立了翎派。骆香云改在电台清唱。"
BIRDS = "雌鸟筑巢并孵卵，雄鸟只参与育雏。与柴油机组相比，潮汐电站的成本仍高出三分之一。"
MEETING = "财务部经理姚静汇报，上半年支出为86万元。销售部经理丁朗建议恢复每季度一次的客户走访。"
LINE = "The ferry line was opened in 2019 and closed in 2021."
GROUPS = "干预组的血糖下降0.6个百分点，对照组下降0.1个百分点。"


@pytest.mark.parametrize(
    ("claim", "quote", "turn"),
    [
        ("The islands were handed over in 1763.", ISLANDS, "period"),
        ("1689年，鹤屿完成移交。", TREATY, "period"),
        ("The ferry line was opened in 2021.", LINE, "period"),
        ("Tubers kept in the dark sprouted later than those kept in light.", POTATOES, "opposite"),
        ("柴油机组的成本比潮汐电站高三分之一。", BIRDS, "opposite"),
        ("The mayor says the city changed the plans.", TRAM, "roles"),
        ("姚静建议恢复每季度一次的客户走访。", MEETING, "roles"),
        ("Neighbours blame weeks of frost for the crack.", CRACK, "roles"),
        ("The line opened in March.", TRAM, "hedge"),
        ("The Corvina was launched at Ostrey.", STEAMER, "roles"),
        ("The Corvina was broken up in 1927.", STEAMER, "roles"),
        ("It was designed by Berg & Moe.", BRIDGE, "roles"),
        ("南陵国将沙洲和鹤屿割让给北越国。", TREATY, "roles"),
        ("翎派由骆香云创立。", OPERA, "roles"),
        ("雌鸟只参与育雏。", BIRDS, "roles"),
    ],
)
def test_what_a_claim_gives_to_another_is_told(claim: str, quote: str, turn: str) -> None:
    found = turned(read(claim), [read(quote)])
    assert found is not None
    assert found.turn == turn


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The islands were handed over in 1771.", ISLANDS),
        ("The islands were handed over some years after 1763.", ISLANDS),
        ("1695年，鹤屿完成移交。", TREATY),
        ("The ferry line was closed in 2021.", LINE),
        ("Tubers kept in the dark sprouted earlier than those kept in light.", POTATOES),
        ("潮汐电站的成本比柴油机组高三分之一。", BIRDS),
        ("柴油机组的成本比潮汐电站低。", BIRDS),
        ("The contractor says the city changed the plans.", TRAM),
        ("Engineers blame weeks of frost for the crack.", CRACK),
        ("丁朗建议恢复每季度一次的客户走访。", MEETING),
        ("The line will open in March.", TRAM),
        ("The Corvina was launched at Ramsholt.", STEAMER),
        ("The Corvina was launched in 1894.", STEAMER),
        ("It was built by Berg & Moe.", BRIDGE),
        ("北越国将沙洲和鹤屿割让给南陵国。", TREATY),
        ("沙洲和鹤屿被北越国割让给南陵国。", TREATY),
        ("翎派由沈玉翎创立。", OPERA),
        ("雄鸟只参与育雏。", BIRDS),
    ],
)
def test_what_a_claim_leaves_to_whom_it_belongs_passes(claim: str, quote: str) -> None:
    assert turned(read(claim), [read(quote)]) is None


@pytest.mark.parametrize(
    ("claim", "quote", "instead"),
    [("Orders slipped 3 percent.", ORDERS, "8"), ("对照组的血糖下降了0.6个百分点。", GROUPS, "0.1个百分点")],
)
def test_a_number_of_a_segment_with_another_head_is_not_the_claims(claim: str, quote: str, instead: str) -> None:
    wrong = misbound(read(claim), [read(quote)])
    assert wrong is not None
    assert wrong.fault == "subject"
    assert wrong.instead.startswith(instead)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [("Sales slipped 3 percent.", ORDERS), ("干预组的血糖下降了0.6个百分点。", GROUPS)],
)
def test_a_number_of_a_segment_with_the_same_head_is(claim: str, quote: str) -> None:
    assert misbound(read(claim), [read(quote)]) is None
