"""Rewrites AsciiDoc as Markdown, by the reference of its language (docs.asciidoctor.org/asciidoc/latest), line by line.

A table that is broken, and a delimiter that nothing closes, stay as they are written.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from services.search.files.shown_html import LONGEST_LABEL
from services.text.code_blocks import in_fence
from services.text.tables import csv_rows, pipe_table

_DELIMITER = re.compile(r"-{4,}+|\.{4,}+|={4,}+|\*{4,}+|_{4,}+|\+{4,}+|/{4,}+|--|```[\w+#-]{0,30}+|[|,:]={3,}+")
_UNSEEN = re.compile(r"(?:include|ifn?def|ifeval|endif)::[^\[\]]{0,500}+\[.*\]|//(?!/).*|\[\[[^\[\]]{1,200}+\]\]")
"""A line that shows nothing."""
_ATTRIBUTES = re.compile(r"\[(?=[\w.#%,\"'])[^\[\]]{1,500}+\]")
_LANGUAGE = re.compile(r"\[source[^,\]]{0,50}+,[ \t]*+(?:language=)?\"?([\w+#-]{1,30}+)")
_COLUMNS = re.compile(r"\bcols=(?:\"([^\"]{1,300}+)\"|(\d{1,2}))")
_REPEATED = re.compile(r"\s*(\d{1,2})\*")
_FORMAT = re.compile(r"\bformat=\"?([cdt]sv)")
_DELIMITERS = {"tsv": "\t", "dsv": ":", ":": ":"}
"""Of a table that is no CSV."""
_NOTE = re.compile(r"\[(NOTE|TIP|IMPORTANT|CAUTION|WARNING)\b")
_ENTRY = re.compile(r":!?(\w[\w-]{0,60}+)!?:(?:[ \t]++(.*))?")
_REFERENCE = re.compile(r"(?<!\\)\{(\w[\w-]{0,60}+)\}")
MAX_VALUE = 60
"""Characters of a named value that is inserted."""
_FIELDS = {
    "author": "Author",
    "authors": "Author",
    "date": "Date",
    "revdate": "Date",
    "revnumber": "Version",
    "description": "Description",
}
_AUTHORS = re.compile(r"(?:\w[\w.'-]{0,40}+(?: \w[\w.'-]{0,40}+){0,2}(?: <[^<>]{1,200}+>)?(?:; |$)){1,40}")
_REVISION = re.compile(r"v?(\d[\w.]{0,20}+)(?:, *+(\w[^:]{1,40}+))?(?::.*)?|(\d{4}-\d\d-\d\d)")
_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]++(\S.*+)")
_UNDERLINES = "=-~^+"
"""Lines below titles, from the document's down."""
MAX_DIFFERENCE = 2
"""Characters by which the line below a title may be longer or shorter."""
LONGEST_LEAD = 1_000
"""Characters of terms that share a text."""
_BLOCK_TITLE = re.compile(r"\.([^\s.].*)")
_ITEM = re.compile(r"[ \t]*+(\*{1,6}|-|\.{1,6})[ \t]++(\S.*)")
_TERM = re.compile(r"[ \t]*+(\S.{0,300}?)(?::{2,4}|;;)(?:[ \t]++(\S.*))?")
_CELL = re.compile(
    r"(?:(?<=\s)|\A)(?:(?P<across>\d{1,2}+)?(?:\.(?P<down>\d{1,2}+))?(?P<span>[+*]))?[<^>.]{0,4}[adehlmsv]?\||(?<!\\)\|"
)
"""A bar, before which the cells are told that the next one takes, or its copies; any other text before it is of the cell before."""
MAX_COPIES = 20
_SHOWN_IF = re.compile(r"ifn?def::[^\[\]]{1,500}+\[([^:\[\]].*)\]")
"""A line that is shown with some settings of the document."""
_INLINE = re.compile(
    r"(?P<code>`{1,3}[^`]{1,300}+`{1,3})|(?<![\w+`])\+(?=[^\s+])(?P<plus>[^+`]{1,300}+)(?<!\s)\+(?![\w+])"
    r"|(?<!\w)(?:link:(?P<link>[^\s\[\]]{1,500}+)|(?P<address>(?:https?|ftp)://[^\s\[\]<>]{1,500}+))\[(?P<label>[^\[\]]{0,300}+)\]"
    r"|(?<!\w)xref:(?P<target>[^\s\[\]]{1,300}+)\[(?P<named>[^\[\]]{0,300}+)\]|<<(?P<id>[^<>,]{1,200}+)(?:,\s{0,9}(?P<words>[^<>]{1,300}+))?>>"
    r"|(?P<bare>(?:https?|ftp)://[^\s\[\]<>]{1,500}+)|[ ]?\bfootnote:[\w-]{0,60}+\[(?P<note>[^\[\]]{1,500}+)\]|(?P<anchor>\[\[[^\[\]]{1,200}+\]\])"
    r"|(?<![\w*\\\]])(?:\[[.#][\w.#-]{1,40}+\])?\*(?![\s*])(?P<bold>[^*]{1,300}+)(?<!\s)\*(?![\w*])|(?<![\w\]])\[[\w.#%-]{1,40}+\]#(?P<marked>[^#]{1,300}+)#|(?<![\w\\])_(?![\s_])(?P<italic>[^_]{1,300}+)(?<!\s)_(?!\w)"
)


def as_markdown(text: str) -> str:
    """Return a text of AsciiDoc with the headings, fields, lists, links, tables and fenced code of Markdown."""
    written: list[str] = []
    for line in _Reader([line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]).read():
        written += [line] if line or (written and written[-1]) else []
    return "\n".join(written).rstrip("\n")


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.values: dict[str, str] = {}
        self.attributes = ""
        """Of the block that comes next."""
        self.lead = ""
        """Terms, or the kind of a note, before the text that comes next."""
        self.in_header = True
        self.closing: set[int] = set()
        """Lines that end a block which holds others."""
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        """Of delimiters."""
        for place, line in enumerate(lines):
            if _DELIMITER.fullmatch(line):
                self.places[line].append(place)

    def read(self) -> Iterator[str]:
        place = 0
        while place < len(self.lines):
            shown, place = self._unseen(place) or self._block(place) or self._title(place) or self._prose(place)
            yield from shown
        yield self.lead.rstrip()

    def _unseen(self, place: int) -> tuple[list[str], int] | None:
        """Read a line that only tells what others are."""
        line = self.lines[place]
        if place in self.closing or line == "+":
            return [""], place + 1
        if _ATTRIBUTES.fullmatch(line):
            note = _NOTE.match(line)
            self.attributes, self.lead = f"{self.attributes}{line}", f"{note[1].capitalize()}: " if note else self.lead
        elif entry := _ENTRY.fullmatch(line):
            name, value = entry[1].lower(), _valued(entry[2] or "", self.values)
            self.values |= {name: value} if len(value) <= MAX_VALUE else {}
            if self.in_header and value and name in _FIELDS:
                return [f"{_FIELDS[name]}: {value}"], place + 1
        elif not _UNSEEN.fullmatch(line):
            return None
        return [], place + 1

    def _block(self, place: int) -> tuple[list[str], int] | None:
        """Read what stands between delimiters: code, a table or a comment whole; of any other block the first of them."""
        line = self.lines[place]
        closing = self.places.get("```" if line.startswith("```") else line, [])
        after = bisect(closing, place)
        if not _DELIMITER.fullmatch(line) or after == len(closing):
            return None
        end, attributes, self.attributes = closing[after], self.attributes, ""
        if line == "--" or line[0] in "=*_+":
            self.closing.add(end)
            return [""], place + 1
        block = self.lines[place : end + 1]
        return ([] if line[0] == "/" else ["", *_kept(block, attributes, self.values), ""]), end + 1

    def _title(self, place: int) -> tuple[list[str], int] | None:
        title = _title(self.lines, place)
        if title is None:
            return None
        level, words, height = title
        self.in_header, self.attributes, place = self.in_header and level == 1, "", place + height
        fields = _signed(self.lines[place : place + 2]) if self.in_header else [""]
        heading = f"{'#' * level} {_inline(_valued(words, self.values))}"
        return ["", heading, *fields], place + (len(fields) if self.in_header else 0)

    def _prose(self, place: int) -> tuple[list[str], int]:
        line = self.lines[place]
        self.in_header = self.in_header and not line
        self.attributes = "" if line and not _BLOCK_TITLE.fullmatch(line) else self.attributes
        if not line:
            return [""] * (not self.lead), place + 1
        shown = _line(_valued(line.removesuffix(" +"), self.values))
        if _leads(line) and len(self.lead) < LONGEST_LEAD:
            self.lead = f"{self.lead.replace(': ', ', ')}{shown} "
            return [], place + 1
        lead, self.lead = self.lead, ""
        return [f"{lead}{shown.lstrip()}" if lead else shown], place + 1


def _kept(block: Sequence[str], attributes: str, values: Mapping[str, str]) -> list[str]:
    """Return code in a fence, or the table of a block with its delimiters."""
    if block[0][0] in "|,:" and block[0][1] == "=":
        lines = [shown[1] if (shown := _SHOWN_IF.fullmatch(line)) else line for line in block]
        lines = [line for line in lines if not _UNSEEN.fullmatch(line)]
        text = "\n".join(lines[1:-1])
        data = _FORMAT.search(attributes)
        if data or block[0][0] != "|":
            delimiter = _DELIMITERS.get(data[1] if data else block[0][0], ",")
            return (
                pipe_table([[_inline(_valued(cell, values)) for cell in row] for row in csv_rows(text, delimiter)])
                or lines
            )
        return pipe_table(_rows(text, attributes, values)) or lines
    language = _LANGUAGE.search(attributes)
    return in_fence("\n".join(block[1:-1]), language[1] if language else block[0].strip("`-."))


def _rows(text: str, attributes: str, values: Mapping[str, str]) -> list[list[str]]:
    """Return the rows of a table by the number of its columns, which attributes or the cells of its first line tell.

    A cell is repeated in the rows that it takes, and among the heads in its columns; elsewhere its other columns are empty.
    """
    text = text.strip("\n")
    cells = list(_CELL.finditer(text))
    told = _COLUMNS.search(attributes)
    first_line = sum(_across(cell) for cell in cells if cell.start() < len(text.partition("\n")[0]))
    repeated = [_REPEATED.match(column) for column in told[1].split(",")] if told and told[1] else []
    width = sum(int(times[1]) if times else 1 for times in repeated) or (int(told[2]) if told else first_line)
    if not cells or not width or text[: cells[0].start()].strip():
        return []
    rows: list[list[str]] = []
    row: list[str] = []
    below: list[tuple[int, str]] = [(0, "")] * width
    """How many further rows the cell of each column takes, and its text."""
    ends = [*(cell.start() for cell in cells[1:]), len(text)]
    for cell, end in zip(cells, ends, strict=True):
        shown = _inline(_valued(" ".join(text[cell.end() : end].replace("\\|", "|").split()), values))
        copies = min(_across(cell), MAX_COPIES) if cell["span"] == "*" and len(shown) <= LONGEST_LABEL else 1
        across, down = (_across(cell), int(cell["down"] or 1)) if cell["span"] == "+" else (1, 1)
        for _ in range(copies):
            for place in range(across):
                if not place or len(row) < width:
                    row.append("" if place and (rows or len(shown) > LONGEST_LABEL) else shown)
                    below[len(row) - 1] = (down - 1, row[-1] if len(shown) <= LONGEST_LABEL else "")
            _follow(row, below)
            if len(row) >= width:
                rows.append(row)
                row = []
                least = min(rest for rest, _ in below)  # rows that have no cells of their own
                below = [(rest - least, label) for rest, label in below]
                _follow(row, below)
    return [*rows, row] if any(row) else rows


def _follow(row: list[str], below: list[tuple[int, str]]) -> None:
    """Let a row go on with the cells that reach into it from above."""
    while len(row) < len(below) and below[len(row)][0]:
        rest, label = below[len(row)]
        below[len(row)] = (rest - 1, label)
        row.append(label)


def _across(cell: re.Match[str]) -> int:
    return int(cell["across"] or 1) if cell["span"] else 1


def _title(lines: Sequence[str], place: int) -> tuple[int, str, int] | None:
    """Return the level, the words and the number of lines of a title that a line begins; None where none begins."""
    line, below = (*lines[place : place + 2], "")[:2]
    if marked := _TITLE.fullmatch(line):
        return len(marked[1]), marked[2].removesuffix(f" {marked[1]}").rstrip(), 1
    above = lines[place - 1] if place else ""
    begins = not above or _ATTRIBUTES.fullmatch(above) or _UNSEEN.fullmatch(above)
    underlined = len(below) > 2 and below[0] in _UNDERLINES and below == below[0] * len(below)
    if not (begins and underlined and re.search(r"[^\W_]", line) and abs(len(line) - len(below)) <= MAX_DIFFERENCE):
        return None
    return None if line[0] in ". \t" or _leads(line) else (_UNDERLINES.index(below[0]) + 1, line, 2)


def _signed(lines: Sequence[str]) -> list[str]:
    """Return the lines of authors and of the revision, which come right below a document's title, as fields."""
    if not lines or not _AUTHORS.fullmatch(lines[0]):
        return []
    fields = [f"Author: {lines[0]}"]
    if len(lines) > 1 and (revision := _REVISION.fullmatch(lines[1])):
        date, version = revision[3] or revision[2], revision[1]
        fields.append("\n".join([f"Version: {version}"] * bool(version) + [f"Date: {date}"] * bool(date)))
    return fields


def _valued(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of the names in it, `{name}`, that the document has defined above."""
    return _REFERENCE.sub(lambda name: values.get(name[1].lower(), name[0]), text) if values else text


def _leads(line: str) -> bool:
    term = _TERM.fullmatch(line)
    return term is not None and not term[2]


def _line(line: str) -> str:
    """Return a line of prose, an item or a term."""
    if caption := _BLOCK_TITLE.fullmatch(line):
        return f"**{_inline(caption[1])}**\n"
    if item := _ITEM.fullmatch(line):
        indentation = "  " * (len(item[1]) - 1)
        return f"{indentation}{'1.' if item[1][0] == '.' else '-'} {_inline(item[2])}"
    if term := _TERM.fullmatch(line):
        return _inline(f"{term[1]}:{' ' + term[2] if term[2] else ''}")
    return _inline(line)


def _inline(text: str) -> str:
    """Return prose with the links, emphasis and literals of Markdown; notes stand in brackets where they are made."""
    return _INLINE.sub(_replaced, text)


def _replaced(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    words = match[kind]
    if kind == "label":
        address = match["link"] or match["address"]
        return f"[{words.removesuffix('^')}]({address})" if words.removesuffix("^") else address
    if kind in {"note", "anchor"}:
        return f" ({words})" if kind == "note" else ""
    around = {"plus": "`", "bold": "**", "italic": "*"}.get(kind, "")
    return f"{around}{words or match['target']}{around}"
