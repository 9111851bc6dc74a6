"""How the updates of parallel steps merge: in any order and any grouping, the state is the same."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence import Source
from schemas.results import StepResult
from schemas.state import merge_limits, merge_results, merge_sources
from schemas.usage import CallUsage, Usage

COUNTS = st.integers(0, 10_000)
CALLS = st.builds(
    CallUsage,
    calls=COUNTS,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cached_tokens=COUNTS,
    seconds=COUNTS.map(lambda one: one / 1_000),
    cost=st.one_of(st.none(), COUNTS.map(lambda one: one / 1e6)),
)
USED = st.builds(
    Usage,
    total=CALLS,
    roles=st.dictionaries(st.sampled_from(["planner", "researcher"]), CALLS),
    steps=st.dictionaries(st.sampled_from(["1", "2"]), CALLS),
    searches=COUNTS,
    pages=COUNTS,
    seconds=COUNTS.map(lambda one: one / 1_000),
)
HASHES = st.sampled_from(["a", "b", "c"]).map(lambda one: one * 64)
SOURCES = st.builds(
    Source,
    url=st.sampled_from(["one.md", "two.md", "https://three.example/"]),
    title=st.sampled_from(["One", "Two"]),
    kind=st.sampled_from(["document", "web"]),
    content_hash=HASHES,
    fetched_at=st.sampled_from(["", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:01+00:00"]),
    duplicate_of=st.one_of(st.none(), HASHES),
    snippet_only=st.booleans(),
    also_at=st.lists(st.sampled_from(["four.md", "https://five.example/"]), unique=True).map(sorted),
)
UPDATES = st.lists(
    st.fixed_dictionaries(
        {
            "sources": st.lists(SOURCES, max_size=4).map(lambda found: {one.content_hash: one for one in found}),
            "limits": st.lists(st.sampled_from(["time", "tokens", "pages"]), max_size=3),
            "usage": USED,
        }
    ),
    min_size=1,
    max_size=4,
).map(lambda updates: [{**one, "results": {str(place): result(place)}} for place, one in enumerate(updates)])


def result(number: int) -> StepResult:
    return StepResult(step_id=str(number), status="done", finding=f"found by {number}")


def merged(updates: list[dict[str, Any]]) -> dict[str, Any]:
    state: dict[str, Any] = {"results": {}, "sources": {}, "limits": [], "usage": Usage()}
    for one in updates:
        state = {
            "results": merge_results(state["results"], one["results"]),
            "sources": merge_sources(state["sources"], one["sources"]),
            "limits": merge_limits(state["limits"], one["limits"]),
            "usage": state["usage"] + one["usage"],
        }
    return {**state, "limits": sorted(state["limits"])}  # the graph applies updates by step; here only their set counts


@given(UPDATES, st.randoms(use_true_random=False))
def test_the_order_in_which_workers_finish_does_not_matter(updates: list[dict[str, Any]], random: Any) -> None:
    shuffled = list(updates)
    random.shuffle(shuffled)
    assert merged(shuffled) == merged(updates)
    assert list(merged(shuffled)["sources"]) == list(merged(updates)["sources"])


@given(UPDATES, st.integers(0, 4))
def test_nor_does_which_of_them_finish_together(updates: list[dict[str, Any]], cut: int) -> None:
    parts = [merged(part) for part in (updates[:cut], updates[cut:]) if part]
    assert merged(parts) == merged(updates)


@given(UPDATES)
def test_an_update_that_comes_twice_changes_no_evidence(updates: list[dict[str, Any]]) -> None:
    once, twice = merged(updates), merged([*updates, *updates])
    assert {key: once[key] for key in ("results", "sources", "limits")} == {
        key: twice[key] for key in ("results", "sources", "limits")
    }
