"""Reads Texinfo as its readers see it: title, headings, lists, tables, code and the file's own macros as Markdown, by its manual (gnu.org/software/texinfo/manual)."""

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from services.text.code_blocks import in_fence
from services.text.tables import pipe_table

_LINE = re.compile(r"[ \t]*+@([A-Za-z]{1,40}+)(?![{\w])[ \t]*+(.*)")
"""A command that has its line for itself, and its argument."""
_HEADING = re.compile(
    r"(?:unnumbered|appendix)?((?:sub){0,2})(?:section|sec|heading)|chapter|unnumbered|appendix|\w{1,5}heading|top"
)
_CODE = re.compile(r"(?:small)?(?:example|lisp|display|format)|verbatim")
_AROUND_CODE = re.compile(rf"(?m)@(?:end )?(?:group|{_CODE.pattern})\b[ \t]*+\n?|^@\w{{0,20}}index [^\n]*+\n?")
_LISTED = re.compile(r"[fv]?table|itemize|enumerate")
_HIDDEN = re.compile(
    r"menu|detailmenu|direntry|titlepage|ignore|(?:if)?(?:tex|html|xml|docbook|latex)|documentdescription"
)
"""Blocks that readers of the manual on a screen do not see."""
_BLOCK = re.compile(rf"{_CODE.pattern}|{_HIDDEN.pattern}|multitable")
_DEFINITION = re.compile(r"def(?!index|codeindex|infoenclose)[a-z]{1,15}")
_SILENT = re.compile(
    r"c|comment|\w{0,20}index|node|end|set\w{0,30}|include|\w{0,20}paper|noindent|indent|group|page|sp|need|bye|contents|\w{0,12}contents|finalout|dircategory|insertcopying"
    r"|document\w{0,20}|paragraphindent|exampleindent|ifset|ifclear|ifnot\w{1,10}|ifinfo|ifplaintext|clear|quotation|smallquotation|copying|raggedright|flush\w{4,5}|cartouche|title"
)
"""Other commands on lines of their own, which show nothing."""
_TOKEN = re.compile(r"@([A-Za-z]{1,40}+)(?:(\{)|[ \t]?)|@([^A-Za-z])|([{}])")
_LITERAL = frozenset("code samp command option env file kbd key t verb".split())
_SIGNS = {
    "dots": "…",
    "enddots": "…",
    "result": "⇒",
    "print": "⊣",
    "expansion": "→",
    "error": "error:",
    "minus": "−",
    "copyright": "©",
    "comma": ",",
}
_SIGNS |= {
    "tie": " ",
    "bullet": "•",
    "equiv": "≡",
    "point": "∗",
    "registeredsymbol": "®",
    "TeX": "TeX",
    "LaTeX": "LaTeX",
}
_REFERENCE = {"xref": "See ", "pxref": "see ", "ref": "", "inforef": "See "}
_NOT_SHOWN = frozenset({"anchor", "image", "hyphenation"})
_MACRO = re.compile(r"(?m)^@r?macro[ \t]++([\w-]{1,60}+)[ \t]*+(?:\{([^{}\n]{0,300}+)\})?[ \t]*+\n")
_MACRO_END = re.compile(r"(?m)^@end r?macro\b[^\n]*+\n?")
_ARGUMENTS = r"\{([^{}]{0,2000}+(?>(?:\{[^{}]{0,500}+\}[^{}]{0,500}+){0,20}))\}"
_CALL = re.compile(rf"@([A-Za-z][\w-]{{0,60}}+)(?:{_ARGUMENTS})?")
_PARAMETER = re.compile(r"\\([\w-]{0,60}+)\\")
_COMMA = re.compile(r",[ \t]{0,9}+(?![^{}]{0,99}\})")
_VALUE = re.compile(r"(?m)^@set[ \t]++([\w-]{1,60}+)[ \t]++([^\n]{1,300}+)$")
_UNSEEN = re.compile(
    r"\A\\input\b[^\n]*+|(?m:^)@anchor\{[^{}\n]{0,200}+\}[ \t]*+(?:\n|\Z)|(?<!@)@c(?:omment)?(?![\w{])[^\n]*+"
)
_ALSO = "\0"
"""Begins the line of one more name of an item."""
_FURTHER = re.compile(rf":\n{{1,3}}{_ALSO}")
_BLANK = re.compile(r"\n{3,}+")
_ITEM = re.compile(r"\A- ?\n")
_PRINTED = {"---": "—", "--": "–", "``": "“", "''": "”"}
_TYPED = re.compile("---?|``|''")
MACROS_IN_MACROS = 4
LONGEST = 2
"""How many times a text's characters its macros may show in all; those beyond stay as they are written."""


def as_markdown(text: str) -> str:
    """Return a text of Texinfo as Markdown."""
    values = {name: value.strip() for name, value in _VALUE.findall(text)}
    lines = _Reader(values).read(_UNSEEN.sub("", _without_macros(text)).split("\n"))
    return _BLANK.sub("\n\n", _FURTHER.sub(", ", "\n".join(lines))).strip("\n")


def _without_macros(text: str) -> str:
    """Return a text with its own macros replaced, which may hold each other."""
    macros: dict[str, tuple[list[str], str]] = {}
    kept: list[str] = []
    place = 0
    for match in _MACRO.finditer(text):
        if match.start() < place:
            continue
        if (end := _MACRO_END.search(text, match.end())) is None:
            break
        body = text[match.end() : end.start()].rstrip("\n")
        macros[match[1]] = ([name.strip() for name in (match[2] or "").split(",")], body)
        kept.append(text[place : match.start()])
        place = end.end()
    written = "".join([*kept, text[place:]])

    room = LONGEST * len(text)

    def replaced(call: re.Match[str]) -> str:
        nonlocal room
        if call[1] not in macros or room < 0:
            return call[0]
        names, body = macros[call[1]]
        given = dict(zip(names, _COMMA.split(call[2] or "", maxsplit=len(names) - 1), strict=False))
        shown = _PARAMETER.sub(lambda name: given.get(name[1], "") if name[1] else "\\", body)
        room -= len(shown)
        return shown

    for _ in range(MACROS_IN_MACROS if macros else 0):
        written = _CALL.sub(replaced, written)
    return written


class _Reader:
    """Reads the lines of a text, with the tables and lists that are open, and those of the paragraph that goes on."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.opened: list[str] = []
        """How the items of open tables are shown; empty for lists."""
        self.waiting: list[str] = []
        """Lines of a paragraph, as a command may reach over several."""
        self.unclosed: set[str] = set()

    def read(self, lines: list[str]) -> Iterator[str]:
        """Yield lines of Markdown."""
        place = 0
        while place < len(lines):
            line = lines[place]
            match = _LINE.fullmatch(line)
            name, argument = (match[1], match[2].strip()) if match else ("", "")
            place += 1
            if match or not line.strip():
                yield from self._paragraph()
            if name and (_BLOCK.fullmatch(name) and (end := self._end(name, lines, place))):
                yield from _block(name, lines[place:end], self.values)
                place = end + 1
            elif name in {"item", "itemx", "headitem"}:
                yield from self._item(name, argument)
            elif name:
                yield from self._command(name, argument, line)
            else:
                self.waiting.append(line)
        yield from self._paragraph()

    def _paragraph(self) -> Iterator[str]:
        if self.waiting:
            yield from _inline(_ITEM.sub("- ", "\n".join(self.waiting)), self.values).split("\n")
            self.waiting.clear()

    def _end(self, name: str, lines: list[str], place: int) -> int:
        """Return the place of the line that ends a block; 0 without one."""
        if name in self.unclosed:
            return 0
        end = next((at for at in range(place, len(lines)) if lines[at].split() == ["@end", name]), 0)
        self.unclosed.update([name] if not end else [])
        return end

    def _item(self, name: str, argument: str) -> Iterator[str]:
        if not self.opened or not self.opened[-1]:
            self.waiting.append(f"- {argument}")
            return
        item = f"@{self.opened[-1]}{{{argument}}}" if self.opened[-1] in _LITERAL else argument
        yield f"{_ALSO if name == 'itemx' else '- '}{_inline(item, self.values)}:"

    def _command(self, name: str, argument: str, line: str) -> Iterator[str]:
        shown = " ".join(_inline(argument, self.values).split())
        if name == "settitle":
            yield from [f"# {shown}", ""]
        elif heading := _HEADING.fullmatch(name):
            depth = 2 if heading[1] is None else 3 + len(heading[1]) // len("sub")
            yield from ["", f"{'#' * depth} {shown}", ""] if shown else []
        elif _LISTED.fullmatch(name):
            self.opened.append(argument.lstrip("@").partition("{")[0] if name.endswith("table") else "")
        elif name == "end" and _LISTED.fullmatch(argument):
            self.opened[-1:] = []
            yield ""
        elif _DEFINITION.fullmatch(name):
            yield from ["", f"**{shown}**:"]
        elif name == "center":
            yield shown
        elif not _SILENT.fullmatch(name):
            self.waiting.append(line)


def _block(name: str, lines: list[str], values: Mapping[str, str]) -> Iterator[str]:
    """Yield code in a fence, and a table in rows; nothing of what is hidden."""
    if name == "multitable":
        rows = re.split(r"(?m)^@(?:head)?item[ \t\n]", _AROUND_CODE.sub("", "\n".join(lines)))[1:]
        cells = [[" ".join(_inline(cell, values).split()) for cell in re.split(r"@tab\b", row)] for row in rows]
        yield from ["", *pipe_table(cells), ""]
    elif _CODE.fullmatch(name) and lines:
        code = "\n".join(lines)
        shown = code if name == "verbatim" else _inline(_AROUND_CODE.sub("", code), values, in_code=True)
        yield from ["", *in_fence(dedent(shown).strip("\n")), ""]


def _inline(text: str, values: Mapping[str, str], *, in_code: bool = False) -> str:
    """Return a text with what its commands show; literals are those of Markdown, except in code."""
    opened: list[tuple[str, list[str]]] = [("", [])]
    literal = int(in_code)
    place = 0
    for match in _TOKEN.finditer(text):
        between = text[place : match.start()]
        opened[-1][1].append(between if literal else _TYPED.sub(lambda typed: _PRINTED[typed[0]], between))
        place = match.end()
        name, brace, sign, lone = match.groups()
        if brace or lone == "{":
            opened.append((name or "{", []))
            literal += name in _LITERAL
        elif lone and len(opened) > 1:
            name, parts = opened.pop()
            literal -= name in _LITERAL
            opened[-1][1].append(_shown(name, "".join(parts), values, in_literal=literal > 0))
        elif sign is not None:
            opened[-1][1].append("\n" if sign == "*" else sign if sign in "@{}.!?" else " " if sign.isspace() else "")
        else:
            opened[-1][1].append(lone or _SIGNS.get(name) or match[0])
    rest = text[place:] if literal else _TYPED.sub(lambda typed: _PRINTED[typed[0]], text[place:])
    shown = [f"{'@' * (name != '{')}{name}{'{' * (name != '{')}" if name else "" for name, _ in opened]
    return "".join(start + "".join(parts) for start, (_, parts) in zip(shown, opened, strict=True)) + rest


def _shown(name: str, text: str, values: Mapping[str, str], *, in_literal: bool) -> str:
    """Return what readers see of a command with braces."""
    if name in _LITERAL:
        plain = " ".join(text.split()) if not in_literal else text
        return plain if in_literal or "`" in text or not text.strip() else f"`{plain}`"
    if name in _SIGNS or name in _NOT_SHOWN:
        return _SIGNS.get(name, "")
    if name == "value":
        return values.get(text, text)
    if name == "footnote":
        return f" ({text.strip()})"
    first, *rest = (part.strip() for part in text.split(","))
    last = next(filter(None, reversed(rest)), "")
    if name in {"uref", "url"}:
        return f"[{last}]({first})" if last else first
    if name in _REFERENCE:
        return f"{_REFERENCE[name]}{rest[1] if len(rest) > 1 and rest[1] else first}"
    if name in {"email", "abbr", "acronym"}:
        return f"{last} ({first})" if last else first
    return f"{{{text}}}" if name == "{" else text
