"""Shares evidence of other sections with a section that has too little of its own.

An excerpt has its place in the section whose topic it is most like, so a section that draws on all others, such as one that answers the
question, may be left with what none of them wanted.
"""

from collections.abc import Mapping, Sequence

from schemas.evidence_view import EvidenceView
from schemas.sections import Section
from services.text.ranking import bm25
from services.text.tokens import tokens

ENOUGH = 3
"""Excerpts answering a step with which a section needs no shared ones."""
MOST = 4
"""Maximum excerpts answering a step in a section, including shared ones."""


def share(sections: Sequence[Section], views: Mapping[str, EvidenceView]) -> list[Section]:
    """Give sections with too little evidence the closest excerpts of others that answer a step.

    Args:
        sections: sections with their topics and excerpts.
        views: the evidence by id.
    """
    answering = {section.title: _answering(section, views) for section in sections}
    return [
        section
        if len(own := answering[section.title]) >= ENOUGH
        else section.model_copy(
            update={
                "shared_ids": _nearest(
                    section,
                    [views[key] for keys in answering.values() if keys is not own for key in keys],
                    MOST - len(own),
                )
            }
        )
        for section in sections
    ]


def _answering(section: Section, views: Mapping[str, EvidenceView]) -> list[str]:
    return [key for key in section.all_ids if key in views and views[key].relevance == "high"]


def _nearest(section: Section, others: Sequence[EvidenceView], most: int) -> list[str]:
    wanted = [section.title, section.wanted, *(f"{part.title} {part.wanted}" for part in section.parts)]
    scores = bm25([tokens(f"{view.title} {view.quote}") for view in others], set(tokens(" ".join(wanted))))
    ranked = sorted(range(len(others)), key=lambda place: -scores[place])
    return [others[place].id for place in ranked[:most] if scores[place] > 0]
