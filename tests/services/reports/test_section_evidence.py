"""From the outline of a run to sections: who stands where, and when there is enough for sections at all."""

from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import OutlineNode
from services.reports.section_evidence import bears_sections, sections_of


def finding(step: str, *ids: str, quote: str = "q") -> FindingView:
    evidence = [EvidenceView(id=key, title="", quote=f"{quote} {key}") for key in ids]
    return FindingView(step_id=step, title=f"Step {step}", status="done", evidence=evidence)


def node(key: str, *ids: str, parent: str = "") -> OutlineNode:
    return OutlineNode(id=key, title=f"Node {key}", wanted=f"What {key} wants", parent=parent, excerpt_ids=list(ids))


def test_topmost_nodes_are_sections_and_those_below_them_parts() -> None:
    nodes = [node("1", "E1-1"), node("1.1", "E1-2", parent="1"), node("1.1.1", "E1-3", parent="1.1"), node("2", "E2-1")]
    first, second = sections_of(nodes, [finding("1", "E1-1", "E1-2", "E1-3"), finding("2", "E2-1")])
    assert (first.title, first.excerpt_ids) == ("Node 1", ["E1-1"])
    assert [(part.title, part.excerpt_ids) for part in first.parts] == [
        ("Node 1.1", ["E1-2"]),
        ("Node 1.1.1", ["E1-3"]),
    ]
    assert (second.title, second.parts) == ("Node 2", [])


def test_nodes_without_evidence_are_no_sections() -> None:
    nodes = [node("1"), node("2", "E1-1"), node("2.1", parent="2")]
    assert [(one.title, one.parts) for one in sections_of(nodes, [finding("1", "E1-1")])] == [("Node 2", [])]


def test_a_section_with_nothing_but_one_part_has_no_heading_for_it() -> None:
    nodes = [node("1"), node("1.1", "E1-1", parent="1")]
    [section] = sections_of(nodes, [finding("1", "E1-1")])
    assert (section.excerpt_ids, section.parts) == (["E1-1"], [])


def test_excerpts_without_a_node_get_a_section_for_their_step() -> None:
    sections = sections_of([node("1", "E1-1")], [finding("1", "E1-1", "E1-2"), finding("2", "E2-1")])
    assert [(one.title, one.excerpt_ids) for one in sections] == [
        ("Node 1", ["E1-1"]), ("Step 1", ["E1-2"]), ("Step 2", ["E2-1"]),
    ]  # fmt: skip
    assert [one.title for one in sections_of([], [finding("1", "E1-1"), finding("2", "E2-1")])] == ["Step 1", "Step 2"]


def test_a_section_sees_what_stands_in_another_and_serves_it_too_and_one_that_has_only_that_is_written_from_it() -> (
    None
):
    nodes = [
        node("1", "E1-1", "E1-2", "E1-3"),
        node("2", "E2-1", "E2-2", "E2-3").model_copy(update={"also_ids": ["E1-2", "E2-1", "E9-9"]}),
        node("3").model_copy(update={"also_ids": ["E1-3"]}),
    ]
    found = [finding("1", "E1-1", "E1-2", "E1-3"), finding("2", "E2-1", "E2-2", "E2-3")]
    for item in (item for one in found for item in one.evidence):
        item.relevance = "high"
    first, second, third = sections_of(nodes, found)
    assert (first.shared_ids, second.shared_ids) == ([], ["E1-2"])
    assert third.excerpt_ids == ["E1-3"]


def test_a_section_that_gives_figures_sees_all_of_them() -> None:
    quotes = {
        "E1-1": "It is slow.",
        "E1-2": "It is 12 % slower.",
        "E1-3": "It came in 1876.",
        "E2-1": "It weighs 40 pounds.",
    }
    evidence = [EvidenceView(id=key, title=key, quote=quote, relevance="high") for key, quote in quotes.items()]
    found = [FindingView(step_id="1", title="", status="done", evidence=evidence)]
    costs = node("2", "E2-1").model_copy(update={"title": "Weights", "wanted": "every figure", "figures": True})
    first, second = sections_of([node("1", "E1-1", "E1-2", "E1-3"), costs], found)
    assert "E1-2" in second.shared_ids
    assert "E2-1" not in second.shared_ids
    assert not any(key == "E2-1" for key in first.shared_ids)


def test_a_handful_of_excerpts_bears_no_sections() -> None:
    few, many = [f"E1-{place}" for place in range(6)], [f"E2-{place}" for place in range(6)]
    found = [finding("1", *few), finding("2", *many)]
    assert bears_sections(sections_of([], found))
    assert not bears_sections(sections_of([], [finding("1", *few), finding("2", *many[1:])]))
    assert not bears_sections(sections_of([node("1", *few, *many)], found))
