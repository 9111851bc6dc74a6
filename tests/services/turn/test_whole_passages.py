"""What a writer sees of the passages of its excerpts: each source once and in order, nothing twice, and what it cites becomes evidence."""

from typing import Any, cast

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import Excerpt, Source
from schemas.evidence_view import FindingView
from schemas.outline import Section
from schemas.planner import Plan
from schemas.reporter import ReporterPrompt
from schemas.results import StepResult
from schemas.state import ResearchState
from schemas.steering import Steering
from services.evidence.views import evidence_views
from services.run.evidence_store import EvidenceStore
from services.turn.section_research import SectionResearch

BELLS = [f"The {name} bell of Norland was cast in the year of the flood." for name in ("big", "low", "old", "new")]
BOATS = [f"The {name} boat of Norland was built in the year of the fire." for name in ("big", "low", "old", "new")]


def excerpt(key: str, told: list[str], place: int, **more: Any) -> Excerpt:
    start = " ".join(told).index(told[place])
    end = start + len(told[place])
    return Excerpt(id=key, content_hash=KEYS[told[0]], quote=told[place], start=start, end=end, **more)


KEYS: dict[str, str] = {}


@pytest.fixture
async def store() -> EvidenceStore:
    evidence = EvidenceStore(InMemoryStore())
    for told in (BELLS, BOATS):
        KEYS[told[0]] = await evidence.put_text(" ".join(told))
    return evidence


def research_of(store: EvidenceStore, *excerpts: Excerpt, background: tuple[Excerpt, ...] = ()) -> SectionResearch:
    sources = {
        key: Source.model_validate({"url": f"{key[:5]}.md", "title": key[:5], "kind": "document", "content_hash": key})
        for key in KEYS.values()
    }
    steps = sorted({each.id[1] for each in excerpts})
    results = {
        step: StepResult(step_id=step, status="done", excerpts=[each for each in excerpts if each.id[1] == step])
        for step in steps
    }
    prompt = ReporterPrompt(
        question="q", locale="en-US", today="", length="standard", tone="", findings=[], contradictions=[], missing_aspects=[],
        background=evidence_views(background, sources),
    )  # fmt: skip
    state = ResearchState(results=results, sources=sources, plan=None)
    known = [*excerpts, *background]
    return SectionResearch(cast("Any", None), state, prompt, store, known, lambda key, title: None)


async def test_nothing_is_searched_for_a_report_that_was_asked_for_at_once(store: EvidenceStore) -> None:
    research = research_of(store)
    plan = Plan(title="t")
    research.state |= {"plan": plan, "steering": [Steering(id="1", text="Write now", action="write")]}
    assert await research(Section(title="Bells", wanted="Their age")) is None
    assert await research.look_up("", ["The bell of Norland is old."]) is None


def finding(research: SectionResearch, *excerpts: Excerpt) -> FindingView:
    views = evidence_views(excerpts, research.state["sources"])
    return FindingView(step_id=excerpts[0].id[1], title="t", status="done", evidence=views)


def shown(findings: list[FindingView]) -> list[list[str]]:
    return [[item.id for item in each.evidence] for each in findings]


async def test_each_source_stands_in_the_first_finding_that_quotes_it_in_its_order(store: EvidenceStore) -> None:
    first, later, boat = excerpt("E1-1", BELLS, 2), excerpt("E2-1", BELLS, 0), excerpt("E2-2", BOATS, 3)
    research = research_of(store, first, later, boat)
    whole = await research.whole_passages([finding(research, first), finding(research, later, boat)])
    assert shown(whole) == [["E2-1", "E2-3", "E1-1", "E2-4"], ["E2-5", "E2-2"]]
    assert {key: each.quote for key, each in research.beside.items()} == {
        "E2-3": BELLS[1],
        "E2-4": BELLS[3],
        "E2-5": " ".join(BOATS[:3]),
    }
