"""Finds the weakest section of a report: the one with the fewest supported sentences for its aspects."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.evidence import Claim, Excerpt, Source
from schemas.evidence_view import EvidenceView
from schemas.reporter import ReporterPrompt
from schemas.sections import Section
from services.reports.checking.citations import check_citations
from services.reports.statuses import sure_claims


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """New evidence from a search for a section."""

    excerpts: list[Excerpt] = field(default_factory=list)
    views: list[EvidenceView] = field(default_factory=list)
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Sources by content hash."""


Research = Callable[[Section], Awaitable[NewEvidence | None]]
"""Searches for more evidence on a section; None if there is no room."""


class Strength(NamedTuple):
    """Strength of a section; the weakest is the least."""

    supported: float
    """Supported sentences per aspect: the section as a whole, if it has its own excerpts, and each of its parts."""
    excerpts: int


def strengths(
    sections: Sequence[Section],
    texts: Sequence[str],
    excerpts: Mapping[str, Excerpt],
    sources: Mapping[str, Source],
    prompt: ReporterPrompt,
) -> list[Strength]:
    """Return the strengths of sections after the check by code.

    Args:
        sections: sections in order.
        texts: texts of the sections, with citations.
        excerpts: citable excerpts by id.
        sources: sources by content hash.
        prompt: the prompt with the question and the locale.
    """
    found: list[Strength] = []
    for section, text in zip(sections, texts, strict=True):
        own = {key: excerpts[key] for key in section.all_ids if key in excerpts}
        titles = {excerpt.content_hash: sources[excerpt.content_hash].card.evidence for excerpt in own.values()}
        untraced = {key: numbers for key in titles if (numbers := sources[key].untraced)}
        checked = check_citations(
            text,
            own,
            titles=titles,
            published={key: sources[key].published or "" for key in titles},
            untraced=untraced,
            question=prompt.question,
            locale=prompt.locale,
        )
        aspects = max(1, len(section.parts) + bool(section.excerpt_ids))
        found.append(Strength(sure_claims(checked.claims) / aspects, len(own)))
    return found


def borne(sections: Sequence[Section], claims: Sequence[Claim]) -> list[Strength]:
    """Return the strengths of sections of a report that one call wrote: by the supported sentences that cite what was found for them."""
    found: list[Strength] = []
    for section in sections:
        ids = set(section.all_ids)
        sure = sure_claims(claim for claim in claims if ids.intersection(claim.citations))
        found.append(Strength(sure / max(1, len(section.parts) + bool(section.excerpt_ids)), len(ids)))
    return found


def weakest(found: Sequence[Strength], done: Collection[int]) -> int | None:
    """Return the index of the weakest section that was not researched again, or None."""
    return min(
        (place for place in range(len(found)) if place not in done), key=lambda place: found[place], default=None
    )
