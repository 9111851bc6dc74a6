"""Reads LaTeX as its readers see it: title, headings, lists, tables, code and formulas as Markdown, by the manual of LaTeX2e (latexref.xyz).

A command that the same file defines is replaced; one that is known neither here nor there stays as it is written.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from services.text.code_blocks import in_fence
from services.text.tables import pipe_table

_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*+(?:\n[ \t]*+(?=\S))?)|\\begin\{(?P<begin>[A-Za-z]{1,40}+)\*?\}(?:\[[htbpH!]{1,6}+\])?|\\end\{(?P<end>[A-Za-z]{1,40}+)\*?\}"
    r"|\\(?:verb|lstinline)\*?(?P<mark>[^\sA-Za-z*\[{])|(?P<math>\$\$?|\\[\[(])|\\(?P<accent>[`'^\"~=.])[ \t]*+(?P<letter>\{[A-Za-z]\}|[A-Za-z])"
    r"|\\url\{(?P<url>[^{}\s]{1,500}+)\}|\\href\{(?P<address>[^{}\s]{1,500}+)\}"
    r"|\\(?P<macro>[A-Za-z@]{1,60}+)\*?(?:\[(?P<option>[^\[\]\n]{0,200}+)\])?[ \t]*+"
    r"|(?P<sign>\\[^A-Za-z]|~|``|''|-{2,3}+)|(?P<brace>[{}])"
)
_CODE = re.compile(r"(?i)verbatim|listing|code|minted|alltt")
"""In the name of an environment that shows program code."""
_CODE_WORD = re.compile(r"\A(?:\w*code|texttt)")
_OPTIONS = re.compile(r"(?>(?:[ \t]*+(?:\[[^\[\]\n]{0,300}+\]|\{[^{}\n]{0,300}+\}))*)")
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
    r"\A(?:index\w*|label|usepackage|documentclass|input|include\w*|bibliography\w*|\w*pagestyle|[hv]space|set\w+|c(?:line|midrule)|color|maketitle"
    r"|tableofcontents|listof\w+|appendix|protect|relax|xspace|q?quad|(?:no)?indent|centering|ragged\w+|\w*(?:skip|rule|fill|size|page|break)|hline"
    r"|tiny|small|[lL]arge|LARGE|[hH]uge|bf|it|tt|em|(?:bf|md)series|(?:it|sl|sc|up)shape|(?:rm|sf|tt)family|newblock|par|left|right)"
)
"""Commands that, with what stands in their braces, show nothing."""
_PLAIN = re.compile(
    r"\A(?:text\w+|emph|underline|\w*box|caption\w*|thanks|multi(?:column|row)|\w*title|centerline|abstract|keywords?|affil\w*|email)"
)
"""Commands that show what stands in their last braces."""
_QUANTITY = re.compile(r"\A(?:SI|qty)(?:list|range)?|num(?:list|range)?|si|unit|ang")
"""Commands of the package siunitx."""
_UNIT = re.compile(r"\\([A-Za-z]{1,40}+)[ \t]*+")
_UNITS = re.compile(r"[^{}]{0,300}+(?=\})")
_PREFIXES = frozenset(
    "quecto ronto yocto zepto atto femto pico nano micro milli centi deci deca deka hecto kilo mega giga tera peta exa zetta yotta ronna quetta "
    "kibi mebi gibi tebi pebi exbi zebi yobi".split()
)
"""Of the SI and of IEC 80000-13."""
_ANGLE = "°′″"
_AS_WRITTEN = "{"
"""Stands for a command that is not known."""
_KNOWN = re.compile(
    rf"\A(?:{'|'.join([*_HEADINGS, *_HEADER])}|href|footnote\w*|bibitem|\w{{0,20}}(?:cite|ref)\w{{0,20}})|{_CODE_WORD.pattern}|{_UNSEEN.pattern}|{_PLAIN.pattern}|{_QUANTITY.pattern}"
)
_LAYOUT = re.compile(
    r"\A(?:document|abstract|itemize|enumerate|description|figure|table|center|flush\w+|quot\w+|verse|mini\w+|thebibliography|\w*tabular\w*|multicols)"
)
"""Environments that only arrange what they hold."""
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|def)\*?[ \t]*+\{?\\([A-Za-z]{1,60}+)\}?(?:\[[^\[\]\n]{0,100}+\]){0,2}(?>(?:#\d){0,9})\{"
)
LONGEST_DEFINITION = 300
_ARGUMENT = re.compile(r"#([1-9])")
_ARGUMENTS = {"href": 2, "textcolor": 2, "setlength": 2, "setcounter": 2, "multicolumn": 3, "multirow": 3}
_ARGUMENTS |= {"SI": 2, "qty": 2, "SIlist": 2, "qtylist": 2, "SIrange": 3, "qtyrange": 3, "numrange": 2}
"""How many arguments commands have that have more than one."""
_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307"}
_SIGNS = {"\\\\": "\n", "~": " ", "``": "“", "''": "”", "--": "–", "---": "—"}
_SIGNS |= dict.fromkeys(["\\ ", "\\,", "\\;", "\\:"], " ") | dict.fromkeys(["\\-", "\\/", "\\!", "\\@"], "")
_WORDS = {
    "ldots": "…",
    "dots": "…",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "S": "§",
    "ss": "ß",
}
_WORDS |= {"ae": "æ", "oe": "œ", "o": "ø", "aa": "å", "l": "ł", "par": "\n\n", "newline": "\n", "and": ", "}
"""What commands without arguments show."""
_STANDS = re.compile(r"[|#]|```|(?:Author|Date): |\$\$|\\(?:begin|end)\{")
"""What begins a line that is none of a paragraph's."""
_ITEM = re.compile(r"(?m)^[ \t]*+- [ \t]*+\n\s*+")
_SPACES = re.compile(r"\n(?>(?:[ \t]*+\n)+)")


class _Open(NamedTuple):
    """A brace that is not closed, the command before it with its earlier arguments, and what has been read behind it."""

    macro: str
    arguments: Sequence[str]
    parts: list[str]


def as_markdown(text: str) -> str:
    """Return a text of LaTeX as Markdown. Of what stands before a document's beginning, only its title, authors and date are read."""
    text, defined = _without_definitions(text)
    preamble, begin, body = text.partition("\\begin{document}")
    if not begin:
        return _unwrapped(_read(text, defined))
    fields = [
        _read(preamble[place.start() : place.start() + LONGEST_FIELD], defined, first=True).strip()
        for place in islice(_FIELD.finditer(preamble), MAX_FIELDS)
    ]
    return "\n".join([*filter(None, fields), "", _unwrapped(_read(body, defined))])


def _unwrapped(text: str) -> str:
    """Join the lines of paragraphs and items, whose ends are blanks; code, formulas and rows stay as they are."""
    joined: list[list[str]] = []
    kept = True
    fence, in_formula = "", False
    for line in text.split("\n"):
        formula = not fence and line.count("$$") % 2 == 1
        stands = bool(fence) or formula or in_formula or not line.strip() or _STANDS.match(line) is not None
        fence = ("" if line == fence else fence) if fence else line if line.startswith("```") else ""
        in_formula = in_formula != formula
        if kept or stands or line.startswith("- "):
            joined.append([line])
        else:
            joined[-1].append(line.strip())
        kept = stands
    return "\n".join(map(" ".join, joined))


def _without_definitions(text: str) -> tuple[str, dict[str, str]]:
    """Take the short commands that a text defines out of it, and return with it what each of them shows."""
    defined: dict[str, str] = {}
    kept: list[str] = []
    place = 0
    for match in _DEFINITION.finditer(text):
        open_braces, end = 1, match.end()
        while open_braces and end < min(len(text), match.end() + LONGEST_DEFINITION):
            open_braces += {"{": 1, "}": -1}.get(text[end], 0) * (text[end - 1] != "\\")
            end += 1
        if open_braces or match.start() < place:
            continue
        defined[match[1]] = _read(text[match.end() : end - 1], {})
        kept.append(text[place : match.start()])
        place = end
    return "".join([*kept, text[place:]]), defined


def _read(text: str, defined: Mapping[str, str], *, first: bool = False) -> str:
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
            if _QUANTITY.fullmatch(waiting.macro) and (units := _UNITS.match(text, place)):
                opened[-1].parts.append(units[0])  # in which letters such as \l are no signs
                place = units.end()
        elif match["brace"]:
            macro, arguments, parts = opened.pop() if len(opened) > 1 else _Open("", (), [])
            waiting = _Open(macro, [*arguments, "".join(parts)], [])
            if len(waiting.arguments) < _wanted(macro, defined) and text.startswith("{", place):
                continue
            opened[-1].parts.append(_shown(macro, waiting.arguments, defined))
            done = bool(macro) and len(opened) == 1
            if macro == _AS_WRITTEN and text.startswith("{", place):
                waiting = _Open(macro, (), [])
                continue
        elif (match["macro"] or match["address"]) and text.startswith("{", place):
            macro = match["macro"] or "href"
            if not (macro in defined or _KNOWN.fullmatch(macro)):
                opened[-1].parts.append(match[0])
                macro = _AS_WRITTEN
            waiting = _Open(macro, [match["address"]] if match["address"] else [], [])
            continue
        elif block := _block(text, match, unclosed):
            opened[-1].parts.append(block[0])
            place = block[1]
        else:
            opened[-1].parts.append(_sign(match, defined))
        waiting = _Open("", (), [])
    rest = "" if first else text[place:]
    return _SPACES.sub("\n\n", _ITEM.sub("- ", "".join(part for frame in opened for part in frame.parts) + rest))


def _block(text: str, match: re.Match[str], unclosed: set[str]) -> tuple[str, int] | None:
    """Return what is not read as commands, as Markdown: code, a formula, a table; and the place behind it. None for anything else."""
    name = match["begin"] or ""
    if not (name or match["math"] or match["mark"]):
        return None
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
        return "\n".join(["", *in_fence(dedent(inside).strip("\n")), ""]), behind
    if _TABLE.search(name):
        rows = [[" ".join(_read(cell, {}).split()) for cell in _CELL_END.split(row)] for row in _ROW_END.split(inside)]
        return "\n".join(["", *pipe_table([row for row in rows if any(row)]), ""]), behind
    return f"\n$${content}$$\n", behind


def _sign(match: re.Match[str], defined: Mapping[str, str]) -> str:
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
    name = match["macro"] or match["begin"] or match["end"] or ""
    unseen = match["comment"] or (_UNSEEN if match["macro"] else _LAYOUT).fullmatch(name)
    return defined.get(name) or _WORDS.get(name) or ("" if unseen else match[0])


def _wanted(macro: str, defined: Mapping[str, str]) -> int:
    """Return how many arguments a command has."""
    numbers = _ARGUMENT.findall(defined.get(macro, ""))
    return max(map(int, numbers)) if numbers else _ARGUMENTS.get(macro, 1)


def _shown(macro: str, arguments: Sequence[str], defined: Mapping[str, str]) -> str:
    """Return what readers see of a command."""
    text = arguments[-1]
    if macro in defined:
        given = dict(enumerate(arguments, 1))
        own = _ARGUMENT.sub(lambda place: given.get(int(place[1]), ""), defined[macro])
        return own if _ARGUMENT.search(defined[macro]) else own + text
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
    if _QUANTITY.fullmatch(macro):
        return _quantity(macro, arguments)
    if macro == _AS_WRITTEN:
        return f"{{{text}}}"
    return "" if _UNSEEN.fullmatch(macro) else text


def _quantity(macro: str, arguments: Sequence[str]) -> str:
    """Return numbers with their unit, whose names stand for its signs: `5 kilometre per hour`."""
    if macro == "ang":
        return "".join(
            f"{part.strip()}{sign}" for part, sign in zip(arguments[-1].split(";"), _ANGLE, strict=False) if part
        )
    *numbers, unit = [*arguments, ""] if macro.startswith("num") else arguments
    numbers = [part.strip() for number in numbers for part in number.split(";")]
    amount = " to ".join(numbers) if macro.endswith("range") else ", ".join(numbers)
    names = _UNIT.sub(lambda name: name[1] if name[1] in _PREFIXES else f"{name[1]} ", unit)
    return " ".join(f"{amount} {names}".split())
