"""The outline in a reflection: the table that the model sees, and the changes that the model makes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from schemas.context import RunContext
from schemas.outline import NodeView, OutlineNode
from schemas.reflector import MOST_NEW, MOST_THIN, Reflection
from schemas.state import ResearchState, plans_of, research_question
from services.run.log import log
from services.text.dates import wanted_time
from services.turn.outline_evidence import counted, found_in, idle_plans, placed
from services.turn.outline_growth import grown

MOST_QUERIES = 3
"""Maximum follow-up queries of a reflection."""


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
    found, wide = found_in(state), context.level.wide
    outline = placed(state.get("outline", []), found)
    return OutlineTable(
        outline,
        counted(outline, found, state["sources"], wide=wide),
        frozenset(place.excerpt.id for place in found),
        _is_dated(research_question(state), state["today"]),
        idle_plans(plans_of(state), found, state["results"]) if wide else 0,
    )


def _is_dated(question: str, today: str) -> bool:
    try:
        return wanted_time(question, date.fromisoformat(today)) is not None
    except ValueError:
        return False


def with_outline(reflection: Reflection, table: OutlineTable, locale: str) -> tuple[Reflection, list[OutlineNode]]:
    """Apply a reflection's changes to the outline and its judgement of outdated excerpts.

    Added nodes are thin, as they have no evidence yet. A query for an unknown node becomes a query for the whole
    question, and unknown excerpt ids are dropped.

    Returns:
        The reflection with the changed outline, and that outline with its evidence.
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
