"""Assigns the evidence of a run to the sections of its report: every shown quote stands in one section, with what surrounds it in its source, and others that it serves see it."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.evidence import Excerpt, Source
from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import OutlineNode, Section, SectionPart
from services.evidence.citable_excerpts import TextOf, quoted_texts
from services.text.measures import has_figure
from services.text.passages import sentences
from services.text.ranking import bm25
from services.text.tokens import tokens

MIN_SECTIONS = 2
"""Minimum number of nodes with evidence for a report in sections."""
MIN_EXCERPTS = 12
"""Minimum number of excerpts for a report in sections; with fewer, a single call costs less."""
ENOUGH = 3
"""Excerpts answering a step with which a section needs no shared ones."""
MOST = 4
"""Maximum excerpts answering a step in a section, including shared ones."""
SENTENCES = 2
"""Sentences on each side."""
LONGEST = 400
"""Maximum characters on each side; a sentence that does not fit is left out."""
READ_KINDS = {"web", "document", "tool"}
"""Kinds of source with a text; the text around a computation's output explains nothing."""


def sections_of(
    nodes: Sequence[OutlineNode], findings: Sequence[FindingView], background: Sequence[EvidenceView] = ()
) -> list[Section]:
    """Return the sections with evidence, in the order of the outline, which may have no nodes.

    Of a quote that several steps found, one section has one excerpt: sections take turns, so that none loses all to
    an earlier one. Excerpts of steps without a node get a section for each step; those of the background go to the
    section that shares most words with them.
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
        section = sections.setdefault(top, Section(title="", node=top))
        if node.id == top:
            section.title, section.wanted = node.title, node.wanted
            section.excerpt_ids = [*ids, *section.excerpt_ids]
        else:
            section.parts.append(SectionPart(title=node.title, wanted=node.wanted, excerpt_ids=ids))
        section.figures |= node.figures
        section.shared_ids += [key for key in node.also_ids if key in views]
    chosen = [filled for section in sections.values() if (filled := _with_evidence(section, views)).all_ids]
    for finding in findings:
        if ids := [item.id for item in finding.evidence if item.id not in placed]:
            placed.update(ids)
            chosen.append(Section(title=finding.title, wanted=finding.description, excerpt_ids=ids))
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
        above = [node.id]
        while (parent := parents[above[-1]]) in parents and parent not in above:
            above.append(parent)
        tops[node.id] = node.id if parent in above else above[-1]
    return tops


def _repeated(
    nodes: Sequence[OutlineNode], tops: Mapping[str, str], views: Mapping[str, EvidenceView]
) -> frozenset[str]:
    """Return the excerpts whose quote another section, or an earlier part, has; topmost nodes take turns."""
    listed: dict[str, list[str]] = {}
    for node in nodes:
        listed.setdefault(tops[node.id], []).extend(key for key in node.excerpt_ids if key in views)
    waiting, seen, unique = [iter(keys) for keys in listed.values()], set[tuple[str, str]](), set[str]()
    while waiting:
        for keys in waiting.copy():
            key = next((key for key in keys if (views[key].title, views[key].quote) not in seen), None)
            if key is None:
                waiting.remove(keys)
            else:
                seen.add((views[key].title, views[key].quote))
                unique.add(key)
    return frozenset(key for keys in listed.values() for key in keys) - unique


def _with_evidence(section: Section, views: Mapping[str, EvidenceView]) -> Section:
    """Drop parts without evidence, and what a section shares and has itself.

    A single part of a section without other content is merged into it; a section that has only what it shares has that.
    """
    own = {(views[key].title, views[key].quote) for key in section.all_ids}
    shared = [key for key in dict.fromkeys(section.shared_ids) if (views[key].title, views[key].quote) not in own]
    ids, parts = section.excerpt_ids if own else shared, [part for part in section.parts if part.excerpt_ids]
    if len(parts) == 1 and not ids:
        ids, parts = parts[0].excerpt_ids, []
    return section.model_copy(update={"shared_ids": shared if own else [], "excerpt_ids": ids, "parts": parts})


def _add_background(
    sections: Sequence[Section], evidence: Sequence[EvidenceView], views: Mapping[str, EvidenceView]
) -> None:
    quotes = [[views[key].quote for key in section.all_ids] for section in sections]
    topics = ([section.title, section.wanted, *own] for section, own in zip(sections, quotes, strict=True))
    words = [set(tokens(" ".join(topic))) for topic in topics]
    for item in evidence if sections else ():
        own = set(tokens(item.quote))
        best = max(range(len(sections)), key=lambda place: len(own & words[place]))
        sections[best].excerpt_ids.append(item.id)


def share(sections: Sequence[Section], views: Mapping[str, EvidenceView]) -> list[Section]:
    """Give sections with too little evidence the closest excerpts of others that answer a step, and those that give figures all figures.

    What a section shares already, as it serves it, comes first.
    """
    shown = [[key for key in section.all_ids if key in views] for section in sections]
    with_figures = [key for keys in shown for key in keys if has_figure(views[key].quote)]
    answering: dict[str, list[str]] = {}
    for section, keys in zip(sections, shown, strict=True):
        answering[section.title] = [key for key in keys if views[key].relevance == "high"]
    shared: list[Section] = []
    for section in sections:
        own, ids = answering[section.title], list(section.shared_ids)
        if len(own) < ENOUGH:
            others = [views[key] for keys in answering.values() if keys is not own for key in keys]
            ids += _nearest(section, others, MOST - len(own))
        if section.figures:
            ids += with_figures
        held = {*section.all_ids}
        shared.append(section.model_copy(update={"shared_ids": [key for key in dict.fromkeys(ids) if key not in held]}))
    return shared


def _nearest(section: Section, others: Sequence[EvidenceView], max_items: int) -> list[str]:
    topic = " ".join([section.title, section.wanted, *(f"{part.title} {part.wanted}" for part in section.parts)])
    scores = bm25([tokens(f"{view.title} {view.quote}") for view in others], set(tokens(topic)))
    ranked = sorted(range(len(others)), key=lambda place: -scores[place])
    return [others[place].id for place in ranked[:max_items] if scores[place] > 0]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A part of a source around a quote: `text == stored[start:]` as far as it goes."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """End of the part in the source."""
        return self.start + len(self.text)


def of_texts(excerpts: Iterable[Excerpt], sources: Mapping[str, Source]) -> Iterator[Excerpt]:
    """Yield the excerpts whose sources, by content hash, have a text."""
    for excerpt in excerpts:
        if (source := sources.get(excerpt.content_hash)) is not None and source.kind in READ_KINDS:
            yield excerpt


async def surroundings_of(
    excerpts: Iterable[Excerpt], sources: Mapping[str, Source], text_of: TextOf
) -> dict[str, Surroundings]:
    """Return the surroundings of quotes by excerpt id; each source is read once. Sources are given by content hash."""
    around: dict[str, Surroundings] = {}
    async for text, quoted in quoted_texts(of_texts(excerpts, sources), text_of):
        for excerpt in quoted:
            around[excerpt.id] = await asyncio.to_thread(surroundings, text, excerpt.start, excerpt.end)
    return around


def surroundings(text: str, start: int, end: int, count: int = SENTENCES) -> Surroundings:
    """Return a part of a text with so many sentences before and after it, those that are longer than `LONGEST` left out."""
    first, last = max(0, start - 2 * LONGEST), min(len(text), end + 2 * LONGEST)
    before = [first + span.start for span in sentences(text[first:start])]
    if first > 0:
        before = before[1:]  # it may begin within a sentence
    before = [place for place in before[-count:] if start - place <= LONGEST]
    after = [end + span.end for span in sentences(text[end:last])]
    if last < len(text):
        after = after[:-1]
    after = [place for place in after[:count] if place - end <= LONGEST]
    left, right = before[0] if before else start, after[-1] if after else end
    return Surroundings(left, text[left:right])


def beside_each_other(excerpts: Iterable[Excerpt], around: Mapping[str, Surroundings]) -> dict[str, tuple[str, str]]:
    """Return the text before and after each excerpt, without parts that another excerpt shown with it quotes or shows."""
    shown: dict[str, tuple[str, str]] = {}
    by_source: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        if excerpt.id in around:
            by_source.setdefault(excerpt.content_hash, []).append(excerpt)
    for quoted in by_source.values():
        quoted.sort(key=lambda excerpt: (excerpt.start, excerpt.end))
        last_end = 0
        for place, excerpt in enumerate(quoted):
            stretch = around[excerpt.id]
            left = min(max(stretch.start, last_end), excerpt.start)
            right = min([stretch.end, *(other.start for other in quoted[place + 1 : place + 2])])
            right = max(right, excerpt.end)
            before = stretch.text[left - stretch.start : excerpt.start - stretch.start]
            after = stretch.text[max(last_end, excerpt.end) - stretch.start : right - stretch.start]
            shown[excerpt.id] = (before.strip(), after.strip())
            last_end = max(last_end, right)
    return shown
