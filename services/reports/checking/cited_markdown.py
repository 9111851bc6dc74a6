"""Checks any Markdown that cites a bundle: an edited report, or a text written from it.

Citations are numbered links, `[[3]](address)`. Each must lead to a source of the bundle; a sentence that cites must be
supported by what was quoted from those sources, and a blockquote must be verbatim.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from schemas.clean_text import beginning
from schemas.document import Block, Citation, Code, Heading, Inlines, Listing, Mark, Paragraph, Quotation, Table
from schemas.evidence import Claim, Excerpt, Status
from schemas.regular_file import read_regular_text
from services.check.support import lexical_share
from services.evidence.non_claims import claims_nothing
from services.reports.bundle_files import MAX_REPORT_BYTES, BundleContent, Clock, read_bundle
from services.reports.checking.bundle_check import SHOWN, citation_problems
from services.reports.checking.bundle_result import BundleCheck
from services.reports.checking.citable_evidence import CitableEvidence
from services.reports.checking.claim_check import doubt_of
from services.reports.document import citations_in, contents, is_label, letters, within, words
from services.reports.formats import FORMATS
from services.reports.markdown_blocks import read_markdown
from services.reports.sentences import cited_sentences
from services.run.errors import BundleError
from services.run.ui_text import say, speaking, spoken_locale
from services.text.quote_location import locate

_UNLINKED = re.compile(r"\[\[\d{1,6}\]\]")
MAX_QUOTED = 1_000_000
"""Maximum characters of the quotes of the sources that one sentence cites."""


def verify_markdown(file: Path, bundle: Path | None = None) -> BundleCheck:
    """Check a Markdown file against the bundle that it cites, by default that in its folder.

    Raises:
        BundleError: the file is of another format of reports, or it or the bundle cannot be read.
    """
    if file.suffix.lower() in {Path(made.file).suffix for made in FORMATS.values()} - {".md"}:
        raise BundleError(say("verify_no_markdown", file=file))
    try:
        markdown = read_regular_text(file, MAX_REPORT_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise BundleError(say("verify_no_text", file=file, reason=why)) from None
    folder = bundle or file.parent
    if not (folder / "evidence.json").exists():
        raise BundleError(say("verify_no_bundle", file=file, folder=folder))
    _, content, report = read_bundle(folder)
    with speaking(content.locale):
        return _checked(file, markdown, content, report.decode("utf-8", "replace"))


def _checked(file: Path, markdown: str, content: BundleContent, report: str) -> BundleCheck:
    blocks = read_markdown(markdown)
    parts, own = ([part for block in each for part in within(block)] for each in (blocks, read_markdown(report)))
    cited = chain.from_iterable(map(contents, parts))
    citations, problems = citation_problems(chain.from_iterable(cited), content.sources)
    checker, check = _Checker(content), BundleCheck(spoken_locale())
    check.add(f"{file.name}: ", chain(problems, checker.problems(blocks)), file.name)
    is_own_report = hashlib.sha256(markdown.encode()).hexdigest() == content.report_sha256
    if not (check.problems or checker.sentences or checker.quotes or is_own_report):
        check.problems.append(say("verify_nothing_cited", file=file.name))
    check.not_quoted = checker.not_quoted
    check.checked = {"citations": citations, "sentences": checker.sentences, "quotes": checker.quotes}
    told, codes = {letters(text) for text in _uncited(own)}, {part.text for part in own if isinstance(part, Code)}
    check.uncited = [text for text in _uncited(parts) if letters(text) not in told]
    check.new_code = [part.text for part in parts if isinstance(part, Code) and part.text not in codes]
    return check


class _Checker:
    def __init__(self, content: BundleContent) -> None:
        self.sentences = self.quotes = self.not_quoted = 0
        self._clock = Clock()
        sources = {source.content_hash: source for source in content.sources}
        by_id = {excerpt.id: excerpt for excerpt in content.excerpts}
        self._evidence = CitableEvidence(by_id, sources, content.question)
        self._excerpts: dict[int | None, list[Excerpt]] = {}
        """By the number of the source that is cited for them: of copies, the original's."""
        numbers: dict[str, int | None] = {}
        for excerpt in content.excerpts:
            source = sources.get(excerpt.content_hash)
            original = sources.get(source.duplicate_of or "", source) if source else None
            numbers[excerpt.id] = number = original.number if original else None
            self._excerpts.setdefault(number, []).append(excerpt)
        self._letters = {excerpt.id: letters(excerpt.quote) for excerpt in content.excerpts}
        own = [claim for claim in content.claims if claim.verified]
        self._held = {letters(claim.text): {numbers.get(key) for key in claim.citations} for claim in own}
        """Cited sources of the report's own sentences; the bundle's check holds these to their exact citations."""

    def problems(self, blocks: Sequence[Block]) -> Iterator[str]:
        """Yield the problems in the order of the text."""
        for block in self._clock.each(blocks):
            match block:
                case Heading(content=content) | Paragraph(content=content):
                    for sentence in self._clock.each(cited_sentences(content)):
                        yield from self._sentence(sentence.text, sentence.citations, sentence.mark)
                case Quotation(blocks=quoted):
                    for part in quoted:
                        yield from self._quote(part.content) if isinstance(part, Paragraph) else self.problems([part])
                case Listing(items=items):
                    yield from self.problems(list(chain(*items)))
                case Table(header=header, rows=rows):
                    for row in self._clock.each(rows):
                        mark = next((inline for inline in chain(*row) if isinstance(inline, Mark)), None)
                        yield from self._sentence(" | ".join(map(words, row)), citations_in(chain(*header, *row)), mark)

    def _sentence(self, text: str, citations: Sequence[Citation], mark: Mark | None) -> Iterator[str]:
        yield from _unchecked(text, citations)
        status: Status = mark.status if mark else ""
        if not citations or status == "unverified" or not text.strip():
            return
        self.sentences += 1
        cited = self._cited(citations)
        self.not_quoted += not any(letters(text) in self._letters[excerpt.id] for excerpt in cited)
        own, ids = self._held.get(letters(text)), [excerpt.id for excerpt in cited]
        if own and own <= {citation.number for citation in citations}:
            return
        if sum(len(excerpt.headed_quote) for excerpt in cited) > MAX_QUOTED:
            yield say("verify_sentence_cites_too_much", text=beginning(text, SHOWN), characters=MAX_QUOTED)
        elif status == "inferred":
            premises = [excerpt.id for excerpt in cited if lexical_share(text, excerpt.quote)] or ids
            claim = Claim(text=text, verified=True, status=status)
            if reason := doubt_of(claim, premises, self._evidence, is_new=True):
                yield say("verify_sentence_not_inferred", text=beginning(text, SHOWN), reason=reason)
        else:
            claim = Claim(text=text, verified=True)
            if cited and (reason := doubt_of(claim, ids, self._evidence, is_new=True)):
                yield say("verify_sentence", text=beginning(text, SHOWN), reason=reason)

    def _quote(self, content: Inlines) -> Iterator[str]:
        citations = citations_in(content)
        yield from _unchecked(words(content), citations)
        if citations:
            self.quotes += 1
            if not any(locate(words(content), excerpt.quote) for excerpt in self._cited(citations)):
                yield say("verify_quotation", text=beginning(words(content), SHOWN))

    def _cited(self, citations: Sequence[Citation]) -> list[Excerpt]:
        numbers = dict.fromkeys(citation.number for citation in citations)
        return [excerpt for number in numbers for excerpt in self._excerpts.get(number, ())]


def _unchecked(text: str, citations: Sequence[Citation]) -> Iterator[str]:
    """Yield the problem of a text that cites by a number without a link."""
    if not citations and (unlinked := _UNLINKED.search(text)):
        yield say("verify_unlinked", text=beginning(text, SHOWN), citation=unlinked[0])


def _uncited(parts: Sequence[Block]) -> Iterator[str]:
    """Yield the sentences and rows that state something and cite nothing: headings, labels, questions and introductions of what follows state nothing."""
    for part in parts:
        match part:
            case Paragraph(content=content) if not is_label(content):
                texts = [sentence.text for sentence in cited_sentences(content) if not sentence.citations]
            case Table(header=header, rows=rows):
                texts = [" | ".join(map(words, row)) for row in rows if not citations_in(chain(*header, *row))]
            case _:
                texts = []
        stating = (text for text in texts if not text.endswith(("?", "？")))
        yield from (text for text in stating if not claims_nothing(text, cites=False, evidence=""))
