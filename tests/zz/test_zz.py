import pytest


@pytest.mark.parametrize("n", range(600))
def test_n(n: int) -> None:
    assert n >= 0
