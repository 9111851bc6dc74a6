"""Checks every sentence of a report that makes a claim against its cited excerpts, block by block.

The report is parsed as Markdown and written anew from what is understood of it. What a model wrote that links, loads or
runs does not survive; a statement that its citations do not support is marked or dropped, one that they refute is left out; a
blockquote must be verbatim. A sentence without citations is covered by those that stand next in its paragraph; a heading, a
label or an introduction by those below it. For a sentence that nothing covers code cites the excerpt that supports it. A sentence
that is marked as inference may conclude from what it cites (`ClaimCheck.inference`); of more than a third of a report a verifier decides alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, takewhile, zip_longest

from schemas.document import (
    Block,
    Break,
    Citation,
    Code,
    Display,
    Formula,
    Heading,
    Inline,
    Inlines,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Style,
    Table,
    Text,
)
from schemas.evidence import Claim
from services.check.verdict import Verdict
from services.evidence.non_claims import without_label
from services.reports.charts.written import chart_of
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.claim_check import ClaimCheck
from services.reports.checking.code_citations import find_quotation
from services.reports.checking.statement_check import Coverage, StatementCheck, covering, is_inference, is_label_line
from services.reports.document import contents, within, without_empty_sections
from services.reports.markdown_blocks import joined
from services.reports.sentences import (
    Units,
    ids_in,
    join_sentences,
    lines_of,
    sentences_of,
    text_of,
    trimmed,
    units_of,
    with_citations,
    words_of,
)
from services.reports.statuses import too_many_inferred
from services.text.quotable import as_line, without_markup
from services.text.wrapped_lines import unwrapped

SECTION_LEVEL = 2
"""Level of the headings of separately written sections."""
_EMPHASIS: frozenset[Style] = frozenset({"strong", "emphasis"})
_LITERAL = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")
_FULL_STOPS = frozenset(".!?。！？")
MAX_LEAD = 200
"""Maximum characters of a sentence in bold that heads a paragraph."""


@dataclass(slots=True)
class ReportCheck:
    """The check of one report, block by block; used once."""

    statements: StatementCheck
    coverage: Coverage = field(default_factory=lambda: Coverage(()))
    after_heading: bool = False
    """Whether the next block is the first of a section."""

    def report(self, blocks: Sequence[Block]) -> CheckedReport:
        """Check the blocks of a report as a model wrote it."""
        self.coverage, result = Coverage(blocks), self.statements.result
        opening = list(takewhile(lambda block: not (isinstance(block, Heading) and block.level > 1), blocks))
        below = None
        if self.coverage.sums_up(opening):
            statements = replace(self.statements, result=CheckedReport(), in_opening=False)
            below = ReportCheck(statements, self.coverage)._rest(blocks[len(opening) :])
            verified = (claim.text for claim in below.claims if claim.verified)
            self.statements.below = [*verified, *below.connecting]
        checked = self._rest(opening if below else blocks)
        self.statements.end_opening()
        result = checked.above(below) if below else checked
        result.undecided = self.check.undecided
        if result.left_out:
            result.blocks = without_empty_sections(result.blocks)
        return result

    def _rest(self, blocks: Iterable[Block]) -> CheckedReport:
        self.statements.result.blocks = self._blocks(blocks)
        return self.statements.result

    @property
    def check(self) -> ClaimCheck:
        """The evidence that statements are checked against."""
        return self.statements.check

    def _blocks(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        return tuple(checked for block in blocks for checked in self._block(block))

    def _block(self, block: Block) -> Iterable[Block]:
        """Return what is left of a block: nothing, the block, or code with the mark behind it."""
        leads, self.after_heading = self.after_heading, isinstance(block, Heading)
        match block:
            case Heading():
                return self._heading(block)
            case Paragraph(content=content):
                return self._paragraph(content, block, leads=leads)
            case Display(latex=latex):
                shown = self._paragraph((Formula(latex, display=True),), block)
                return [block] if shown == [Paragraph((Formula(latex, display=True),))] else shown
            case Listing(items=items):
                checked = tuple(filter(None, map(self._blocks, items)))
                return [replace(block, items=checked)] if checked else []
            case Quotation():
                return self._quotation(block)
            case Table():
                return self._table(block)
            case Code():
                return self._code(block)
        return [block]

    def _heading(self, heading: Heading) -> list[Block]:
        content = tuple(inline for inline in heading.content if not isinstance(inline, Citation | Mark))
        if self.statements.result.claims or self.statements.result.declined is not None:
            self.statements.end_opening()
        if heading.level <= SECTION_LEVEL:
            self.statements.section, self.statements.beside, self.statements.told = words_of(content), [], []
        is_title = heading.level == 1
        if not words_of(content):
            return []
        below = self._below(heading) if is_title else []
        stands = self.statements.is_title(content) or self.statements.heads(content, below, is_title=is_title)
        return [replace(heading, content=joined(trimmed(content)))] if stands else []

    def _paragraph(self, content: Inlines, block: Block, *, leads: bool = False) -> list[Block]:
        units = units_of(content)
        if self.statements.is_title(content):
            return [Paragraph(joined(self.statements.known_only(units)))]
        if is_label_line(content):
            return [Paragraph(joined(self.statements.known_only(units)))] if self.statements.heads(content) else []
        before = len(self.check.undecided)
        lead, units = _lead(units)
        if lead and not self.statements.heads(lead, self.statements.known_ids(units)):
            lead = []
        lines = [sentences_of(line) for line in lines_of(units)]
        sums_up = self.statements.below and not ids_in(content)
        sentences = list(chain.from_iterable(lines))
        below = partial(list[str]) if sums_up else partial(self._below, block)
        covers = iter(covering(sentences, self.statements.known_ids, below, leads=leads and not sums_up))
        texts = [join_sentences(self._sentences([(sentence, next(covers)) for sentence in line])) for line in lines]
        self._note_places(sentences, words_of(content), before)
        shown = [inline for text in texts if text for inline in (Break(), *text)][1:]
        return [Paragraph(joined([*lead, *shown]))] if shown else []

    def _note_places(self, sentences: Sequence[Units], paragraph: str, before: int) -> None:
        """Record the paragraph of each undecided sentence after the first `before`; what a conclusion's premises cover is one, too."""
        first = sentences[0] if sentences and not ids_in(sentences[0]) else []
        concluded, concludes = set[str](), False
        for sentence in reversed(sentences):
            concludes = is_inference(sentence) if ids_in(sentence) else concludes
            concluded |= {without_label(words_of(sentence))} if concludes else set()
        for (statement, _), doubt in list(self.check.undecided.items())[before:]:
            doubt.paragraph = paragraph if len(sentences) > 1 else ""
            doubt.uncited = doubt.uncited or statement == without_label(words_of(first))
            doubt.inferred = doubt.inferred or statement in concluded

    def _below(self, block: Block) -> list[str]:
        return [key for key in self.coverage.below(block) if key in self.check.evidence.excerpts]

    def _sentences(self, sentences: Iterable[tuple[Units, list[str]]]) -> list[Units]:
        """Check the sentences of a line; if the citing sentence is removed, its citations move to the last one that it covers."""
        checked: list[Units] = []
        covered = False
        for sentence, ids in sentences:
            shown = self.statements.sentence(sentence, ids)
            cites = bool(self.statements.known_ids(sentence))
            if shown:
                checked.append(shown)
            elif cites and covered:
                checked[-1] = with_citations(checked[-1], ids)
            covered = bool(ids) and bool(shown) and not ids_in(shown)
        return checked

    def _quotation(self, block: Quotation) -> list[Block]:
        """Keep verbatim quotes of excerpts; a blockquote of several quotes is checked by paragraph, by item and by block of code."""
        whole = None if any(isinstance(each, Code) for each in block.blocks) else self._verbatim(block.blocks)
        parts: list[tuple[Block, ...]] = [] if whole is None else [block.blocks]
        for each in block.blocks if whole is None else ():
            parts += each.items if isinstance(each, Listing) else [(each,)]
        checked: list[Block] = []
        for part in parts:
            if isinstance(part[0], Code):
                checked += self._quoted_code(part[0])
            elif units := (self._verbatim(part) or self._not_verbatim(part)) if whole is None else whole:
                checked.append(Paragraph(joined(units)))
        return [Quotation(tuple(checked))] if checked else []

    def _quoted_code(self, code: Code) -> list[Block]:
        """Keep code that an excerpt holds, with its lines; it is shown as text, whatever its source calls it."""
        if quotation := find_quotation(code.text, self.check.evidence.excerpts, []):
            claim = Claim(text=code.text, citations=[quotation[1]], verified=True, status="quoted")
            self.statements.result.claims.append(claim)
            return [replace(code, language="")]
        return self._marked(code, self.check.unverified(code.text, [], Verdict("quote")))

    def _verbatim(self, blocks: Iterable[Block]) -> Units | None:
        """Return a quote without links and Markdown, None if no excerpt holds it; one with numbers that no source gives is marked."""
        words, ids = self._quoted(blocks)
        quotation = find_quotation(words, self.check.evidence.excerpts, ids)
        if quotation is None:
            return None
        quote, excerpt_id = quotation
        codes = _LITERAL.findall(quote)
        parts = _as_shown(_LITERAL.sub("\ue000", quote)).split("\ue000")  # code is no markup
        if len(parts) != len(codes) + 1:  # an image with code as its words
            parts, codes = [_as_shown(quote)], []
        code = (Text(text, frozenset({"code"})) for text in codes)
        said = joined(chain.from_iterable(zip_longest(map(Text, parts), code, fillvalue=Text(""))))
        line = words_of(said)
        shown: list[Inline] = [*said, Text(" "), Citation(0, "", (excerpt_id,))]
        if numbers := self.check.evidence.untraced_numbers(quote, [excerpt_id]):
            claim = self.check.unverified(quote, [excerpt_id], Verdict("untraced", tuple(numbers)))
            return self.statements.failed(shown, claim)
        return self.statements.record(shown, Claim(text=line, citations=[excerpt_id], verified=True, status="quoted"))

    def _not_verbatim(self, blocks: Iterable[Block]) -> Units:
        words, ids = self._quoted(blocks)
        shown: list[Inline] = [Text(f"{' '.join(words.split())} "), *(Citation(0, "", (key,)) for key in ids)]
        return self.statements.failed(shown, self.check.unverified(words, ids, Verdict("quote"))) if words else []

    def _quoted(self, blocks: Iterable[Block]) -> tuple[str, list[str]]:
        lines = [content for block in blocks for part in within(block) for content in contents(part)]
        return "\n".join(filter(None, map(words_of, lines))), self.statements.known_ids(chain.from_iterable(lines))

    def _table(self, table: Table) -> list[Block]:
        over = ids_in(chain.from_iterable(table.header))
        heads = list(map(words_of, table.header))
        rows = tuple(row for each in table.rows if (row := self.statements.row(each, over, heads)))
        header = tuple(joined(self.statements.known_only(units_of(cell))) for cell in table.header)
        return [replace(table, header=header, rows=rows)] if rows else []

    def _code(self, code: Code) -> list[Block]:
        """Keep code, charts and diagrams, if nothing is at fault without a mark; a chart is judged by its own sources."""
        if not code.text.strip():
            return []
        chart = chart_of(code)
        own = [key for key in chart.sources if key in self.check.evidence.excerpts] if chart else []
        above = own or list(dict.fromkeys(self.statements.told))
        claim = self.check.figure(code.text, is_diagram=True) if code.is_diagram else self.check.code(code.text, above)
        if claim is not None:
            return self._marked(code, claim)
        self.statements.result.connecting.append(code.text)
        return [code]

    def _marked(self, code: Code, claim: Claim) -> list[Block]:
        mark = self.statements.failed([], claim)
        return [code, Paragraph(tuple(mark))] if mark else []


def _as_shown(quote: str) -> str:
    return " ".join(without_markup(unwrapped(quote)).split("\n")) if "|" in quote else as_line(quote)


def _lead(units: list[Inline]) -> tuple[list[Inline], list[Inline]]:
    """Split off an emphasised first sentence of a paragraph, with a full stop behind it; like a heading, it is judged by the text below it."""
    first = list(takewhile(lambda unit: isinstance(unit, Text) and not unit.styles.isdisjoint(_EMPHASIS), units))
    if first and text_of(units[len(first) : len(first) + 1]) in _FULL_STOPS:
        first = units[: len(first) + 1]
    blanks = list(takewhile(lambda unit: isinstance(unit, Text) and unit.text.isspace(), units[len(first) :]))
    end = len(first) + len(blanks)
    heads = 1 < len(first) <= MAX_LEAD and end < len(units) and text_of(first[-1:]) in _FULL_STOPS
    return (units[:end], units[end:]) if heads else ([], units)


def check_citations(blocks: Sequence[Block], check: ClaimCheck, *, drop: bool = False) -> CheckedReport:
    """Check every sentence of a draft by the evidence; mark unsupported sentences, or drop them."""
    checked = ReportCheck(StatementCheck(check, drop)).report(blocks)
    if not too_many_inferred(checked.claims):
        return checked
    stricter = StatementCheck(replace(check, undecided={}), drop, too_many_inferred=True)
    return ReportCheck(stricter).report(blocks)
