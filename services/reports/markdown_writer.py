"""A parsed report as Markdown again: parsed once more it is the same report."""

import re
from collections.abc import Sequence

from services.reports.charts.fences import LANGUAGE, written
from services.reports.document import (
    Block,
    Break,
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
    Paragraph,
    ParsedReport,
    Quotation,
    Rule,
    Section,
    Style,
    Table,
    Text,
    Unverified,
)
from services.reports.labels import labels
from services.text.markdown_escape import plain_line

_BAR, _ESCAPED_BAR = re.compile(r"(?<!\\)\|"), r"\\|"
_MARKERS: tuple[tuple[Style, str], ...] = (("strong", "**"), ("emphasis", "*"))


def to_markdown(report: ParsedReport) -> str:
    """Write a parsed report as Markdown that common renderers show."""
    writer = _Writer(labels(report.locale).mark)
    parts = [f"# {writer.line(report.title)}", *map(writer.block, report.opening)]
    if report.summary:
        parts.append(f"**{plain_line(report.summary_label)}** {writer.line(report.summary)}")
    parts += map(writer.block, report.lead)
    for section in report.sections:
        parts += writer.section(section)
    return "\n\n".join(part for part in parts if part) + "\n"


class _Writer:
    def __init__(self, mark: str) -> None:
        self._mark = mark

    def section(self, section: Section) -> list[str]:
        return [f"{'#' * section.level} {self.line(section.title)}", *map(self.block, section.blocks)]

    def block(self, block: Block) -> str:
        match block:
            case Paragraph(content=content):
                return self.line(content)
            case Heading(level=level, content=content):
                return f"{'#' * level} {self.line(content)}"
            case Listing():
                return self._list(block)
            case Quotation(blocks=blocks):
                return re.sub(r"(?m)^", "> ", "\n\n".join(map(self.block, blocks))).replace("> \n", ">\n")
            case Table():
                return self._table(block)
            case Code(text=text, language=language):
                fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
                return f"{fence}{language}\n{text}\n{fence}"
            case Display(latex=latex):
                return f"$$\n{latex}\n$$"
            case Drawing(chart=chart):
                return f"```{LANGUAGE}\n{written(chart)}\n```"
            case Rule():
                return "---"

    def line(self, content: Inlines) -> str:
        """Write inlines; styles are opened and closed where they change."""
        parts: list[str] = []
        open_styles: list[Style] = []
        for one in content:
            wanted = [style for style, _ in _MARKERS if isinstance(one, Text) and style in one.styles]
            self._change(parts, open_styles, wanted)
            parts.append(self._inline(one, first=not parts))
        self._change(parts, open_styles, [])
        return "".join(parts)

    def _change(self, parts: list[str], now: list[Style], wanted: Sequence[Style]) -> None:
        markers = dict(_MARKERS)
        keep = 0
        while keep < min(len(now), len(wanted)) and now[keep] == wanted[keep]:
            keep += 1
        while len(now) > keep:
            parts.append(markers[now.pop()])
        for style in wanted[keep:]:
            parts.append(markers[style])
            now.append(style)

    def _inline(self, one: Inline, *, first: bool) -> str:
        match one:
            case Text(text=text, styles=styles):
                if "code" in styles:
                    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
                    edge = " " if text.strip(" ") and (text[:1] in "` " or text[-1:] in "` ") else ""
                    return f"{fence}{edge}{text}{edge}{fence}"
                escaped = plain_line(text).replace("$", "\\$")
                return escaped if first else re.sub(r"^(\s*)\\([#+=-])", r"\1\2", escaped)
            case Formula(latex=latex, display=display):
                return f"$${latex}$$" if display else f"${latex}$"
            case Citation(number=number, link=link):
                return f"[[{number}]]({link})"
            case Link(text=text, link=link):
                return f"[{plain_line(text)}]({link})"
            case Unverified():
                return self._mark
            case Break():
                return "  \n"

    def _list(self, block: Listing) -> str:
        items = []
        for number, item in enumerate(block.items, block.start):
            marker = f"{number}. " if block.ordered else "- "
            text = ("\n" if block.tight else "\n\n").join(map(self.block, item))
            items.append(marker + text.replace("\n", "\n" + " " * len(marker)))
        text = ("\n" if block.tight else "\n\n").join(items)
        return re.sub(r"(?m)^[ \t]+$", "", text)

    def _table(self, block: Table) -> str:
        sides = {"": "---", "left": ":---", "right": "---:", "center": ":---:"}
        aligned = block.aligned or ("",) * len(block.header)
        rows = [self._row(block.header), f"| {' | '.join(sides[one] for one in aligned)} |"]
        return "\n".join([*rows, *(self._row(row) for row in block.rows)])

    def _row(self, cells: Sequence[Inlines]) -> str:
        return f"| {' | '.join(_BAR.sub(_ESCAPED_BAR, self.line(cell)) for cell in cells)} |"
