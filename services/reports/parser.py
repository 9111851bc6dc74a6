"""Prepares a finished report once for all formats, with its key figures: numbers with a unit in proven claims of its opening."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile

from schemas.document import Block, Code, Drawing, Heading, Inlines, Listing, Paragraph, Quotation, Table, Text
from schemas.reporter import Report
from services.check.compared_text import CELL
from services.reports.charts.checks import ChartRefused, checked_chart
from services.reports.charts.written import is_chart
from services.reports.document import (
    BOXES,
    Disagreement,
    KeyFigure,
    ParsedReport,
    Section,
    citations_in,
    contents,
    is_label,
    letters,
    number_sides,
    unmarked,
    within,
    words,
)
from services.reports.labels import ENGLISH, SUMMARY_LABEL, counts_of, labels_for
from services.reports.markdown_blocks import read_markdown
from services.reports.numbered_text import Citations, numbered_text
from services.reports.references import references
from services.reports.statuses import SIGNS, SURE, status_of
from services.text.held_numbers import is_held
from services.text.numbers import Quantity, quantities, quantities_with_places
from services.text.tokens import message_language


def parse_report(report: Report) -> ParsedReport:
    """Prepare a finished report for its formats: from its tree, or from its Markdown if an earlier version made it.

    Of such Markdown the parts that the program added are sections like others, except the references. HTML, images and other active
    Markdown become plain text; a chart with invalid numbers stays code.
    """
    locale = report.locale or ("zh-CN" if message_language(report.markdown.partition("\n")[0]) == "zh" else "en-US")
    labels = labels_for(locale)
    counts = counts_of(report.citations, report.answered, labels, by_rules=report.by_rules)
    if report.document:
        blocks = numbered_text(report, counts=False)
    else:
        blocks = tuple(block for block in read_markdown(report.markdown) if not _says(block, counts.text))
    title, lead, sections = _cut([_Finish(report, locale).block(block) for block in blocks])
    if report.sources:
        if not report.document:
            listed = {labels.references, ENGLISH.references}  # which once was English in most languages
            sections = [section for section in sections if words(section.title) not in listed]
        sections.append(Section((Text(labels.references),), 2, "sec-references", (), "references"))
    first = lead or next((section.blocks for section in sections if not section.role), ())
    text = (words(part) for block in first for each in within(block) for part in contents(each))
    figures = key_figures(report, Citations.of(report), " ".join(text))
    opening = tuple(takewhile(_is_note, lead))
    summary, points, lead = _summary(lead[len(opening) :])
    return ParsedReport(
        locale=locale,
        question=report.question,
        title=title or (Text(report.title or report.question),),
        opening=opening,
        summary=summary,
        lead=lead,
        sections=tuple(sections),
        references=references(report, labels),
        figures=figures if len(figures) > 1 and not report.by_rules else (),
        disagreements=tuple(_disagreements(sections)),
        points=points,
        marked=tuple(claim for claim in report.citations if status_of(claim) in SIGNS),
        counts=counts,
        by_rules=report.by_rules,
        deck=tuple(report.deck),
        created=max((source.fetched_at[:10] for source in report.sources if source.fetched_at), default=""),
    )


def _says(block: Block, text: str) -> bool:
    """Tell whether a paragraph has the words of a text, whose signs of marks may be lost in Markdown."""
    return isinstance(block, Paragraph) and bool(text) and letters(words(block.content)) == letters(text)


def _cut(blocks: Sequence[Block]) -> tuple[Inlines, tuple[Block, ...], list[Section]]:
    heads = [(place, block) for place, block in enumerate(blocks) if isinstance(block, Heading)]
    title: Inlines = ()
    if heads and heads[0][0] == 0 and heads[0][1].level == 1:
        title = heads.pop(0)[1].content
    ends = [*(place for place, _ in heads), len(blocks)]
    taken: dict[str, int] = {}
    sections: list[Section] = []
    for (place, head), end in zip(heads, ends[1:], strict=True):
        anchor = _anchor(words(head.content), taken)
        sections.append(Section(head.content, max(2, head.level), anchor, tuple(blocks[place + 1 : end]), head.role))
    return title, tuple(blocks[1 if title else 0 : ends[0]]), sections


def _anchor(title: str, taken: dict[str, int]) -> str:
    """Return an anchor that no earlier section has, for a title.

    An anchor is taken with the last number that was tried after it, so that equal titles are not counted anew.
    """
    base = "sec-" + ("-".join(re.findall(r"\w+", title.lower()))[:60].strip("-_") or "section")
    anchor, number = base, taken.get(base, 1)
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken[base] = number
    taken.setdefault(anchor, 1)
    return anchor


def _is_note(block: Block) -> bool:
    """Tell whether a block may be a note at the top: a quotation without citations."""
    return isinstance(block, Quotation) and not any(
        citations_in(part.content) for part in block.blocks if isinstance(part, Paragraph)
    )


def _summary(lead: tuple[Block, ...]) -> tuple[Inlines, tuple[Block, ...], tuple[Block, ...]]:
    """Cut the lead into the TL;DR, the list directly below it, and the rest."""
    for place, block in enumerate(lead):
        if not isinstance(block, Paragraph) or not block.content or not isinstance(block.content[0], Text):
            continue
        first = block.content[0]
        if "strong" not in first.styles or not SUMMARY_LABEL.fullmatch(first.text.strip(" :：.。")):
            continue
        rest = list(block.content[1:])
        if rest and isinstance(rest[0], Text):
            rest[0] = replace(rest[0], text=rest[0].text.lstrip(" :：　"))
        summary = tuple(inline for inline in rest if not isinstance(inline, Text) or inline.text)
        points = tuple(part for part in lead[place + 1 : place + 2] if isinstance(part, Listing))
        return (summary, points, (*lead[:place], *lead[place + 1 + len(points) :])) if summary else ((), (), lead)
    return (), (), lead


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
            if disagreements and not is_label(block.content):
                disagreements[-1] = replace(disagreements[-1], note=words(block.content))
            else:
                topic = words(block.content)
    return disagreements


def _boxed(item: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return an item, the box of a task as one character."""
    match item:
        case (Paragraph(content=(Text(text=text) as first, *rest)), *others) if text[:4] in BOXES:
            return (Paragraph((replace(first, text=f"{BOXES[text[:4]]} {text[4:]}"), *rest)), *others)
    return item


@dataclass(frozen=True, slots=True)
class _Finish:
    """Finishes blocks for the formats: draws charts, aligns columns, and takes marks out of what carries none."""

    report: Report
    locale: str

    def block(self, block: Block, *, nested: bool = False) -> Block:
        """Return a block and those inside it."""
        match block:
            case Heading(level=level, content=content):
                return replace(block, level=max(3, level) if nested else level, content=unmarked(content))
            case Quotation(blocks=blocks):
                return Quotation(tuple(self.block(part, nested=True) for part in blocks))
            case Listing(items=items):
                finished = (tuple(self.block(part, nested=True) for part in _boxed(item)) for item in items)
                return replace(block, items=tuple(finished))
            case Table(header=header, rows=rows, aligned=aligned):
                by_numbers = number_sides([[*map(words, row)] for row in rows]) or aligned
                sides = tuple(own or numbers for own, numbers in zip(aligned, by_numbers, strict=True))
                return Table(tuple(map(unmarked, header)), rows, sides)
            case Code(text=text, language=language) if is_chart(language):
                return self._chart(text) or block
        return block

    def _chart(self, text: str) -> Drawing | None:
        quotes = {excerpt.id: excerpt.quote for excerpt in self.report.excerpts}
        naming = "\n".join([self.report.question, *(source.card.evidence for source in self.report.sources)])
        try:
            chart = checked_chart(text, quotes, naming=naming, locale=self.locale)
        except ChartRefused:
            return None
        return Drawing(chart, Citations.of(self.report).of_excerpts(chart.sources))


MAX_FIGURES = 4
MAX_CLAIM = 180
"""Maximum characters of a claim on a card."""
_UNIT = re.compile(
    r"\s?(?:(?:square |cubic |nautical )?(?:met(?:re|er)s?|kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|miles?|"
    r"feet|foot|inch(?:es)?|fathoms?|knots?|tonn?e?s?|kilograms?|grams?|lit(?:re|er)s?|years?|months?|weeks?|days?|hours?|"
    r"minutes?|seconds?|people|persons?|patients?|children|participants?|dollars?|euros?|pounds?|ounces?|hectares?|acres?|"
    r"degrees?(?: Celsius| Fahrenheit)?|(?:kilo|mega|giga)?(?:hertz|watts?)|volts?|km²?|m²?|cm|mm|kg|mg|g|"
    r"t|s|ms|Hz|kHz|MHz|GHz|GB|MB|TB|kW|MW|GW|kWh|MWh|°C|K)\b|"
    r"平方公里|平方米|公里|千米|厘米|毫米|英里|海里|英寻|米|公斤|千克|吨|克|毫克|升|亿元|万元|元|美元|人次|名|人|例|个月|年|周|天|小时|分钟|秒|"
    r"度|倍|屈光度|D\b)"
)
_RATE = re.compile(
    r"\s?/\s?(?:min|km²?|m²|kg|[smhl])\b|"
    r"\s(?:per|an?|each|every)\s(?:square |cubic )?(?:second|minute|hour|day|week|month|year|decade|degree|met(?:re|er)|kilomet(?:re|er)|"
    r"mile|foot|person|head|child|patient|thousand|million|lit(?:re|er)|kilogram|tonne?)\b|"
    r"(?:/|每)(?:秒|分钟|小时|天|日|周|月|年|人|平方公里|平方米|公里|千米|米|公斤|千克|升)"
)
"""The denominator of a unit, after it: `per second`, `each degree`, 每秒."""
_RATE_BEFORE = re.compile(
    r"每(?:秒|分钟|小时|天|日|周|个?月|年|人|平方公里|平方米|公里|千米|米|公斤|千克|升)(?:大约|约|平均|为)?\s?$"
)
"""The same before a Chinese number."""
_CURRENCY = re.compile(r"(?:US\$|[$€£¥])\s?$")
_TO = re.compile(r"\s?(?:[-–—~～至到±]|\+/-|to)\s?(?:US\$|[$€£¥])?\s?")
"""Text between the two numbers of a range, or between a number and its uncertainty."""


def key_figures(report: Report, citations: Citations, opening: str) -> tuple[KeyFigure, ...]:
    """Select numbers of a checked report that matter to its reader: measured, in its opening, not in the question, each once."""
    opening = letters(opening)
    in_question = quantities(report.question)
    figures: dict[str, KeyFigure] = {}
    for claim in report.citations:
        text, status = " ".join(claim.text.split()), status_of(claim)
        fits = status in SURE and len(text) <= MAX_CLAIM and CELL not in text and letters(text) in opening
        if not fits or any(text == figure.claim for figure in figures.values()):
            continue
        value = _figure(text, in_question)
        if not value or value in figures:
            continue
        telling = [claim, *(other for other in report.citations if claim.cited_by == "report" and value in other.text)]
        if cited := next(filter(None, (citations.of_excerpts(told.citations, status) for told in telling)), ()):
            figures[value] = KeyFigure(value, text, cited)
    return tuple(figures.values())[:MAX_FIGURES]


def _figure(claim: str, in_question: Sequence[Quantity]) -> str:
    """Return the measured and new number of a claim, a range in full; empty if it has none, or several outside of brackets."""
    text, numbers = quantities_with_places(claim)
    figures: list[str] = []
    ranged = 0
    for place, (start, end, number) in enumerate(numbers):
        last_end, last = end, number
        if place + 1 < len(numbers) and _TO.fullmatch(text, end, numbers[place + 1][0]):
            _, last_end, last = numbers[place + 1]
        before = _CURRENCY.search(text, 0, start) or _RATE_BEFORE.search(text, 0, start)
        after = _end(text, last_end, last, bare=_CURRENCY.search(text, 0, start) is not None)
        if after and start >= ranged and not is_held(number, in_question) and not _in_brackets(text, start):
            figures.append(text[before.start() if before else start : after].rstrip())
            ranged = last_end
    return figures[0] if len(figures) == 1 else ""


def _in_brackets(text: str, place: int) -> bool:
    return any(text.count(opened, 0, place) > text.count(closed, 0, place) for opened, closed in ("()", "（）"))


def _end(text: str, end: int, number: Quantity, *, bare: bool) -> int:
    """Return the end of a number with its unit; 0 if it is not measured. `bare` numbers have a currency before them."""
    measured = number.kind in {"number", "percent"} and any(char.isdigit() for char in number.text)
    unit = None if number.kind == "percent" else _UNIT.match(text, end)
    last = unit.end() if unit else end
    if not measured or not (unit or bare or number.kind == "percent"):
        return 0
    rate = _RATE.match(text, last)
    return rate.end() if rate else last
