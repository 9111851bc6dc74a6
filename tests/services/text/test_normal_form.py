"""Normal forms in linear time, and of too many combining marks the first ones."""

import unicodedata

from services.text.normal_form import MOST_MARKS, normal_form


def test_marks_that_languages_need_stay() -> None:
    text = "Vie\u0302\u0323t Nam, ξ\u0313\u0301, שִׁ, นี้, हिन्दी"

    assert normal_form("NFC", text) == unicodedata.normalize("NFC", text)


def test_of_too_many_marks_the_first_ones_stay() -> None:
    text = "a" + "\u0316" * 100 + "b"

    assert normal_form("NFD", text) == "a" + "\u0316" * MOST_MARKS + "b"
