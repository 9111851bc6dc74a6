"""Rewrites reStructuredText as Markdown, by its specification (docutils.sourceforge.io/docs/ref/rst/restructuredtext.html), line by line.

Section titles, literal blocks, tables and inline markup become Markdown's; a table drawn in another way, such as with cells across columns,
stays as it is drawn.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from unicodedata import east_asian_width

from services.search.files.read_markdown import NOTES, ROLES
from services.text.code_blocks import in_fence
from services.text.tables import csv_rows, pipe_table

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
SHORTEST_ADORNMENT = 3
"""Characters of the line below a title, if the title itself is not shorter."""
_CODE = re.compile(r"[ \t]*+\.\. (?:code-block|code|sourcecode|parsed-literal)::[ \t]*+([\w+-]{0,30}+)[ \t]*+")
_TABLE = re.compile(r"[ \t]*\.\. (list|csv)-table::(.*)")
_MATH = re.compile(r"[ \t]*+\.\. math::[ \t]*+(.*)")
_OPTION = re.compile(r"[ \t]*:([\w-]{1,40}):(?:[ \t](.*))?")
_DIRECTIVE = re.compile(r"([ \t]*+)\.\. ([\w+.-]{1,40}+(?::[\w+.-]{1,40}+){0,2})::(?:[ \t]++(.*))?")
_TITLED = frozenset("admonition rubric sidebar topic".split())
"""Directives that have a title."""
_COMMENT = re.compile(r"[ \t]*+\.\.(?:[ \t]++(?!\[|_|\||[\w+.-]{1,40}+(?::[\w+.-]{1,40}+){0,2}::).*)?")
_SUBSTITUTION = re.compile(
    r"(?m)^[ \t]*+\.\. \|([^|\n]{1,100}+)\| replace::[ \t]*+([^\n]{0,300}+(?:\n[ \t]++\S[^\n]{0,200}+){0,3})$\n?"
)
_SUBSTITUTED = re.compile(r"\|(?=[^\s|])([^|\n]{1,100}+)(?<!\s)\|_{0,2}+")
_DELIMITERS = {"tab": "\t", "space": " "}
"""Of a table of CSV, where its option names one."""
_GRID = re.compile(r"[ \t]*\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"[ \t]*=+(?: +=+)+")
_SPANS = re.compile(r"[ \t]*+-(?:[ -]*-)?")
"""A line of a simple table that joins columns of the row above it."""
_FENCED = re.compile(r"(?ms)(^```.*?^```$)")
_TARGET = re.compile(r"(?m)^[ \t]*+\.\. _(`[^`\n]{1,200}+`|[^:\n]{1,200}+):(?:\s{1,9}+(\S{1,500}+))?[ \t]*+$\n?")
_INDIRECT = re.compile(r"`[^`\n]{1,200}+`_|[\w.-]{1,200}_")
"""The name of another target in the place of an address."""
_WITHIN = r"(?:[^`\n]|\n(?![ \t]*+\n))"
"""A character within inline markup, which no blank line parts."""
_INLINE = re.compile(
    rf"(?:\\ )?(?:``(?P<literal>(?>{_WITHIN}{{1,300}}))``|(?::(?P<role>[\w+.:-]{{1,30}}?):|(?<![\w`])_)?`(?P<words>(?>{_WITHIN}{{1,300}}))`(?:__?(?!\w))?)(?:\\ )?"
    r"|\s?\((?:\[(?:#[\w.:+-]{0,50}+|\*|\d{1,4}+)\]_[,;\s]{0,9}+){1,20}\)|\s?\[(?:#[\w.:+-]{0,50}+|\*|\d{1,4}+)\]_(?!\w)|(?<![\w`])(?P<name>[A-Za-z][\w.-]{0,60}?)_(?!\w)"
)
_ADDRESSED = re.compile(r"(?s)(.{1,300})<(?:([^<>\s]{1,300}+)|[^<>]{1,300}+)>")
"""Words with an address, or with the name of a target elsewhere."""
_DOCUMENTS = {"pep": "PEP", "rfc": "RFC"}
"""Roles of the standard that name a document by its number."""
_CELL = re.compile(r"[*+-] ([*+-])(?: (.*))?")
"""The first cell of a row of a list table."""
_MARK = re.compile(r"[ \t]*+(?:[-+*•]|\(?(?:\d{1,3}|#|[A-Za-z])[.)])[ \t]++(?=\S)")
"""Before the text of an item: what is code in it is indented deeper than that."""
_FILLER = "\0"
"""Stands behind a character that is two columns wide, so that places in a drawn table are columns."""
LONGEST_TABLE = 1_000
"""Lines in which the end of a table is looked for."""
DEEPEST = 6
"""Levels of headings that Markdown has."""


def as_markdown(text: str) -> str:
    """Return a text of reStructuredText with the headings, the fenced code and the tables of Markdown."""
    parts = _FENCED.split("\n".join(_rewritten(text.split("\n"))))
    values = {
        " ".join(match[1].split()): " ".join(match[2].split())
        for part in parts[::2]
        for match in _SUBSTITUTION.finditer(part)
    }
    if values:
        parts[::2] = [
            _SUBSTITUTED.sub(lambda name: values.get(" ".join(name[1].split()), name[0]), _SUBSTITUTION.sub("", part))
            for part in parts[::2]
        ]
    written = {
        match[1].strip("`").casefold(): match[2] or "" for part in parts[::2] for match in _TARGET.finditer(part)
    }
    targets = {name: _address(address, written) for name, address in written.items()}
    parts[::2] = [_INLINE.sub(lambda match: _inline(match, targets), _TARGET.sub("", part)) for part in parts[::2]]
    return "".join(parts)


def _address(address: str, written: Mapping[str, str]) -> str:
    """Return an address, or that of the target whose name with `_` stands for it; empty without any."""
    other = written.get(address.strip("`_").casefold(), "") if _INDIRECT.fullmatch(address) else address
    return "" if _INDIRECT.fullmatch(other) else other


def _inline(match: re.Match[str], targets: Mapping[str, str]) -> str:
    """Return inline markup as Markdown: literals, links with their addresses, roles as their words; footnote marks are removed."""
    if match["literal"]:
        return f"`{' '.join(match['literal'].split())}`"
    if match["name"]:
        address = targets.get(match["name"].casefold())
        shown = match["name"] if match["name"].casefold() in targets else match[0]
        return f"[{shown}]({address})" if address else shown
    if not match["words"]:
        return ""
    addressed = _ADDRESSED.fullmatch(match["words"])
    words = " ".join((addressed[1] if addressed else match["words"]).split())
    if match["role"] in ROLES:
        before, behind = ROLES[match["role"]]
        return f"{before}{words}{behind}"
    if match["role"]:
        kind = _DOCUMENTS.get(match["role"], "")
        return f"{kind} {words}" if kind and words.isdigit() else words.lstrip("~!")
    address = addressed[2] if addressed else targets.get(words.casefold())
    return f"[{words}]({address})" if address and match[0].endswith("_") else words


def _rewritten(lines: Sequence[str]) -> Iterator[str]:
    styles: list[tuple[str, bool]] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if title := _title(lines, place):
            name, style, place = title
            if style not in styles:
                styles.append(style)
            yield f"{'#' * min(DEEPEST, styles.index(style) + 1)} {name}"
        elif match := _TABLE.fullmatch(line):
            end = _end_of_block(lines, place)
            table = (_list_table if match[1] == "list" else _csv_table)(lines[place + 1 : end])
            yield from filter(None, [match[2].strip()])
            yield from ["", *(table or lines[place + 1 : end]), ""]
            place = end
        elif match := _MATH.fullmatch(line):
            end = _end_of_block(lines, place)
            yield from [
                "",
                "$$",
                *filter(None, [match[1], *map(str.strip, _content_of(lines[place + 1 : end]))]),
                "$$",
                "",
            ]
            place = end
        elif _GRID.fullmatch(line):
            end = next((at for at in range(place, len(lines)) if lines[at].lstrip()[:1] not in {"+", "|"}), len(lines))
            yield from ["", *(_grid_table(lines[place:end]) or lines[place:end]), ""]
            place = end
        elif _SIMPLE.fullmatch(line) and (end := _end_of_simple(lines, place)):
            yield from ["", *(_simple_table(lines[place:end]) or lines[place:end]), ""]
            place = end
        elif (match := _CODE.fullmatch(line)) or (line.endswith("::") and not line.lstrip().startswith("..")):
            end = _end_of_block(lines, place)
            yield from [] if match or line.strip() == "::" else [line[:-1].rstrip()]
            yield from _fenced(lines[place + 1 : end], match[1] if match else "")
            place = end
        elif _COMMENT.fullmatch(line) and not (place and lines[place - 1].strip()):
            empty = line.strip() == ".." and not "".join(lines[place + 1 : place + 2]).strip()
            place = place + 1 if empty else _end_of_block(lines, place)
        elif match := _DIRECTIVE.fullmatch(line):
            options, place = _options(lines, place)
            yield _shown(match, options)
        else:
            yield line
            place += 1


def _title(lines: Sequence[str], place: int) -> tuple[str, tuple[str, bool], int] | None:
    """Return a section's title, its style and the place below it; None where no title begins."""
    if place and lines[place - 1].strip():
        return None
    above, name, below = (lines[at].rstrip() if at < len(lines) else "" for at in (place, place + 1, place + 2))
    if above and above == below and name and _adorns(above, name.strip()):
        return name.strip(), (above[0], True), place + 3
    if above and not above[0].isspace() and not _ADORNMENT.fullmatch(above) and _adorns(name, above):
        return above, (name[0], False), place + 2
    return None


def _adorns(line: str, name: str) -> bool:
    return _ADORNMENT.fullmatch(line) is not None and len(line) >= min(SHORTEST_ADORNMENT, len(name))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _end_of_block(lines: Sequence[str], place: int) -> int:
    """Return the place behind the lines that are indented below a line, without the blank ones at their end."""
    mark = _MARK.match(lines[place])
    base, end = mark.end() if mark else _indentation(lines[place]), place + 1
    for at in range(place + 1, len(lines)):
        if lines[at].strip():
            if _indentation(lines[at]) <= base:
                break
            end = at + 1
    return end


def _content_of(block: Sequence[str]) -> list[str]:
    """Return the lines of a directive behind its options, without blank ones before them."""
    start = next((at for at, line in enumerate(block) if not _OPTION.fullmatch(line)), len(block))
    while start < len(block) and not block[start].strip():
        start += 1
    return list(block[start:])


def _options(lines: Sequence[str], place: int) -> tuple[dict[str, str], int]:
    """Return the options of a directive, and the place below them."""
    options: dict[str, str] = {}
    name, depth = "", _indentation(lines[place])
    for at in range(place + 1, len(lines)):
        option = _OPTION.fullmatch(lines[at])
        if option and _indentation(lines[at]) > _indentation(lines[place]):
            name, depth = option[1], _indentation(lines[at])
            options[name] = option[2] or ""
        elif name and lines[at].strip() and _indentation(lines[at]) > depth:
            options[name] = f"{options[name]} {lines[at].strip()}"
        else:
            return options, at
    return options, len(lines)


def _shown(directive: re.Match[str], options: Mapping[str, str]) -> str:
    """Return what readers see of a directive itself; one that is not known stays as it is written."""
    indentation, name, words = directive[1], directive[2], (directive[3] or "").strip()
    if not words:
        return ""
    if name in {"image", "figure"}:
        return f"{indentation}![{options.get('alt', '')}]({words})"
    if name in NOTES:
        return f"{indentation}{name.capitalize()}: {words}"
    return f"\n{indentation}**{words}**\n" if name in _TITLED else directive[0]


def _fenced(block: Sequence[str], language: str) -> list[str]:
    content = _content_of(block)
    return ["", *in_fence("\n".join(content), language), ""] if content else []


def _grid_table(block: Sequence[str]) -> list[str]:
    """Return a table whose cells are drawn on all sides as a table of Markdown; empty if cells reach across others."""
    rules = [line.strip() for line in block if _GRID.fullmatch(line)]
    edges = [at for at, char in enumerate(rules[0]) if char == "+"]
    rows: list[list[list[str]]] = []
    new = True
    for line in map(_in_columns, map(str.strip, block)):
        if line.startswith("+"):
            if [at for at, char in enumerate(line) if char == "+"] != edges:
                return []
            new = True
            continue
        if len(line) != len(rules[0]) or any(line[edge] != "|" for edge in edges):
            return []
        cells = [line[left + 1 : right].strip() for left, right in pairwise(edges)]
        _add(rows, cells, new=new)
        new = False
    return _table(rows)


def _in_columns(line: str) -> str:
    return "".join(char + _FILLER if east_asian_width(char) in {"W", "F"} else char for char in line)


def _add(rows: list[list[list[str]]], cells: Sequence[str], *, new: bool) -> None:
    if new:
        rows.append([[] for _ in cells])
    for cell, text in zip(rows[-1], cells, strict=True):
        cell.append(text.replace(_FILLER, ""))


def _table(rows: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    return pipe_table([[" ".join(filter(None, cell)) for cell in row] for row in rows])


def _end_of_simple(lines: Sequence[str], place: int) -> int:
    """Return the line after a table between lines of `===`, whose last one comes before a blank line; 0 without such a table."""
    for at in range(place + 1, min(len(lines), place + LONGEST_TABLE)):
        if _SIMPLE.fullmatch(lines[at]) and (at + 1 == len(lines) or not lines[at + 1].strip()):
            return at + 1
        if lines[at].strip() and _indentation(lines[at]) < _indentation(lines[place]):
            return 0
    return 0


def _simple_table(block: Sequence[str]) -> list[str]:
    """Return a table whose columns stand below `===` as a table of Markdown; a row without a first cell belongs to the one above."""
    starts = [match.start() for match in re.finditer("=+", block[0])]
    rows: list[list[list[str]]] = []
    for line, below in zip(map(_in_columns, block), [*block[1:], ""], strict=True):
        if line.strip() and not _SIMPLE.fullmatch(line) and not _SPANS.fullmatch(line):
            cells = _cells(line, starts, below)
            _add(rows, cells, new=not rows or cells[0] != "")
    return _table(rows)


def _cells(line: str, starts: Sequence[int], below: str) -> list[str]:
    """Return the cells of a line above another; what stands across columns is in the first of them, and no word is in two."""
    own = [start for start in starts if not _SPANS.fullmatch(below) or below[start - 1 : start] != "-"]
    cuts = [at + len(line[at:].split(" ", 1)[0]) if line[at - 1 : at].strip() else at for at in own[1:]]
    ends = zip([own[0], *cuts], [*cuts, len(line)], strict=True)
    texts = dict(zip(own, (line[left:right].strip() for left, right in ends), strict=True))
    return [texts.get(start, "") for start in starts]


def _list_table(block: Sequence[str]) -> list[str]:
    """Return a table that is written as a list of lists as a table of Markdown; empty if its rows differ in their cells."""
    rows: list[list[list[str]]] = []
    inner = -1
    mark = ""
    for line in _content_of(block):
        text, depth = line.strip(), _indentation(line)
        if (inner < 0 or depth == inner - 2) and (match := _CELL.fullmatch(text)):
            rows.append([[match[2] or ""]])
            inner, mark = depth + 2, match[1]
        elif rows and depth == inner and text.startswith(mark) and text[1:2] in {"", " "}:
            rows[-1].append([text[1:].strip()])
        elif rows and text:
            rows[-1][-1].append(text)
    return _table(rows) if len({len(row) for row in rows}) == 1 else []


def _csv_table(block: Sequence[str]) -> list[str]:
    """Return a table that is written as CSV as a table of Markdown; empty if it is none."""
    options = {match[1]: match[2] or "" for match in map(_OPTION.fullmatch, block) if match}
    delimiter = options.get("delim", ",")
    text = "\n".join([options.get("header", ""), *map(str.strip, _content_of(block))])
    return pipe_table(csv_rows(text, _DELIMITERS.get(delimiter, delimiter), options.get("quote", '"')))
