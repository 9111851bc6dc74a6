"""Shares evidence of other sections with a section that has too little of its own, or that gives figures.

An excerpt has its place in one section, so a section that draws on all others, such as one that answers the question, may be left with
what none of them wanted.
"""

from collections.abc import Mapping, Sequence

from schemas.evidence_view import EvidenceView
from schemas.sections import Section
from services.text.figures import has_figure
from services.text.ranking import bm25
from services.text.tokens import tokens

ENOUGH = 3
"""Excerpts answering a step with which a section needs no shared ones."""
MOST = 4
"""Maximum excerpts answering a step in a section, including shared ones."""


def share(sections: Sequence[Section], views: Mapping[str, EvidenceView]) -> list[Section]:
    """Give sections with too little evidence the closest excerpts of others that answer a step, and those that give figures all figures.

    What a section shares already, as it serves it, comes first.

    Args:
        sections: sections with their topics and excerpts.
        views: the evidence by id.
    """
    answering = {section.title: _answering(section, views) for section in sections}
    with_figures = [
        key for section in sections for key in section.all_ids if key in views and has_figure(views[key].quote)
    ]
    shared: list[Section] = []
    for section in sections:
        own, ids = answering[section.title], list(section.shared_ids)
        if len(own) < ENOUGH:
            others = [views[key] for keys in answering.values() if keys is not own for key in keys]
            ids += _nearest(section, others, MOST - len(own))
        if section.figures:
            ids += with_figures
        told = {*section.all_ids}
        shared.append(section.model_copy(update={"shared_ids": [key for key in dict.fromkeys(ids) if key not in told]}))
    return shared


def _answering(section: Section, views: Mapping[str, EvidenceView]) -> list[str]:
    return [key for key in section.all_ids if key in views and views[key].relevance == "high"]


def _nearest(section: Section, others: Sequence[EvidenceView], most: int) -> list[str]:
    scores = bm25([tokens(f"{view.title} {view.quote}") for view in others], set(tokens(_topic(section))))
    ranked = sorted(range(len(others)), key=lambda place: -scores[place])
    return [others[place].id for place in ranked[:most] if scores[place] > 0]


def _topic(section: Section) -> str:
    return " ".join([section.title, section.wanted, *(f"{part.title} {part.wanted}" for part in section.parts)])
