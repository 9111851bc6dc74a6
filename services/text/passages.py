"""Splitting a stored text on its structure into passages and sentences, with exact offsets."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

from services.text.code_blocks import CODE, FENCE_LINE, FENCED, blocks, parts_of_code
from services.text.numerals import month_names
from services.text.page_numbers import is_page
from services.text.quotable import linked_words
from services.text.spans import EnclosingLines, Span
from services.text.wrapped_lines import is_value_line, is_wrap

TARGET = 900
"""Characters of a passage in scripts with spaces; Chinese says the same in half as many."""
LONGEST_HEADING = 200
"""Characters of a heading that its passages carry; one of a whole page would be repeated with each of them."""
LONGEST_WHOLE = 3
"""Passages whose characters a table or code may have to stay whole."""
_CJK_SHARE = 0.3
_INTRODUCES = (":", "：", "{", "[")
"""Ends of a text that introduces the list, table, code or object below it."""
ATTRIBUTES = re.compile(r"(?:--|[—―]{1,2})(?!-)[^\n]*\Z")
"""A line that says whose words stand above it."""
_ANY_HEADING = re.compile(r"(?m)^#{1,6}[ \t]++([^\n]++)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Lt|Col|Gen|Capt|Cmdr|Adm|Rev|Hon|Sir|No|Nos|Vol|Fig|Eq|pp|p|ca|c|cf|vs|etc|al|[Ee]\.g|[Ii]\.e|"
    r"Inc|Ltd|Co|Corp|approx|est|[Cc]h|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|U\.S|U\.K|H\.M\.S|R\.N)|\b[A-Z])\.$|\((?:b|d|fl|r)\.$"
)
_DAY = re.compile(r"(?<![\w.,])(?:0?[1-9]|[12]\d|3[01])\.\Z")
_BEHIND_DAY = re.compile(r"[ \n]([^\W\d_]{3,12})\b")
"""The word behind the day of a date with a stop: `30. Juni`."""
_GOES_ON = "\"'”’)]!?"
"""Marks behind which a small letter goes on with the sentence: `(Smith et al.) found`, `await! was kept`."""
_END = re.compile(
    rf"(?m)(?P<code>{CODE})|(?P<row>^[ \t]*+\|[^\n]*\|[ \t]*+$)"
    r"|(?P<inside>\[(?>(?:[^\[\]\n]|\n(?![ \t]*\n)){1,300})\]\([^()\s]{1,500}+(?:\s\"[^\"\n]{0,200}+\")?\)|(?<!`)`[^`\n]{1,300}+`(?!`)"
    r"|(?<!\w)\"(?=\S)[^\"\n]{1,300}?(?=[.!?]?\"(?!\w))|“[^“”\n]{1,300}?(?=[.!?。！？]?”))"
    r"|(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s|\Z)|[。！？；।॥؟۔]++(?![》〉])[”’」』）]*+(?:\*{1,3}(?![*\w]))?|(?<=: )…(?= )|\n++"
)
"""What ends a sentence: a stop, a line end, what stands for an omission behind a colon; code and a row of a table are each one by
themselves, and within a link, a literal or a quotation nothing ends."""
_TABLE_HEAD = re.compile(r"[ \t]*+\|(?:[^\n]*\n[ \t]*+\|)?(?=[^\n]*-)[ \t|:-]*+(?:\n|\Z)")
"""The headings of a table with the rule below them, or the rule alone."""
_HEADING_LINE = re.compile(rf"(?<![^\n])#{{1,6}}[ \t][^\n]{{1,{LONGEST_HEADING}}}(?:\n|\Z)")
_FIELDS = re.compile(r"\A(?>(?:[^\W\d_][^:：\n]{0,39}+[:：][^\n]*+(?>(?:\n[ \t]++[^\n]*+)*)\n?){2,})")
"""Lines of names with their values, as at the beginning of a mail or a proposal: its card has them."""
Kind = Literal["sentence", "title", "value"]
"""What a sentence of a text is: one, a title, or a name with its value on a line of its own."""
_STOP_AT_END = re.compile(r"[.!?。！？…;；:：।؟۔][\"'”’)\]」』）]{0,3}\Z")
_ITEM_LINE = re.compile(r"[-*+•>|]|\(?\w{1,2}[.)、]\s")


def split(text: str, target: int | None = None) -> list[Span]:
    """Split a text into passages that end with paragraphs, table rows or sentences and never cross a heading.

    Args:
        text: normalised.
        target: most characters of a passage; by default 900, and half as many where the text is mostly Chinese.

    Returns:
        Passages in order, without blank ones; a heading, and the fields that a text begins with, belong to the passage below. What ends with a colon stands in
        one passage with what it introduces, and the line that says whose words they are with these, if both together have at most twice the characters.
    """
    return list(each_passage(text, target))


def each_passage(text: str, target: int | None = None) -> Iterator[Span]:
    """Yield the passages that `split` returns, one at a time."""
    if target is None:
        target = TARGET // 2 if _cjk_share(text) > _CJK_SHARE else TARGET
    headings: dict[int, str] = {}
    page = ""
    lines = [match[0] for match in _ANY_HEADING.finditer(FENCED.sub("", text))]
    known = [*filter(None, (_heading(line) for line in lines if not is_page(line)))]
    times, levels = Counter(name for _, name in known), [level for level, _ in known]
    is_titled = levels.count(min(levels, default=0)) == 1
    enclosing = EnclosingLines(text)
    start = end = -1
    first = len(text) - len(text.lstrip())
    only_headings = True

    def passage() -> Span:
        path = [*headings.values()]
        if page and len(path) <= is_titled:
            path.append(page)
        below_another = path[1 + is_titled :][
            -1:
        ]  # `For defaults` below `Future work` is not what it is below `Decision`
        shared = frozenset([*(name for name in path if times[name] > 1), *below_another])
        return Span(start, end, " > ".join(path), enclosing.lines_above(start, end), shared=shared)

    for block in _blocks(text, target):
        written = text[block.start : block.end]
        begins_line = text[block.start - 1 : block.start] in {"", "\n"}
        heading = _heading(written) if begins_line and not block.code else None
        together = start >= 0 and (text[end - 1 : end] in _INTRODUCES or ATTRIBUTES.match(written) is not None)
        max_chars = 2 * target if together else target
        if start >= 0 and (heading is not None or block.end - start > max_chars) and not only_headings:
            yield passage()
            start = -1
        if heading is not None:
            level, name = heading
            if is_page(written):
                page = name
            else:
                headings = {depth: above for depth, above in headings.items() if depth < level} | {level: name}
        heads = (begins_line and _only_headings(written)) or (
            block.start == first and _FIELDS.fullmatch(written) is not None
        )
        only_headings = (start < 0 or only_headings) and not block.code and heads
        if start < 0:
            start = block.start
        end = block.end
    if start >= 0:
        yield passage()


def _only_headings(text: str) -> bool:
    return all(_heading(line) for line in text.split("\n") if line.strip())


def _heading(text: str) -> tuple[int, str] | None:
    """Return level and words of a Markdown heading, without addresses of links; None if the text is no heading."""
    level = len(text) - len(text.lstrip("#"))
    if not 1 <= level <= 6 or not text[level : level + 1].isspace():
        return None
    name = text[level:].strip().rstrip("#").rstrip()
    return None if "\n" in name else (level, linked_words(name)[:LONGEST_HEADING])


def _blocks(text: str, target: int) -> Iterator[Span]:
    """Yield headings, paragraphs, code, and pieces of what is longer than a passage."""
    for first, end, code in blocks(text):
        start = first
        first_line_end = text.find("\n", start, end)
        heading: list[Span] = []
        if first_line_end > 0 and not code and _heading(text[start:first_line_end]):
            heading.append(Span(start, first_line_end))
            start = first_line_end + 1
        whole = code or text.startswith("|", start)
        for block in chain(heading, _fitting(text, start, end, target, LONGEST_WHOLE * target if whole else target)):
            if code:
                yield replace(block, code=True)
            elif (stripped := _strip(text, block.start, block.end)) is not None:
                yield stripped


def _fitting(text: str, start: int, end: int, target: int, max_chars: int) -> Iterator[Span]:
    if end - start <= max_chars:
        yield Span(start, end)
        return
    piece: Span | None = None
    for sentence in _each_sentence(text[start:end]):
        left, right = start + sentence.start, start + sentence.end
        if piece is not None and right - piece.start <= target:
            piece = Span(piece.start, right)
            continue
        for part in _cut(text, left, right, 2 * target):
            if piece is not None:
                yield piece
            piece = part
    if piece is not None:
        yield piece


def _cut(text: str, start: int, end: int, max_chars: int) -> Iterator[Span]:
    """Yield parts of so many characters or up to a quarter fewer, which end with a line if they can, else with a word."""
    while end - start > max_chars:
        gaps = (text.rfind(mark, start + max_chars * 3 // 4, start + max_chars) for mark in "\n ")
        gap = next((place for place in gaps if place > 0), 0)
        yield Span(start, gap or start + max_chars)
        start = gap + 1 if gap else start + max_chars
    yield Span(start, end)


def sentences(text: str, *, in_code: bool = False) -> list[Span]:
    """Split a text into sentences, English and Chinese, rows of tables and parts of code; abbreviations, initials and decimals end none.

    `in_code` says that the text begins amid code, whose end then is the first line that is nothing but a fence.
    """
    return list(_each_sentence(text, in_code=in_code))


def _each_sentence(text: str, *, in_code: bool = False) -> Iterator[Span]:
    start = 0
    if in_code:
        fence = FENCE_LINE.search(text)
        start = fence.end() if fence else len(text)
        yield from parts_of_code(text, 0, start)
    for mark in _END.finditer(text, start):
        if mark["inside"]:
            continue
        if mark["code"] or mark["row"]:
            if (before := _strip(text, start, mark.start())) is not None:
                yield before
            yield from parts_of_code(text, *mark.span()) if mark["code"] else [Span(*mark.span())]
            start = mark.end()
            continue
        if mark.group()[0] != "\n" and _HEADING_LINE.match(text, start):
            continue
        if _goes_on(text, start, mark):
            continue
        if mark.group()[0] == "\n" and mark.start() > start and is_wrap(text, mark.start(), mark.end()):
            continue
        span = _strip(text, start, mark.start() if mark.group()[0] in "\n…" else mark.end())
        if span is not None:
            yield span
        start = mark.end()
    if (last := _strip(text, start, len(text))) is not None:
        yield last


def _goes_on(text: str, start: int, mark: re.Match[str]) -> bool:
    """Tell whether a sentence goes on behind a stop: after an abbreviation, before a small letter or a day's month, and after the number of an item."""
    stop = mark.group()
    if stop[-1] in _GOES_ON and text[mark.end() : mark.end() + 2].strip()[:1].islower():
        return True
    if stop[0] != ".":
        return False
    word = _BEHIND_DAY.match(text, mark.end()) if _DAY.search(text[max(start, mark.end() - 4) : mark.end()]) else None
    if word is not None and word[1].lower() in month_names():
        return True
    abbreviated = _ABBREVIATION.search(text[max(start, mark.end() - 12) : mark.end()])
    return bool(abbreviated) or (stop == "." and text[start : mark.start()].strip().isdecimal())


def statements(text: str) -> list[Span]:
    """Split a text into what states something by itself: a semicolon ends nothing, and what has no words belongs to what precedes."""
    spans: list[Span] = []
    for span in sentences(text):
        if spans and (text[spans[-1].end - 1] in "；;" or not re.search(r"\w", text[span.start : span.end])):
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
    return spans


def kind_of(text: str, start: int, end: int) -> Kind:
    """Return the kind of a sentence of a text: a title is a line without a stop between blank lines, with something below it, or heads a table."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    line = text[first:last].strip()
    if is_value_line(text, first):
        return "value"
    if _HEADING_LINE.match(text, first) or is_table_head(text, first):
        return "title"
    apart = text[:first].endswith("\n\n") or not text[:first].strip()
    apart = apart and (text[last : last + 2] == "\n\n" or is_value_line(text, last + 1))
    short = len(line) <= LONGEST_HEADING and "\n" not in line
    return "title" if apart and short and not _STOP_AT_END.search(line) and not _ITEM_LINE.match(line) else "sentence"


def is_table_head(text: str, start: int) -> bool:
    """Tell whether a line of a text gives the headings of a table, or is the rule below them."""
    return _TABLE_HEAD.match(text, start) is not None


def may_join(quoted: Sequence[Kind], beside: Kind, *, above: bool = False) -> bool:
    """Tell whether what stands below a quote, or above it, can be part of it: titles and values are no part of sentences."""
    if "sentence" not in quoted and "value" not in quoted:
        return not above
    return beside == ("sentence" if "sentence" in quoted else "value") and not (above and quoted[0] == "title")


def _strip(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if end > start else None


def _cjk_share(text: str) -> float:
    sample = text[:4_000]
    return sum("\u3400" <= char <= "\u9fff" for char in sample) / max(1, len(sample))
