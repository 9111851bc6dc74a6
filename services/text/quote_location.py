"""Finding a quote in a text: exactly if it stands there, else under harmless differences, with exact offsets."""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MAX_GAP = 400
"""Most characters that an ellipsis inside a quote may stand for."""
MIN_MEANING = 2
"""Fewest letters or digits of a quote; less proves nothing."""
_MAX_TRIES = 1_000
_WINDOW = 1_000_000
"""Characters of a text that are folded at once: folding takes 50 bytes of memory for each."""
_MARGIN = 10_000
"""Characters of white space and marks that a match may hold beyond four times the quote's."""

_CJK = r"\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNUSUAL = re.compile(r"[^A-Za-z0-9 \n,.;:()\u4e00-\u9fff]")
_ESCAPE = re.compile(r"\\(?=[^\w\s]|_)")
"""What makes a sign of Markdown a sign like others: `snake\\_case`."""
_EMPHASIS = re.compile(r"[*_`]{2,}|~~|(?<![^\W_])[*_`]|[*_`](?![^\W_])")
LINK = re.compile(r"!?\[(?=(?:[^\[\]\n]|\[[^\[\]\n]{1,30}\]){1,300}\]\()|\]\([^()\s]{1,500}(?: '[^'\n]{0,200}')?\)")
"""What of a link in Markdown is not its words."""
_ADDRESS = re.compile(r"<((?:[^\s<>@]{1,64}+@|[A-Za-z]{2,8}+://)[^\s<>]{1,500}+)>")
"""An address in angle brackets."""
_CITES = re.compile(r"(?m)^[ \t]*+>[ \t]++(?!\W?\d)")
"""What makes a line one of a blockquote; before a number it may say that this is greater."""
_COMMENT = re.compile(r"(?<!\S)(?:#+|//+)[ \t\n]++(?!\W?\d)")
"""What makes a line of code a comment, or one of Markdown a heading."""
_BOLD = "**"
_PAIRS = tuple(zip('`"“«「『', '`"”»」』', strict=True))
"""Marks that open and close code and quotations."""
_HYPHEN = re.compile(r"(?<=[^\W\d_])-\s*(?=[^\W\d_])")
_SPACES = re.compile(r"\s+")
_IDLE_SPACE = re.compile(rf"(?<=[^\w\s]) | (?=[^\w\s])|(?<=[{_CJK}]) | (?=[{_CJK}])")
_ELLIPSIS = re.compile(r"\[\.{3,}\]|\(\.{3,}\)|\.{3,}")
_EDGE = " \n\t'"
_QUOTES = frozenset("'\"‘’‚‛“”„‟′″＇＂「」『』«»`´")
_DASHES = frozenset("-‐‑‒–—―−－﹣")
_OPENING = frozenset("\u2039\u2329\u3008\u27e8\u276c\u276e\u2770\u1438\u02c2\u227a\u29fc")
_CLOSING = frozenset("\u203a\u232a\u3009\u27e9\u276d\u276f\u2771\u1433\u02c3\u227b\u29fd")
"""What looks like an angle bracket: prompts show the first of each in the place of any (see `prompts/data.py`)."""
_ANGLES = _OPENING | _CLOSING
_SHOWN_FOR = {"❲": "[", "❴": "{", "❨": "(", "⟪": "《"} | dict.fromkeys(
    "\u3010\u3014\u3016\u301a\u27e6\u27ec\u2045", "["
)
"""Signs that prompts show in the place of other brackets; all that look like square ones are shown alike."""
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Find a quote in a text.

    An exact match comes first. Otherwise white space, quotation marks, dashes, full-width forms, hyphenation at line
    ends, Markdown emphasis, links, marks of blockquotes and of comments in code, neutralised tags (`‹` for `<`, `❲` for `[`) and, last, case may differ; quotation marks and ellipses
    around the quote are ignored, and an ellipsis inside it that the text has not itself stands for at most `MAX_GAP`
    characters, which the span then covers.

    Returns:
        Its start and end, or None when the quote is not there or has fewer than `MIN_MEANING`
        letters and digits. Takes time in proportion to the text, and memory in proportion to the quote.
    """
    if sum(map(str.isalnum, quote)) < MIN_MEANING:
        return None
    for exact in (quote, quote.strip()):
        place = text.find(exact)
        if place >= 0:
            return place, place + len(exact)
    bare = _bare(quote)
    parts = [part for part in (part.strip(_EDGE) for part in _ELLIPSIS.split(bare)) if part]
    readings = [[bare]] if len(parts) > 1 else []  # the ellipsis may be the source's own
    if parts and all(sum(map(str.isalnum, part)) >= MIN_MEANING for part in parts):
        readings.append(parts)
    reach = 4 * len(quote) + MAX_GAP * len(parts) + _MARGIN
    in_other_case: tuple[int, int] | None = None
    for left in range(0, len(text) if readings else 0, _WINDOW):
        folded = _fold(text[left : left + _WINDOW + reach])
        if span := _first(readings, folded):
            return _with_whole_marks(text, left + span[0], left + span[1])
        lowered = [[_lower(part) for part in reading] for reading in readings]
        if in_other_case is None and (span := _first(lowered, folded.lowered())):
            in_other_case = _with_whole_marks(text, left + span[0], left + span[1])
    return in_other_case


def _first(readings: Sequence[list[str]], folded: "_Folded") -> tuple[int, int] | None:
    """Find the first reading of a quote that stands there."""
    return next(filter(None, (_search(reading, folded) for reading in readings)), None)


def _with_whole_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span with all of a link, of bold text, of code or of a quotation with whose words it begins or ends."""
    held = text[start:end]
    if (closed := held.find("](")) >= 0 and "[" not in held[:closed] and text[start - 1 : start] == "[":
        start -= 2 if text[start - 2 : start - 1] == "!" else 1
    if held.rfind("[") > held.rfind("](") and (rest := LINK.match(text, end)):
        end = rest.end()
    if held.count(_BOLD) % 2 and text.startswith(_BOLD, end):
        end += len(_BOLD)
    elif held.count(_BOLD) % 2 and text.endswith(_BOLD, 0, start):
        start -= len(_BOLD)
    return _with_whole_pairs(text, start, end)


def _with_whole_pairs(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span with the other one of a pair of marks that it holds, where that stands right before or behind it."""
    line, held = text.rfind("\n", 0, start) + 1, text[start:end]
    for opening, closing in _PAIRS:
        first, last = (opening != closing or text.count(opening, line, place) % 2 for place in (start, end))
        if closing in held and text[line:start].endswith(opening) and first:
            start -= 1
        if opening in held and text.startswith(closing, end) and last:
            end += 1
    return start, end


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text in folded form; `places[i]` is the offset of the character that folded character `i` comes from."""

    text: str
    places: "array[int]"

    def lowered(self) -> "_Folded":
        return _Folded(_lower(self.text), self.places)

    def replaced(self, pattern: re.Pattern[str], by: str) -> "_Folded":
        """Replace each match by at most one character, which keeps the place of the match's first."""
        pieces: list[str] = []
        places = array("L")
        last = 0
        for match in pattern.finditer(self.text):
            pieces += (self.text[last : match.start()], by)
            places.extend(self.places[last : match.start()])
            if by:
                places.append(self.places[match.start()])
            last = match.end()
        pieces.append(self.text[last:])
        places.extend(self.places[last:])
        return _Folded("".join(pieces), places)

    def without_brackets(self, pattern: re.Pattern[str]) -> "_Folded":
        """Drop the first and the last character of each match."""
        pieces: list[str] = []
        places = array("L")
        last = 0
        for match in pattern.finditer(self.text):
            for left, right in ((last, match.start()), match.span(1)):
                pieces.append(self.text[left:right])
                places.extend(self.places[left:right])
            last = match.end()
        return _Folded("".join([*pieces, self.text[last:]]), places + self.places[last:])

    def span(self, left: int, right: int) -> tuple[int, int] | None:
        """Return the original offsets of a stretch, unless it begins or ends inside a character that became several."""
        places = self.places
        if left > 0 and places[left] == places[left - 1]:
            return None
        if right < len(places) and places[right] == places[right - 1]:
            return None
        return places[left], places[right - 1] + 1


def _fold(text: str) -> _Folded:
    pieces: list[str] = []
    places = array("L")
    last = 0
    for match in _UNUSUAL.finditer(text):
        place = match.start()
        piece = _fold_char(match.group())
        pieces += (text[last:place], piece)
        places.extend(range(last, place))
        places.extend([place] * len(piece))
        last = match.end()
    pieces.append(text[last:])
    places.extend(range(last, len(text)))
    folded = _Folded("".join(pieces), places)
    folded = folded.replaced(LINK, "") if "](" in folded.text else folded
    folded = folded.without_brackets(_ADDRESS) if ">" in folded.text else folded
    folded = folded.replaced(_CITES, "") if "\n" in folded.text and ">" in folded.text else folded
    folded = folded.replaced(_COMMENT, "") if "#" in folded.text or "//" in folded.text else folded
    folded = folded.replaced(_ESCAPE, "") if "\\" in folded.text else folded
    return folded.replaced(_EMPHASIS, "").replaced(_HYPHEN, "").replaced(_SPACES, " ").replaced(_IDLE_SPACE, "")


@lru_cache(maxsize=8192)
def _fold_char(char: str) -> str:
    if char in _INVISIBLE:
        return ""
    if char == "`":
        return char  # Markdown's code mark; `_EMPHASIS` decides
    if char in _QUOTES:
        return "'"
    if char in _DASHES:
        return "-"
    if char in _ANGLES:
        return "<" if char in _OPENING else ">"
    if char in _SHOWN_FOR:
        return _SHOWN_FOR[char]
    if char.isspace():
        return "\n" if char in "\n\r\u2028\u2029" else " "
    return unicodedata.normalize("NFKD", char)


def _lower(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _bare(quote: str) -> str:
    """Return the folded quote without marks around it."""
    folded = _fold(quote).text.strip(_EDGE)
    return folded[1:-1] if re.fullmatch(r"<[^<>]*>", folded) else folded  # French quotation marks


def _search(parts: list[str], folded: _Folded) -> tuple[int, int] | None:
    """Find the parts in order, each within `MAX_GAP` of the one before."""
    place = 0
    for _ in range(_MAX_TRIES):
        left = folded.text.find(parts[0], place)
        if left < 0:
            return None
        right: int = left + len(parts[0])
        for part in parts[1:]:
            part_start = folded.text.find(part, right, right + MAX_GAP + len(part))
            right = part_start + len(part) if part_start >= 0 else -1
            if right < 0:
                break
        span = folded.span(left, right) if right > 0 else None
        if span is not None:
            return span
        place = left + 1
    return None
