"""The evidence of an outline: each excerpt has one place and keeps it; what a node has is counted."""

import pytest

from schemas.evidence import Excerpt, Source
from schemas.outline import OutlineNode
from schemas.planner import Plan, Step
from schemas.results import StepResult
from services.turn.outline_evidence import TitledExcerpt, counted, idle_plans, placed

OUTLINE = [
    OutlineNode(id="1", title="Designer of the sounding machine", wanted="name, year"),
    OutlineNode(id="1.1", title="Piano wire", wanted="why it took the place of rope", parent="1"),
    OutlineNode(id="2", title="Tallow in the lead", wanted="why it was pressed into the hollow"),
]


CHINESE = [
    OutlineNode(id="1", title="测深仪的设计者"),
    OutlineNode(id="2", title="牛脂的用途", wanted="为什么压入铅锤"),
]


def found(excerpt_id: str, quote: str, *nodes: str, source: str = "s", title: str = "") -> TitledExcerpt:
    return TitledExcerpt(
        Excerpt(id=excerpt_id, content_hash=source, quote=quote, start=0, end=len(quote)), title, nodes
    )


def places(outline: list[OutlineNode], *evidence: TitledExcerpt) -> dict[str, list[str]]:
    return {node.id: node.excerpt_ids for node in placed(outline, evidence)}


@pytest.mark.parametrize(
    ("quote", "nodes", "node"),
    [
        ("The machine was designed by William Thomson.", (), "1"),
        ("Wire took the place of hemp.", ("1",), "1.1"),
        ("Tallow was pressed into the lead.", (), "2"),
        ("Tallow was pressed into the lead.", ("1",), "1"),
        ("Nothing of the kind.", ("2",), "2"),
        ("Nothing of the kind.", ("9",), "1"),
    ],
)
def test_an_excerpt_stands_at_the_node_it_is_most_like_of_those_its_step_serves(
    quote: str, nodes: tuple[str, ...], node: str
) -> None:
    assert [one for one, held in places(OUTLINE, found("E1-1", quote, *nodes)).items() if held] == [node]


def test_an_excerpt_stands_where_the_model_says_and_serves_the_other_nodes_that_it_names() -> None:
    told = found("E1-1", "Tallow was pressed into the lead.", "2")
    told.excerpt.nodes = ["1.1", "9", "2", "1.1"]
    nodes = placed(OUTLINE, [told])
    assert {node.id: (node.excerpt_ids, node.also_ids) for node in nodes} == {
        "1": ([], []), "1.1": (["E1-1"], []), "2": ([], ["E1-1"]),
    }  # fmt: skip
    assert placed(nodes, [told]) == nodes
    views = counted(nodes, [told], {"s": source("s")}, wide=False)
    assert {view.id: (view.excerpts, view.thin) for view in views} == {
        "1": (1, False), "1.1": (1, False), "2": (1, False),
    }  # fmt: skip


def test_what_is_like_no_node_goes_where_the_excerpt_before_it_of_its_source_is() -> None:
    code = "for (;;) { x += y[i]; }"
    evidence = [
        found("E1-1", "Tallow was pressed into the lead."),
        found("E1-2", code),
        found("E1-3", code, source="t"),
    ]
    assert places(OUTLINE, *evidence) == {"1": ["E1-3"], "1.1": [], "2": ["E1-1", "E1-2"]}
    assert places(OUTLINE, evidence[0], found("E1-2", code, "1"))["1"] == ["E1-2"], "its step serves another node"


@pytest.mark.parametrize(("quote", "node"), [("汤姆森设计了测深仪。", "1"), ("水手把牛脂压进铅锤底部。", "2")])
def test_chinese_is_compared_by_its_pairs(quote: str, node: str) -> None:
    assert places(CHINESE, found("B0-1", quote))[node] == ["B0-1"]


def test_what_has_a_place_keeps_it_when_nodes_and_evidence_come() -> None:
    tallow = found("E1-1", "Tallow was pressed into the lead.", "1")
    before = placed(OUTLINE, [tallow])
    wider = [*before, OutlineNode(id="3", title="Tallow was pressed into the lead")]
    after = {node.id: node.excerpt_ids for node in placed(wider, [found("B0-1", "Tallow was pressed."), tallow])}
    assert after == {"1": ["E1-1"], "1.1": [], "2": [], "3": ["B0-1"]}


def test_an_excerpt_that_is_evidence_no_more_goes() -> None:
    assert places(placed(OUTLINE, [found("E1-1", "tallow")]), found("E1-2", "tallow"))["2"] == ["E1-2"]


def source(name: str, copies: str | None = None) -> Source:
    return Source(url=name, title=name, kind="document", content_hash=name, duplicate_of=copies)


def test_counts_include_the_nodes_below_and_a_copy_is_no_second_source() -> None:
    evidence = [
        found("E1-1", "a", "1"),
        found("E1-2", "b", "1.1", source="t"),
        found("E1-3", "c", "1.1", source="copy"),
    ]
    sources = {name: source(name, copies) for name, copies in (("s", None), ("t", None), ("copy", "t"))}
    views = {view.id: view for view in counted(placed(OUTLINE, evidence), evidence, sources, wide=True)}
    assert (views["1"].excerpts, views["1"].sources, views["1"].thin) == (3, 2, False)
    assert (views["1.1"].excerpts, views["1.1"].sources, views["1.1"].thin) == (2, 1, True)
    assert (views["2"].excerpts, views["2"].thin) == (0, True)


@pytest.mark.parametrize(("quote", "figures"), [("It costs 40 pounds.", 1), ("It was in 1872.", 0), ("Dear.", 0)])
def test_figures_are_counted_where_they_are_wanted_and_a_date_is_none(quote: str, figures: int) -> None:
    outline = [OutlineNode(id="1", title="Price", wanted="prices by year", figures=True)]
    evidence = [found("E1-1", quote)]
    [view] = counted(placed(outline, evidence), evidence, {"s": source("s")}, wide=False)
    assert view.figures == figures
    assert view.thin == (figures == 0)


def plan(number: int) -> Plan:
    return Plan(title="t", steps=[Step(id=str(number), title="t", description="d")])


def test_plans_are_idle_from_the_last_one_on_that_brought_a_new_passage() -> None:
    at = {"1": (0, 10), "2": (50, 60), "3": (5, 20), "4": (52, 58)}
    results = {
        step: StepResult(
            step_id=step,
            status="done",
            excerpts=[Excerpt(id=f"E{step}-1", content_hash="s", quote="q", start=start, end=end)],
        )
        for step, (start, end) in at.items()
    }
    everything = [TitledExcerpt(excerpt, "", ()) for result in results.values() for excerpt in result.excerpts]
    counts = [idle_plans([plan(one) for one in range(1, last + 1)], everything, results) for last in (4, 5)]
    assert counts == [2, 3]
    background = TitledExcerpt(Excerpt(id="B0-1", content_hash="s", quote="q", start=0, end=99), "", ())
    assert idle_plans([plan(1)], [background, *everything], results) == 1
