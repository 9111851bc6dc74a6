"""Reads the source of a manual page as its readers see it: title, sections, items and examples as Markdown, by man(7)."""

import re
from collections.abc import Iterator

from services.text.code_blocks import in_fence

BEGINS = re.compile(
    r"(?m)\A(?>(?:(?:(?!\.TH\b)[.'\\ \t][^\n]*+)?\n){0,199})\.TH[ \t]++\"?([^\s\"]{1,100}+)\"?(?:[ \t]++\"?(\w{1,9}+))?"
)
"""The line that names a page and its section; only comments and definitions stand above it."""
_LINE = re.compile(r"[.'][ \t]*+([A-Za-z]{1,9}+|\\\"|)[ \t]*+(.*)")
_ARGUMENT = re.compile(r"\"([^\"\n]*+)\"?|([^\s\"]\S*+)")
_ESCAPE = re.compile(
    r"\\(?:\Z|[hvwlLDZ]'[^'\n]{0,40}'|m\[[^\[\]\n]{0,20}\]|[cdpu]|f(?:\[[^\[\]\n]{0,9}\]|\(..|.)|s[-+]?\d{1,2}|[&|^%:/,]|\"[^\n]*+|\((..)|\[([\w+-]{1,20})\]|([-e~ 0'`.\\])|\*\(..)"
)
_SIGNS = {
    "aq": "'",
    "dq": '"',
    "cq": "’",
    "oq": "‘",
    "lq": "“",
    "rq": "”",
    "bu": "•",
    "em": "—",
    "en": "–",
    "co": "©",
    "rs": "\\",
    "ti": "~",
    "ha": "^",
    "ga": "`",
}
_PRINTED = {"-": "-", "e": "\\", "~": " ", " ": " ", "0": " ", "'": "'", "`": "`", ".": ".", "\\": "\\"}
_BREAKS = frozenset("PP LP P HP RS RE sp br TP IP".split())
_FONTS = frozenset("B I BI BR IB IR RB RI SM SB UR MT".split())
"""Requests whose arguments are the words of a line; two letters alternate between them, without blanks."""
_SECTIONS = {"SH": "##", "SS": "###"}
_ENDS = {"nf": "fi", "EX": "EE", "de": "..", "ig": ".."}
"""Requests that begin code and definitions, with what ends these."""
_BLANK = re.compile(r"\n{3,}+")


def as_markdown(text: str) -> str:
    """Return the source of a manual page, from its title on, as Markdown."""
    begins = BEGINS.match(text)
    title = [f"# {_shown(begins[1])}{f'({begins[2]})' if begins[2] else ''}", ""] if begins else []
    lines = text[begins.end() if begins else 0 :].split("\n")[bool(begins) :]
    return _BLANK.sub("\n\n", "\n".join([*title, *_Reader().read(lines)])).strip("\n")


class _Reader:
    """Reads the lines of a page, whose paragraphs are filled: their line ends are blanks."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        """Words of the paragraph that goes on."""
        self.code: list[str] = []
        self.end = ""
        """The request that ends code or a definition; empty outside of them."""
        self.tagged = False
        """Whether the next line names an item."""

    def read(self, lines: list[str]) -> Iterator[str]:
        """Yield lines of Markdown."""
        for line in lines:
            match = _LINE.fullmatch(line)
            request, rest = (match[1], match[2]) if match else ("", line)
            is_text = match is None or request in _FONTS
            if self.end:
                yield from self._within(request, line, _words(request, rest) if is_text else None)
            elif is_text:
                yield from self._text(_words(request, rest))
            else:
                yield from self._request(request, rest)
        yield from [*self._paragraph(), *self._fenced()]

    def _paragraph(self) -> Iterator[str]:
        if self.waiting:
            yield " ".join(self.waiting)
            self.waiting = []

    def _fenced(self) -> Iterator[str]:
        if any(self.code):
            yield from ["", *in_fence("\n".join(self.code).strip("\n")), ""]
        self.code = []

    def _within(self, request: str, line: str, words: str | None) -> Iterator[str]:
        if line.rstrip() == ".." or (request and request == self.end):
            yield from self._fenced()
            self.end = ""
        elif words is not None and self.end != "..":
            self.code.append(words)

    def _text(self, words: str) -> Iterator[str]:
        if self.tagged and words:
            self.tagged = False
            yield f"- {words.removeprefix('- ').strip()}:"
            return
        if not words or words[0].isspace():
            yield from self._paragraph()
        if words:
            self.waiting.append(words)
        else:
            yield ""

    def _request(self, request: str, rest: str) -> Iterator[str]:
        if request in _SECTIONS:
            yield from [*self._paragraph(), "", f"{_SECTIONS[request]} {_words('SM', rest)}", ""] if rest else []
        elif request in _ENDS:
            yield from self._paragraph()
            self.end = _ENDS[request]
        elif request in _BREAKS:
            yield from [*self._paragraph(), *[""] * (request != "br")]
            self.tagged = request == "TP"
            if request == "IP" and (name := _arguments(rest)[:1]) and any(map(str.isalnum, _shown(name[0]))):
                yield f"- {_shown(name[0])}:"


def _words(request: str, rest: str) -> str:
    if not request:
        return _shown(rest)
    alternate = len(request) == len("BR") and request not in {"SM", "SB", "UR", "MT"}
    return _shown(("" if alternate else " ").join(_arguments(rest)))


def _arguments(rest: str) -> list[str]:
    return [quoted or plain for quoted, plain in _ARGUMENT.findall(rest.replace("\\ ", "\\~"))]


def _shown(text: str) -> str:
    return _ESCAPE.sub(
        lambda escape: _SIGNS.get(escape[1] or escape[2] or "", "") or _PRINTED.get(escape[3] or "", ""), text
    )
