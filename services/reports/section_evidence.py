"""Assigns the evidence of a run to the sections of its report: every shown quote stands in one section, and others that it serves see it."""

from collections.abc import Mapping, Sequence

from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import OutlineNode
from schemas.sections import Section, SectionPart
from services.reports.shared_evidence import share
from services.text.tokens import tokens

MIN_SECTIONS = 2
"""Minimum number of nodes with evidence for a report in sections."""
MIN_EXCERPTS = 12
"""Minimum number of excerpts for a report in sections; with fewer, a single call costs less."""


def sections_of(
    nodes: Sequence[OutlineNode], findings: Sequence[FindingView], background: Sequence[EvidenceView] = ()
) -> list[Section]:
    """Return the sections with evidence, in the outline's order.

    Of a quote that several steps found, one section has one excerpt: sections take turns, so that none loses all to
    an earlier one. Excerpts of steps without a node get a section for each step; those of the background go to the
    section that shares most words with them.

    Args:
        nodes: nodes of the outline; empty if the run has none.
        findings: findings of the steps, with their shown evidence.
        background: shown evidence of the background search.
    """
    views = {item.id: item for finding in findings for item in finding.evidence}
    views |= {item.id: item for item in background}
    placed: set[str] = set()
    sections: dict[str, Section] = {}
    tops = _tops(nodes)
    repeated = _repeated(nodes, tops, views)
    for node in nodes:
        top = tops[node.id]
        ids = [key for key in dict.fromkeys(node.excerpt_ids) if key in views and key not in placed]
        placed.update(ids)
        ids = [key for key in ids if key not in repeated]
        if node.id == top:
            section = sections.setdefault(top, Section(title="", node=top))
            section.title, section.wanted = node.title, node.wanted
            section.excerpt_ids = [*ids, *section.excerpt_ids]
        else:
            section = sections.setdefault(top, Section(title="", node=top))
            section.parts.append(SectionPart(title=node.title, wanted=node.wanted, excerpt_ids=ids))
        section.figures |= node.figures
        section.shared_ids += [key for key in node.also_ids if key in views]
    chosen = [found for section in sections.values() if (found := _with_evidence(section, views)).all_ids]
    chosen += _by_steps(findings, placed)
    _add_background(chosen, [item for item in background if item.id not in placed], views)
    return share(chosen, views)


def bears_sections(sections: Sequence[Section]) -> bool:
    """Tell whether the evidence suffices for a report in sections."""
    return len(sections) >= MIN_SECTIONS and sum(len(section.all_ids) for section in sections) >= MIN_EXCERPTS


def _tops(nodes: Sequence[OutlineNode]) -> dict[str, str]:
    """Return the id of each node's topmost ancestor; a node in a circle, or with an unknown parent, is its own."""
    parents = {node.id: node.parent for node in nodes}
    tops: dict[str, str] = {}
    for node in nodes:
        seen, top = {node.id}, node.id
        while (parent := parents.get(top, "")) in parents:
            if parent in seen:
                top = node.id
                break
            seen.add(parent)
            top = parent
        tops[node.id] = top
    return tops


def _repeated(
    nodes: Sequence[OutlineNode], tops: Mapping[str, str], views: Mapping[str, EvidenceView]
) -> frozenset[str]:
    """Return the excerpts whose quote another section, or an earlier part, has; topmost nodes take turns."""
    listed: dict[str, list[str]] = {}
    for node in nodes:
        listed.setdefault(tops[node.id], []).extend(key for key in node.excerpt_ids if key in views)
    waiting, told, kept = [iter(keys) for keys in listed.values()], set[tuple[str, str]](), set[str]()
    while waiting:
        for keys in waiting.copy():
            key = next((key for key in keys if (views[key].title, views[key].quote) not in told), None)
            if key is None:
                waiting.remove(keys)
            else:
                told.add((views[key].title, views[key].quote))
                kept.add(key)
    return frozenset(key for keys in listed.values() for key in keys) - kept


def _with_evidence(section: Section, views: Mapping[str, EvidenceView]) -> Section:
    """Drop parts without evidence, and what a section shares and has itself.

    A single part of a section without other content is merged into it; a section that has only what it shares has that.
    """
    told = {(views[key].title, views[key].quote) for key in section.all_ids}
    shared = [key for key in dict.fromkeys(section.shared_ids) if (views[key].title, views[key].quote) not in told]
    section = section.model_copy(
        update={"shared_ids": shared if told else [], "excerpt_ids": section.excerpt_ids if told else shared}
    )
    parts = [part for part in section.parts if part.excerpt_ids]
    if len(parts) == 1 and not section.excerpt_ids:
        return section.model_copy(update={"excerpt_ids": parts[0].excerpt_ids, "parts": []})
    return section.model_copy(update={"parts": parts})


def _by_steps(findings: Sequence[FindingView], placed: set[str]) -> list[Section]:
    sections: list[Section] = []
    for finding in findings:
        ids = [item.id for item in finding.evidence if item.id not in placed]
        if ids:
            placed.update(ids)
            sections.append(Section(title=finding.title, wanted=finding.description, excerpt_ids=ids))
    return sections


def _add_background(
    sections: Sequence[Section], evidence: Sequence[EvidenceView], views: Mapping[str, EvidenceView]
) -> None:
    if not sections or not evidence:
        return
    words = [
        set(tokens(" ".join([section.title, section.wanted, *(views[key].quote for key in section.all_ids)])))
        for section in sections
    ]
    for item in evidence:
        own = set(tokens(item.quote))
        best = max(range(len(sections)), key=lambda place: len(own & words[place]))
        sections[best].excerpt_ids.append(item.id)
