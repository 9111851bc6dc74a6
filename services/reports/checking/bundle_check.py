"""Checks a bundle offline: texts by their hashes, quotes by texts, claims by quotes, links by sources."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from schemas.clean_text import beginning
from schemas.document import Block, Citation, Code, Display, Inline, Link
from schemas.evidence import PASSED, Claim, Excerpt, Source
from services.evidence.computation import program_of
from services.evidence.contradictions import check_contradiction
from services.evidence.literals import origin_of
from services.reports.bundle_files import (
    MAX_TEXTS_BYTES,
    BundleContent,
    Clock,
    read_bundle,
    read_inside,
    seal,
    source_text,
)
from services.reports.charts.written import read_comment
from services.reports.checking.bundle_result import BundleCheck
from services.reports.checking.citable_evidence import CitableEvidence
from services.reports.checking.claim_check import doubt_of, summary_fault
from services.reports.checking.exported_page import check_exports
from services.reports.checking.written_text import new_sentences
from services.reports.document import contents, letters, within, words
from services.reports.labels import counts_of, labels_for
from services.reports.markdown_blocks import PARSER, read_markdown
from services.reports.references import link_of
from services.reports.statuses import SURE, sure_claims, too_many_inferred
from services.run.errors import BundleError
from services.run.ui_text import say, speaking, spoken_locale
from services.text.heads import Heads, Sections
from services.text.page_numbers import Pages
from services.text.quotable import as_line
from services.text.quote_location import locate

MAX_CITED, MAX_SUMMED_UP = 100_000, 1_000_000
"""Maximum characters of the quotes that one statement cites, and of the statements that an opening sums up."""
SHOWN, SHOWN_QUOTE = 80, 40
"""Maximum characters of a statement, and of a quote, that a problem names."""


def verify_bundle(folder: Path) -> BundleCheck:
    """Check a bundle offline.

    The hashes show accidental changes; even after a rewriting of all files and hashes, a quote that is not in its text,
    or a number that is not in its quote, is found.

    Raises:
        BundleError: the folder or a file that every bundle has is missing, or `evidence.json` cannot be read at all.
    """
    raw, content, report = read_bundle(folder)
    with speaking(content.locale):
        return _checked(folder, raw, content, report)


def _checked(folder: Path, raw: dict[str, Any], content: BundleContent, report: bytes) -> BundleCheck:
    locale = spoken_locale()
    head = counts_of(content.claims, content.answered, labels_for(locale), by_rules=content.by_rules)
    check = BundleCheck(locale, head=head.text)
    if raw.get("evidence_sha256") != seal(raw):
        check.problems.append(say("verify_evidence_changed"))
    text = report.decode("utf-8", "replace")
    whole = read_markdown(text)
    blocks = [part for block in whole for part in within(block)]
    if hashlib.sha256(report).hexdigest() != content.report_sha256:
        new = new_sentences(blocks, set(content.report_sentences)) if content.report_sentences else ()
        named = [say("verify_not_written", text=beginning(sentence, SHOWN)) for sentence in new]
        check.problems += named or [say("verify_report_changed")]
    inlines = [inline for block in blocks for part in contents(block) for inline in part]
    citations, broken_links = citation_problems(inlines, content.sources)
    known = {PARSER.normalizeLink(artifact.file) for artifact in content.artifacts}
    known.update(_normal(link_of(source)) for source in content.sources)
    strange = dict.fromkeys(part.link for part in inlines if isinstance(part, Link) and part.link not in known)
    broken_links += (say("verify_link", link=link[:80]) for link in strange)
    if _is_active(text):
        broken_links.append(say("verify_active"))
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
    check_exports(folder, content, whole, check)
    return check


def _is_active(markdown: str) -> bool:
    """Tell whether Markdown holds HTML or an image, which a report never does but for the data of its charts."""
    tokens = PARSER.parse(markdown) if "<" in markdown or "![" in markdown else []
    tokens = [token for token in tokens if token.type != "html_block" or not read_comment(token.content)]
    kinds = {part.type for token in tokens for part in (token, *(token.children or []))}
    return not kinds.isdisjoint({"html_block", "html_inline", "image"})


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
        self._evidence = CitableEvidence(self._excerpts, self._sources, content.question)
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
        content = self._content
        if len({source.id for source in content.sources}) != len(content.sources):
            yield say("verify_same_sources")
        if len(self._excerpts) != len(content.excerpts):
            yield say("verify_same_excerpts")
        for excerpt in self._clock.each(content.excerpts):
            if excerpt.content_hash not in self._sources:
                yield say("verify_quotes_nothing", id=excerpt.id, quote=_quote(excerpt))
            for key in excerpt.confirmed_by:
                if key not in self._excerpts:
                    yield say("verify_confirmed_by_nothing", id=excerpt.id, quote=_quote(excerpt), what=key)

    def _claims(self, shown: str) -> Iterator[str]:
        content = self._content
        if content.answered in {"yes", "partly"} and not sure_claims(content.claims):
            yield say("verify_answers_nothing")
        if too_many_inferred(content.claims):
            yield say("verify_too_many_inferred")
        for place, claim in enumerate(self._clock.each(content.claims), 1):
            problems = [] if letters(claim.text) in shown else [say("verify_not_said")]
            for problem in chain(self._claim(claim, in_text=place in self._text_supported), problems):
                said = beginning(claim.text, SHOWN)
                yield say("verify_statement", number=place, text=said, problem=problem)

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
                    yield say("verify_text_changed", id=source.id, file=source.file)
            except BundleError as problem:
                yield say("verify_source", id=source.id, problem=problem)
            if source.duplicate_of and source.duplicate_of not in self._sources:
                yield say("verify_copy_of_nothing", id=source.id, file=source.file[:100])
            if text is None:  # a problem enough: its quotes cannot be looked for
                continue
            if source.kind == "computation" and source.untraced == []:
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

    def _quotes(self, source: Source, text: str) -> Iterator[str]:
        quoted = self._quoted.get(source.content_hash, [])
        heads = Heads(text)
        pages, sections = None, None
        for excerpt in self._clock.each(quoted):
            inside = 0 <= excerpt.start < excerpt.end <= len(text)
            if not inside or text[excerpt.start : excerpt.end] != excerpt.quote:
                yield say("verify_quote", id=excerpt.id, quote=_quote(excerpt), file=source.file[:100])
            elif excerpt.heads and excerpt.heads not in {heads.at(excerpt.start), heads.of_table(excerpt.start)}:
                yield say("verify_heads", id=excerpt.id, quote=_quote(excerpt))
            elif excerpt.page is not None and (pages := pages or Pages(text)).at(excerpt.start) != excerpt.page:
                yield say(
                    "verify_page", id=excerpt.id, quote=_quote(excerpt), page=excerpt.page, file=source.file[:100]
                )
            elif excerpt.section and excerpt.section not in (sections := sections or Sections(text)).names(
                excerpt.start
            ):
                yield say("verify_section", id=excerpt.id, quote=_quote(excerpt))
        for excerpt in self._clock.each(self._borrowed.get(source.content_hash, [])):
            if not locate(excerpt.quote, text):
                yield say("verify_copy", id=excerpt.id, quote=_quote(excerpt), file=source.file[:100])

    def _numbers(self, source: Source, text: str) -> Iterator[str]:
        """Trace the numbers of a program that is said to have none of its own."""
        program = program_of(text)
        if program is None:
            yield say("verify_no_computation", id=source.id, file=source.file[:100])
            return
        others = (excerpt.id for excerpt in self._content.excerpts if excerpt.content_hash != source.content_hash)
        known = [self._content.question, program.rows, *self._evidence.of(others)[0]]
        known += [cited.card.evidence for cited in self._content.sources if cited.kind != "computation"]
        if nowhere := origin_of(program.code, program.output, known, program.reads).untraced:
            yield say("verify_untraced", id=source.id, file=source.file[:100], what=", ".join(nowhere)[:200])

    def _claim(self, claim: Claim, *, in_text: bool) -> Iterator[str]:
        """Check a claim by its quotes, or by words that decided its judgement and are `in_text`, and count those that code cannot judge."""
        if claim.status and claim.verified != (claim.status in {*SURE, "inferred"}):
            key = "verify_status_verified" if claim.verified else "verify_status_not_verified"
            yield say(key, status=labels_for(spoken_locale()).words[claim.status])
        unknown = [citation for citation in claim.citations if citation not in self._excerpts]
        cited = [self._excerpts[citation] for citation in claim.citations if citation in self._excerpts]
        if unknown:
            yield say("verify_cites_nothing", what=", ".join(unknown))
        elif sum(len(excerpt.headed_quote) for excerpt in cited) > MAX_CITED:
            yield say("verify_cites_too_much", characters=MAX_CITED)
        elif claim.status == "quoted" and not is_verbatim(claim, self._excerpts):
            yield say("verify_not_quoted")
        elif claim.cited_by == "report":
            if reason := self._of_summary(claim):
                yield say("verify_not_verified", reason=reason)
        elif claim.verified:
            if claim.status != "quoted":
                self._check.not_quoted += 1
                self._check.judged += claim.judgement is not None and claim.judgement.verdict in PASSED
            if reason := doubt_of(claim, claim.citations, self._evidence, in_text=in_text):
                yield say("verify_not_inferred" if claim.status == "inferred" else "verify_not_verified", reason=reason)

    def _of_summary(self, claim: Claim) -> str:
        """Return why the report's other statements do not bear a sentence that sums them up, in words."""
        self._check.not_quoted += claim.verified
        self._check.judged += claim.judgement is not None and claim.judgement.verdict in PASSED
        if sum(map(len, self._statements)) > MAX_SUMMED_UP:
            return say("verify_sums_up_too_much", characters=MAX_SUMMED_UP)
        labels = labels_for(spoken_locale())
        return labels.reason(summary_fault(claim, self._statements)) if claim.verified else ""

    def _contradictions(self) -> Iterator[str]:
        for conflict in self._clock.each(self._content.contradictions):
            topic = conflict.topic[:60]
            missing = [identifier for identifier in conflict.excerpt_ids if identifier not in self._excerpts]
            if missing:
                yield say("verify_contradiction_of_nothing", topic=topic, what=", ".join(missing))
            elif conflict.differs:
                confirmed = check_contradiction(conflict, self._excerpts, self._sources)
                if confirmed is None or not confirmed.differs:
                    yield say("verify_contradiction", topic=topic)

    def _artifacts(self) -> Iterator[str]:
        for artifact in self._clock.each(self._content.artifacts):
            if not re.fullmatch(r"artifacts/[0-9a-f]{12}-[\w.-]+", artifact.file):
                yield say("verify_artifact_place", id=artifact.id, file=artifact.file[:100])
                continue
            try:
                data = read_inside(self._folder, artifact.file, MAX_TEXTS_BYTES)
            except OSError as error:
                yield say("verify_artifact_unread", id=artifact.id, file=artifact.file, reason=error.strerror)
                continue
            if hashlib.sha256(data).hexdigest() != artifact.content_hash:
                yield say("verify_artifact_changed", id=artifact.id, file=artifact.file)


def _quote(excerpt: Excerpt) -> str:
    """Return the first words of an excerpt."""
    return beginning(excerpt.quote[: 10 * SHOWN_QUOTE], SHOWN_QUOTE)


def _normal(link: str) -> str:
    """Return a link as the parser reads it; the reader decodes those to stored texts."""
    return link if link.startswith("sources/") else PARSER.normalizeLink(link)


def _shown(block: Block) -> str:
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
        if citation.number not in links:
            problems[say("verify_citation_of_nothing", number=citation.number)] = None
        elif citation.link != links[citation.number]:
            problems[say("verify_citation", number=citation.number, link=citation.link[:80])] = None
    return len(cited), list(problems)
