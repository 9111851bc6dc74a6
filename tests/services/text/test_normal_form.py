"""Normal forms in linear time, and of too many combining marks the first ones."""

import time
import unicodedata

from services.text.normal_form import MOST_MARKS, normal_form, normalise_text


def test_marks_that_languages_need_stay() -> None:
    text = "Vie\u0302\u0323t Nam, ξ\u0313\u0301, שִׁ, นี้, हिन्दी"

    assert normal_form("NFC", text) == unicodedata.normalize("NFC", text)


def test_of_too_many_marks_the_first_ones_stay() -> None:
    text = "a" + "\u0316" * 100 + "b"

    assert normal_form("NFD", text) == "a" + "\u0316" * MOST_MARKS + "b"


def test_long_runs_of_marks_take_linear_time() -> None:
    start = time.process_time()

    normalise_text("a" + "\u0301\u0323" * 500_000)

    assert time.process_time() - start < 3
