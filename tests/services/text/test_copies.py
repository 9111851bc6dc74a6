"""Copies of very long texts, which are not compared sentence by sentence; `tests/attacks/test_template_pages.py` has the others."""

from services.text.copies import MAX_COMPARED, is_copy


def test_a_text_too_long_to_be_compared_is_a_copy_of_the_same_text_alone() -> None:
    long = "The lead is cast. " * (MAX_COMPARED // 18 + 1)
    assert is_copy(long, f"{long}")
    assert not is_copy(long, f"{long} It is hauled in.")
