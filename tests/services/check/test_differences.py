"""Two excerpts differ where they say something else of one thing; other things, times and names are no difference."""

import pytest

from services.check.differences import difference

OSLO = "Oslo exported 18 tonnes of timber in 2019."
TABLE = "| Harbour | Exports (tonnes) |\n|---|---|\n| Oslo | 18 |\n| Bergen | 30 |"


@pytest.mark.parametrize(
    ("first", "other", "what"),
    [
        (OSLO, "In 2019 Oslo exported 24 tonnes of timber.", "numbers"),
        (OSLO, "Oslo exported 24,000 kilograms of timber in 2019.", "numbers"),
        (TABLE, TABLE.replace("18", "21"), "numbers"),
        ("Myopia fell to 36.7% of the pupils.", "Myopia fell to forty per cent of the pupils.", "numbers"),
        ("马里亚纳海沟最深处为10994米。", "马里亚纳海沟最深处为一万零九百三十五米。", "numbers"),
        ("该方案于2018年8月30日印发。", "该方案于二〇一八年九月一日印发。", "dates"),
        ("The ship left Portsmouth on 21 December 1872.", "The ship left Portsmouth on 7 December 1872.", "dates"),
        ("Atropine slows the growth of the eye.", "Atropine does not slow the growth of the eye.", "negation"),
        ("Sea level in the harbour rose.", "Sea level in the harbour fell.", "opposites"),
        ("Challenger Deep is 10,994 m deep.", "挑战者深渊（Challenger Deep）深10935米。", "numbers"),
        ("2019年上海港出口量为18吨。", "2019年，上海港出口量为24吨。", "numbers"),
        ("户外活动后近视率下降。", "户外活动后近视率上升。", "opposites"),
    ],
)
def test_other_values_of_one_thing_differ(first: str, other: str, what: str) -> None:
    assert difference(first, other) == difference(other, first) == what


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (OSLO, OSLO),
        (OSLO, "Oslo exported 24 tonnes of timber in 2021."),
        (OSLO, "Oslo exported 24 tonnes of barley in 2019."),
        (OSLO, "Bergen exported 24 tonnes of timber in 2019."),
        (OSLO, "Oslo exported about 18,200 kilograms of timber in 2019."),
        ("The ship left Portsmouth in 1872.", "The ship left Portsmouth on 7 December 1872."),
        ("The dive of the Trieste lasted 5 hours.", "The crew of the Trieste stayed on the bottom for 20 minutes."),
        ("马里亚纳海沟最深处为10994米。", "马里亚纳海沟最深处约为一万一千米。"),
        ("The hall is 24 m long.", "The hall is 30 m wide."),
        (TABLE, "| Harbour | Exports (tonnes) |\n|---|---|\n| Stavanger | 24 |\n| Narvik | 31 |"),
        ("2019年上海港出口量为18吨。", "2019年上海港进口量为24吨。"),
    ],
)
def test_another_thing_time_or_name_is_no_difference(first: str, other: str) -> None:
    assert difference(first, other) == ""
