"""Parses a finished report once for all formats."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, pairwise, takewhile

from markdown_it.tree import SyntaxTreeNode

from schemas.reporter import Report
from services.reports.charts.checks import ChartRefused, checked_chart
from services.reports.charts.fences import is_chart
from services.reports.citation_quotes import Proofs
from services.reports.counts_line import counts_of, is_counts
from services.reports.document import (
    Alignment,
    Block,
    Code,
    Disagreement,
    Display,
    Drawing,
    Heading,
    Inlines,
    Listing,
    Marked,
    Paragraph,
    ParsedReport,
    Quotation,
    Role,
    Rule,
    Section,
    Table,
    Text,
    citations_in,
    is_bold,
    number_sides,
    unmarked,
    words,
)
from services.reports.figures import key_figures
from services.reports.inlines import PARSER, inlines, is_formula
from services.reports.labels import labels_for
from services.reports.reference_list import entries_of
from services.reports.references import references
from services.reports.signs import SIGNS
from services.reports.statuses import status_of
from services.text.tokens import message_language

_SUMMARY = re.compile(r"tl;?dr|summary|in short|摘要|概要|要点|一句话总结|总结", re.IGNORECASE)


def parse_report(report: Report) -> ParsedReport:
    """Parse a finished report.

    HTML, images and other active Markdown become plain text; a chart with invalid numbers stays code.
    """
    locale = report.locale or ("zh-CN" if message_language(report.markdown.partition("\n")[0]) == "zh" else "en-US")
    proofs = Proofs.of(report)
    reader = _Reader(report, proofs, locale)
    root = SyntaxTreeNode(PARSER.parse(report.markdown))
    title, lead, sections = _cut(root.children, reader)
    lead = _without_counts(lead)
    opening = _leading_quotations(lead)
    lead = lead[len(opening) :]
    summary, lead = _summary(lead)
    labels, settled = labels_for(locale), _with_roles(sections, locale)
    entries = entries_of(report)
    return ParsedReport(
        locale=locale,
        question=report.question,
        title=title or (Text(report.title or report.question),),
        opening=opening,
        summary=summary,
        lead=lead,
        sections=settled,
        references=references(report, labels, entries),
        entries=entries,
        figures=key_figures(report, proofs) if len(report.citations) > 1 and not report.by_rules else (),
        disagreements=tuple(_disagreements(settled)),
        marked=tuple(
            Marked(claim.text, status_of(claim), claim.reason or labels.meanings[status_of(claim)])
            for claim in report.citations
            if status_of(claim) in SIGNS
        ),
        counts=counts_of(report.citations, report.answered, labels),
        by_rules=report.by_rules,
        deck=tuple(report.deck),
        created=max((source.fetched_at[:10] for source in report.sources if source.fetched_at), default=""),
    )


def _cut(nodes: Sequence[SyntaxTreeNode], reader: "_Reader") -> tuple[Inlines, tuple[Block, ...], list[Section]]:
    """Split the blocks at their headings."""
    title: Inlines = ()
    places = [place for place, node in enumerate(nodes) if node.type == "heading"]
    first = places[0] if places else len(nodes)
    if places and places[0] == 0 and nodes[0].tag == "h1":
        title = unmarked(reader.content(nodes[0]))
        first = places[1] if len(places) > 1 else len(nodes)
    lead = reader.blocks(nodes[1 if title else 0 : first])
    sections: list[Section] = []
    taken: dict[str, int] = {}
    for start, end in pairwise([place for place in places if place >= first] + [len(nodes)]):
        name = unmarked(reader.content(nodes[start]))
        level = max(2, int(nodes[start].tag[1]))
        sections.append(Section(name, level, _anchor(words(name), taken), reader.blocks(nodes[start + 1 : end])))
    return title, lead, sections


def _anchor(title: str, taken: dict[str, int]) -> str:
    """Return an anchor that no earlier section has.

    Args:
        title: words of the section's title.
        taken: each anchor with the last number that was tried after it, so that equal titles are not counted anew.
    """
    base = "sec-" + ("-".join(re.findall(r"\w+", title.lower()))[:60].strip("-_") or "section")
    anchor, number = base, taken.get(base, 1)
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken[base] = number
    taken.setdefault(anchor, 1)
    return anchor


def _without_counts(lead: tuple[Block, ...]) -> tuple[Block, ...]:
    """Remove the line of counts, which every format shows in its own way; earlier versions wrote none."""
    first = lead[0] if lead else None
    is_line = isinstance(first, Paragraph) and all(
        isinstance(inline, Text) and "emphasis" in inline.styles for inline in first.content
    )
    return lead[1:] if is_line and isinstance(first, Paragraph) and is_counts(words(first.content)) else lead


def _leading_quotations(lead: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the notes at the top: quotations without citations."""
    return tuple(takewhile(lambda block: isinstance(block, Quotation) and not _cites(block), lead))


def _cites(quotation: Quotation) -> bool:
    return any(citations_in(block.content) for block in quotation.blocks if isinstance(block, Paragraph))


def _summary(lead: tuple[Block, ...]) -> tuple[Inlines, tuple[Block, ...]]:
    """Extract the TL;DR from the lead."""
    for place, block in enumerate(lead):
        if not isinstance(block, Paragraph) or not block.content or not isinstance(block.content[0], Text):
            continue
        first = block.content[0]
        if "strong" not in first.styles or not _SUMMARY.fullmatch(first.text.strip(" :：.。")):
            continue
        rest = list(block.content[1:])
        if rest and isinstance(rest[0], Text):
            rest[0] = replace(rest[0], text=rest[0].text.lstrip(" :：　"))
        summary = tuple(inline for inline in rest if not isinstance(inline, Text) or inline.text)
        return (summary, (*lead[:place], *lead[place + 1 :])) if summary else ((), lead)
    return (), lead


def _disagreements(sections: Sequence[Section]) -> list[Disagreement]:
    """Parse the sides of each contradiction: its topic in bold before a list, and a remark after it."""
    topic = ""
    disagreements: list[Disagreement] = []
    for block in chain.from_iterable(section.blocks for section in sections if section.role == "contradictions"):
        if isinstance(block, Listing):
            sides = [part.content for part in chain.from_iterable(block.items) if isinstance(part, Paragraph)]
            disagreements.append(Disagreement(topic, tuple(sides)))
            topic = ""
        elif isinstance(block, Paragraph):
            if disagreements and not is_bold(block.content):
                disagreements[-1] = replace(disagreements[-1], note=words(block.content))
            else:
                topic = words(block.content)
    return disagreements


def _with_roles(sections: list[Section], locale: str) -> tuple[Section, ...]:
    """Find the sections that the program added: the last ones with their names."""
    fixed = labels_for(locale)
    names: dict[str, Role] = {
        fixed.contradictions: "contradictions",
        fixed.limits: "limits",
        fixed.follow_up: "follow_up",
        fixed.computations: "computations",
        fixed.references: "references",
    }
    settled: list[Section] = []
    for section in reversed(sections):
        role: Role = names.pop(words(section.title), "") if section.level == 2 else ""
        if role == "computations" and not _shows_programs(section, settled, fixed.files):
            role = ""
        settled.append(replace(section, role=role))
    return tuple(reversed(settled))


def _shows_programs(section: Section, after: Sequence[Section], files: str) -> bool:
    """Distinguish the section of programs from a text section of the same name: only files and references follow it."""
    last = all(later.role == "references" or words(later.title) == files for later in after)
    return last and any(isinstance(block, Code) for block in section.blocks)


class _Reader:
    """Converts the parser's tree to blocks."""

    def __init__(self, report: Report, proofs: Proofs, locale: str) -> None:
        self._proofs = proofs
        self._quotes = {key: excerpt.quote for key, excerpt in proofs.excerpts.items()}
        self._locale = locale
        self._naming = "\n".join([report.question, *(source.card.evidence for source in report.sources)])
        self._kinds: dict[str, Callable[[SyntaxTreeNode], Block]] = {
            "paragraph": lambda node: Paragraph(self.content(node)),
            "heading": lambda node: Heading(max(3, int(node.tag[1])), unmarked(self.content(node))),
            "bullet_list": self._list,
            "ordered_list": self._list,
            "blockquote": lambda node: Quotation(self.blocks(node.children)),
            "table": self._table,
            "fence": self._code,
            "code_block": self._code,
            "math_block": self._formula,
            "hr": lambda _: Rule(),
        }

    def blocks(self, nodes: Sequence[SyntaxTreeNode]) -> tuple[Block, ...]:
        return tuple(self._kinds.get(node.type, self._as_text)(node) for node in nodes)

    def content(self, node: SyntaxTreeNode, around: str = "") -> Inlines:
        return self._proofs.attached(self._inlines(node), around)

    def _inlines(self, node: SyntaxTreeNode) -> Inlines:
        token = node.children[0].token if node.children else None
        return inlines(token.children or []) if token else ()

    def _as_text(self, node: SyntaxTreeNode) -> Block:
        return Paragraph((Text(" ".join(node.content.split())),) if node.content.strip() else ())

    def _list(self, node: SyntaxTreeNode) -> Listing:
        tight = all(child.hidden for item in node.children for child in item.children if child.type == "paragraph")
        items = tuple(self.blocks(item.children) for item in node.children)
        return Listing(items, node.type == "ordered_list", int(node.attrs.get("start", 1)), tight)

    def _table(self, node: SyntaxTreeNode) -> Table:
        cells = [[self._inlines(cell) for cell in row.children] for part in node.children for row in part.children]
        rows = []
        for row in cells:
            around = " ".join(map(words, row)) or " "
            rows.append(tuple(self._proofs.attached(cell, around) for cell in row))
        header = node.children[0].children[0].children
        written = [_alignment(str(cell.attrs.get("style", ""))) for cell in header]
        by_numbers = number_sides([[words(cell) for cell in row] for row in rows[1:]]) or written
        aligned = tuple(own or numbers for own, numbers in zip(written, by_numbers, strict=True))
        return Table(tuple(map(unmarked, rows[0])), tuple(rows[1:]), aligned)

    def _code(self, node: SyntaxTreeNode) -> Block:
        text, language = node.content.rstrip("\n"), (node.info.split() or [""])[0]
        if not is_chart(language):
            return Code(text, language)
        try:
            chart = checked_chart(text, self._quotes, naming=self._naming, locale=self._locale)
        except ChartRefused:
            return Code(text, language)
        return Drawing(chart, self._proofs.citations(chart.sources))

    def _formula(self, node: SyntaxTreeNode) -> Block:
        latex = node.content.strip()
        return Display(latex) if is_formula(latex) else self._as_text(node)


def _alignment(style: str) -> Alignment:
    for side in ("left", "center", "right"):
        if side in style:
            return side
    return ""
