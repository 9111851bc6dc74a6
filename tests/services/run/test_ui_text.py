"""Messages to people: each is there in both languages, with the same values."""

import string

from services.run.ui_text import MESSAGES


def fields(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


def test_a_message_is_in_both_languages_with_the_same_values() -> None:
    assert all(set(message) == {"en", "zh"} for message in MESSAGES.values())
    differing = {key for key, message in MESSAGES.items() if fields(message["en"]) != fields(message["zh"])}
    assert not differing
