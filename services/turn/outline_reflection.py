"""What a reflection decides: which steps are redone, and how the outline grows.

Models send sound steps back without reasons, which costs a round. A step with no findings, missing aspects or low confidence is redone if
there is any feedback. A sound step is redone if the feedback has a word that is in neither the question nor the step, and no other step has
the same feedback.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from schemas.context import RunContext
from schemas.outline import NodeView, OutlineNode
from schemas.planner import Step
from schemas.reflector import MOST_NEW, MOST_THIN, Reflection, StepVerdict
from schemas.results import StepResult
from schemas.state import ResearchState, plans_of, research_question
from services.run.log import log
from services.text.dates import wanted_time
from services.text.tokens import tokens
from services.turn.outline_evidence import counted, evidence_in, idle_plans, placed
from services.turn.outline_growth import grown

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
    """Return the id of a step from a model's name for it."""
    if name in results:
        return name
    figures = "".join(char if char.isdigit() else " " for char in name).split()
    return figures[0] if len(figures) == 1 and figures[0] in results else None


def _words_of(text: str) -> frozenset[str]:
    return frozenset(tokens(text))
