"""Reads LaTeX as its readers see it: title, headings, lists, tables, code and formulas as Markdown, by the manual of LaTeX2e (latexref.xyz).

Of a command that is not known here, such as one that the author defined, what stands in its braces is text.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from services.text.tables import pipe_table

_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*+(?:\n[ \t]*+(?=\S))?)|\\begin\{(?P<begin>[A-Za-z]{1,40}+)\*?\}(?:\[[htbpH!]{1,6}+\])?|\\end\{[A-Za-z]{1,40}+\*?\}"
    r"|\\(?:verb|lstinline)\*?(?P<mark>[^\sA-Za-z*\[{])|(?P<math>\$\$?|\\[\[(])|\\(?P<accent>[`'^\"~=.])[ \t]*+(?P<letter>\{[A-Za-z]\}|[A-Za-z])"
    r"|\\url\{(?P<url>[^{}\s]{1,500}+)\}|\\href\{(?P<address>[^{}\s]{1,500}+)\}"
    r"|\\(?P<macro>[A-Za-z@]{1,60}+)\*?(?:\[(?P<option>[^\[\]\n]{0,200}+)\])?[ \t]*+"
    r"|(?P<sign>\\[^A-Za-z]|~|``|''|-{2,3}+)|(?P<brace>[{}])"
)
_CODE = re.compile(r"(?i)verbatim|listing|code|minted|alltt")
"""In the name of an environment that shows program code."""
_CODE_WORD = re.compile(r"\w*code|texttt")
_OPTIONS = re.compile(r"(?:[ \t]*+(?:\[[^\[\]\n]{0,300}+\]|\{[^{}\n]{0,300}+\}))*+")
_TABLE = re.compile(r"tabu|longtable")
_FORMULA = re.compile(r"math|equation|align|gather|multline|eqnarray")
_CLOSES = {"$": "$", "$$": "$$", "\\[": "\\]", "\\(": "\\)"}
_ROW_END = re.compile(r"\\\\(?:\[[^\[\]\n]{0,30}+\])?")
_CELL_END = re.compile(r"(?<!\\)&")
_HEADINGS = {name: level for level, name in enumerate(["section", "subsection", "subsubsection", "paragraph"], 2)}
_HEADINGS |= {"title": 1, "part": 1, "chapter": 1}
_FIELD = re.compile(r"(?m)^[ \t]*+\\(?:title|author|date)[\[{]")
MAX_FIELDS = 20
"""Of a preamble."""
LONGEST_FIELD = 5_000
"""Characters of a title or a list of authors."""
_HEADER = {"author": "Author", "date": "Date"}
_UNSEEN = re.compile(
    r"index\w*|label|usepackage|documentclass|input|include\w*|bibliography\w*|\w*pagestyle|[hv]space|set\w+|c(?:line|midrule)|color"
)
"""Commands whose arguments no reader sees."""
_ARGUMENTS = {"href": 2, "textcolor": 2, "setlength": 2, "setcounter": 2, "multicolumn": 3, "multirow": 3}
"""How many arguments commands have that have more than one."""
_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307"}
_SIGNS = {
    "\\\\": "\n",
    "\\ ": " ",
    "\\,": " ",
    "\\;": " ",
    "\\:": " ",
    "~": " ",
    "``": "“",
    "''": "”",
    "--": "–",
    "---": "—",
}
_SIGNS |= dict.fromkeys(("\\-", "\\/", "\\!", "\\@"), "")
_WORDS = {
    "ldots": "…",
    "dots": "…",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "S": "§",
    "ss": "ß",
    "ae": "æ",
}
_WORDS |= {"oe": "œ", "o": "ø", "aa": "å", "l": "ł", "par": "\n\n", "newline": "\n", "and": ", "}


_ITEM = re.compile(r"(?m)^[ \t]*+- [ \t]*+\n\s*+")
_SPACES = re.compile(r"\n(?:[ \t]*+\n)++")


class _Open(NamedTuple):
    """A brace that is not closed, the command before it with its earlier arguments, and what has been read behind it."""

    macro: str
    arguments: Sequence[str]
    parts: list[str]


def as_markdown(text: str) -> str:
    """Return a text of LaTeX as Markdown. Of what stands before a document's beginning, only its title, authors and date are read."""
    preamble, begin, body = text.partition("\\begin{document}")
    if not begin:
        return _read(text)
    fields = [
        _read(preamble[place.start() : place.start() + LONGEST_FIELD], first=True).strip()
        for place in islice(_FIELD.finditer(preamble), MAX_FIELDS)
    ]
    return "\n".join([*filter(None, fields), "", _read(body)])


def _read(text: str, *, first: bool = False) -> str:
    """Return a text as Markdown, or the `first` command with its arguments."""
    opened = [_Open("", (), [])]
    waiting = _Open("", (), [])
    unclosed: set[str] = set()
    place, done = 0, False
    while (match := _TOKEN.search(text, place)) and not (first and done):
        opened[-1].parts.append(text[place : match.start()])
        place = match.end()
        if match["brace"] == "{":
            opened.append(_Open(waiting.macro, waiting.arguments, []))
        elif match["brace"]:
            macro, arguments, parts = opened.pop() if len(opened) > 1 else _Open("", (), [])
            waiting = _Open(macro, [*arguments, "".join(parts)], [])
            if len(waiting.arguments) < _ARGUMENTS.get(macro, 1) and text.startswith("{", place):
                continue
            opened[-1].parts.append(_shown(macro, waiting.arguments) + " " * text.startswith("{", place))
            done = bool(macro) and len(opened) == 1
        elif (match["macro"] or match["address"]) and text.startswith("{", place):
            waiting = _Open(match["macro"] or "href", [match["address"]] if match["address"] else [], [])
            continue
        elif match["begin"] or match["math"] or match["mark"]:
            block = _block(text, match, unclosed)
            place = block[1] if block else place
            opened[-1].parts.append(block[0] if block else "")
        else:
            opened[-1].parts.append(_sign(match))
        waiting = _Open("", (), [])
    rest = "" if first else text[place:]
    return _SPACES.sub("\n\n", _ITEM.sub("- ", "".join(part for frame in opened for part in frame.parts) + rest))


def _block(text: str, match: re.Match[str], unclosed: set[str]) -> tuple[str, int] | None:
    """Return what is not read as commands, as Markdown: code, a formula, a table; and the place behind it. None for anything else."""
    name = match["begin"] or ""
    close = match["mark"] or _CLOSES.get(match["math"] or "") or f"\\end{{{name}"
    if (name and not (_CODE.search(name) or _TABLE.search(name) or _FORMULA.match(name))) or close in unclosed:
        return None
    end = text.find(close, match.end())
    if end < 0:
        unclosed.add(close)
        return None
    content, behind = text[match.end() : end], end + len(close)
    if not name:
        return (f"`{content}`" if match["mark"] else f"{match[0]}{content}{close}"), behind
    behind = max(behind, text.find("}", behind) + 1)
    options = _OPTIONS.match(content)
    inside = content[options.end() :] if options else content
    if _CODE.search(name):
        return f"\n```\n{dedent(inside).strip(chr(10))}\n```\n", behind
    if _TABLE.search(name):
        rows = [[" ".join(_read(cell).split()) for cell in _CELL_END.split(row)] for row in _ROW_END.split(inside)]
        return "\n".join(["", *pipe_table([row for row in rows if any(row)]), ""]), behind
    return f"\n$${content}$$\n", behind


def _sign(match: re.Match[str]) -> str:
    """Return what stands for a sign, an accent, or a command without arguments."""
    if match["accent"]:
        return unicodedata.normalize("NFC", match["letter"].strip("{}") + _ACCENTS[match["accent"]])
    if match["url"] or match["address"]:
        return str(match["url"] or match["address"])
    if match["sign"]:
        return _SIGNS.get(match["sign"], match["sign"][-1])
    if match["macro"] == "item":
        begins_line = not match.string[max(0, match.start() - 20) : match.start()].rpartition("\n")[2].strip()
        return f"{'' if begins_line else chr(10)}- {match['option'] + ': ' if match['option'] else ''}"
    return _WORDS.get(match["macro"] or "", "")


def _shown(macro: str, arguments: Sequence[str]) -> str:
    """Return what readers see of a command."""
    text = arguments[-1]
    if macro in _HEADINGS:
        return f"\n\n{'#' * _HEADINGS[macro]} {' '.join(text.split())}\n\n"
    if macro in _HEADER:
        return f"\n{_HEADER[macro]}: {' '.join(text.split()).replace(' ,', ',')}\n" if text.strip() else ""
    if macro == "href":
        return f"[{text}]({arguments[0]})"
    if macro.startswith("footnote"):
        return f" ({text.strip()})"
    if macro == "bibitem":
        return f"\n- [{text}] "
    if _CODE_WORD.fullmatch(macro) and "`" not in text:
        return f"`{text}`"
    if "cite" in macro or "ref" in macro:
        return f"[{text}]"
    return "" if _UNSEEN.fullmatch(macro) else text
