"""The evidence of an outline, and what a reflection decides about both: which nodes have too little, which steps are redone.

Each excerpt is assigned to one node and those that it serves besides. Models send sound steps back without reasons, which costs a round.
A step with no findings, missing aspects or low confidence is redone if there is any feedback. A sound step is redone if the feedback has
a word that is in neither the question nor the step, and no other step has the same feedback.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from schemas.context import RunContext
from schemas.evidence import Excerpt, Source, root_of
from schemas.outline import NodeView, OutlineNode
from schemas.planner import Plan, Step
from schemas.reflector import MOST_NEW, MOST_THIN, Reflection, StepVerdict
from schemas.results import StepResult
from schemas.state import ResearchState, plans_of, research_question
from services.evidence.views import steps_by_id
from services.run.log import log
from services.search.source_kinds import owner_of
from services.text.dates import wanted_time
from services.text.measures import has_figure
from services.text.ranking import bm25
from services.text.terms import terms
from services.text.tokens import tokens
from services.turn.outline_growth import grown, id_key

ENOUGH, ENOUGH_WIDE = (1, 1), (3, 2)
"""Minimum excerpts and independent sources of a node; the second pair applies to wide research."""
TITLE_WEIGHT = 2
"""Weight of a term in a node's title, relative to a term of its description."""


class TitledExcerpt(NamedTuple):
    """An excerpt with the title of its source and its candidate nodes."""

    excerpt: Excerpt
    title: str
    """Title of its source."""
    nodes: Sequence[str]
    """Ids of the nodes that its step serves; empty for any node."""


def evidence_in(state: ResearchState) -> list[TitledExcerpt]:
    """Return all evidence of a run: from the background search, then from earlier turns and the steps, by their numbers."""
    background, results, sources = state["background"], state["results"], state["sources"]
    steps = steps_by_id(plans_of(state))

    def every() -> Iterator[tuple[Excerpt, Sequence[str]]]:
        for excerpt in background.excerpts if background else []:
            yield excerpt, ()
        for step_id in sorted(results, key=int):
            for excerpt in results[step_id].excerpts:
                yield excerpt, steps[step_id].nodes if step_id in steps else ()

    return [
        TitledExcerpt(excerpt, sources[excerpt.content_hash].title if excerpt.content_hash in sources else "", nodes)
        for excerpt, nodes in every()
    ]


def placed(outline: Sequence[OutlineNode], evidence: Sequence[TitledExcerpt]) -> list[OutlineNode]:
    """Assign each excerpt to the first node that its model named; further named nodes list it in `also_ids`.

    If the model named none, the excerpt goes to the most similar node among those that its step serves and their descendants. An
    excerpt similar to no node, such as one of code, follows the previous excerpt of its source, else goes to the first node. An
    assigned excerpt keeps its node. Excerpts of a redone program are removed.
    """
    if not outline:
        return []
    home = {excerpt_id: node.id for node in outline for excerpt_id in node.excerpt_ids}
    held: dict[str, list[str]] = {node.id: [] for node in outline}
    also: dict[str, list[str]] = {node.id: [] for node in outline}
    before: dict[str, str] = {}
    for excerpt, title, nodes in evidence:
        named = [node_id for node_id in dict.fromkeys(excerpt.nodes) if node_id in held]
        node_id = home.get(excerpt.id) or next(iter(named), "")
        if not node_id:
            node_id = _nearest(f"{excerpt.quote} {title}", nodes, before.get(excerpt.content_hash, ""), outline)
        home[excerpt.id] = before[excerpt.content_hash] = node_id
        held[node_id].append(excerpt.id)
        for other in named:
            if other != node_id:
                also[other].append(excerpt.id)
    return [node.model_copy(update={"excerpt_ids": held[node.id], "also_ids": also[node.id]}) for node in outline]


def _nearest(text: str, nodes: Sequence[str], default: str, outline: Sequence[OutlineNode]) -> str:
    """Return the node most similar to a text, by BM25, among the given nodes and their descendants; among all if none exists."""
    documents = [(*terms(node.title) * TITLE_WEIGHT, *terms(node.wanted)) for node in outline]
    scores = dict(zip((node.id for node in outline), bm25(documents, list(dict.fromkeys(terms(text)))), strict=True))
    below = [node_id for node_id in scores if any(node_id == name or node_id.startswith(f"{name}.") for name in nodes)]
    candidates = below or list(scores)
    if default in candidates and not any(scores[node_id] for node_id in candidates):
        return default
    return max(candidates, key=lambda node_id: scores[node_id])


def counted(
    outline: Sequence[OutlineNode], evidence: Sequence[TitledExcerpt], sources: Mapping[str, Source], *, wide: bool
) -> list[NodeView]:
    """Count the evidence of each node with its descendants, and mark nodes with too little."""
    excerpts = {place.excerpt.id: place.excerpt for place in evidence}
    below: dict[str, list[str]] = {node.id: [*node.excerpt_ids, *node.also_ids] for node in outline}
    for node in sorted(outline, key=lambda topic: len(id_key(topic.id)), reverse=True):
        if node.parent in below:
            below[node.parent] += below[node.id]
    return [
        _view(
            node,
            [excerpts[excerpt_id] for excerpt_id in dict.fromkeys(below[node.id]) if excerpt_id in excerpts],
            sources,
            wide,
        )
        for node in outline
    ]


def _view(node: OutlineNode, excerpts: Sequence[Excerpt], sources: Mapping[str, Source], wide: bool) -> NodeView:
    independent = len({_speaker(excerpt, sources) for excerpt in excerpts})
    figures = sum(has_figure(excerpt.quote) for excerpt in excerpts) if node.figures else None
    least_excerpts, least_sources = ENOUGH_WIDE if wide else ENOUGH
    return NodeView(
        id=node.id,
        title=node.title,
        wanted=node.wanted,
        excerpts=len(excerpts),
        sources=independent,
        figures=figures,
        thin=len(excerpts) < least_excerpts or independent < least_sources or figures == 0,
    )


def _speaker(excerpt: Excerpt, sources: Mapping[str, Source]) -> str:
    """Return the author of a quote: the owner of its source; all copies of a text count as the same owner."""
    root = root_of(excerpt.content_hash, sources)
    return owner_of(sources[root].url, sources[root].kind) if root in sources else root


def idle_plans(plans: Sequence[Plan], evidence: Sequence[TitledExcerpt], results: Mapping[str, StepResult]) -> int:
    """Return how many of the latest plans in a row found no new passage."""
    seen: dict[str, list[tuple[int, int]]] = {}
    idle = 0
    of_plans = {step.id for plan in plans for step in plan.steps}
    own = {excerpt.id for step_id in of_plans & results.keys() for excerpt in results[step_id].excerpts}
    for place in evidence:
        if place.excerpt.id not in own:
            _is_new(place.excerpt, seen)
    for plan in plans:
        excerpts = [excerpt for step in plan.steps if step.id in results for excerpt in results[step.id].excerpts]
        news = [_is_new(excerpt, seen) for excerpt in excerpts]
        idle = 0 if any(news) else idle + 1
    return idle


def _is_new(excerpt: Excerpt, seen: dict[str, list[tuple[int, int]]]) -> bool:
    """Tell whether an excerpt overlaps no earlier excerpt, and record it."""
    before = seen.setdefault(excerpt.content_hash, [])
    new = all(excerpt.end <= start or end <= excerpt.start for start, end in before)
    before.append((excerpt.start, excerpt.end))
    return new


MOST_QUERIES = 3
"""Maximum follow-up queries of a reflection."""

SURE = 0.5
"""Minimum confidence of a sound result, as stated by researchers and programs."""


@dataclass(frozen=True, slots=True)
class OutlineTable:
    """The outline with its evidence, as shown to a reflection."""

    outline: list[OutlineNode]
    views: list[NodeView]
    excerpt_ids: frozenset[str]
    """Ids of all evidence."""
    dated: bool
    """Whether the question asks about a certain time."""
    idle_plans: int
    """Number of latest plans in a row that brought nothing new."""


def outline_table(state: ResearchState, context: RunContext) -> OutlineTable:
    """Assign the evidence to the outline, and count it."""
    evidence, wide = evidence_in(state), context.level.wide
    outline = placed(state.get("outline", []), evidence)
    return OutlineTable(
        outline,
        counted(outline, evidence, state["sources"], wide=wide),
        frozenset(place.excerpt.id for place in evidence),
        wanted_time(research_question(state), date.fromisoformat(state["today"])) is not None,
        idle_plans(plans_of(state), evidence, state["results"]) if wide else 0,
    )


def with_outline(reflection: Reflection, table: OutlineTable, locale: str) -> tuple[Reflection, list[OutlineNode]]:
    """Return a reflection with the outline that it changes, and that outline with its evidence.

    Added nodes are thin, as they have no evidence yet. A query for an unknown node becomes a query for the whole
    question, and unknown excerpt ids are dropped.
    """
    growth = grown(table.outline, reflection.new_nodes[:MOST_NEW] if table.outline else [], locale)
    if growth.notes:
        log("outline_settled", left_out=len(growth.notes), nodes=len(growth.outline))
    queries: dict[str, str] = {}
    homeless: list[str] = []
    for named in reflection.thin_nodes[:MOST_THIN]:
        node_id, query = growth.find(named.node), " ".join(named.query.split())
        if node_id is not None:
            queries.setdefault(node_id, query)
        elif query:
            homeless.append(query)
    follow_ups = list(dict.fromkeys([*reflection.follow_up_queries, *homeless]))[:MOST_QUERIES]
    update = {
        "outdated": [
            excerpt_id for excerpt_id in dict.fromkeys(reflection.outdated) if excerpt_id in table.excerpt_ids
        ],
        "follow_up_queries": follow_ups,
        "outline": _views(growth.outline, table.views, queries),
    }
    return reflection.model_copy(update=update), growth.outline


def _views(
    outline: Sequence[OutlineNode], counted_before: Sequence[NodeView], queries: dict[str, str]
) -> list[NodeView]:
    before = {view.id: view for view in counted_before}
    views = [
        before.get(node.id) or NodeView(id=node.id, title=node.title, wanted=node.wanted, thin=True) for node in outline
    ]
    return [
        view.model_copy(update={"thin": True, "query": queries[view.id]}) if view.id in queries else view
        for view in views
    ]


def sound(result: StepResult) -> bool:
    """Tell whether a result answers its step, as far as code can judge."""
    quoted = result.status == "done" and bool(result.excerpts) and not result.error
    return quoted and not result.missing_aspects and result.confidence >= SURE


def settle_verdicts(
    verdicts: Sequence[StepVerdict], results: Mapping[str, StepResult], steps: Mapping[str, Step], question: str
) -> list[StepVerdict]:
    """Withdraw unjustified orders to redo a step, and drop verdicts on steps without a result."""
    named = [(step_id, verdict) for verdict in verdicts if (step_id := _step_id(verdict.step_id, results)) is not None]
    feedback_words = [_words_of(verdict.feedback) for _, verdict in named if verdict.redo]
    settled: dict[str, StepVerdict] = {}
    for step_id, verdict in named:
        words = _words_of(verdict.feedback)
        step = steps.get(step_id)
        known = _words_of(" ".join([question, step.title, step.description, *step.queries] if step else [question]))
        names_something = bool(words - known) and feedback_words.count(words) < 2
        redo = verdict.redo and bool(words) and (names_something or not sound(results[step_id]))
        if verdict.redo and not redo:
            log("redo_dropped", step=step_id)
        settled[step_id] = verdict.model_copy(update={"step_id": step_id, "redo": redo})
    return list(settled.values())


def _step_id(name: str, results: Mapping[str, StepResult]) -> str | None:
    if name in results:
        return name
    figures = "".join(char if char.isdigit() else " " for char in name).split()
    return figures[0] if len(figures) == 1 and figures[0] in results else None


def _words_of(text: str) -> frozenset[str]:
    return frozenset(tokens(text))
