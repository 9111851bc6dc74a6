"""Denials, guesses, parts, causes, superlatives and roles of the quotes must be those of the claim."""

import pytest

from services.evidence.readings import read
from services.evidence.table_claims import wrong_reading
from services.evidence.wording import turned

VALVE = "The new valve did not shorten the repair, but it halved the number of leaks."
STUDY = (
    "The authors suggest that the drop may be due to warmer water. The board expects to close the Osney plant by 2027."
)
GROWERS = "Some of the growers spray in spring. On Great Holm most pairs breed twice a year, on the small islands once."
FLOOD = "Because the dam broke in 1911, farmers moved their herds to Tarn. The school opened in 1913."
ORCHARD = "The mill was designed by Ada Brand and built by Coyle & Sons. Maud Perry sold it in 1952 to Leon Hart."
LAKES = "Lake Orr is 61 metres deep. Lake Vane, the deepest of the five, covers only 3 square kilometres."
NEST = "The male alone incubates the eggs; the female guards the nest."
VOTE = "According to the mayor, the tram will pay for itself. The treasurer, by contrast, expects a loss of 3 million."
FARMS = "| 农场 | 面积（亩） | 2020年产量（吨） | 2022年产量（吨） |\n|---|---|---|---|\n| 红星 | 900 | 41 | 52 |\n| 前进 | 1300 | 66 | 48 |"
PEAKS = "| Peak | Height (m) | First climbed by |\n|---|---|---|\n| Gorm | 3412 | W. Tenn |\n| Anvil | 3388 | A. Sora |\n| Kite | 3205 | W. Osm |"
RUNS = "| Program | Start (ms) | Size (MB) |\n|---|---|---|\n| Heron | 95 | 31 |\n| Otter | 410 | 12 |"
DRYERS = "| 型号 | 烘干时间（分钟） | 重量（公斤） |\n|---|---|---|\n| 甲型 | 33 | 41 |\n| 乙型 | 52 | 38 |"
SPARK = "Investigators suspect a faulty line. Low vitamin D was associated with more sick days."
GUIDE = "本机适用于面积不超过35平方米的房间，但不适用于厨房。施工队怀疑线路老化引发火情。工厂毁于战火，顾启明改行。"
TEA = "研究发现饮茶者疲劳评分较低，但两组的血压没有显著差异。部分受访者饮用绿茶。雌鸟筑巢并孵卵，雄鸟只参与育雏。"


@pytest.mark.parametrize(
    ("claim", "quote", "turn"),
    [
        ("The new valve shortened the repair.", VALVE, "negation"),
        ("The drop is due to warmer water.", STUDY, "hedge"),
        ("By 2027 the board had closed the Osney plant.", STUDY, "hedge"),
        ("The growers spray in spring.", GROWERS, "scope"),
        ("Because farmers moved their herds to Tarn, the dam broke in 1911.", FLOOD, "cause"),
        ("The school opened because farmers moved their herds.", LAKES, "cause"),
        ("The school opened because of a gift.", FLOOD, "cause"),
        ("Lake Vane is the largest of the five.", LAKES, "superlative"),
        ("The mill was designed by Coyle & Sons, and built by Ada Brand.", ORCHARD, "roles"),
        ("Leon Hart sold it in 1952 to Maud Perry.", ORCHARD, "roles"),
        ("The female incubates the eggs, while the male guards the nest.", NEST, "roles"),
        ("According to the treasurer, the tram will pay for itself.", VOTE, "roles"),
        ("饮茶者的血压有显著差异。", TEA, "negation"),
        ("饮茶者与不饮茶者相比，两组血压存在显著的差异。", TEA, "negation"),
        ("A faulty line caused it.", SPARK, "hedge"),
        ("Low vitamin D led to more sick days.", SPARK, "cause"),
        ("线路老化引发火情。", GUIDE, "hedge"),
        ("雄鸟筑巢并孵卵，雌鸟只参与育雏。", TEA, "roles"),
    ],
)
def test_what_a_claim_turns_is_told(claim: str, quote: str, turn: str) -> None:
    found = turned(read(claim), [read(quote)])
    assert found is not None
    assert found.turn == turn


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The new valve halved the number of leaks.", VALVE),
        ("The repair was not shortened by the new valve.", VALVE),
        ("According to the authors, warmer water may explain the drop.", STUDY),
        ("The board plans to close the Osney plant by 2027.", STUDY),
        ("Some growers spray in spring.", GROWERS),
        ("Farmers moved their herds to Tarn because the dam broke.", FLOOD),
        ("Lake Vane is the deepest of the five.", LAKES),
        ("Ada Brand designed the mill, and Coyle & Sons built it.", ORCHARD),
        ("Leon Hart bought it from Maud Perry in 1952.", ORCHARD),
        ("The eggs are incubated by the male, while the female guards the nest.", NEST),
        ("The treasurer expects a loss of 3 million.", VOTE),
        ("两组的血压没有显著差异。", TEA),
        ("A faulty line may have caused it.", SPARK),
        ("Sick days went up where vitamin D was low.", SPARK),
        ("本机适用于35平方米以内的房间。", GUIDE),
        ("厨房例外，不能用本机。", GUIDE),
        ("由于工厂被战火所毁，顾启明改行。", GUIDE),
        ("由于缺钱，破损最严重的六百件暂时不修。", "因为经费所限，残损最重的约600件暂不修复。"),
        (
            "The rounds were left out as there was no time to plan them.",
            "The rounds were left out because they could not be planned in time.",
        ),
        ("雌鸟筑巢孵卵，雄鸟参与育雏。", TEA),
        ("Neither hall will be shut.", "Both halls stay open."),
        ("夺得银牌最多的队是海燕队。", "海燕队夺得银牌五枚，为最多。"),
        ("半场落后的海燕队最终获胜。", "海燕队半场落后，终以最高分获胜。"),
        ("The valley was not crossed by the herds.", "The herds crossed the plain, but not the valley."),
        ("The delay was not caused by the frost.", "The delay had nothing to do with the frost."),
        ("合同之所以无效，是因为见证人只有一名。", "合同因只有一名见证人而无效。"),
        ("入冬以来，岛上未见候鸟。", "岛上没有发现入冬以来的候鸟。"),
        ("周立群被评为最佳射手。", "前锋周立群进了九球，当选最佳射手；后卫高远抢断最多。"),
    ],
)
def test_what_a_claim_keeps_passes(claim: str, quote: str) -> None:
    assert turned(read(claim), [read(quote)]) is None


@pytest.mark.parametrize(
    ("claim", "table", "instead"),
    [
        ("Kite is the highest of the three peaks.", PEAKS, "Gorm: 3412"),
        ("A. Sora was the first who climbed Kite.", PEAKS, "W. Osm"),
        ("Anvil has a greater height than Gorm.", PEAKS, "3388 / 3412"),
        ("前进农场2022年的产量高于2020年。", FARMS, "48 / 66"),
        ("红星农场的面积最大。", FARMS, "前进: 1300"),
        ("Otter starts faster than Heron.", RUNS, "410 / 95"),
        ("烘干最快的是乙型。", DRYERS, "甲型: 33"),
    ],
)
def test_a_table_refutes_what_is_read_out_of_it_wrongly(claim: str, table: str, instead: str) -> None:
    wrong = wrong_reading(read(claim), [read(table)])
    assert wrong is not None
    assert wrong.instead == instead


@pytest.mark.parametrize(
    ("claim", "table"),
    [
        ("Gorm is the highest of the three peaks.", PEAKS),
        ("W. Osm was the first who climbed Kite.", PEAKS),
        ("Gorm has a greater height than Anvil.", PEAKS),
        ("前进农场2022年的产量低于2020年。", FARMS),
        ("前进农场的面积最大。", FARMS),
        ("Heron starts fastest.", RUNS),
        ("烘干最快的是甲型。", DRYERS),
    ],
)
def test_a_table_bears_out_what_is_read_out_of_it(claim: str, table: str) -> None:
    assert wrong_reading(read(claim), [read(table)]) is None


def test_a_denial_in_a_text_of_wrapped_lines_supports_its_own_quote() -> None:
    quote = (
        "It supports arbitrary types through `default`. It serializes subclasses of `str`,\n"
        "`dataclasses.dataclass`, and `enum.Enum`. It does not serialize subclasses\n"
        "of `tuple` to avoid serializing `namedtuple` objects as arrays. It does not\n"
        "serialize subclasses of `float` or `frozendict` due to implementation details\nin CPython."
    )
    claim = "It does not serialize subclasses of tuple to avoid serializing namedtuple objects as arrays."
    assert turned(read(claim), [read(quote)]) is None
