"""Checks a report block by block and sentence by sentence: each is kept, marked or removed, and counted."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

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
from services.evidence.non_claims import claims_nothing, says_nothing_known, without_label
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.claim_check import ClaimCheck
from services.reports.checking.coverage import Coverage, cells_with_heads, covering, is_label_line
from services.reports.checking.quotations import find_quotation
from services.reports.document import contents, letters, within, without_empty_sections
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
from services.reports.statuses import SIGNS
from services.text.passages import unwrapped
from services.text.quotable import as_line, without_markup

SECTION_LEVEL = 2
"""Level of the headings of separately written sections."""
_EMPHASIS: frozenset[Style] = frozenset({"strong", "emphasis"})
MAX_LEAD = 200
"""Maximum characters of a sentence in bold that heads a paragraph."""


@dataclass(slots=True)
class ReportCheck:
    """The check of one report, block by block; used once."""

    check: ClaimCheck
    drop: bool
    """Whether to remove unsupported statements."""
    too_many_inferred: bool = False
    """Whether statements that only their writer calls inferred are unproved, since they are too many."""
    result: CheckedReport = field(default_factory=CheckedReport)
    coverage: Coverage = field(default_factory=lambda: Coverage(()))
    section: str = ""
    """Heading of the current section."""
    beside: list[str] = field(default_factory=list)
    """Ids cited by the last sentence that cites, in the current section."""
    in_opening: bool = True
    """Whether the current block is in the opening."""

    def report(self, blocks: Sequence[Block]) -> CheckedReport:
        """Check the blocks of a report as a model wrote it."""
        self.coverage = Coverage(blocks)
        checked = self._blocks(blocks)
        self.result.blocks = without_empty_sections(checked) if self.result.left_out else checked
        self.result.undecided = self.check.undecided
        self._end_opening()
        return self.result

    def _blocks(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        return tuple(checked for block in blocks for checked in self._block(block))

    def _block(self, block: Block) -> Iterable[Block]:
        """Return what is left of a block: nothing, the block, or code with the mark behind it."""
        match block:
            case Heading():
                return self._heading(block)
            case Paragraph(content=content):
                return self._paragraph(content, block)
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
        if self.result.claims or self.result.hedged:
            self._end_opening()
        if heading.level <= SECTION_LEVEL:
            self.section = words_of(content)
            self.beside = []
        below = self._below(heading) if heading.level == 1 else []
        stands = words_of(content) and (self._is_title(content) or self._heads(content, below))
        return [replace(heading, content=joined(trimmed(content)))] if stands else []

    def _end_opening(self) -> None:
        if self.in_opening:
            self.in_opening, self.result.opening = False, len(self.result.claims)

    def _note_lack(self) -> None:
        """Record that the opening says that the sources lack information."""
        if self.in_opening:
            self.result.hedged = True
            if self.result.declined is None:
                self.result.declined = len(self.result.claims)

    def _heads(self, content: Iterable[Inline], ids: Sequence[str] = ()) -> bool:
        """Keep a heading, label, table header or question unmarked; one with a number from nowhere, or that a verifier refutes, is left out.

        Args:
            content: its words.
            ids: what stands below it cites; a verifier judges a title, and a sentence in bold that heads a paragraph, by these.
        """
        words = words_of(content)
        claim = self.check.figure(words) or self.check.heading(words, ids)
        if claim is not None and claim.judgement is not None and claim.status != "contradicted":
            self.result.failed.append(claim)  # an editor mends it
            return True
        if claim is not None:
            self.result.left_out.append(claim)
        elif ids:
            self.result.connecting.append(words)
        return claim is None

    def _paragraph(self, content: Inlines, block: Block) -> list[Block]:
        units = units_of(content)
        if self._is_title(content):
            return [Paragraph(joined(self._known_only(units)))]
        if is_label_line(content):
            return [Paragraph(joined(self._known_only(units)))] if self._heads(content) else []
        before = len(self.check.undecided)
        lead, units = _lead(units)
        if lead and not self._heads(lead, self._known_ids(units)):
            lead = []
        lines = [sentences_of(line) for line in lines_of(units)]
        covers = iter(covering([*chain.from_iterable(lines)], self._known_ids, lambda: self._below(block)))
        texts = [join_sentences(self._sentences([(sentence, next(covers)) for sentence in line])) for line in lines]
        self._note_places(list(chain.from_iterable(lines)), words_of(content), before)
        shown = [inline for text in texts if text for inline in (Break(), *text)][1:]
        return [Paragraph(joined([*lead, *shown]))] if shown else []

    def _note_places(self, sentences: Sequence[Units], paragraph: str, before: int) -> None:
        """Record the paragraph of each undecided sentence after the first `before`."""
        first = sentences[0] if sentences and not ids_in(sentences[0]) else []
        for (statement, _), doubt in list(self.check.undecided.items())[before:]:
            doubt.paragraph = paragraph if len(sentences) > 1 else ""
            doubt.uncited = doubt.uncited or statement == without_label(words_of(first))

    def _below(self, block: Block) -> list[str]:
        return [key for key in self.coverage.below(block) if key in self.check.excerpts]

    def _sentences(self, sentences: Iterable[tuple[Units, list[str]]]) -> list[Units]:
        """Check the sentences of a line; if the citing sentence is removed, its citations move to the last one that it covers."""
        checked: list[Units] = []
        covered = False
        for sentence, ids in sentences:
            shown = self._sentence(sentence, ids)
            cites = bool(self._known_ids(sentence))
            if shown:
                checked.append(shown)
            elif cites and covered:
                checked[-1] = with_citations(checked[-1], ids)
            covered = bool(ids) and bool(shown) and not ids_in(shown)
        return checked

    def _is_title(self, content: Iterable[Inline]) -> bool:
        """Tell whether a paragraph or heading is only the title of a source, which is not a claim of the report."""
        words = re.sub(r"\W+", "", words_of(content)).lower()
        return bool(words) and any(
            words == re.sub(r"\W+", "", title.partition("\n")[0]).lower() for title in self.check.titles.values()
        )

    def _sentence(self, sentence: Units, ids: list[str]) -> Units:
        """Check a sentence by its own citations, else by those that cover it; nothing is left of one that is removed."""
        words = without_label(words_of(sentence))
        shown, own = self._known_only(sentence), self._known_ids(sentence)
        if not re.search(r"\w", words):
            return []
        if all(
            isinstance(unit, Formula) or (isinstance(unit, Text) and unit.text in " .,;:。，；：") for unit in sentence
        ):
            claim = self.check.figure(words)
            return self._failed(shown, claim) if claim else shown
        evidence = f"{self.check.known}\n{self.check.question}"
        inferred = _is_inference(sentence)
        if not inferred and claims_nothing(words, cites=bool(own), evidence=evidence):
            return self._lack(words, evidence, shown, own or ids or self.beside)
        if not own and words.endswith(("?", "？")):
            return shown if self._heads(shown) else []
        written = ids_in(sentence)
        if inferred:
            claim = self.check.former.find(words, own) or self._inferred(words, written)
        elif written and not own:
            return self._failed(shown, self.check.unknown(words, written))
        else:
            claim = self._judged(words, own, ids)
        if claim is None:
            self.result.connecting.append(words)
            return shown
        if claim.cited_by == "code":
            shown = with_citations(shown, [key for key in claim.citations if key not in ids])
        return self._record(shown, claim)

    def _judged(self, words: str, own: list[str], ids: list[str]) -> Claim | None:
        """Judge a sentence by its own citations, else by those that cover it; one of the former report keeps its judgement."""
        former = self.check.former
        claim, beside = former.find(words, own), ids or self.beside
        if claim is None and (own or words not in former.connecting):
            claim = self.check.sentence(words, ids, covered=not own, section=self.section, beside=beside)
        self.beside = own or self.beside
        return claim

    def _lack(self, words: str, evidence: str, shown: Units, ids: Sequence[str]) -> Units:
        """Keep a sentence that claims nothing; one on missing evidence goes if a verifier found that evidence."""
        if says_nothing_known(words, evidence):
            claim = None if words in self.check.former.connecting else self.check.lack(words, ids)
            if claim is not None:
                return self._failed(shown, claim)
            self.result.connecting.append(words)
            self._note_lack()
        return shown

    def _record(self, shown: Units, claim: Claim) -> Units:
        """Count a verified statement; mark or remove any other."""
        if not claim.verified:
            return self._failed(shown, claim)
        self.result.claims.append(claim)
        return _settled(shown, claim)

    def _inferred(self, words: str, ids: Sequence[str]) -> Claim:
        claim = self.check.inference(words, ids)
        beyond = self.too_many_inferred and claim.status == "inferred" and claim.judgement is None
        return self.check.unverified(words, ids, Verdict("share")) if beyond else claim

    def _failed(self, shown: Units, claim: Claim) -> Units:
        """Mark an unsupported statement, or remove a refuted or dropped one, and count it; of a program's output no words are at fault."""
        if not self.check.untraced_numbers(claim.text, claim.citations):
            self.result.failed.append(claim)
        if self.drop or claim.status == "contradicted":
            self.result.left_out.append(claim)
            return []
        self.result.marked += 1
        self.result.claims.append(claim)
        return _settled(shown, claim)

    def _known_ids(self, units: Iterable[Inline]) -> list[str]:
        return [key for key in ids_in(units) if key in self.check.excerpts]

    def _known_only(self, units: Units) -> list[Inline]:
        """Return units without marks and citations of excerpts that do not exist."""
        return trimmed(
            [
                unit
                for unit in units
                if not isinstance(unit, Mark) and (not isinstance(unit, Citation) or self._known_ids([unit]))
            ]
        )

    def _quotation(self, block: Quotation) -> list[Block]:
        """Keep verbatim quotes of excerpts; a blockquote of several quotes is checked by paragraph, by item and by block of code."""
        whole = None if any(isinstance(each, Code) for each in block.blocks) else self._verbatim(block.blocks)
        parts: list[tuple[Block, ...]] = [block.blocks]
        if whole is None:
            parts = [
                part for each in block.blocks for part in (each.items if isinstance(each, Listing) else ((each,),))
            ]
        checked: list[Block] = []
        for part in parts:
            if isinstance(part[0], Code):
                checked += self._quoted_code(part[0])
            elif units := (self._verbatim(part) or self._not_verbatim(part)) if whole is None else whole:
                checked.append(Paragraph(joined(units)))
        return [Quotation(tuple(checked))] if checked else []

    def _quoted_code(self, code: Code) -> list[Block]:
        """Keep code that an excerpt holds, with its lines; it is shown as text, whatever its source calls it."""
        if find_quotation(code.text, self.check.excerpts, []) is not None:
            return [replace(code, language="")]
        return self._marked(code, self.check.unverified(code.text, [], Verdict("quote")))

    def _verbatim(self, blocks: Iterable[Block]) -> Units | None:
        """Return a quote without links and Markdown, None if no excerpt holds it; one with numbers that no source gives is marked."""
        words, ids = self._quoted(blocks)
        quotation = find_quotation(words, self.check.excerpts, ids)
        if quotation is None:
            return None
        quote, excerpt_id = quotation
        line = " ".join(without_markup(unwrapped(quote)).split("\n")) if "|" in quote else as_line(quote)
        shown: list[Inline] = [Text(f"{line} "), Citation(0, "", (excerpt_id,))]
        if numbers := self.check.untraced_numbers(quote, [excerpt_id]):
            return self._failed(shown, self.check.unverified(quote, [excerpt_id], Verdict("untraced", tuple(numbers))))
        return self._record(shown, Claim(text=line, citations=[excerpt_id], verified=True, status="quoted"))

    def _not_verbatim(self, blocks: Iterable[Block]) -> Units:
        words, ids = self._quoted(blocks)
        shown: list[Inline] = [Text(f"{' '.join(words.split())} "), *(Citation(0, "", (key,)) for key in ids)]
        return self._failed(shown, self.check.unverified(words, ids, Verdict("quote"))) if words else []

    def _quoted(self, blocks: Iterable[Block]) -> tuple[str, list[str]]:
        """Return the words of quoted blocks, and the known ids in them."""
        lines = [content for block in blocks for part in within(block) for content in contents(part)]
        return "\n".join(filter(None, map(words_of, lines))), self._known_ids(chain.from_iterable(lines))

    def _table(self, table: Table) -> list[Block]:
        over = ids_in(chain.from_iterable(table.header))
        heads = list(map(words_of, table.header))
        rows = tuple(row for each in table.rows if (row := self._row(each, over, heads)))
        header = tuple(joined(self._known_only(units_of(cell))) for cell in table.header)
        return [replace(table, header=header, rows=rows)] if rows else []

    def _row(self, cells: Sequence[Inlines], over: list[str], heads: list[str]) -> tuple[Inlines, ...]:
        """Check a row of a table; nothing is left of one that is removed."""
        written_ids = list(dict.fromkeys([*over, *ids_in(chain.from_iterable(cells))]))
        ids = [identifier for identifier in written_ids if identifier in self.check.excerpts]
        texts = list(map(words_of, cells))
        words = " | ".join(filter(None, texts))
        shown = [self._known_only(units_of(cell)) for cell in cells]
        if not re.search(r"\w", words):
            return tuple(map(joined, shown))
        headed = zip(heads, texts, strict=False)
        labelled = " | ".join(f"{head}: {text}" if head else text for head, text in headed if text)
        before = len(self.check.undecided)
        claim: Claim | None
        former = self.check.former.find(words, written_ids)
        if former is not None or (not written_ids and words in self.check.former.connecting):
            claim = former
        elif any(map(_is_inference, cells)):
            claim = self._inferred(words, written_ids)
        elif written_ids and not ids:
            claim = self.check.unknown(words, written_ids)
        else:
            claim = self.check.sentence(words, ids, cells_with_heads(texts, heads), section=self.section)
            if claim is not None and claim.cited_by == "code":
                shown[-1] = with_citations(shown[-1], [key for key in claim.citations if key not in ids])
        for doubt in list(self.check.undecided.values())[before:]:
            doubt.row = labelled
        if claim is None:
            self.result.connecting.append(words)
            return tuple(map(joined, shown))
        before = len(self.result.left_out)
        last = self._record(shown[-1], claim)
        rest = (_settled(cell, claim.model_copy(update={"status": ""})) for cell in shown[:-1])
        return () if len(self.result.left_out) > before else tuple(map(joined, [*rest, last]))

    def _code(self, code: Code) -> list[Block]:
        """Keep code and diagrams; their numbers must occur somewhere in the evidence."""
        if not code.text.strip():
            return []
        claim = self.check.diagram(code.text) if code.is_diagram else self.check.figure(code.text)
        return [code] if claim is None else self._marked(code, claim)

    def _marked(self, code: Code, claim: Claim) -> list[Block]:
        mark = self._failed([], claim)
        return [code, Paragraph(tuple(mark))] if mark else []


def _lead(units: list[Inline]) -> tuple[list[Inline], list[Inline]]:
    """Split off an emphasised first sentence of a paragraph; like a heading, it is judged by the text below it."""
    first = list(takewhile(lambda unit: isinstance(unit, Text) and not unit.styles.isdisjoint(_EMPHASIS), units))
    blanks = list(takewhile(lambda unit: isinstance(unit, Text) and unit.text.isspace(), units[len(first) :]))
    end = len(first) + len(blanks)
    heads = 1 < len(first) <= MAX_LEAD and end < len(units) and text_of(first[-1:]) in ".!?。！？"
    return (units[:end], units[end:]) if heads else ([], units)


def _is_inference(units: Iterable[Inline]) -> bool:
    return any(isinstance(unit, Mark) and unit.status == "inferred" for unit in units)


def _settled(units: Units, claim: Claim) -> list[Inline]:
    """Return a statement with its status at its citations, and at its end the mark of one that is not proved."""
    settled = [replace(unit, status=claim.status) if isinstance(unit, Citation) else unit for unit in units]
    if claim.status not in SIGNS:
        return settled
    while settled and text_of(settled[-1:]).isspace():
        settled.pop()
    return [*settled, Mark(claim.status, claim.reason, len(letters(claim.text)))]
