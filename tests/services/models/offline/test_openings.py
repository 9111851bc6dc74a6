"""What the opening of a report by rules says of what it answers, and of what it does not."""

import re

import pytest

from services.models.offline.openings import Part, write

TOLD = (("It stands on a reef.", "E1-1"),)


@pytest.mark.parametrize(
    ("parts", "declines"),
    [
        ([Part("", TOLD, whole=True)], False),
        ([Part("", TOLD, whole=False)], True),
        ([Part("", (), whole=False)], True),
        ([Part("where", TOLD, whole=True), Part("when", (), whole=False)], True),
        ([Part("how deep", TOLD, whole=True, others=(("It stands in the sea.", "E1-3"),))], False),
    ],
)
@pytest.mark.parametrize("chinese", [False, True])
def test_an_opening_says_of_which_parts_the_sources_tell_nothing(
    parts: list[Part], declines: bool, chinese: bool
) -> None:
    phrase = "找到的资料没有(?:对|提到)" if chinese else "The sources found do not (?:answer|tell)"
    assert (re.search(phrase, write(parts, chinese)) is not None) is declines


def test_another_figure_of_another_source_is_told_beside_the_answer() -> None:
    text = write([Part("", TOLD, whole=True, others=(("It stands 3 metres high.", "E1-3"),))], chinese=False)
    assert text.index("reef [E1-1]") < text.index("Another source gives another figure:") < text.index("high [E1-3]")


def test_quotes_in_another_language_are_said_to_be_so() -> None:
    assert "only in Chinese" in write([Part("", (("灯塔建在礁石上。", "E1-1"),), whole=True)], chinese=False)
    assert "只有英文的" in write([Part("", TOLD, whole=True)], chinese=True)
    assert "only in" not in write([Part("", TOLD, whole=True)], chinese=False)
