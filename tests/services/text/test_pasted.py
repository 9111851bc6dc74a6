"""A text that a message brings along is told from what is asked of it."""

import pytest

from services.run.wishes import pasted_text

TEXT = "\n".join(f"On day {n} the pier held {n} crates of fish and of salt." for n in range(60))
SHORT = "The pier held nine crates. Nobody knows why."


@pytest.mark.parametrize(
    ("message", "begins", "request_", "text"),
    [
        ("How many crates?", "", "How many crates?", ""),
        (f"How many crates?\n\n{TEXT}", "", "How many crates?", TEXT),
        (f"{TEXT}\n\nHow many?", "", "How many?", TEXT),
        (f"Sum this up: {SHORT}", "The pier held nine crates", "Sum this up", SHORT),
        (f"总结一下：“{SHORT}”", "The pier  held", "总结一下", f"{SHORT}”"),
        (f"{SHORT}\nSum it up.", "The pier held", "Sum it up.", SHORT),
        (f"{SHORT}\nSum it up.", "No such words", f"{SHORT}\nSum it up.", ""),
        ("x" * 3_000, "", "x" * 3_000, ""),
    ],
)
def test_the_request_is_told_from_the_text(message: str, begins: str, request_: str, text: str) -> None:
    request, found = pasted_text(message, begins)
    assert (request, " ".join(found.split())) == (request_, " ".join(text.split()))
