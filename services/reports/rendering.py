"""Writes blocks of a report as Markdown; what their texts hold is never a link, an image, HTML or a block of its own."""

import re
from collections.abc import Iterable, Sequence

from schemas.document import (
    Alignment,
    Block,
    Citation,
    Code,
    Display,
    Drawing,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Rule,
    Style,
    Table,
    Text,
)
from services.reports.charts.written import chart_comment, chart_table
from services.reports.citation_forms import INFERENCE
from services.reports.document import changed, unmarked
from services.reports.sentences import cited_in_head, cited_once, lines_of
from services.reports.statuses import SIGNS

_SPECIAL = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|`|(?<!\s)\*|\*(?!\s)|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|"
    r"\](?=[(\[:])|\[(?=[BEMT]\d+-\d+\]|⇒\])|!(?=\[)|&(?=#?\w+;)"
)
"""A character that may be read as markup where it stands."""
_IN_LINK = re.compile(rf"{_SPECIAL.pattern}|[\[\]]")
"""The same in the words of a link, in which brackets come in pairs."""
_BLOCK_START = re.compile(
    r"\A(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|\d{1,9}(?=[.)](?:\s|$))|[>=|]|`{3}|~{3}|(?=[-*_:|])[-*_:|\s]+$|\[(?![BEMT]\d+-\d+\])(?=[^\]]*\]:))"
)
_RULES: dict[Alignment, str] = {"": "---", "left": "---", "right": "---:", "center": ":---:"}
"""Markdown below a column's heading, by alignment."""
_ADDRESS = re.compile(r"(?i)\b(?:(?:https?|ftp)(?=://)|www(?=\.))")
"""What of an address makes a link of it, up to where a backslash keeps it from that."""
_MARKS: dict[Style, str] = {"strong": "**", "emphasis": "*"}


def to_markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown: citations as numbered links, or as ids where they have no numbers yet."""
    return "\n\n".join(filter(None, map(_block, blocks)))


def to_draft(blocks: Iterable[Block]) -> str:
    """Return checked blocks as a model writes them: with ids as citations, and of the marks only those of inferences."""
    return to_markdown(changed(block, _drafted) for block in blocks)


def _drafted(content: Inlines) -> Inlines:
    inference = Citation(0, "", (INFERENCE,))
    kept = unmarked(content, inferred=True)
    return tuple(inference if isinstance(inline, Mark) else inline for inline in kept)


def inline_markdown(content: Inlines) -> str:
    """Return inlines as the Markdown of one paragraph."""
    written = (_BLOCK_START.sub(_escaped_start, _line(line)) for line in lines_of(content))
    return "  \n".join(filter(None, written))


def _fenced(text: str, language: str) -> str:
    """Return code in a fence that is longer than any run of backticks in the code."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _block(block: Block) -> str:
    match block:
        case Paragraph(content=content):
            return inline_markdown(cited_once(content))
        case Heading(level=level, content=content):
            return f"{'#' * level} {_line(content)}"
        case Listing(items=items, ordered=ordered, start=start, tight=tight):
            marks = (f"{start + place}. " if ordered else "- " for place in range(len(items)))
            return "\n".join(_item(mark, item, tight=tight) for mark, item in zip(marks, items, strict=True))
        case Quotation(blocks=blocks):
            return "\n".join(f"> {line}".rstrip() for line in to_markdown(blocks).split("\n"))
        case Table(aligned=aligned):
            table = cited_in_head(block)
            written = [[*map(_cell, table.header)], [_RULES[side] for side in aligned]] if table.header else []
            written += [[*map(_cell, row)] for row in table.rows]
            return "\n".join(f"| {' | '.join(row)} |" for row in written)
        case Code(text=text, language=language):
            return _fenced(text, language)
        case Display(latex=latex):
            return f"$${latex}$$"
        case Drawing(chart=chart, citations=citations):
            return f"{_block(chart_table(chart, citations))}\n\n{chart_comment(chart)}"
        case Rule():
            return "---"
    return ""


def _item(mark: str, blocks: Sequence[Block], *, tight: bool) -> str:
    written = ("\n" if tight else "\n\n").join(filter(None, map(_block, blocks)))
    return re.sub(r"(?m)^[ \t]+$", "", mark + written.replace("\n", "\n" + " " * len(mark)))


def _cell(content: Inlines) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", _line(content))


def _line(content: Sequence[Inline]) -> str:
    """Write inlines on one line, with marks of style that open behind a blank and close before one."""
    written: list[str] = []
    open_styles: list[Style] = []
    blank = ""
    for inline, styles in zip(content, _styles(content), strict=True):
        text = _inline(inline)
        core = text.strip()
        blank += text[: len(text) - len(text.lstrip())] if core else text
        if not core:
            continue
        while not styles.issuperset(open_styles):
            written.append(_MARKS[open_styles.pop()])
        written += [blank] if blank else []
        for style, mark in _MARKS.items():
            if style in styles and style not in open_styles:
                open_styles.append(style)
                written.append(mark)
        if core.startswith("[") and written and written[-1].endswith("!"):
            written[-1] = f"{written[-1][:-1]}\\!"  # else it would be an image
        written.append(core)
        blank = text[len(text.rstrip()) :]
    return "".join([*written, *(_MARKS[style] for style in reversed(open_styles))]).strip()


def _styles(content: Sequence[Inline]) -> list[frozenset[Style]]:
    """Return the styles of inlines; an inline without its own styles takes those that both its neighbours have."""
    sides: list[list[frozenset[Style]]] = []
    for inlines in (content, content[::-1]):
        styles: frozenset[Style] = frozenset()
        sides.append([styles := inline.styles if isinstance(inline, Text) else styles for inline in inlines])
    return [before & after for before, after in zip(sides[0], sides[1][::-1], strict=True)]


def _inline(inline: Inline) -> str:
    match inline:
        case Text(text=text, styles=styles):
            return _code(text) if "code" in styles else _plain(text)
        case Formula(latex=latex, display=display):
            return f"$${latex}$$" if display else f"${latex}$"
        case Citation(number=0, excerpts=excerpts):
            return "".join(f"[{key}]" for key in excerpts)
        case Citation(number=number, link=link):
            return f"[[{number}]]({link})"
        case Link(text=text, link=link) if text == link:
            return f"<{link}>"
        case Link(text=text, link=link):
            return f"[{_plain(text, _IN_LINK)}]({link})"
        case Mark(status=status):
            return SIGNS[status]
    return ""


def _plain(text: str, special: re.Pattern[str] = _SPECIAL) -> str:
    """Write a text as it is, on one line; addresses in it do not become links of themselves."""
    return _ADDRESS.sub(r"\g<0>\\", special.sub(_escaped, re.sub(r"[\r\n]+", " ", text)))


def _code(text: str) -> str:
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks} {text} {ticks}" if text.startswith("`") or text.endswith("`") else f"{ticks}{text}{ticks}"


def _escaped(match: re.Match[str]) -> str:
    return "&amp;" if match[0] == "&" else f"\\{match[0]}"


def _escaped_start(match: re.Match[str]) -> str:
    return f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}"
