"""Data in prompts: nothing in a value from outside can be taken for a tag of a prompt or for a model's own control token.

What opens one is replaced by a sign that looks like it (`‹` for an angle bracket, `❲` for a square one), which quote location maps back.
Control tokens are recognised by their shape: a word beside a bar in brackets (`<|im_start|>`, `<turn|>`, `[|user|]`), a word with
underscores, none of them at its end, alone in angle brackets, or in square ones with capitals (`<start_of_turn>`, `[TOOL_CALLS]`), a
closing tag with capitals (`[/INST]`), and names that templates use, in any brackets. Types and subscripts of code (`vector<size_t>`,
`x[MAX_LEN]`) and targets of links (`<Concurrency_>`) stay. Other spellings count as well: blanks and slashes after the bracket, characters
that cannot be seen between the letters, full-width and mathematical letters, other characters that look like brackets, bars and letters,
and brackets, bars and slashes that are escaped as in HTML, JSON, programs or addresses (`&lt;`, `%3C`). Two words around a colon
or an equals sign, or a word in square brackets, count in angle brackets, too (`<seed:eos>`, `<function=f>`, `<[end_of_sentence]>`).
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import BaseModel

_TAG = re.compile(r"</?([a-z_]+)(?=[\s>])")
_CONTROL_NAMES = (
    "s", "bos", "eos", "unk", "pad", "sys", "think", "thinking", "start_of_turn", "end_of_turn", "start_of_image",
    "end_of_text", "endoftext", "tool_call", "tool_calls", "tool_response", "function_call", "function_calls", "invoke",
    "function_results", "assistant", "user", "human", "system", "result", "results", "mask", "gmask", "sop", "eop",
)  # fmt: skip
"""Names that templates of models or protocols of tools give a meaning of their own: between angle brackets, and between square ones in capitals."""
_SQUARE = (
    "INST", "SYS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT", "AVAILABLE_TOOLS", "SYSTEM_PROMPT", "THINK", "ARGS", "CALL_ID",
    "PREFIX", "SUFFIX", "MIDDLE", "gMASK",
)  # fmt: skip
"""Names between square brackets of Mistral's, Llama's and GLM's templates."""
_IN_SQUARE = sorted({*_SQUARE, *(name.upper() for name in _CONTROL_NAMES if len(name) > 1)})
OPENING = "<\uff1c\ufe64\u2329\u3008\u27e8\u276c\u276e\u2770\u1438\u02c2\u227a\u29fc"
"""Characters that look as if they opened a tag."""
_CLOSING = ">\uff1e\ufe65\u232a\u3009\u27e9\u276d\u276f\u2771\u1433\u02c3\u227b\u29fd"
_SQUARE_OPENING, _SQUARE_CLOSING = (
    "[\u3010\u3014\u3016\u301a\u27e6\u27ec\u2045",
    "]\u3011\u3015\u3017\u301b\u27e7\u27ed\u2046",
)
_SLASHES = "/\uff0f\u2044\u2215\u29f8"
_BARS = "|\uff5c\u2223\u2502\u2503\u2758\u00a6\uffe4\u01c0\u23ae\u23d0\u23d8\u16c1\ufe31\ufe33\u4e28"
_UNDERSCORES = "\u2581\u2017\u203f\u2040\ufe4d\ufe4e\ufe4f"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u20d0-\u20ff\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that cannot be seen, and marks that are drawn over the character before them."""
_LOOKALIKES = dict(
    zip("аеорсухіјѕԁɡАЕОРСУХІЈЅВКМНТΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdgAEOPCYXIJSBKMHTABEZHIKMNOPTYX", strict=True)
)
_STYLED = ((0xFF01, 0xFF5E), (0xFE50, 0xFE6B), (0x1D400, 0x1D7FF), (0x24B6, 0x24E9), (0x2100, 0x214F), (0x1D2C, 0x1D6A))
"""Blocks that hold letters of ASCII in other forms: full-width, small, mathematical, in circles, raised."""
SIGNS = {"<": "‹", "[": "❲", "{": "❴", "(": "❨", "«": "‟", "《": "⟪", "&": "＆", "\\": "＼", "%": "％"}
"""What is shown in the place of a character that would open a tag or a control token."""
_ESCAPED = re.compile(
    r"&(?>(?:amp;){0,8})(?P<reference>#\d{1,32}+|#x[0-9a-f]{1,32}+|[a-z]{2,24}+);?"
    r"|\\(?:u\{0{0,8}+(?P<braced>[0-9a-f]{1,6}+)\}|(?:u0000|u)(?P<hex>[0-9a-f]{4})|x(?P<byte>[0-9a-f]{2})|(?P<octal>[0-7]{3}))|%(?P<percent>[0-9a-f]{2})",
    re.IGNORECASE,
)
"""A character as HTML, JSON, programs and addresses write it."""
_MARKUP = frozenset("<>[]{}|/")
"""Characters that count if they are escaped."""
_GAP = r"[\s/\\]*+"
_WORD = r"[\w.:-]{2,64}+"
_ENDED = r"\w{1,80}+(?<!_)\s*+/?>"
"""A word alone up to the closing bracket. None of a template ends with an underscore; targets of links in reStructuredText do."""
_BESIDE_BAR = rf"(?:\|{_GAP}{_WORD}\s*+\|?|{_WORD}\s*+\|)"
"""A word beside a bar, as it stands between brackets."""
_BRACKETED = (
    rf"[\[{{«《](?={_GAP}{_BESIDE_BAR}\s*+[\]}}»》])",
    rf"[\[{{(«《](?={_GAP}(?i:inst|sys)\s*+[\]}})»》])",
    rf"\[(?={_GAP}(?:{'|'.join(_IN_SQUARE)})\s*+\])",
    rf"(?<!\w)\[(?={_GAP}(?=[A-Z]{{1,32}}+_)[A-Z0-9_]{{1,64}}+\s*+\])",
    r"\[(?=\s*+[/\\][\s/\\]*+[A-Z_]{2,64}+\s*+\])",
)
"""Control tokens in other than angle brackets."""
_OTHER = re.compile("|".join(_BRACKETED))


def _plain_forms() -> dict[int, str]:
    forms = {
        code: plain
        for first, last in _STYLED
        for code in range(first, last + 1)
        if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1 and plain.isascii()
    }
    forms |= {ord(char): plain for char, plain in _LOOKALIKES.items()}
    looks = (
        (OPENING, "<"), (_CLOSING, ">"), (_SQUARE_OPENING, "["), (_SQUARE_CLOSING, "]"), (_SLASHES, "/"), (_BARS, "|"), (_UNDERSCORES, "_"),
    )  # fmt: skip
    for chars, plain in looks:
        forms |= {ord(char): plain for char in chars}
    return forms


_FORMS = _plain_forms()
"""Plain form of each character, one for one, so that places stay the same."""


def _unescaped(match: re.Match[str]) -> str:
    """Return the plain form of an escaped character of markup; for any other, an empty text."""
    if reference := match["reference"]:
        char = html.unescape(f"&{reference};")
    else:
        code = (
            int(match["octal"], 8)
            if match["octal"]
            else int(match["braced"] or match["hex"] or match["byte"] or match["percent"], 16)
        )
        char = chr(code) if code <= 0x10FFFF else ""
    plain = char.translate(_FORMS)
    return plain if plain in _MARKUP else ""


def neutraliser(templates: Iterable[str]) -> Callable[[object], object]:
    """Return a function that makes values safe for templates: they cannot bring in the templates' tags or models' control tokens."""
    names = {name for text in templates for name in _TAG.findall(text)} | set(_CONTROL_NAMES)
    # A bracket at the very end would open a tag together with what the template puts behind it
    tag = rf"(?:{'|'.join(sorted(names))})(?![a-z0-9_])"
    angle = re.compile(
        rf"<(?={_GAP}(?:\||\Z|{tag}|{_WORD}\s*+\|{_GAP}>|\[\s*+\w{{2,80}}+\s*+\]\s*+>))"
        rf"|(?<![a-z0-9_:])<(?={_GAP}(?:(?=[^\W_]{{0,64}}+_){_ENDED}|\w{{2,64}}+[:=]\w{{1,64}}+\s*+>))"
        rf"|<(?={_GAP}(?=(?:[^\W_]{{0,64}}+_){{2}}){_ENDED})",
        re.IGNORECASE,
    )

    def as_data(value: object) -> object:
        """Keep a value, or what is printed of several, from being read as a tag or as a control token."""
        if not isinstance(value, str):
            return as_data(str(value)) if isinstance(value, list | tuple | dict | BaseModel) else value
        plain = value if value.isascii() else value.translate(_FORMS)
        seen: Sequence[int] = range(len(plain))  # places of the characters that can be seen
        if _UNSEEN.search(plain):
            seen = [place for place in seen if not _UNSEEN.match(plain, place)]
            plain = _UNSEEN.sub("", plain)
        escapes = [(match, char) for match in _ESCAPED.finditer(plain) if (char := _unescaped(match))]
        if escapes:
            held, shown, last = list[int](), list[str](), 0
            for match, char in escapes:
                held += [*seen[last : match.start()], seen[match.start()]]
                shown += (plain[last : match.start()], char)
                last = match.end()
            seen, plain = [*held, *seen[last:]], "".join([*shown, plain[last:]])
        signs = {
            (place := seen[match.start()]): SIGNS.get(value[place], SIGNS[match[0][0]])
            for pattern in (angle, _OTHER)
            for match in pattern.finditer(plain)
        }
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
