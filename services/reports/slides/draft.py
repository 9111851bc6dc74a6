"""Lets a model write the deck from a finished report's statements; code proves every card and title, or uses the report's words.

It is part of the report, so that slides can be made later without any model. Without it `slide_outline.py` lays the report out by rules.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from schemas.deck import DeckCard, DeckPage
from schemas.document import Block, Code, Drawing, Inlines, Listing, Mark, Paragraph, Quotation, Table
from schemas.reporter import Report
from schemas.reporter_slides import (
    MAX_CARDS,
    MAX_PAGES,
    ReporterSlidesPrompt,
    SlideCard,
    SlideFigure,
    SlidePage,
    Slides,
    SlideSection,
    SlideStatement,
)
from schemas.usage import Usage
from services.check.support import check_support
from services.embedding.cross_lingual import Likeness, likeness_of
from services.models import ask
from services.reports.charts.written import chart_rows
from services.reports.checking.citable_evidence import CitableEvidence
from services.reports.checking.claim_check import check_summary, counts_only
from services.reports.document import ParsedReport, cited_in, words
from services.reports.formulas import in_line
from services.reports.markdown import ReportInputs, finish_report
from services.reports.parser import parse_report
from services.reports.report_draft import Written
from services.reports.sentences import cited_sentences, ids_in
from services.reports.slides.slide import shortened
from services.reports.slides.slide_outline import figures_of
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError
from services.run.log import log
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run
from services.run.ui_text import say
from services.text.tokens import has_cjk

TEMPLATE = "reporter_slides"
MIN_STATEMENTS = 3
"""Minimum statements of a report for its own deck."""
MAX_STATEMENTS = 300
"""Maximum statements shown to the model, spread over the sections."""
STATEMENTS_A_PAGE = 2
"""Approximate minimum of statements per page."""
MAX_SHOWN = 600
"""Half-width characters of a chart's title and numbers, or of code, that are shown to the model."""
_LEFT_OVERS = re.compile(r"\*\*|`|\s?\[[\d, ]{1,20}\]")
"""Remains of Markdown and of numbered citations, which cards do not have."""


@dataclass(frozen=True, slots=True)
class ProvenSentence:
    """A proven sentence of the report."""

    section: int
    text: str
    excerpts: tuple[str, ...]
    inferred: bool
    is_row: bool = False
    """Whether it is a row of a table, whose cells are no words for a card."""


@dataclass(slots=True)
class Material:
    """Material of a deck: what is shown to the model, and the statements by the numbers that they have there."""

    sections: list[SlideSection] = field(default_factory=list)
    statements: dict[int, ProvenSentence] = field(default_factory=dict)


async def deck_for(run: Run, written: Written, draft: ReportInputs) -> list[DeckPage]:
    """Return the deck of a draft's report, and add the related notes to `written`; where it is empty, rules lay out the slides."""
    if not await run.journal.decided("slides", lambda: role_model("reporter", run.context).model != OFFLINE):
        return []
    tone = run.context.profile.tone if run.context.profile else ""
    pages: list[DeckPage] = []
    try:
        pages = await draft_deck(await asyncio.to_thread(finish_report, draft, Usage()), tone)
    except LimitReached as limit:
        written.limits.append(limit_message(limit, draft.locale))
    except ModelError:
        written.limits.append(say("slides_by_rules", draft.locale))
    written.templates += (TEMPLATE,) if pages else ()
    return pages


async def draft_deck(report: Report, tone: str) -> list[DeckPage]:
    """Let the reporter's model write the deck of a finished report: empty if that has too few statements, or if the answer is unusable.

    Raises:
        LimitReached: the budget leaves no room for the call.
        ModelError: the model gave no usable answer, or could not be reached.
    """
    parsed = await asyncio.to_thread(parse_report, report)
    material = material_of(parsed)
    if len(material.statements) < MIN_STATEMENTS:
        return []
    prompt = ReporterSlidesPrompt(
        question=report.question,
        locale=report.locale,
        tone=tone,
        title=words(parsed.title),
        pages=min(MAX_PAGES, max(len(material.sections), len(material.statements) // STATEMENTS_A_PAGE)),
        sections=material.sections,
    )
    answer = await ask("reporter", prompt, Slides, template=TEMPLATE)
    proof = DeckProof(report)
    await asyncio.to_thread(settle_deck, answer, material, parsed, proof)  # records texts that only meaning can compare
    proof.likeness = await likeness_of(list(proof.across))
    pages = await asyncio.to_thread(settle_deck, answer, material, parsed, proof)
    cards, asked = (sum(len(page.cards) for page in deck) for deck in (pages, answer.pages))
    log("deck", pages=len(pages), cards=cards, asked=asked, failed=proof.failed)
    return pages


def material_of(report: ParsedReport) -> Material:
    """Number the proven statements, charts, tables and code of a report's own sections."""
    material = Material()
    sections, numbered = report.body, [*enumerate(figures_of(report), 1)]
    room = max(MIN_STATEMENTS, MAX_STATEMENTS // max(1, len(sections)))
    for place, section in enumerate(sections, 1):
        shown: list[SlideStatement] = []
        for statement in [*_statements(place, section.blocks)][:room]:
            number = len(material.statements) + 1
            material.statements[number] = statement
            shown.append(SlideStatement(number=number, text=statement.text, inferred=statement.inferred))
        figures = [_figure(number, figure[0]) for number, (own, figure) in numbered if own is section]
        if shown or figures:
            title = words(section.title)
            material.sections.append(SlideSection(number=place, title=title, statements=shown, figures=figures))
    return material


def _figure(number: int, block: Block) -> SlideFigure:
    if isinstance(block, Drawing):
        data = "; ".join(" | ".join(row) for row in chart_rows(block.chart))
        return SlideFigure(number=number, kind="chart", shows=shortened(f"{block.chart.title}. {data}", MAX_SHOWN))
    if isinstance(block, Table):
        return SlideFigure(number=number, kind="table", shows=" | ".join(words(cell) for cell in block.header))
    return SlideFigure(
        number=number, kind="code", shows=shortened(block.text if isinstance(block, Code) else "", MAX_SHOWN)
    )


def _statements(section: int, blocks: Iterable[Block]) -> Iterator[ProvenSentence]:
    """Yield the cited sentences that are not marked as unverified, each with those before it that share its citations."""
    for block in blocks:
        match block:
            case Paragraph(content=content):
                before: list[str] = []
                for sentence in cited_sentences(in_line(content)):
                    excerpts = tuple(ids_in(sentence.citations))
                    status = sentence.mark.status if sentence.mark else ""
                    before = [*before, sentence.text] if status in {"", "inferred"} else []
                    if excerpts and any(before):
                        joint = "" if has_cjk(sentence.text) else " "
                        yield ProvenSentence(section, joint.join(before).strip(), excerpts, status == "inferred")
                        before = []
            case Listing(items=items):
                for item in items:
                    yield from _statements(section, item)
            case Quotation(blocks=inner):
                yield from _statements(section, inner)
            case Table(header=header, rows=rows):
                for row in rows:
                    yield from _row(section, header, row)


def _row(section: int, header: Sequence[Inlines], row: Sequence[Inlines]) -> Iterator[ProvenSentence]:
    """Yield a cited row without unverified cells, each cell behind its column's name."""
    inlines = [*chain(*row)]
    excerpts = tuple(ids_in(inlines))
    marks = {inline.status for inline in inlines if isinstance(inline, Mark)}
    named = [(words(name), words(cell)) for name, cell in zip(header, row, strict=True)]
    text = "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)
    if excerpts and marks <= {"inferred"}:
        yield ProvenSentence(section, text, excerpts, bool(marks), is_row=True)


class DeckProof:
    """Checks texts against excerpts of the report, as its sentences are checked."""

    def __init__(self, report: Report) -> None:
        sources = {source.content_hash: source for source in report.sources}
        self._evidence = CitableEvidence({excerpt.id: excerpt for excerpt in report.excerpts}, sources)
        self.likeness: Likeness | None = None
        self.across: dict[tuple[str, tuple[str, ...]], None] = {}
        """Texts with quotes in another language, which only meaning can compare."""
        self.failed = 0
        """Number of cards whose words were not proven."""

    def holds(self, text: str, excerpt_ids: Iterable[str], statements: Sequence[str] = ()) -> bool:
        """Tell whether excerpts support a text; if they lack only its words or a count, proven statements that it sums up may give these.

        What a program printed names a figure by ship and year, where the report says what was measured, and how often.
        """
        verdict = check_support(text, *self._evidence.of(excerpt_ids), self.likeness or self._note)
        sums_up = bool(statements) and (verdict.fault == "words" or counts_only(verdict))
        return not verdict.fault or (sums_up and not check_summary(text, statements).fault)

    def _note(self, text: str, quotes: Sequence[str]) -> None:
        self.across[text, tuple(quotes)] = None


def settle_deck(answer: Slides, material: Material, report: ParsedReport, proof: DeckProof) -> list[DeckPage]:
    """Return the pages with proven cards; unproven words are replaced by the report's."""
    pages: list[DeckPage] = []
    texts: set[str] = set()
    shown: set[int] = set()
    figures = dict(enumerate(figures_of(report), 1))
    proof.failed = 0
    for page in answer.pages[:MAX_PAGES]:
        cards = _cards(page.cards[:MAX_CARDS], material, proof, texts)
        section = _section_of(page, material)
        if not section:
            continue
        own, drawn = figures.get(page.figure, (None, ()))
        figure = page.figure if own is report.body[section - 1] and page.figure not in shown else 0
        if not (cards or figure):
            continue
        shown.add(figure)
        cited = dict.fromkeys(key for card in cards for key in card.citations)
        cited |= dict.fromkeys(cited_in(drawn) if figure else ())
        title = _plain(page.title)
        told = [statement.text for statement in material.statements.values() if statement.section == section]
        if not cited or not title or not proof.holds(title, cited, told):
            title = words(report.body[section - 1].title)
        pages.append(DeckPage(section=section, title=title, cards=cards, figure=figure))
    return sorted(pages, key=lambda page: page.section) if any(page.cards for page in pages) else []


def _section_of(page: SlidePage, material: Material) -> int:
    """Return the section of a page: the named one, else that of its first statement."""
    if any(section.number == page.section for section in material.sections):
        return page.section
    named = (number for card in page.cards for number in card.statements)
    return next((material.statements[number].section for number in named if number in material.statements), 0)


def _cards(drafts: Sequence[SlideCard], material: Material, proof: DeckProof, texts: set[str]) -> list[DeckCard]:
    """Return a page's cards with their own words, if these are proven; else with a statement's that no other card says."""
    named = [[number for number in dict.fromkeys(card.statements) if number in material.statements] for card in drafts]
    proven = [_proven(card, numbers, material, proof) for card, numbers in zip(drafts, named, strict=True)]
    used = {number for card, numbers in zip(proven, named, strict=True) if card for number in numbers}
    cards: list[DeckCard] = []
    for card, numbers in zip(proven, named, strict=True):
        proof.failed += card is None
        chosen = card
        if card is None and numbers and numbers[0] not in used and not (own := material.statements[numbers[0]]).is_row:
            chosen = DeckCard(text=own.text, citations=list(own.excerpts), inferred=own.inferred)
        if chosen and chosen.text not in texts:
            texts.add(chosen.text)
            cards.append(chosen)
    return cards


def _proven(draft: SlideCard, numbers: Sequence[int], material: Material, proof: DeckProof) -> DeckCard | None:
    """Return a card with its own words, if its statements' excerpts hold them."""
    statements = [material.statements[number] for number in numbers]
    text, value = _plain(draft.text), _plain(draft.value)
    excerpts = list(dict.fromkeys(key for statement in statements for key in statement.excerpts))
    if not text or not excerpts or not proof.holds(text, excerpts):
        return None
    inferred = any(statement.inferred for statement in statements)
    is_figure = value in text and any(char.isdigit() for char in value)
    return DeckCard(text=text, citations=excerpts, inferred=inferred, value=value if is_figure else "")


def _plain(text: str) -> str:
    return " ".join(_LEFT_OVERS.sub("", text).split())
