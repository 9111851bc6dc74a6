"""A claim keeps the time and the place that its quotes give."""

import pytest

from services.evidence.support import check_support

LINE = "The Corvo line was opened in 1911 and electrified in 1963. Trams ran on it in the summer of 1958."
SOIL = "Salt rose slightly in the first year but had returned to its former level by the third."
STAFF = "Anna Brook has led the office since 2010. She also stood for the council in 2007."
CITY = "Fenholm is the largest city in Norland. It is the 6th largest city in Sudland."
OFFICE = "该申请在11月才批下来。9月的自查曾把它列为待更换设备。"
MOVE = "1936年莫兰移民到香港定居。1944年至1969年期间，她在湾仔开馆授徒。"
LIFE = "在退休前，他大部分时间都住在纽约的酒店里。"


@pytest.mark.parametrize(
    ("sentence", "quote", "failing"),
    [
        ("The Corvo line was opened in 1963.", LINE, "period"),
        ("The Corvo line was opened in 1911.", LINE, ""),
        ("The line was opened in 1911 and electrified in 1963.", LINE, ""),
        ("Salt rose slightly in the third year.", SOIL, "period"),
        ("Salt rose slightly in the first year.", SOIL, ""),
        ("Anna Brook has led the office since 2007.", STAFF, "period"),
        ("Anna Brook has led the office since 2010.", STAFF, ""),
        ("Fenholm is the 6th largest city in Norland.", CITY, "roles"),
        ("Fenholm is the 6th largest city in Sudland.", CITY, ""),
        ("1944年莫兰移民到香港定居。", MOVE, "period"),
        ("1936年莫兰移民到香港定居。", MOVE, ""),
        ("该申请在9月就批下来了。", OFFICE, "period"),
        ("他退休后大部分时间都住在纽约的酒店里。", LIFE, "opposite"),
        ("他退休前大部分时间都住在纽约的酒店里。", LIFE, ""),
        ("Before retirement he lived in hotels.", "After retirement he lived in hotels.", "opposite"),
    ],
)
def test_times_and_places_are_those_of_the_quotes(sentence: str, quote: str, failing: str) -> None:
    assert check_support(sentence, [quote]).failing == failing
