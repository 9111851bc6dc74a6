"""Checks a report again: reads its documents and pages anew and looks for each claim in their present text.

No model is asked. A claim holds while every quote that it cites still stands in its source, word for word; it has changed where
a source says something else in the quote's place that still supports it; it has fallen where nothing does.
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pydantic import BaseModel, Field

from schemas.context import RunContext
from schemas.evidence import Claim, Excerpt, Source
from schemas.reporter import Report
from services.check.support import check_support, lexical_share
from services.run.errors import PageError
from services.run.evidence_store import content_hash
from services.search.pages.reader import PageReader
from services.search.providers import Providers, providers_for
from services.text.passages import sentences
from services.text.quote_location import locate
from services.text.sentence_ranking import sentence_scores
from services.text.tokens import has_cjk

SourceState = Literal["unchanged", "changed", "gone", "not read again"]
ClaimState = Literal["holds", "changed", "fallen", "not checked"]
NEAR = 5
"""Maximum sentences of a changed source to examine in a quote's place."""
SAID = 0.25
"""Minimum share of a quote's words in a passage of the changed source that may replace it."""


class SourceNow(BaseModel):
    """A source of a report, and what it is now."""

    id: str
    title: str
    url: str
    state: SourceState
    problem: str = ""
    """Why it could not be read."""


class ClaimNow(BaseModel):
    """A claim of a report, and what has become of it."""

    text: str
    state: ClaimState
    was: str = ""
    """The quote that is no longer there."""
    now: str = ""
    """What its source says in its place, if anything."""
    sources: list[str] = Field(default_factory=list)


async def recheck(report: Report, context: RunContext) -> tuple[list[SourceNow], list[ClaimNow]]:
    """Read a report's sources again, and search for its verified claims in them.

    Computations, databases and results of tools are not run again; claims that rest on them alone are not checked.
    """
    cited = {excerpt.content_hash for excerpt in report.excerpts}
    originals = [source for source in report.sources if source.content_hash in cited]
    providers = await providers_for(context)
    async with PageReader() as reader:
        texts = await asyncio.gather(*(_text_now(original, report, providers, reader) for original in originals))
    now = {source.content_hash: text for source, text in zip(originals, texts, strict=True)}
    states = {source.content_hash: _state(source, now[source.content_hash]) for source in originals}
    names = {source.content_hash: source.id for source in originals}
    excerpts = {excerpt.id: excerpt for excerpt in report.excerpts}
    claims = await asyncio.to_thread(
        lambda: [
            _claim(citation, excerpts, names, states, {key: text for key, (text, _) in now.items()})
            for citation in report.citations
            if citation.verified and citation.cited_by != "report"  # which sums up the others
        ]
    )
    sources = [
        SourceNow(
            id=original.id,
            title=original.title,
            url=original.url,
            state=states[original.content_hash],
            problem=now[original.content_hash][1],
        )
        for original in originals
    ]
    return sources, claims


async def _text_now(source: Source, report: Report, providers: Providers, reader: PageReader) -> tuple[str | None, str]:
    """Return a source's present text, or None and the reason."""
    if source.kind == "document" and "/" in source.url:  # a text of the question is of no folder, and stays as it is
        folder, _, _ = source.url.partition("/")
        named = [document for document in providers.documents if document.index.folder.name == folder]
        hits = await asyncio.gather(*(document.at(source.url) for document in named))
        texts = [hit.text for hit in hits if hit is not None]
        only = next(iter(texts), None)
        text = only if len(named) < 2 else await asyncio.to_thread(_own_text, source, report, texts)
        return (text, "") if text is not None else (None, "the file is gone")
    if source.kind == "web" and not (source.snippet_only or source.abstract_only):
        try:
            return (await reader.read(source.url)).text, ""
        except PageError as error:
            return None, str(error)
    return None, ""


def _own_text(source: Source, report: Report, texts: Sequence[str]) -> str | None:
    """Return which of the texts at a source's address, of folders of one name, is the source's.

    It is the text as it was, else of those that are no other source of the report the one that holds most of the source's quotes.
    """
    others = {other.content_hash for other in report.sources if other.url == source.url} - {source.content_hash}
    own = {content_hash(text): text for text in texts}
    own = {key: text for key, text in own.items() if key not in others}
    quotes = [excerpt.quote for excerpt in report.excerpts if excerpt.content_hash == source.content_hash]
    nearest = max(own.values(), key=lambda text: sum(lexical_share(quote, text) for quote in quotes), default=None)
    return own.get(source.content_hash, nearest)


def _state(source: Source, reading: tuple[str | None, str]) -> SourceState:
    text, problem = reading
    if text is not None:
        return "unchanged" if content_hash(text) == source.content_hash else "changed"
    return "gone" if problem else "not read again"


def _claim(
    claim: Claim,
    excerpts: dict[str, Excerpt],
    names: dict[str, str],
    states: dict[str, SourceState],
    texts: dict[str, str | None],
) -> ClaimNow:
    """Return the state of a claim; names, states and texts of sources are given by content hash."""
    cited = [excerpts[citation] for citation in claim.citations if citation in excerpts]
    now = ClaimNow(
        text=claim.text,
        state="not checked",
        sources=list(dict.fromkeys(names[excerpt.content_hash] for excerpt in cited)),
    )
    checked = [excerpt for excerpt in cited if states.get(excerpt.content_hash) in {"unchanged", "changed", "gone"}]
    if not checked:
        return now
    lost = [excerpt for excerpt in checked if not _stands(excerpt.quote, texts[excerpt.content_hash])]
    if not lost:
        return now.model_copy(update={"state": "holds"})
    replacements = [_in_place(claim.text, excerpt, texts[excerpt.content_hash]) for excerpt in lost]
    standing = [excerpt.quote for excerpt in cited if excerpt not in lost]
    supported = not check_support(claim.text, [*standing, *filter(None, replacements)]).fault
    return now.model_copy(
        update={
            "state": "changed" if supported else "fallen",
            "was": lost[0].quote,
            "now": next(filter(None, replacements), ""),
        }
    )


def _stands(quote: str, text: str | None) -> bool:
    return text is not None and (quote in text or locate(quote, text) is not None)


def _in_place(claim: str, excerpt: Excerpt, text: str | None) -> str:
    """Return the sentences of a text closest to a claim with a lost quote, as many as it had, or the one that supports it.

    Nothing where no passage of the text holds much of the quote.
    """
    if text is None:
        return ""
    passages = _sentences(text)
    if max((lexical_share(excerpt.quote, passage) for passage in passages), default=0.0) < SAID:
        return ""
    scores = sentence_scores(claim if has_cjk(claim) == has_cjk(text) else excerpt.quote, passages)
    nearest = sorted(range(len(passages)), key=lambda place: -scores[place])[:NEAR]
    together = sorted(nearest[: len(_sentences(excerpt.quote))])
    candidates = [_quoted([passages[place] for place in together], text), *(passages[place] for place in nearest)]
    return next((candidate for candidate in candidates if not check_support(claim, [candidate]).fault), candidates[0])


def _quoted(passages: Sequence[str], text: str) -> str:
    """Join sentences of a text to a quote, with a sign where it leaves some out."""
    bare, quote = "".join(text.split()), passages[0]
    for before, after in pairwise(passages):
        quote += f" {after}" if "".join(f"{before}{after}".split()) in bare else f" … {after}"
    return quote


def _sentences(text: str) -> list[str]:
    passages = [text[span.start : span.end] for span in sentences(text)]
    return [sentence for sentence in passages if not sentence.startswith("#")] or passages
