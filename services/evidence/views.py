"""Evidence as prompts show it: without offsets, hashes and addresses."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby

from schemas.evidence import Excerpt, Source
from schemas.evidence_view import EvidenceView, FindingView
from schemas.planner import Plan, Step
from schemas.results import RECALLED, StepResult
from services.text.length import estimate

_RELEVANCE = ("low", "medium", "high")
_EARLIER = Step(id=RECALLED, title="Earlier in this conversation", description="What earlier questions found.")


def evidence_views(excerpts: Iterable[Excerpt], sources: Mapping[str, Source]) -> list[EvidenceView]:
    """Show excerpts with the titles, sites, kinds and dates of their sources.

    Excerpts of sources that are not given are left out.
    """
    return [
        EvidenceView(
            id=excerpt.id,
            title=source.title,
            name=source.card.name,
            site=source.publisher,
            published=source.published or "",
            about=source.card.about,
            known_from=source.known_from,
            kind=source.kind,
            source_kind=source.source_kind,
            abstract_only=source.abstract_only,
            relevance=excerpt.relevance,
            confirmed_by=excerpt.confirmed_by,
            section=excerpt.section,
            columns=excerpt.heads,
            content_hash=excerpt.content_hash,
            start=excerpt.start,
            quote=excerpt.quote,
        )
        for excerpt in excerpts
        if (source := sources.get(excerpt.content_hash)) is not None
    ]


def finding_views(
    steps: Mapping[str, Step], results: Mapping[str, StepResult], sources: Mapping[str, Source]
) -> list[FindingView]:
    """Show the results of steps in the order of their ids; what earlier turns found comes first."""
    known = {RECALLED: _EARLIER, **steps}
    return [
        FindingView(
            step_id=step_id,
            title=known[step_id].title,
            description=known[step_id].description,
            step_type=known[step_id].step_type,
            evidence=evidence_views(results[step_id].excerpts, sources),
            finding=_beyond_quotes(known[step_id], results[step_id]),
            **results[step_id].model_dump(include={"status", "confidence", "attempts", "missing_aspects", "error"}),
        )
        for step_id in sorted(results, key=int)
        if step_id in known
    ]


def overview(
    steps: Mapping[str, Step],
    results: Mapping[str, StepResult],
    sources: Mapping[str, Source],
    shows: Callable[[StepResult, EvidenceView], bool],
    room: int,
) -> list[FindingView]:
    """Show the results of steps with each text once, and as missing only what no reflection has compared yet.

    A text stands where it was found first, or where most of it was, with the ids of all excerpts that it holds. What a step missed may have
    been found by another; a reflection that has seen both names what is still missing.

    Args:
        steps: the steps by their ids.
        results: their results.
        sources: by content hash.
        shows: tells whether an excerpt of a result is shown; one that holds another is shown if either is, with the higher relevance.
        room: tokens of evidence that are shown: all that was computed, and of each step its most relevant excerpts first.
    """
    holders = held_by(excerpt for step_id in sorted(results, key=int) for excerpt in results[step_id].excerpts)
    findings = finding_views(steps, results, sources)
    views = {item.id: item for finding in findings for item in finding.evidence}
    steps_of = {item.id: finding.step_id for finding in findings for item in finding.evidence}
    for held, holder in holders.items():
        if held in views and holder in views:
            views[holder].also.append(held)
            views[holder].relevance = max(views[holder].relevance, views[held].relevance, key=_RELEVANCE.index)
    shown = [
        finding.model_copy(
            update={
                "evidence": [
                    item
                    for item in finding.evidence
                    if item.id not in holders
                    and any(shows(results[steps_of[key]], item) for key in (item.id, *item.also))
                ],
                "missing_aspects": finding.missing_aspects if results[finding.step_id].unjudged else [],
            }
        )
        for finding in findings
    ]
    computed = {item.id for finding in shown if finding.step_type == "processing" for item in finding.evidence}
    return within(shown, room, computed)


def within(findings: Sequence[FindingView], room: int, pinned: Collection[str] = ()) -> list[FindingView]:
    """Keep the most relevant excerpts that fit into `room` together, in the order of their texts; of equal relevance, the first ones of each step.

    Args:
        findings: results with their excerpts.
        room: tokens that the excerpts may have.
        pinned: ids of excerpts that stay in any case.
    """
    ranked = [(item, place) for finding in findings for place, item in enumerate(finding.evidence)]
    ranked.sort(key=lambda entry: (entry[0].id not in pinned, -_RELEVANCE.index(entry[0].relevance), entry[1]))
    left, shown = room, set(pinned)
    for item, _ in ranked:
        left -= estimate(item.quote)
        if left < 0:
            break
        shown.add(item.id)
    return [
        finding.model_copy(
            update={
                "evidence": (evidence := in_order([item for item in finding.evidence if item.id in shown])),
                "hidden": finding.hidden + len(finding.evidence) - len(evidence),
            }
        )
        for finding in findings
    ]


def in_order(items: Sequence[EvidenceView]) -> list[EvidenceView]:
    """Sort excerpts by their position in each source; the sources keep the order of their first excerpts."""
    sources = list(dict.fromkeys(item.content_hash for item in items))
    return sorted(items, key=lambda item: (sources.index(item.content_hash), item.start))


def _beyond_quotes(step: Step, result: StepResult) -> str:
    """Return a finding; of what a program printed only the lines that no excerpt quotes or has as its heads, as these are shown below it."""
    if step.step_type != "processing":
        return result.finding
    quoted = {line.strip() for excerpt in result.excerpts for line in excerpt.headed_quote.splitlines()}
    lines = (line for line in result.finding.splitlines() if any(map(str.isalnum, line)))
    return "\n".join(line for line in lines if line.strip() not in quoted)


def steps_by_id(plans: Sequence[Plan]) -> dict[str, Step]:
    """Return every step of every plan of a run."""
    return {step.id: step for plan in plans for step in plan.steps}


def held_by(excerpts: Iterable[Excerpt]) -> dict[str, str]:
    """Map each excerpt whose text another of the same source holds to that excerpt, which no other holds; of equal ones the first stays."""
    holders: dict[str, str] = {}
    widest_first = sorted(excerpts, key=lambda excerpt: (excerpt.content_hash, excerpt.start, -excerpt.end))
    for _, of_source in groupby(widest_first, key=lambda excerpt: excerpt.content_hash):
        widest: Excerpt | None = None
        for excerpt in of_source:
            if widest is not None and excerpt.end <= widest.end:
                holders[excerpt.id] = widest.id
            else:
                widest = excerpt
    return holders
