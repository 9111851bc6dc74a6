"""Data in prompts: nothing in a value from outside can be taken for a tag of a prompt or for a model's own control token.

What opens one is replaced by a sign that looks like it (`‹` for an angle bracket, `［` for a square one), which quote
location maps back. Other spellings count as well: blanks and slashes after the bracket, characters that cannot be seen
between the letters, full-width and mathematical letters, and other characters that look like brackets.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_TAG = re.compile(r"</?([a-z_]+)(?=[\s>])")
_CONTROL_NAMES = (
    "s", "bos", "eos", "unk", "pad", "sys", "think", "thinking", "start_of_turn", "end_of_turn", "start_of_image",
    "end_of_text", "endoftext", "tool_call", "tool_calls", "tool_response", "function_call", "function_calls", "invoke",
    "function_results", "assistant", "user", "human", "system", "result", "results",
)  # fmt: skip
"""Names between angle brackets that templates of models or protocols of tools give a meaning of their own."""
_SQUARE = (
    "INST", "SYS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT", "AVAILABLE_TOOLS", "SYSTEM_PROMPT", "THINK", "ARGS", "CALL_ID",
    "PREFIX", "SUFFIX", "MIDDLE",
)  # fmt: skip
"""Names between square brackets, in capitals, of Mistral's and Llama's templates."""
OPENING = "<\uff1c\ufe64\u2329\u3008\u27e8\u276c\u276e\u2770\u1438\u02c2\u227a\u29fc"
"""Characters that look as if they opened a tag."""
_SLASHES, _BARS = "/\uff0f\u2044\u2215\u29f8", "|\uff5c\u2223\u2502\u2503\u2758"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKALIKES = dict(zip("аеорсухіјѕԁɡ", "aeopcyxijsdg", strict=True))
_STYLED = ((0xFF01, 0xFF5E), (0xFE50, 0xFE6B), (0x1D400, 0x1D7FF), (0x24B6, 0x24E9), (0x2100, 0x214F), (0x1D2C, 0x1D6A))
"""Blocks that hold letters of ASCII in other forms: full-width, small, mathematical, in circles, raised."""


def _plain_forms() -> dict[int, str]:
    forms = {
        code: plain
        for first, last in _STYLED
        for code in range(first, last + 1)
        if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1 and plain.isascii()
    }
    forms |= {ord(char): plain for char, plain in _LOOKALIKES.items()}
    for chars, plain in ((OPENING, "<"), (_SLASHES, "/"), (_BARS, "|")):
        forms |= {ord(char): plain for char in chars}
    return forms


_FORMS = _plain_forms()
"""Plain form of each character, one for one, so that places stay the same."""


def neutraliser(templates: Iterable[str]) -> Callable[[object], object]:
    """Return what makes values fit into templates: their own tags, and models' control tokens, cannot come from a value."""
    names = {name for text in templates for name in _TAG.findall(text)} | set(_CONTROL_NAMES)
    # A bracket at the very end would open a tag together with what the template puts behind it
    angle = re.compile(rf"<(?=[\s/\\]*+(?:\||\Z|(?:{'|'.join(sorted(names))})(?![a-z0-9_])))", re.IGNORECASE)
    square = re.compile(rf"\[(?=[\s/\\]*+(?:{'|'.join(sorted(_SQUARE))})\s*+\])")

    def as_data(value: object) -> object:
        """Keep a value from being read as a tag or as a control token."""
        if not isinstance(value, str):
            return value
        plain = value if value.isascii() else value.translate(_FORMS)
        seen: Sequence[int] = range(len(plain))  # places of the characters that can be seen
        if _UNSEEN.search(plain):
            seen = [place for place in seen if not _UNSEEN.match(plain, place)]
            plain = _UNSEEN.sub("", plain)
        signs = {seen[found.start()]: "‹" for found in angle.finditer(plain)}
        signs |= {seen[found.start()]: "［" for found in square.finditer(plain)}
        if not signs:
            return value
        pieces, last = list[str](), 0
        for place in sorted(signs):
            pieces += (value[last:place], signs[place])
            last = place + 1
        return "".join([*pieces, value[last:]])

    return as_data


def in_all(clean: Callable[[object], object], value: Any) -> Any:
    """Return plain data, such as a tool's description, whose every text is data."""
    if isinstance(value, dict):
        return {key: in_all(clean, element) for key, element in value.items()}
    if isinstance(value, list):
        return [in_all(clean, element) for element in value]
    return clean(value)
