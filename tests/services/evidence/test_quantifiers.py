"""What the quotes say of some, of a part or of sometimes, a claim may not say of all, of the whole or of always."""

import pytest

from services.evidence.readings import read
from services.evidence.wording import turned

REEFS = "Trawling on two of the four reefs was banned in 2002. The marsh sometimes floods the footpath."
CREW = "The fire brigade had 410 people on duty, of whom 130 were volunteers."
BEES = "Some of the beekeepers who were asked use oxalic acid in winter; 37 of 120 said that they do."
WARBLER = "灰鹛以昆虫为食，冬季偶尔取食浆果。该市六家分馆中有两家延长开放时间。"
MUSEUM = "该馆藏有青铜器一千八百件，其中四十七件被定为一级文物。铜灯和云纹壶于2014年入藏，其中云纹壶为购入。"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Since 2002 trawling has been banned on all of the reefs.", REEFS),
        ("The footpath is always flooded by the marsh.", REEFS),
        ("The footpath is often flooded by the marsh.", REEFS),
        ("The brigade's 410 people were volunteers.", CREW),
        ("The beekeepers use oxalic acid in winter.", BEES),
        ("灰鹛冬季经常取食浆果。", WARBLER),
        ("该市六家分馆均延长开放时间。", WARBLER),
        ("该馆有1800件青铜器被定为一级文物。", MUSEUM),
    ],
)
def test_a_part_is_not_the_whole(claim: str, quote: str) -> None:
    found = turned(read(claim), [read(quote)])
    assert found is not None
    assert found.turn == "scope"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Since 2002 trawling has been banned on some of the reefs.", REEFS),
        ("Not all of the reefs are closed to trawling.", REEFS),
        ("From time to time, sometimes at least, the marsh floods the footpath.", REEFS),
        ("Among the 410 people were 130 volunteers.", CREW),
        ("Some beekeepers use oxalic acid in winter.", BEES),
        ("灰鹛冬季有时取食浆果。", WARBLER),
        ("该市六家分馆中只有两家延长开放时间。", WARBLER),
        ("该馆的1800件青铜器中有47件一级文物。", MUSEUM),
        ("铜灯和云纹壶都于2014年入藏。", MUSEUM),
    ],
)
def test_a_part_may_be_told_as_a_part(claim: str, quote: str) -> None:
    assert turned(read(claim), [read(quote)]) is None
