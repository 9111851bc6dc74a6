"""Checks a bundle offline: texts by their hashes, quotes by texts, claims by quotes, links by sources."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from schemas.document import Block, Citation, Code, Display, Inline, Link
from schemas.evidence import PASSED, Claim, Excerpt, Source
from services.evidence.computation import program_of
from services.evidence.contradictions import check_contradiction
from services.evidence.literals import origin_of
from services.reports.bundle_files import MAX_TEXTS_BYTES, BundleContent, read_bundle, read_inside, seal, source_text
from services.reports.checking.claim_check import summary_fault
from services.reports.checking.clock import OUT_OF_TIME, Clock, OutOfTime
from services.reports.checking.doubts import doubt_of, evidence_of
from services.reports.document import contents, letters, within, words
from services.reports.labels import ENGLISH, counts_of
from services.reports.markdown_blocks import PARSER, is_active, read_markdown
from services.reports.references import link_of
from services.reports.statuses import SURE, sure_claims, too_many_inferred
from services.run.errors import BundleError
from services.text.heads import Heads, Sections
from services.text.page_numbers import Pages
from services.text.quotable import as_line
from services.text.quote_location import locate

MAX_CITED, MAX_SUMMED_UP = 100_000, 1_000_000
"""Maximum characters of the quotes that one statement cites, and of the statements that an opening sums up."""


@dataclass(slots=True)
class BundleCheck:
    """Result of a check."""

    checked: dict[str, int] = field(default_factory=dict)
    """Numbers of checked sources, quotes, statements and so on."""
    problems: list[str] = field(default_factory=list)
    """Problems, each with the id of the affected item."""
    head: str = ""
    """Whether the report answers its question, and how many of its statements have quotes, in words."""
    not_quoted: int = 0
    """Number of verified statements in other words than their quotes: code cannot tell whether the quotes mean what they say."""
    judged: int = 0
    """Number of these that a model found supported, by the bundle's own account, which is taken on trust."""

    def add(self, where: str, problems: Iterable[str], file: str) -> None:
        """Add problems with the place where they are, as they are found, and that time ran out if it did."""
        try:
            for problem in problems:
                self.problems.append(f"{where}{problem}")
        except OutOfTime:
            self.problems.append(OUT_OF_TIME.format(file=file))

    @property
    def counts(self) -> str:
        """What was checked, in words; kinds that do not occur are left out."""
        some = {name: count for name, count in self.checked.items() if count}
        return ", ".join(f"{count:,} {name.removesuffix('s') if count == 1 else name}" for name, count in some.items())

    @property
    def trust(self) -> str:
        """What the check leaves open, and how to have it judged; empty if every verified statement is verbatim."""
        if not self.not_quoted:
            return ""
        judged = f"The bundle says that a model found {self.judged} of them supported; that is not checked here. "
        return (
            f"Not judged: statements in other words than their quotes ({self.not_quoted} of {self.checked.get('statements', 0)}). "
            f"Code compared numbers, names and words, but cannot tell whether the meaning is the same. {judged if self.judged else ''}"
            "To let a model judge: leadline verify --judge DIR"
        )


def verify_bundle(folder: Path) -> BundleCheck:
    """Check a bundle offline.

    The hashes show accidental changes; even after a rewriting of all files and hashes, a quote that is not in its text,
    or a number that is not in its quote, is found.

    Raises:
        BundleError: the folder or a file that every bundle has is missing, or `evidence.json` cannot be read at all.
    """
    raw, content, report = read_bundle(folder)
    check = BundleCheck(head=counts_of(content.claims, content.answered, ENGLISH).text)
    if raw.get("evidence_sha256") != seal(raw):
        check.problems.append("evidence.json: changed after it was written (evidence_sha256)")
    if hashlib.sha256(report).hexdigest() != content.report_sha256:
        check.problems.append("report.md: not the text that the evidence was written for (report_sha256)")
    text = report.decode("utf-8", "replace")
    blocks = [part for block in read_markdown(text) for part in within(block)]
    inlines = [inline for block in blocks for part in contents(block) for inline in part]
    citations, broken_links = citation_problems(inlines, content.sources)
    known = {PARSER.normalizeLink(artifact.file) for artifact in content.artifacts}
    known.update(_normal(link_of(source)) for source in content.sources)
    strange = dict.fromkeys(part.link for part in inlines if isinstance(part, Link) and part.link not in known)
    broken_links += (f"the link to {link[:80]} leads to none of its sources" for link in strange)
    if is_active(text):
        broken_links.append("it holds HTML or an image")
    check.checked = {
        "sources": sum(not source.duplicate_of for source in content.sources),
        "duplicates": sum(bool(source.duplicate_of) for source in content.sources),
        "quotes": len(content.excerpts),
        "statements": len(content.claims),
        "artifacts": len(content.artifacts),
        "citations": citations,
    }
    check.add("", _Evidence(folder, content, check).problems(letters("".join(map(_shown, blocks)))), "evidence.json")
    check.add("report.md: ", broken_links, "report.md")
    return check


def is_verbatim(claim: Claim, excerpts: Mapping[str, Excerpt]) -> bool:
    """Tell whether a claim is called quoted, and one of its quotes holds its words."""
    words = letters(claim.text)
    quotes = (excerpts[key].quote for key in claim.citations if words and key in excerpts)
    return claim.status == "quoted" and any(
        words in letters(quote) or words in letters(as_line(quote)) for quote in quotes
    )


class _Evidence:
    """The check of what `evidence.json` says."""

    def __init__(self, folder: Path, content: BundleContent, check: BundleCheck) -> None:
        self._folder, self._content, self._check = folder, content, check
        self._clock = Clock()
        self._sources = {source.content_hash: source for source in content.sources}
        self._excerpts = {excerpt.id: excerpt for excerpt in content.excerpts}
        self._quoted: dict[str, list[Excerpt]] = {}
        """Excerpts by the source that they quote."""
        self._borrowed: dict[str, list[Excerpt]] = {}
        """Excerpts of copies by the source that they are cited as."""
        for excerpt in content.excerpts:
            self._quoted.setdefault(excerpt.content_hash, []).append(excerpt)
            source = self._sources.get(excerpt.content_hash)
            if source and source.duplicate_of:
                self._borrowed.setdefault(source.duplicate_of, []).append(excerpt)
        self._statements = [claim.text for claim in content.claims if claim.verified and claim.cited_by != "report"]
        self._text_supported: set[int] = set()
        """Places of the claims that a model found supported by words that the text of a cited source holds."""

    def problems(self, shown: str) -> Iterator[str]:
        """Yield the problems; `shown` are the letters of the report.

        Raises:
            OutOfTime: the check takes too long.
        """
        yield from self._ids()
        yield from self._texts()
        yield from self._claims(shown)
        yield from self._artifacts()
        yield from self._contradictions()

    def _ids(self) -> Iterator[str]:
        """Check that ids are different, and that excerpts name what there is."""
        content = self._content
        if len({source.id for source in content.sources}) != len(content.sources):
            yield "evidence.json: two sources have the same id"
        if len(self._excerpts) != len(content.excerpts):
            yield "evidence.json: two excerpts have the same id"
        for excerpt in self._clock.each(content.excerpts):
            if excerpt.content_hash not in self._sources:
                yield f"{excerpt.id}: it quotes {excerpt.content_hash}, which does not exist"
            for key in excerpt.confirmed_by:
                if key not in self._excerpts:
                    yield f"{excerpt.id}: it is said to be confirmed by {key}, which does not exist"

    def _claims(self, shown: str) -> Iterator[str]:
        content = self._content
        if content.answered in {"yes", "partly"} and not sure_claims(content.claims):
            yield "evidence.json: the report is said to answer the question, and no claim of it is quoted or supported"
        if too_many_inferred(content.claims):
            yield "evidence.json: more than a third of its claims are called inferred, and no model found them so"
        for place, claim in enumerate(self._clock.each(content.claims), 1):
            problems = [] if letters(claim.text) in shown else ["report.md does not say it"]
            for problem in chain(self._claim(claim, in_text=place in self._text_supported), problems):
                yield f"statement {place} ({' '.join(claim.text.split())[:60]!r}): {problem}"

    def _texts(self) -> Iterator[str]:
        """Check every source and its quotes, one text at a time, since texts may be long."""
        judged, room = self._judged(), MAX_TEXTS_BYTES
        for source in self._clock.each(self._content.sources):
            text = None
            try:
                data = source_text(self._folder, source, room)
                room -= len(data)
                text = data.decode("utf-8", "replace")
                places = [text, source.card.heading, source.card.about]
                for place, words in self._clock.each(judged.get(source.content_hash, ())):
                    if any(words in held for held in places):
                        self._text_supported.add(place)
                if hashlib.sha256(data).hexdigest() != source.content_hash:
                    yield f"{source.id}: its text {source.file} was changed: it does not have its content hash"
            except BundleError as problem:
                yield f"{source.id}: {problem}"
            if source.duplicate_of and source.duplicate_of not in self._sources:
                yield f"{source.id}: it is called a copy of {source.duplicate_of}, which does not exist"
            if text is not None and source.kind == "computation" and source.untraced == []:
                yield from self._numbers(source, text)
            yield from self._quotes(source, text)

    def _judged(self) -> dict[str, list[tuple[int, str]]]:
        """Return the claims that a model found supported: place and decisive words, by the sources that the claims cite."""
        judged: dict[str, list[tuple[int, str]]] = {}
        for place, claim in enumerate(self._content.claims, 1):
            judgement = claim.judgement
            if judgement is not None and judgement.verdict == "supported" and judgement.words:
                for key in {self._excerpts[key].content_hash for key in claim.citations if key in self._excerpts}:
                    judged.setdefault(key, []).append((place, judgement.words))
        return judged

    def _quotes(self, source: Source, text: str | None) -> Iterator[str]:
        """Check the quotes of a source, and quotes of its copies that are cited as this source."""
        quoted = self._quoted.get(source.content_hash, [])
        heads = Heads(text or "")
        pages, sections = None, None
        for excerpt in self._clock.each(quoted):
            inside = text is not None and 0 <= excerpt.start < excerpt.end <= len(text)
            if text is None or not inside or text[excerpt.start : excerpt.end] != excerpt.quote:
                yield f"{excerpt.id}: its quote is not the text of {source.id} from {excerpt.start} to {excerpt.end}"
            elif excerpt.heads and excerpt.heads not in {heads.at(excerpt.start), heads.of_table(excerpt.start)}:
                yield f"{excerpt.id}: its headings are not those of the table that it quotes rows of"
            elif excerpt.page is not None and (pages := pages or Pages(text)).at(excerpt.start) != excerpt.page:
                yield f"{excerpt.id}: its quote is not on page {excerpt.page} of {source.id}"
            elif excerpt.section and excerpt.section not in (sections := sections or Sections(text)).names(
                excerpt.start
            ):
                yield f"{excerpt.id}: its quote does not stand under the heading that it names"
        for excerpt in self._clock.each(self._borrowed.get(source.content_hash, [])):
            if text is None or not locate(excerpt.quote, text):
                yield f"{excerpt.id}: it is cited as {source.id}, and the text of {source.id} does not hold its quote"

    def _numbers(self, source: Source, text: str) -> Iterator[str]:
        """Trace the numbers of a program that is said to have none of its own."""
        program = program_of(text)
        if program is None:
            yield f"{source.id}: its text is not that of a computation"
            return
        others = [excerpt for excerpt in self._content.excerpts if excerpt.content_hash != source.content_hash]
        known = [self._content.question, *evidence_of(others, self._sources)[0]]
        known += [cited.card.evidence for cited in self._content.sources if cited.kind != "computation"]
        if nowhere := origin_of(program.code, program.output, known, program.reads).untraced:
            yield f"{source.id}: its program has numbers that no source gives: {', '.join(nowhere)[:200]}"

    def _claim(self, claim: Claim, *, in_text: bool) -> Iterator[str]:
        """Check a claim by its quotes, or by words that decided its judgement and are `in_text`, and count those that code cannot judge."""
        if claim.status and claim.verified != (claim.status in {*SURE, "inferred"}):
            yield f"it is called {claim.status}, and {'verified' if claim.verified else 'not verified'}"
        unknown = [citation for citation in claim.citations if citation not in self._excerpts]
        cited = [self._excerpts[citation] for citation in claim.citations if citation in self._excerpts]
        if unknown:
            yield f"it cites {', '.join(unknown)}, which does not exist"
        elif sum(len(excerpt.headed_quote) for excerpt in cited) > MAX_CITED:
            yield f"it cites more than {MAX_CITED:,} characters of quotes, more than any statement does: not checked"
        elif claim.status == "quoted" and not is_verbatim(claim, self._excerpts):
            yield "it is called quoted, and none of its quotes holds its words"
        elif claim.cited_by == "report":
            if reason := self._of_summary(claim):
                yield f"it is called verified, but: {reason}"
        elif claim.verified:
            if claim.status != "quoted":
                self._check.not_quoted += 1
                self._check.judged += claim.judgement is not None and claim.judgement.verdict in PASSED
            if reason := doubt_of(claim, cited, self._sources, self._content.question, in_text=in_text):
                called = "inferred" if claim.status == "inferred" else "verified"
                yield f"it is called {called}, but: {reason}"

    def _of_summary(self, claim: Claim) -> str:
        """Return why the report's other statements do not bear a sentence that sums them up, in words."""
        self._check.not_quoted += claim.verified
        self._check.judged += claim.judgement is not None and claim.judgement.verdict in PASSED
        if sum(map(len, self._statements)) > MAX_SUMMED_UP:
            return f"the statements have more than {MAX_SUMMED_UP:,} characters, more than any report: not checked"
        return ENGLISH.reason(summary_fault(claim, self._statements)) if claim.verified else ""

    def _contradictions(self) -> Iterator[str]:
        """Check that contradictions that are called confirmed name excerpts that differ."""
        for conflict in self._clock.each(self._content.contradictions):
            name = f"contradiction {conflict.topic[:60]!r}"
            missing = [identifier for identifier in conflict.excerpt_ids if identifier not in self._excerpts]
            if missing:
                yield f"{name}: it names {', '.join(missing)}, which does not exist"
            elif conflict.differs:
                confirmed = check_contradiction(conflict, self._excerpts, self._sources)
                if confirmed is None or not confirmed.differs:
                    yield f"{name}: it is called confirmed, and its excerpts differ in nothing that code can detect"

    def _artifacts(self) -> Iterator[str]:
        for artifact in self._clock.each(self._content.artifacts):
            if not re.fullmatch(r"artifacts/[0-9a-f]{12}-[\w.-]+", artifact.file):
                yield f"{artifact.id}: {artifact.file[:100]!r} is not a place for an artifact"
                continue
            try:
                data = read_inside(self._folder, artifact.file, MAX_TEXTS_BYTES)
            except OSError as error:
                yield f"{artifact.id}: its file {artifact.file} cannot be read ({error.strerror})"
                continue
            if hashlib.sha256(data).hexdigest() != artifact.content_hash:
                yield f"{artifact.id}: its file {artifact.file} was changed: it does not have its content hash"


def _normal(link: str) -> str:
    """Return a link as the parser reads it; `inlines` decodes those to stored texts."""
    return link if link.startswith("sources/") else PARSER.normalizeLink(link)


def _shown(block: Block) -> str:
    """Return the visible text of a block without citations."""
    match block:
        case Code(text=text):
            return text
        case Display(latex=latex):
            return latex
    return "".join(words(content) for content in contents(block))


def citation_problems(inlines: Iterable[Inline], sources: Iterable[Source]) -> tuple[int, list[str]]:
    """Return the number of citations, and what is wrong with those that do not lead to their source, each problem once."""
    links = {source.number: _normal(link_of(source)) for source in sources}
    cited = [inline for inline in inlines if isinstance(inline, Citation)]
    problems: dict[str, None] = {}
    for citation in cited:
        name = f"citation [[{citation.number}]]"
        if citation.number not in links:
            problems[f"{name} resolves to no source of the bundle"] = None
        elif citation.link != links[citation.number]:
            problems[f"{name} links to {citation.link[:80]}, not to its source"] = None
    return len(cited), list(problems)
