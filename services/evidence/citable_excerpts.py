"""The excerpts of a run: those that its report may cite (of its steps, of earlier turns, and of the background those that are shown), and what stands above each in its source."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from schemas.background_investigator import Background
from schemas.evidence import Excerpt, Source
from schemas.evidence_view import EvidenceView
from schemas.results import StepResult
from schemas.state import ResearchState
from services.evidence.views import evidence_views
from services.models.prompt_fit import passage_tokens
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.text.heads import Heads, Sections
from services.text.page_numbers import Pages
from services.text.quotable import GAP
from services.text.units import units

TextOf = Callable[[str], Awaitable[str]]
"""Returns the text of a source by its content hash, or raises `StoreError`."""
BACKGROUND_TOKENS = 400
"""Tokens that background evidence has in a prompt beside the findings of steps; the best come first."""
MIN_LETTERS = 12
"""Letters and digits that must be left of an excerpt for it to be worth showing."""


def all_excerpts(state: ResearchState) -> list[Excerpt]:
    """Return the excerpts of steps, of earlier turns and of the background."""
    results, background = state.get("results") or {}, state.get("background")
    of_steps = [excerpt for result in sorted(results, key=int) for excerpt in results[result].excerpts]
    return [*of_steps, *(background.excerpts if background else [])]


def with_each(state: ResearchState, change: Callable[[Excerpt], Excerpt]) -> ResearchState:
    """Return the state with each of its excerpts changed."""

    def changed(excerpts: Sequence[Excerpt]) -> dict[str, list[Excerpt]]:
        return {"excerpts": list(map(change, excerpts))}

    results = {key: result.model_copy(update=changed(result.excerpts)) for key, result in state["results"].items()}
    background = state["background"]
    changed_background = background and background.model_copy(update=changed(background.excerpts))
    return {**state, "results": results, "background": changed_background}


def cited_evidence(state: ResearchState) -> list[Excerpt]:
    """Return what the report may cite: what earlier turns left, the steps' excerpts, and the background's that are shown or disputed."""
    background = state["background"]
    shown = {view.id for view in background_views(background, state["results"], state["sources"])}
    hidden = {excerpt.id for excerpt in (background.excerpts if background else [])} - shown - _disputed(state)
    return [excerpt for excerpt in all_excerpts(state) if excerpt.id not in hidden]


def stored_evidence(state: ResearchState, excerpts: list[Excerpt]) -> list[Excerpt]:
    """Return the excerpts that a report stores: those it may cite, and those of the background search that no step quotes.

    `confirmed_by` then names only stored excerpts.
    """
    besides = (excerpt for excerpt, _ in unquoted(state["background"], state["results"]))
    by_id = {excerpt.id: excerpt for excerpt in [*excerpts, *besides]}
    return [
        excerpt.model_copy(update={"confirmed_by": [key for key in excerpt.confirmed_by if key in by_id]})
        for excerpt in by_id.values()
    ]


def _disputed(state: ResearchState) -> set[str]:
    reflection = state["reflection"]
    contradictions = reflection.contradictions if reflection else []
    return {side for contradiction in contradictions for side in contradiction.excerpt_ids}


def background_views(
    background: Background | None, results: Mapping[str, StepResult], sources: Mapping[str, Source]
) -> list[EvidenceView]:
    """Show background excerpts without what earlier turns or steps quote; where they quote nothing, whole."""
    if not any(result.excerpts for result in results.values()):
        return evidence_views(background.excerpts if background else [], sources)
    shown: list[EvidenceView] = []
    room = BACKGROUND_TOKENS
    for excerpt, rest in unquoted(background, results):
        room -= passage_tokens(rest)
        if room >= 0:
            shown += evidence_views([excerpt.model_copy(update={"quote": rest})], sources)
    return shown


def unquoted(background: Background | None, results: Mapping[str, StepResult]) -> list[tuple[Excerpt, str]]:
    """Return the background excerpts that hold something that neither earlier turns nor steps quote, each with just that."""
    quoted = [excerpt for result in results.values() for excerpt in result.excerpts]
    texts = [_letters(excerpt.quote) for excerpt in quoted]
    rests = ((excerpt, _unquoted(excerpt, quoted, texts)) for excerpt in (background.excerpts if background else []))
    return [(excerpt, rest) for excerpt, rest in rests if rest]


def _unquoted(excerpt: Excerpt, quoted: Sequence[Excerpt], texts: Sequence[str]) -> str:
    """Return the sentences of an excerpt that no other excerpt quotes, in their order; `texts` are the letters of these."""
    beside = [first for first in quoted if first.content_hash == excerpt.content_hash]
    runs: list[tuple[int, int]] = []
    fresh = False
    for span in units(excerpt.quote):
        start, end = excerpt.start + span.start, excerpt.start + span.end
        text = _letters(excerpt.quote[span.start : span.end])
        if any(first.start < end and start < first.end for first in beside) or any(text in first for first in texts):
            fresh = False
        elif fresh:
            runs[-1] = (runs[-1][0], span.end)
        else:
            runs.append((span.start, span.end))
            fresh = True
    pieces = [excerpt.quote[start:end] for start, end in runs]
    pieces = [piece for piece in pieces if not _only_headings(piece.split("\n"))]
    rest = GAP.join(pieces)
    return rest if len(_letters(rest)) >= MIN_LETTERS else ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _only_headings(lines: Iterable[str]) -> bool:
    return all(line.lstrip().startswith("#") for line in lines if line.strip())


def with_background(background: Background | None, new: Iterable[Excerpt]) -> Background | None:
    """Return a background search with those new excerpts that are its own."""
    own = [excerpt for excerpt in new if excerpt.id.startswith("B")]
    return background and background.model_copy(update={"excerpts": [*background.excerpts, *own]})


async def with_places(state: ResearchState, evidence: EvidenceStore) -> ResearchState:
    """Return the state with its excerpts placed."""
    known = {excerpt.id: excerpt for excerpt in await placed(all_excerpts(state), evidence)}
    return with_each(state, lambda excerpt: known[excerpt.id])


async def placed(excerpts: Sequence[Excerpt], evidence: EvidenceStore) -> list[Excerpt]:
    """Return excerpts with their sections and pages, and the headings of their tables or the beginning of their code."""
    above: dict[str, dict[str, Any]] = {}
    async for text, quoted in quoted_texts(excerpts, evidence.get_text):
        above |= await asyncio.to_thread(_above, text, quoted)
    return [excerpt.model_copy(update=above.get(excerpt.id, {})) for excerpt in excerpts]


async def quoted_texts(excerpts: Iterable[Excerpt], text_of: TextOf) -> AsyncIterator[tuple[str, list[Excerpt]]]:
    """Yield each text that excerpts quote, read once, with these; one that is lost is left out."""
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    for content_hash, quoted in by_source.items():
        try:
            text = await text_of(content_hash)
        except StoreError:
            continue
        yield text, quoted


def _above(text: str, quoted: Iterable[Excerpt]) -> dict[str, dict[str, Any]]:
    heads, pages, sections = Heads(text), Pages(text), Sections(text)
    return {
        excerpt.id: {
            "section": sections.at(excerpt.start),
            "heads": heads.at(excerpt.start),
            "page": pages.at(excerpt.start),
        }
        for excerpt in quoted
    }
