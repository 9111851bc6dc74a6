"""The report as Markdown: checked sentences, numbered sources, and what must be said besides.

Sources are numbered in the order in which the report cites them, so that `[[3]]` is S3; copies of one text share a number.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote as percent_encoded

from schemas.evidence import Contradiction, Excerpt, Source
from schemas.planner import Plan
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.usage import Usage
from services.evidence.citations import CheckedReport, Checker
from services.evidence.duplicates import is_copy
from services.evidence.plain import plain
from services.evidence.views import steps_by_id
from services.reports.labels import Labels, labels

_CITATIONS = re.compile(r"(?:\s*\[E\d+-\d+\])+")
_ID = re.compile(r"E\d+-\d+")


@dataclass(slots=True)
class Draft:
    """Everything that a report is made of."""

    question: str
    locale: str
    title: str
    markdown: str
    """As the model wrote it, citing excerpt ids; empty where there is no evidence."""
    excerpts: list[Excerpt]
    """With content hashes as source ids."""
    sources: Mapping[str, Source]
    """By content hash."""
    plans: list[Plan] = field(default_factory=list)
    results: list[StepResult] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    missing_aspects: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    """Limits that were reached and searches that failed, in words."""
    follow_up_questions: list[str] = field(default_factory=list)
    unsupported: Literal["mark", "drop"] = "mark"
    notes: list[str] = field(default_factory=list)
    """What else the reader must know, such as that no language model wrote it."""
    opening: str = ""
    """A note that stands first: a safety note, or that of an edge case."""


def finish_report(draft: Draft, usage: Usage) -> Report:
    """Check a draft's citations, number its sources and render it."""
    words = labels(draft.locale)
    originals = _originals(draft.sources)
    titles = {key: source.title for key, source in draft.sources.items()}
    checker = Checker({one.id: one for one in draft.excerpts}, titles, draft.question, draft.unsupported, words.unverified)
    checked = checker.check(draft.markdown)
    title, body = _title_and_body(checked.markdown, draft)
    conflicts = _contradictions(draft, words)
    cited = _ID.findall("".join(_CITATIONS.findall(f"{body}\n{conflicts}")))
    sources = _numbered(draft, originals, cited)
    number = {key: sources[originals[key]].id for key in draft.sources}
    links = {one.id: _citation(sources[originals[one.source_id]]) for one in draft.excerpts}
    limits = _limits(draft, checked, sources, words)
    parts = [
        f"# {title}",
        f"> {plain(draft.opening)}" if draft.opening else "",
        body or words.nothing_found,
        conflicts,
        _section(words.limits, [f"- {plain(one)}" for one in [*limits, *draft.notes]]),
        _section(words.follow_up, [f"{place}. {plain(one)}" for place, one in enumerate(draft.follow_up_questions, 1)]),
        _section(words.references, _references(draft, sources, cited, originals, words)),
    ]
    markdown = _cite("\n\n".join(part for part in parts if part), links) + "\n"
    return Report(
        title=title,
        question=draft.question,
        markdown=markdown,
        sources=[*sources.values(), *_copies(draft.sources, originals, number)],
        excerpts=[one.model_copy(update={"source_id": number[one.source_id]}) for one in draft.excerpts],
        citations=checked.claims,
        contradictions=draft.contradictions,
        plans=draft.plans,
        results=[_renumbered(result, number) for result in draft.results],
        follow_up_questions=draft.follow_up_questions,
        limits=limits,
        usage=usage,
        artifacts=[artifact for result in draft.results for artifact in result.artifacts],
    )


def _originals(sources: Mapping[str, Source]) -> dict[str, str]:
    """Map each source to the one it copies, also across steps, where each step may have met another copy first."""
    originals: dict[str, str] = {}
    for key, source in sources.items():
        known = source.duplicate_of if source.duplicate_of in originals else None
        alike = (one for one in originals.values() if is_copy(source.fingerprint, sources[one].fingerprint))
        originals[key] = originals[known] if known else next(alike, key)
    return originals


def _numbered(draft: Draft, originals: Mapping[str, str], cited: list[str]) -> dict[str, Source]:
    """Number the originals: first those that are cited, in that order, then the rest."""
    source_of = {excerpt.id: originals[excerpt.source_id] for excerpt in draft.excerpts}
    order = dict.fromkeys([*(source_of[one] for one in cited if one in source_of), *source_of.values(), *originals.values()])
    return {key: draft.sources[key].model_copy(update={"id": f"S{place}", "duplicate_of": None}) for place, key in enumerate(order, 1)}


def _copies(sources: Mapping[str, Source], originals: Mapping[str, str], number: Mapping[str, str]) -> list[Source]:
    """Return the copies, numbered on from the originals, each naming its original."""
    first = len(set(originals.values())) + 1
    copies = [key for key, original in originals.items() if key != original]
    return [
        sources[key].model_copy(update={"id": f"S{first + place}", "duplicate_of": number[key]}) for place, key in enumerate(copies)
    ]


def _renumbered(result: StepResult, number: Mapping[str, str]) -> StepResult:
    excerpts = [one.model_copy(update={"source_id": number[one.source_id]}) for one in result.excerpts]
    return result.model_copy(update={"excerpts": excerpts})


def _title_and_body(markdown: str, draft: Draft) -> tuple[str, str]:
    found = re.match(r"\s*#\s+(.+)\n?", markdown)
    title = found.group(1).strip() if found else plain(draft.title or draft.question)
    body = markdown[found.end() :].strip() if found else markdown.strip()
    return title, body


def _contradictions(draft: Draft, words: Labels) -> str:
    by_id = {excerpt.id: excerpt for excerpt in draft.excerpts}
    lines: list[str] = []
    for one in draft.contradictions:
        sides = [by_id[excerpt_id] for excerpt_id in one.excerpt_ids if excerpt_id in by_id]
        if len(sides) > 1:
            lines.append(f"**{plain(one.topic)}**")
            lines.extend(f"- “{plain(side.quote)}” [{side.id}]" for side in sides)
            lines.append("")
    return _section(words.contradictions, lines)


def _limits(draft: Draft, checked: CheckedReport, sources: Mapping[str, Source], words: Labels) -> list[str]:
    steps = steps_by_id(draft.plans)
    lines = list(draft.limits)
    for result in draft.results:
        title = steps[result.step_id].title if result.step_id in steps else result.step_id
        if result.status == "failed":
            lines.append(words.failed_step.format(title=title, error=result.error))
        elif result.status == "skipped":
            lines.append(words.skipped_step.format(title=title, error=result.error))
    lines.extend(words.missing.format(aspect=aspect) for aspect in draft.missing_aspects)
    if checked.marked:
        lines.append(words.unsupported.format(count=checked.marked))
    if checked.dropped:
        lines.append(words.dropped.format(count=checked.dropped))
    lines.extend(f"{source.title}: {words.snippet}" for source in sources.values() if source.snippet_only)
    return list(dict.fromkeys(lines))


def _references(
    draft: Draft, sources: Mapping[str, Source], cited: list[str], originals: Mapping[str, str], words: Labels
) -> list[str]:
    source_of = {excerpt.id: originals[excerpt.source_id] for excerpt in draft.excerpts}
    lines = []
    for key in dict.fromkeys(source_of[one] for one in cited if one in source_of):
        source = sources[key]
        details = [source.url]
        if source.published:
            details.append(words.published.format(date=source.published))
        copies = [draft.sources[other].url for other, original in originals.items() if original == key != other]
        if copies:
            details.append(words.copy.format(titles=", ".join(copies)))
        lines.append(f"{source.id[1:]}. [{plain(source.title)}]({_link(source)}) — {plain(', '.join(details))}")
    return lines


def _citation(source: Source) -> str:
    return f"[[{source.id[1:]}]]({_link(source)})"


def _link(source: Source) -> str:
    """Return what a citation links to: the page, or the stored text beside the report."""
    if source.kind == "web" and source.url.startswith(("http://", "https://")):
        return percent_encoded(source.url, safe="/:?&=%#+,;@~-._!$*'").replace("'", "%27")
    return f"sources/{source.content_hash}.txt"


def _cite(markdown: str, links: Mapping[str, str]) -> str:
    """Turn runs of excerpt ids into numbered links, each source once in a run.

    Args:
        markdown: citing excerpts by id.
        links: `[[n]](link)` for each excerpt id.
    """

    def linked(run: re.Match[str]) -> str:
        unique = dict.fromkeys(links[one] for one in _ID.findall(run.group()) if one in links)
        return " " * run.group().startswith(" ") + "".join(unique)

    return _CITATIONS.sub(linked, markdown)


def _section(heading: str, lines: list[str]) -> str:
    return f"## {heading}\n\n" + "\n".join(lines).strip() if lines else ""
