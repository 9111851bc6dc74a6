"""A number keeps the words beside it where another number of its kind stands next to it."""

import pytest

from services.evidence.support import check_support

RECIPE = "Toss the quinces with 120 g of sugar, the juice of a lemon and 30 g of butter."
MODELS = "Orla (Tey et al., 2023b) supports 2048 tokens, Brisk (Tou et al., 2023b) supports 4096 context tokens."
BIRDS = "鸬鹚巢从2014年的1240个增加到3680个，同期白鹭巢由900个减少到310个。"


@pytest.mark.parametrize(
    ("sentence", "quote", "failing"),
    [
        ("Toss the quinces with 30 g of sugar and 120 g of butter.", RECIPE, "other"),
        ("Toss the quinces with 120 g of sugar and 30 g of butter.", RECIPE, ""),
        ("Add 30 g of butter and 120 g of sugar to the quinces.", RECIPE, ""),
        ("Orla takes 4,096 tokens and Brisk only 2,048.", MODELS, "other"),
        ("Orla supports 2,048 tokens and Brisk 4,096.", MODELS, ""),
        ("2014年有鸬鹚巢1240个。", BIRDS, ""),
    ],
)
def test_numbers_keep_the_words_beside_them(sentence: str, quote: str, failing: str) -> None:
    assert check_support(sentence, [quote]).failing == failing
