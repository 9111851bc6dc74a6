"""Outlines as weak models and persons write them: what cannot stand is left out or moved to the top, with a note."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.outline import MOST_NODES, NodeDraft, OutlineNode
from schemas.planner import Plan, Step
from services.turn.outline_growth import Growth, grown, outline_of_review

TREE = [OutlineNode(id="1", title="Depth", excerpt_ids=["E1-1"]), OutlineNode(id="1.1", title="Trenches", parent="1")]


def grow(*drafts: dict[str, Any], outline: list[OutlineNode] | None = None, most: int = MOST_NODES) -> Growth:
    return grown(outline or [], [NodeDraft(**draft) for draft in drafts], "en-US", most)


def shape(growth: Growth) -> dict[str, str]:
    return {node.id: node.title for node in growth.outline}


def test_nodes_are_numbered_by_their_place_in_the_tree_also_where_ids_are_written() -> None:
    growth = grow(
        {"title": "a"}, {"id": 7, "title": "b"}, {"title": "b one", "under": "7"}, {"title": "a one", "under": 1}
    )
    assert shape(growth) == {"1": "a", "1.1": "a one", "2": "b", "2.1": "b one"}
    assert [node.parent for node in growth.outline] == ["", "1", "", "2"]
    assert not growth.notes


@pytest.mark.parametrize(
    ("name", "node"),
    [("3", "1.1"), ("1.1", "1.1"), ("Node 2", "2"), ("B ", "2"), ("a one", "1.1"), ("7", None), ("", None)],
)
def test_a_node_is_found_by_its_place_its_id_or_its_title(name: str, node: str | None) -> None:
    growth = grow({"title": "a"}, {"title": "b"}, {"title": "a one", "under": "a"})
    assert growth.find(name) == node


def test_a_node_that_says_the_same_as_another_is_left_out_and_means_that_one() -> None:
    growth = grow({"title": "The depth"}, {"title": "the  DEPTH?"}, {"title": "b", "under": "2"})
    assert shape(growth) == {"1": "The depth", "1.1": "b"}
    assert len(growth.notes) == 1
    assert "depth" in growth.notes[0].casefold()


def test_nodes_that_are_added_get_ids_that_no_node_had_and_the_others_keep_everything() -> None:
    growth = grow({"title": "Caves", "under": "1"}, {"title": "Length"}, {"title": "trenches"}, outline=TREE)
    assert shape(growth) == {"1": "Depth", "1.1": "Trenches", "1.2": "Caves", "2": "Length"}
    assert growth.outline[0].excerpt_ids == ["E1-1"]
    assert growth.find("1") == "1"


def test_an_outline_that_is_full_takes_no_more() -> None:
    full = [OutlineNode(id=str(place + 1), title=f"n{place}") for place in range(MOST_NODES)]
    growth = grow({"title": "one more"}, outline=full)
    assert growth.outline == full
    assert growth.notes


@given(
    st.lists(
        st.builds(
            NodeDraft,
            id=st.sampled_from(["", "1", "2", "a"]),
            title=st.text(max_size=6) | st.sampled_from(["a", "b", "深度"]),
            under=st.sampled_from(["", "1", "2", "3", "a", "b", "1.1"]),
        ),
        max_size=60,
    )
)
def test_whatever_is_written_a_tree_comes_of_it(drafts: list[NodeDraft]) -> None:
    nodes = grown([], drafts, "zh-CN").outline
    assert len(nodes) <= MOST_NODES
    before: set[str] = {""}
    for node in nodes:
        assert node.parent in before
        assert node.id not in before
        before.add(node.id)


def reviewed(first: bool, *nodes: OutlineNode, serves: str = "1") -> Plan:
    step = Step(id="1", title="Tallow", description="d", nodes=[serves])
    return outline_of_review(Plan(title="t", outline=list(nodes), steps=[step]), TREE, "en-US", first=first)


def test_a_persons_first_plan_has_the_persons_outline_or_that_of_its_steps() -> None:
    given = OutlineNode(id="x", title="Grease")
    assert [node.title for node in reviewed(True, given, serves="x").outline] == ["Grease"]
    assert reviewed(True, given, serves="x").steps[0].nodes == ["1"]
    assert [node.title for node in reviewed(True).outline] == ["Tallow"]
    assert reviewed(True).steps[0].nodes == ["1"]


def test_a_persons_later_plan_may_rename_and_add_nodes_and_loses_none() -> None:
    plan = reviewed(False, OutlineNode(id="1", title="How deep"), OutlineNode(id="new", title="Grease", parent="1"))
    assert {node.id: node.title for node in plan.outline} == {"1": "How deep", "1.1": "Trenches", "1.2": "Grease"}
    assert plan.outline[0].excerpt_ids == ["E1-1"]
    assert reviewed(False, serves="8").steps[0].nodes == []
