"""Widths of a table's columns."""

import pytest

from services.reports.columns import BOLD, EM, column_widths

SIZE, BLANK = 12, 0.2


@pytest.mark.parametrize(("room", "spare"), [(6.0, 1.1), (2.2, 1.0)], ids=["room", "little room"])
def test_a_word_has_more_room_than_it_needs_where_there_is_some(room: float, spare: float) -> None:
    rows = [["Era", "PEPs", "Draft"], ["in a cell of many words " * 9, "467", "2"]]
    widths = column_widths(rows, SIZE, room, BLANK)
    assert sum(widths) == pytest.approx(room)
    needed = [len(word) * SIZE * EM * BOLD / 72 + BLANK for word in ("words", "PEPs", "Draft")]
    assert all(wide >= spare * need for wide, need in zip(widths, needed, strict=True))
