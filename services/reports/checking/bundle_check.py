"""Checks a bundle offline: texts by their hashes, quotes by texts, claims by quotes, links by sources."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from schemas.evidence import Claim, Excerpt, Source
from services.evidence.computation import program_of
from services.evidence.contradictions import check_contradiction
from services.evidence.inference import check_marked
from services.evidence.literals import origin_of
from services.evidence.source_dates import dated_title
from services.evidence.source_heads import source_head
from services.evidence.support import check_about
from services.evidence.table_heads import headed_rows, heads_at
from services.evidence.verdict import SEEN_BEFORE, Verdict
from services.reports.checking.bundle_files import BundleContent, StoredSource, read_below, read_bundle, source_text
from services.reports.checking.claim_check import VETO
from services.reports.checking.inference_quota import SHARE
from services.reports.checking.quotations import AROUND, holds_sentence
from services.reports.counts_line import counts_of
from services.reports.document import Citation, Link, Text, letters
from services.reports.inlines import inlines
from services.reports.labels import ENGLISH
from services.reports.source_numbers import link_of
from services.reports.statuses import sure_claims
from services.run.errors import BundleError
from services.text.quote_location import locate

FORMAT_VERSION = 2
_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass(slots=True)
class BundleCheck:
    """Result of a check."""

    checked: dict[str, int] = field(default_factory=dict)
    """Numbers of checked sources, quotes, claims and so on."""
    problems: list[str] = field(default_factory=list)
    """Problems, each with the id of the affected item."""
    head: str = ""
    """Whether the report answers its question, and how many of its statements have quotes, in words."""


def seal(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content of `evidence.json` except the seal, independent of its layout."""
    rest = {key: value for key, value in content.items() if key != "evidence_sha256"}
    return hashlib.sha256(
        json.dumps(rest, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def verify_bundle(folder: Path) -> BundleCheck:
    """Check a bundle offline.

    The hashes show accidental changes; even after a rewriting of all files and hashes, a quote that is not in its text,
    or a number that is not in its quote, is found.

    Raises:
        BundleError: the folder or a file that every bundle has is missing, or `evidence.json` cannot be read at all.
    """
    raw, content, report = read_bundle(folder)
    check = BundleCheck()
    if raw.get("evidence_sha256") != seal(raw):
        check.problems.append("evidence.json: it was changed after it was written (evidence_sha256)")
    if hashlib.sha256(report).hexdigest() != content.report_sha256:
        check.problems.append("report.md: it is not the text that the evidence was written for (report_sha256)")
    sources = {source.content_hash: source for source in content.sources}
    excerpts = {excerpt.id: excerpt for excerpt in content.excerpts}
    markdown = report.decode("utf-8", "replace")
    files = {_PARSER.normalizeLink(artifact.file) for artifact in content.artifacts}
    citations, broken_links = _links(markdown, sources, files)
    check.checked = {
        "sources": len(content.sources),
        "quotes": len(content.excerpts),
        "claims": len(content.claims),
        "artifacts": len(content.artifacts),
        "citations": citations,
    }
    check.head = counts_of(content.claims, content.answered, ENGLISH).text
    check.problems += _answer(content)
    check.problems += _texts(folder, content)
    check.problems += _claims(folder, content, excerpts, sources)
    check.problems += _artifacts(folder, content)
    check.problems += _contradictions(content, excerpts, sources)
    check.problems += _statements(markdown, content)
    check.problems += broken_links
    return check


def _answer(content: BundleContent) -> Iterator[str]:
    """Check that a report marked as answering has a quoted or supported statement."""
    if content.answered in {"yes", "partly"} and not sure_claims(content.claims):
        yield "evidence.json: the report is said to answer the question, and no claim of it is quoted or supported"


def _texts(folder: Path, content: BundleContent) -> Iterator[str]:
    """Check every source and its quotes, one text at a time, since texts may be long."""
    quoted: dict[str, list[Excerpt]] = {}
    for excerpt in content.excerpts:
        quoted.setdefault(excerpt.content_hash, []).append(excerpt)
    known = {source.content_hash for source in content.sources}
    borrowed = _borrowed(content)
    if len({source.id for source in content.sources}) != len(content.sources):
        yield "evidence.json: two sources have the same id"
    if len({excerpt.id for excerpt in content.excerpts}) != len(content.excerpts):
        yield "evidence.json: two excerpts have the same id"
    ids = {excerpt.id for excerpt in content.excerpts}
    for excerpt in content.excerpts:
        yield from (
            f"{excerpt.id}: it is said to be confirmed by {key}, and there is no such excerpt"
            for key in excerpt.confirmed_by
            if key not in ids
        )
    for source in content.sources:
        text = None
        try:
            data = source_text(folder, source, content.version)
            text = data.decode("utf-8", "replace")
            if hashlib.sha256(data).hexdigest() != source.content_hash:
                yield f"{source.id}: its text {source.text} was changed: it does not hash to its name"
        except BundleError as problem:
            yield f"{source.id}: {problem}"
        if source.duplicate_of and source.duplicate_of not in known:
            yield f"{source.id}: it is called a copy of {source.duplicate_of}, and there is no such source"
        yield from _numbers_of(source, text, content)
        yield from _quotes(source, text, quoted.pop(source.content_hash, []), borrowed.get(source.content_hash, []))
    for named, excerpts in quoted.items():
        yield from (f"{excerpt.id}: it quotes {named}, and there is no such source" for excerpt in excerpts)


def _quotes(source: Source, text: str | None, quoted: Sequence[Excerpt], borrowed: Iterable[Excerpt]) -> Iterator[str]:
    """Check the quotes of a source, and quotes of its copies that are cited as this source."""
    tables = headed_rows(text) if text and any(excerpt.heads for excerpt in quoted) else []
    for excerpt in quoted:
        inside = text is not None and 0 <= excerpt.start < excerpt.end <= len(text)
        if text is None or not inside or text[excerpt.start : excerpt.end] != excerpt.quote:
            yield f"{excerpt.id}: its quote is not the text of {source.id} from {excerpt.start} to {excerpt.end}"
        elif excerpt.heads and heads_at(tables, excerpt.start) != excerpt.heads:
            yield f"{excerpt.id}: its headings are not those of the table that it quotes rows of"
    for excerpt in borrowed:
        if text is None or not locate(excerpt.quote, text):
            yield f"{excerpt.id}: it is cited as {source.id}, and the text of {source.id} does not hold its quote"


def _numbers_of(source: Source, text: str | None, content: BundleContent) -> Iterator[str]:
    """Trace the numbers of a program that claims to have none of its own; programs of earlier versions are skipped."""
    if text is None or source.kind != "computation" or source.untraced is None or source.untraced:
        return
    program = program_of(text)
    if program is None:
        yield f"{source.id}: its text is not that of a computation"
        return
    nowhere = {source.content_hash for source in content.sources if source.untraced}
    known = [
        content.question,
        *(excerpt.quote for excerpt in content.excerpts if excerpt.content_hash not in {*nowhere, source.content_hash}),
    ]
    origin = origin_of(program[0], known, program[1])
    if not origin.traced:
        yield f"{source.id}: its program has numbers that no source gives: {', '.join(origin.nowhere)[:200]}"


def _borrowed(content: BundleContent) -> dict[str, list[Excerpt]]:
    """Return the excerpts of copies by the source that they are cited as."""
    cited_as = {source.content_hash: source.duplicate_of for source in content.sources if source.duplicate_of}
    borrowed: dict[str, list[Excerpt]] = {}
    for excerpt in content.excerpts:
        if original := cited_as.get(excerpt.content_hash):
            borrowed.setdefault(original, []).append(excerpt)
    return borrowed


def _claims(
    folder: Path, content: BundleContent, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> Iterator[str]:
    heads = {source.content_hash: _head(folder, content, source) for source in content.sources}
    inferred = sum(claim.status == "inferred" for claim in content.claims)
    if inferred * SHARE > len(content.claims):
        yield f"evidence.json: {inferred} of {len(content.claims)} claims are called inferred, and at most a third may be"
    for place, claim in enumerate(content.claims, 1):
        name = f"claim {place} ({' '.join(claim.text.split())[:60]!r})"
        unknown = [citation for citation in claim.citations if citation not in excerpts]
        if unknown:
            yield f"{name}: it cites {', '.join(unknown)}, and there is no such excerpt"
        elif claim.verified:
            cited = [excerpts[citation] for citation in claim.citations]
            nowhere = {key for key, source in sources.items() if source.untraced}
            quotes = [first.headed_quote for first in cited if first.content_hash not in nowhere]
            untraced = [first.headed_quote for first in cited if first.content_hash in nowhere]
            titles = [
                dated_title(source.title, source.published or "")
                for first in cited
                if (source := sources.get(first.content_hash)) is not None
            ]
            told = [heads[first.content_hash] for first in cited if first.content_hash in heads]
            if claim.status == "inferred":
                for reason in _inferred(claim, content, quotes, titles, untraced, told):
                    yield f"{name}: it is called inferred, but: {reason}"
                continue
            likeness = claim.likeness
            verdict = check_about(
                content.question, claim.text, quotes, titles, lambda *_, likeness=likeness: likeness, untraced, told
            )
            if verdict.failing not in VETO and _is_judged(claim, folder, content):
                continue
            why = ENGLISH.reason(verdict) if claim.status or verdict.failing in SEEN_BEFORE else ""
            if why and not any(_quotes_words(quote, claim.text) for quote in quotes):
                yield f"{name}: it is called verified, but: {why}"


def _quotes_words(quote: str, words: str) -> bool:
    return words.strip(AROUND) in quote or holds_sentence(quote, words)


def _head(folder: Path, content: BundleContent, source: StoredSource) -> str:
    try:
        text = source_text(folder, source, content.version).decode("utf-8", "replace")
    except BundleError:  # the check of the texts reports the problem
        text = ""
    return source_head(source.title, text)


def _inferred(
    claim: Claim,
    content: BundleContent,
    quotes: Sequence[str],
    titles: Sequence[str],
    untraced: Sequence[str],
    heads: Sequence[str],
) -> Iterator[str]:
    """Check a conclusion by the report's rules; a model's verdict can only count against it."""
    _, verdict = check_marked(
        claim.text,
        quotes,
        titles,
        question=content.question,
        likeness=lambda *_: claim.likeness,
        untraced=untraced,
        heads=heads,
    )
    if not claim.citations:
        verdict = Verdict("premises")
    if verdict.failing:
        yield ENGLISH.reason(verdict)
    elif claim.judgement is not None and claim.judgement.verdict != "supported":
        yield ENGLISH.judged_inference[claim.judgement.verdict].format(words=claim.judgement.words)


def _is_judged(claim: Claim, folder: Path, content: BundleContent) -> bool:
    """Tell whether a model found a claim supported by words that occur in the text of a cited source."""
    judgement = claim.judgement
    if judgement is None or judgement.verdict != "supported" or not judgement.words:
        return False
    cited = {excerpt.content_hash for excerpt in content.excerpts if excerpt.id in claim.citations}
    for source in content.sources:
        if source.content_hash in cited:
            with suppress(BundleError):  # the check of the texts reports the problem
                if judgement.words in source_text(folder, source, content.version).decode("utf-8", "replace"):
                    return True
    return False


def _contradictions(
    content: BundleContent, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> Iterator[str]:
    """Check contradictions; in bundles whose claims have no status, by the weaker rules of their version."""
    bound = any(claim.status for claim in content.claims)
    for conflict in content.contradictions:
        name = f"contradiction {conflict.topic[:60]!r}"
        missing = [identifier for identifier in conflict.excerpt_ids if identifier not in excerpts]
        if missing:
            yield f"{name}: it names {', '.join(missing)}, and there is no such excerpt"
        elif conflict.differs:
            confirmed = check_contradiction(conflict, excerpts, sources, bound=bound)
            if confirmed is None or not confirmed.differs:
                yield f"{name}: it is called confirmed, and its excerpts differ in nothing that code can see"


def _artifacts(folder: Path, content: BundleContent) -> Iterator[str]:
    for artifact in content.artifacts:
        if not re.fullmatch(r"artifacts/[0-9a-f]{12}-[\w.-]+", artifact.file):
            yield f"{artifact.id}: {artifact.file[:100]!r} is no place for an artifact"
            continue
        data = read_below(folder, artifact.file)
        if data is None:
            yield f"{artifact.id}: its file {artifact.file} is missing or lies outside the folder"
        elif hashlib.sha256(data).hexdigest() != artifact.content_hash:
            yield f"{artifact.id}: its file {artifact.file} was changed: it does not hash to its content hash"


def _statements(markdown: str, content: BundleContent) -> Iterator[str]:
    """Check that every claim stands in the report verbatim."""
    shown = letters("".join(_shown(markdown)))
    for place, claim in enumerate(content.claims, 1):
        if letters(claim.text) not in shown:
            yield f"claim {place} ({' '.join(claim.text.split())[:60]!r}): report.md does not say it"


def _shown(markdown: str) -> Iterator[str]:
    """Yield the visible text without citations."""
    for token in _PARSER.parse(markdown):
        if token.type in {"fence", "code_block"}:
            yield token.content
        yield from (inline.text for inline in inlines(token.children or []) if isinstance(inline, Text))


def _links(markdown: str, sources: Mapping[str, Source], files: Collection[str]) -> tuple[int, list[str]]:
    """Check every link: citations lead to their source, other links to a source or a file; nothing loads or runs."""
    links = {source.id: _PARSER.normalizeLink(link_of(source)) for source in sources.values()}
    count = 0
    problems: dict[str, None] = {}
    for token in _PARSER.parse(markdown):
        if token.type == "html_block":
            problems["report.md: it holds HTML"] = None
        if any(child.type in {"html_inline", "image"} for child in token.children or []):
            problems["report.md: it holds HTML or an image"] = None
        for inline in inlines(token.children or []):
            match inline:
                case Link(link=link) if link not in links.values() and link not in files:
                    problems[f"report.md: the link to {link[:80]} leads to none of its sources"] = None
                case Citation(number=number, link=link):
                    count += 1
                    if f"S{number}" not in links:
                        problems[f"report.md: citation [[{number}]] resolves to no source"] = None
                    elif link != links[f"S{number}"]:
                        problems[f"report.md: citation [[{number}]] links to {link[:80]}, not to S{number}"] = None
    return count, list(problems)
