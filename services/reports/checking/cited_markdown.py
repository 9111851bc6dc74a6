"""Checks any Markdown that cites a bundle: an edited report, or a text written from it.

Citations are numbered links, `[[3]](address)`. Each must lead to a source of the bundle; a sentence that cites must be
supported by what was quoted from those sources, and a blockquote must be verbatim.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from pydantic import ValidationError

from schemas.bundle import EvidenceFile
from schemas.document import Block, Citation, Inline, Listing, Mark, Paragraph, Quotation, Table
from schemas.evidence import Status
from schemas.regular_file import read_regular_text
from schemas.reporter import Report
from services.check.inference import check_inference
from services.check.numbers import proving
from services.check.support import check_support, lexical_share
from services.reports.checking.bundle_check import OUT_OF_TIME, BundleCheck, Clock, OutOfTime
from services.reports.checking.bundle_files import MAX_EVIDENCE_BYTES, MAX_REPORT_BYTES, check_size, read_inside
from services.reports.document import ParsedReport, citations_in, letters, words
from services.reports.labels import ENGLISH
from services.reports.parser import parse_report
from services.reports.reference import Reference
from services.reports.sentences import cited_sentences
from services.run.errors import BundleError
from services.text.quote_location import locate

_UNLINKED = re.compile(r"\[\[\d{1,6}\]\]")
_HOW_TO_CITE = "Cite a source by its number with the link that the report's own citations have: [[1]](address)."
MAX_QUOTED = 1_000_000
"""Maximum characters of the quotes of the sources that one sentence cites."""


def verify_markdown(file: Path, bundle: Path | None = None) -> BundleCheck:
    """Check a Markdown file against the bundle that it cites.

    Args:
        file: the Markdown.
        bundle: the folder with `evidence.json`; by default the file's folder.

    Raises:
        BundleError: the file or the bundle cannot be read.
    """
    evidence = _evidence(bundle or file.parent, file)
    try:
        markdown = read_regular_text(file, MAX_REPORT_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise BundleError(f"{file} cannot be read as text ({why}). Name a Markdown file.") from None
    kept = evidence.model_dump(include={"question", "locale", "sources", "excerpts"})
    report = Report.model_validate({**kept, "title": file.stem, "markdown": markdown})
    parsed = parse_report(report)
    checker = _Checker(
        parsed,
        {source.number: source.untraced for source in report.sources if source.untraced and source.number is not None},
        _held(evidence),
        evidence.question,
        {source.number: source.card.evidence for source in report.sources if source.number is not None},
    )
    check = BundleCheck()
    try:
        for problem in checker.problems():
            check.problems.append(f"{file.name}: {problem}")
    except OutOfTime:
        check.problems.append(OUT_OF_TIME.format(file=file.name))
    is_own_report = hashlib.sha256(markdown.encode()).hexdigest() == evidence.report_sha256
    if not (check.problems or checker.sentences or checker.quotes or is_own_report):
        check.problems.append(f"{file.name}: nothing of it was checked, because it cites nothing. {_HOW_TO_CITE}")
    check.checked = {"citations": checker.citations, "sentences": checker.sentences, "quotes": checker.quotes}
    return check


def _held(evidence: EvidenceFile) -> dict[str, frozenset[int]]:
    """Return the numbers of the cited sources of each verified claim, by the claim's letters."""
    numbers = {excerpt.id: int(excerpt.source_id[1:]) for excerpt in evidence.excerpts}
    originals = {source.id: source.duplicate_of or source.id for source in evidence.sources}
    cited_as = {key: int(originals[f"S{number}"][1:]) for key, number in numbers.items() if f"S{number}" in originals}
    return {
        letters(claim.text): frozenset(cited_as[key] for key in claim.citations if key in cited_as)
        for claim in evidence.claims
        if claim.verified
    }


def _evidence(folder: Path, cited_by: Path) -> EvidenceFile:
    file = folder / "evidence.json"
    try:
        raw = json.loads(read_inside(folder, file.name, MAX_EVIDENCE_BYTES))
        if isinstance(raw, dict):
            check_size(file, raw)
        return EvidenceFile.model_validate(raw)
    except OSError as error:
        raise BundleError(
            f"{cited_by} cannot be checked: {'its folder' if folder == cited_by.parent else folder} holds no report that it could "
            f"cite ({file.name}: {error.strerror}). Name the report's folder: leadline verify {cited_by} --bundle DIR"
        ) from None
    except (ValueError, ValidationError, RecursionError) as error:
        raise BundleError(f"{file} is not an evidence bundle ({str(error)[:160]}). Write the report again.") from None


@dataclass(slots=True)
class _Checker:
    parsed: ParsedReport
    untraced: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Numbers that no source gives, by the computations that put them out."""
    held: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Cited sources of the report's own sentences by their letters; the bundle's check holds these to their exact citations."""
    question: str = ""
    """The bundle's question."""
    cards: Mapping[int, str] = field(default_factory=dict)
    """Cards of the sources with their dates of publication, by number."""
    citations: int = 0
    sentences: int = 0
    quotes: int = 0
    clock: Clock = field(default_factory=Clock)

    def problems(self) -> Iterator[str]:
        """Yield the problems in the order of the text."""
        for content in (self.parsed.title, self.parsed.summary):
            yield from self._line(content)
        for block in self.clock.each((*self.parsed.opening, *self.parsed.lead)):
            yield from self._block(block)
        for section in self.parsed.sections:
            yield from self._line(section.title)
            if section.role == "contradictions":
                yield from self._disagreements()
                continue
            for block in self.clock.each(section.blocks if section.role != "references" else ()):
                yield from self._of_program(block) if section.role == "computations" else self._block(block)

    def _disagreements(self) -> Iterator[str]:
        """Check the sides of contradictions; the note after their citations is about the source: its date of publication."""
        for side in chain.from_iterable(disagreement.sides for disagreement in self.parsed.disagreements):
            cited = [place for place, inline in enumerate(side, 1) if isinstance(inline, Citation)]
            yield from self._line(side[: cited[-1]] if cited else side)

    def _of_program(self, block: Block) -> Iterator[str]:
        """Check a program's lines: for the title of its source, which states nothing, only the link."""
        citations = citations_in(block.content) if isinstance(block, Paragraph) else ()
        titles = {" ".join(reference.title.split()) for reference in self._references(citations)}
        if isinstance(block, Paragraph) and words(block.content) in titles:
            yield from self._links(citations)
        else:
            yield from self._block(block)

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph(content=content):
                yield from self._line(content)
            case Quotation(blocks=blocks):
                for part in self.clock.each(blocks):
                    yield from self._quote(part.content) if isinstance(part, Paragraph) else self._block(part)
            case Listing(items=items):
                for part in self.clock.each(chain(*items)):
                    yield from self._block(part)
            case Table(header=header, rows=rows):
                for row in self.clock.each(rows):
                    citations = citations_in(chain(*header, *row))
                    mark = next((inline for inline in chain(*row) if isinstance(inline, Mark)), None)
                    yield from self._sentence(" | ".join(map(words, row)), citations, mark.status if mark else "")
            case _:
                return

    def _line(self, content: tuple[Inline, ...]) -> Iterator[str]:
        for sentence in self.clock.each(cited_sentences(content)):
            status = sentence.mark.status if sentence.mark else ""
            yield from self._sentence(sentence.text, sentence.citations, status)

    def _sentence(self, text: str, citations: tuple[Citation, ...], status: Status = "") -> Iterator[str]:
        yield from self._links(citations)
        yield from _unchecked(text, citations)
        if not citations or status == "unverified" or not text.strip():
            return
        self.sentences += 1
        own = self.held.get(letters(text))
        if own and own <= {citation.number for citation in citations}:
            return
        quotes, proof, titles = self._cited(citations)
        if sum(map(len, quotes)) > MAX_QUOTED:
            yield f"{text[:80]!r} cites more than {MAX_QUOTED:,} characters of quotes: not checked"
            return
        nowhere = [quote for quote in quotes if quote not in proof]
        if status == "inferred":
            premises = [quote for quote in proof if lexical_share(text, quote)] or proof
            verdict = check_inference(text, premises, titles, question=self.question, untraced=nowhere)
            if verdict.fault:
                yield f"{text[:80]!r} is called inferred, but: {ENGLISH.reason(verdict)}"
            return
        verdict = check_support(text, proof, titles, untraced=nowhere)
        reason = ENGLISH.reason(verdict)
        if reason and quotes and not any(text.strip(' “”"') in quote for quote in proof):
            yield f"{text[:80]!r} is not supported by what it cites: {reason}"

    def _quote(self, content: tuple[Inline, ...]) -> Iterator[str]:
        citations = citations_in(content)
        yield from self._links(citations)
        yield from _unchecked(words(content), citations)
        if citations:
            self.quotes += 1
            quotes, _, _ = self._cited(citations)
            if not any(locate(words(content), quote) for quote in quotes):
                yield f"the quotation {words(content)[:80]!r} is not verbatim in what it cites"

    def _links(self, citations: tuple[Citation, ...]) -> Iterator[str]:
        links = {reference.number: reference.link for reference in self.parsed.references}
        for citation in citations:
            self.citations += 1
            if citation.number not in links:
                yield f"citation [[{citation.number}]] resolves to no source of the bundle"
            elif citation.link != links[citation.number]:
                yield f"citation [[{citation.number}]] links to {citation.link[:80]}, not to its source"

    def _cited(self, citations: tuple[Citation, ...]) -> tuple[list[str], list[str], list[str]]:
        """Return the quotes of cited sources, what they prove, and the cards of the sources with their dates."""
        cited = self._references(citations)
        quotes = [
            (quote.text, self.untraced.get(reference.number)) for reference in cited for quote in reference.quotes
        ]
        cards = [self.cards.get(source.number, source.title) for source in cited]
        return [quote for quote, _ in quotes], [proving(quote, nowhere) for quote, nowhere in quotes], cards

    def _references(self, citations: tuple[Citation, ...]) -> list[Reference]:
        numbers = {citation.number for citation in citations}
        return [reference for reference in self.parsed.references if reference.number in numbers]


def _unchecked(text: str, citations: tuple[Citation, ...]) -> Iterator[str]:
    """Yield the problem of a text that cites by a number without a link."""
    if not citations and (unlinked := _UNLINKED.search(text)):
        yield f"{text[:80]!r} was not checked: {unlinked[0]} is not a link. {_HOW_TO_CITE}"
