"""The text of a finished report with numbers as citations: its line of counts, its list of references, and its difference to another version."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

from pydantic import BaseModel

from schemas.document import Block, Citation, Document, Drawing, Inline, Inlines, Link, Listing, Paragraph, Text
from schemas.evidence import Status
from schemas.reporter import Report
from services.reports.charts.written import chart_of, chart_table
from services.reports.document import changed, unmarked
from services.reports.labels import SUMMARY_LABEL, counts_of, labels_for
from services.reports.references import Reference, link_of, listed_numbers, numbers_of, references
from services.reports.rendering import to_markdown
from services.text.passages import sentences

_LINKED = re.compile(r"\[\[(\d{1,9})\]\]\([^)]*\)")
_BOLD_START = re.compile(r"\*\*([^*]{1,40}?)[ :：.。]*\*\*[ :：]*")


@dataclass(frozen=True, slots=True)
class Citations:
    """The numbers and links of one report's citations."""

    numbers: Mapping[str, int]
    """Number under which an excerpt is cited, by its id."""
    links: Mapping[int, str]
    """Link target of a citation, by its number."""

    @classmethod
    def of(cls, report: Report) -> "Citations":
        """Return the numbers and links of a report."""
        links = {source.number: link_of(source) for source in report.sources if source.number is not None}
        return cls(numbers_of(report.sources, report.excerpts), links)

    def of_excerpts(self, excerpt_ids: Iterable[str], status: Status = "") -> tuple[Citation, ...]:
        """Return the citations of excerpts, each source once, in the order of their numbers; `status` is the status of their claim."""
        by_number: dict[int, list[str]] = {}
        for excerpt_id in excerpt_ids:
            by_number.setdefault(self.numbers.get(excerpt_id, 0), []).append(excerpt_id)
        return tuple(
            Citation(number, self.links[number], tuple(ids), status)
            for number, ids in sorted(by_number.items())
            if number in self.links
        )

    def numbered(self, content: Inlines) -> Inlines:
        """Return a text whose citations have numbers, each source once in a run of them."""
        shown: list[Inline] = []
        for _, group in groupby(content, lambda inline: isinstance(inline, Citation)):
            run = list(group)
            cited = [inline for inline in run if isinstance(inline, Citation)]
            ids = [key for each in cited for key in each.excerpts]
            shown += self.of_excerpts(ids, cited[0].status) if ids else run
        return tuple(shown)


def numbered_text(report: Report, *, counts: bool = True) -> tuple[Block, ...]:
    """Return the text of a report with a tree, title first, charts as drawings, without the references; `counts` of its statements stand in a line of their own."""
    document = report.document or Document(())
    line = []
    if counts:
        stated = counts_of(report.citations, report.answered, labels_for(report.locale), by_rules=report.by_rules)
        line = [Paragraph((Text(stated.text, frozenset({"emphasis"})),))] if stated.text else []
    blocks = [*document.body[:1], *line, *document.notes, *document.body[1:], *document.added]
    citations = Citations.of(report)
    return tuple(_numbered(block, citations) for block in blocks)


def _numbered(block: Block, citations: Citations) -> Block:
    chart = chart_of(block)
    return Drawing(chart, citations.of_excerpts(chart.sources)) if chart else changed(block, citations.numbered)


def with_references(report: Report) -> Report:
    """Add the list of references to a report without one."""
    labels = labels_for(report.locale)
    listed = references(report, labels)
    if not listed:
        return report
    numbers = listed_numbers(report)
    shown = [reference for reference in listed if reference.number in numbers]
    lines = [to_markdown([Listing(((Paragraph(_line(each)),),), True, each.number)]) for each in shown]
    parts = [report.markdown.rstrip(), f"## {labels.references}", "\n".join(lines)]
    if len(shown) < len(listed):
        parts.append(labels.more_read_elsewhere.format(count=len(listed) - len(shown)))
    text = "\n\n".join(filter(None, parts))
    return report.model_copy(update={"markdown": f"{text}\n"})


def _line(reference: Reference) -> Inlines:
    address = Link(reference.link, reference.link)
    title = Text(reference.title) if reference.on_the_web else Link(reference.title, reference.link)
    shown: list[Inline] = [address if reference.on_the_web and reference.title == reference.url else title]
    for place, part in enumerate(reference.parts):
        is_address = reference.on_the_web and part == reference.url
        shown += [Text(" · " if place else " — "), address if is_address else Text(part)]
    return tuple(shown)


class Sentence(BaseModel):
    """A sentence, a heading or a row of two versions' texts."""

    state: Literal["same", "removed", "added"]
    text: str


def compared(before: Report, after: Report) -> list[Sentence]:
    """Return the sentences of both versions in one text: common, removed and added ones."""
    first, second = list(_lines(before)), list(_lines(after))
    lines: list[Sentence] = []
    for tag, start, end, from_, to in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        is_same = tag == "equal"
        lines += [Sentence(state="same" if is_same else "removed", text=text) for text in first[start:end]]
        lines += [Sentence(state="added", text=text) for text in second[from_:to] if not is_same]
    return lines


def own_markdown(report: Report, *, inferred: bool = False) -> str:
    """Return a report's own text with numbers as citations, such as `[2]`, charts as tables, without marks, or with those of inference."""
    citations = Citations.of(report)
    body = report.document.body if report.document else ()
    marked = (changed(block, lambda content: unmarked(content, inferred=inferred)) for block in body)
    shown = (_numbered(block, citations) for block in marked)
    tables = (chart_table(each.chart, each.citations) if isinstance(each, Drawing) else each for each in shown)
    text = to_markdown(tables)
    return _LINKED.sub(r"[\1]", text) or report.markdown


def _lines(report: Report) -> Iterator[str]:
    labels = labels_for(report.locale)
    for text in filter(str.strip, own_markdown(report).split("\n")):
        line, label = text, _BOLD_START.match(text)
        if label and SUMMARY_LABEL.fullmatch(label[1]):  # formats say it in their own word
            line = f"**{labels.summary}**{labels.colon}{text[label.end() :]}"
        spans = sentences(line)
        if line.startswith(("#", "|", ">", "`")) or not spans:
            yield line.strip()
        else:
            yield from (line[span.start : span.end].strip() for span in spans)
