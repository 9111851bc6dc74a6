"""Quote location under any input: what is located is what was quoted, and a mangled quote is found where it was taken from."""

import unicodedata
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from services.text.quote_location import locate

PIECES = st.sampled_from(
    ["deep", "Sea", "4,475", "fathoms.", "wire’s", "“said”", "été", "**big**", "x-ray", "(1872–1876)", "钢丝", "测深机，", "近视率52.7%", "ﬁne", "ΣΑΣ", "a", "|", "—", "\n"]
)  # fmt: skip
TEXTS = st.lists(PIECES, min_size=4, max_size=25).map(" ".join)


def meaning(text: str) -> str:
    """Return the letters and digits of a text, whatever their form and case."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(low for char in plain for low in char.lower() if low.isalnum())


@given(st.one_of(TEXTS, st.text(max_size=80)), st.one_of(TEXTS, st.text(max_size=40)))
def test_what_is_located_says_what_the_quote_says(text: str, quote: str) -> None:
    span = locate(quote, text)
    if span is None:
        return
    assert 0 <= span[0] < span[1] <= len(text)
    if "..." not in unicodedata.normalize("NFKD", quote):
        assert meaning(text[span[0] : span[1]]) == meaning(quote)


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if char.isascii() and char.isalnum() else char for char in text)


def straight(text: str) -> str:
    return text.translate(str.maketrans("“”’", '""\''))


MANGLERS: list[Callable[[str], str]] = [
    lambda quote: quote.replace(" ", "\n\t "),
    lambda quote: quote.replace(" ", "\u3000\u00a0"),
    full_width,
    straight,
    lambda quote: quote.replace("–", "-").replace("—", "–"),
    lambda quote: quote.replace("*", ""),
    lambda quote: f"“{quote}”",
    lambda quote: f"「{quote}」",
    lambda quote: f"…{quote}…",
    lambda quote: f"[...] {quote} ...",
    lambda quote: unicodedata.normalize("NFD", quote),
    lambda quote: unicodedata.normalize("NFC", quote),
    str.upper,
    "\u200b".join,
]
WORDS = st.sampled_from(
    [
        "deep",
        "Sea",
        "4475",
        "fathoms",
        "wire’s",
        "“said”",
        "été",
        "**big**",
        "x-ray",
        "1872–1876",
        "钢丝",
        "测深机",
        "近视率",
    ]
)


@given(st.lists(WORDS, min_size=4, max_size=15), st.lists(st.sampled_from(MANGLERS), min_size=1, max_size=3), st.data())
def test_a_mangled_quote_is_found(words: list[str], manglers: list[Callable[[str], str]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 2))
    end = data.draw(st.integers(start + 2, len(words)))
    quote = " ".join(words[start:end])
    text, mangled = " ".join(words), quote
    for mangle in manglers:
        mangled = mangle(mangled)
    span = locate(mangled, text)
    assert span is not None
    assert meaning(text[span[0] : span[1]]) == meaning(quote)


@given(st.lists(WORDS, min_size=6, max_size=15), st.sampled_from(["…", "...", " [...] ", "（...）", "……"]), st.data())
def test_an_ellipsis_stands_for_what_was_left_out(words: list[str], mark: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 6))
    left, right = " ".join(words[start : start + 2]), " ".join(words[start + 4 : start + 6])
    text = " ".join(words)
    span = locate(f"{left}{mark}{right}", text)
    assert span is not None
    found = meaning(text[span[0] : span[1]])
    assert found.startswith(meaning(left))
    assert found.endswith(meaning(right))
