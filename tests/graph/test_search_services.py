"""Runs over search services: the real client against loopback twins, from the choice of names to the report and its replay."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from leadline import aresearch
from leadline.progress.run_view import Watched
from prompts import render
from schemas.context import RunContext
from schemas.events import Event
from schemas.evidence import Excerpt, StepKind
from schemas.researcher import ResearcherPrompt
from services.evidence.references import numbered
from services.evidence.views import evidence_views
from services.reports.bundle import verify_bundle
from services.run.evidence_store import EvidenceStore
from services.run.journal import Entry, Journal
from services.run.scope import Run
from services.search.journaled import gather_once
from tests.fakes.http import Reply
from tests.fakes.search_services.served import served
from tests.fakes.search_services.twin import KEY, Twin

pytestmark = pytest.mark.long

QUESTION = "How does echo sounding find the depth of the floor?"
COMPLEX = (
    "How does echo sounding find the depth of the floor, and by how much does temperature change the speed of sound?"
)
PAGE = "Echo sounding finds the depth of the floor by the time that sound travels to it and back."
PAPER = "Echo sounding of the floor needs the speed of sound, which temperature changes by four metres a second."
Twins = dict[str, Twin]


@pytest.fixture
def twins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Twins]:
    """Serve Exa, Wikipedia, OpenAlex and Europe PMC; the first and the third tell of the question."""
    monkeypatch.setenv("EXA_API_KEY", KEY)
    with served(tmp_path, "exa", "wikipedia", "openalex", "europepmc") as serving:
        exa, openalex = serving["exa"], serving["openalex"]
        [page, *_] = exa.form.found["results"]
        exa.found = {**exa.form.found, "results": [{**page, "text": PAGE}]}
        [paper, *_] = openalex.form.found["results"]
        abstract = {word: [place] for place, word in enumerate(dict.fromkeys(PAPER.split()))}
        closed = {"best_oa_location": None, "open_access": {"is_oa": False, "oa_url": None}}
        openalex.found = {"results": [{**paper, **closed, "abstract_inverted_index": abstract}]}
        yield serving


def asked(twins: Twins) -> dict[str, int]:
    return {name: len(twin.asked) for name, twin in twins.items() if twin.asked}


async def test_two_services_are_asked_side_by_side_and_both_are_cited(twins: Twins) -> None:
    report = await aresearch(QUESTION, search="exa+openalex", depth="quick", max_pages=0)
    assert {source.site for source in report.sources} == {"a.example", "doi.org"}
    assert {"exa", "openalex"} == asked(twins).keys()
    assert report.usage.searches == sum(asked(twins).values())
    assert KEY not in report.model_dump_json()


async def test_who_watches_is_told_what_each_search_brought(twins: Twins) -> None:
    twins["europepmc"].replies = [Reply(500, {})]
    events: list[Event] = []
    watched = Watched()
    await aresearch(COMPLEX, search="exa|wikipedia+europepmc+openalex", max_pages=0, on_event=events.append)
    told = {event.type: event for event in events if event.type in {"background", "round"}}
    brought = [
        {"name": "exa", "hits": 1, "failed": False, "reason": ""},
        {"name": "openalex", "hits": 1, "failed": False, "reason": ""},
        {"name": "europepmc", "hits": 0, "failed": True, "reason": "Europe PMC's service failed (HTTP 500)"},
    ]
    assert sorted(told["background"].data["searched"], key=str) == sorted(brought, key=str)
    assert "exa 1" in told["background"].title
    assert "europepmc: failed" in told["background"].title
    assert {one["name"] for one in told["round"].data["searched"]} == {"exa", "openalex", "europepmc"}
    assert "openalex" in told["round"].title
    for event in events:
        watched.see(event)
    assert "europepmc: failed" in watched.brought()
    assert watched.searched["exa"].hits == sum(
        one["hits"] for event in events for one in event.data.get("searched", []) if one["name"] == "exa"
    )


async def test_what_a_catalogue_knows_goes_into_references_and_evidence(twins: Twins, tmp_path: Path) -> None:
    report = await aresearch(QUESTION, search="openalex", depth="quick", max_pages=0, out=tmp_path)
    [source] = report.sources
    assert (source.abstract_only, source.snippet_only) == (True, False)
    assert source.publication is not None
    assert (source.publication.venue, source.publication.doi) == ("Journal of Soundings", "10.1234/echo.1")
    folder = Path(str(report.folder))
    [bundled] = json.loads((folder / "evidence.json").read_text("utf-8"))["sources"]
    assert bundled["abstract_only"]
    assert (bundled["publication"]["authors"], bundled["publication"]["citations"]) == (
        ["Ada Sounder", "Ben Weight"],
        41,
    )
    below = report.markdown.split("## References")[1]
    for said in (
        "Journal of Soundings",
        "Ada Sounder, Ben Weight",
        "doi:10.1234/echo.1",
        "cited 41 times",
        "abstract only",
    ):
        assert said in below
    assert "only the abstract was read" in report.markdown
    assert verify_bundle(folder).problems == []


async def test_prompts_show_the_journal_and_that_a_text_is_an_abstract(twins: Twins) -> None:
    evidence = EvidenceStore(InMemoryStore())
    found = await gather_once(Run(RunContext(search="openalex", max_pages=0)), [QUESTION], evidence, 10)
    [passage] = found.passages
    assert (passage.site, passage.abstract_only) == ("Journal of Soundings", True)
    prompt = ResearcherPrompt(
        question=QUESTION, locale="en-US", title="t", description="d", queries=[], feedback="", findings=[],
        passages=numbered(found.passages),
    )  # fmt: skip
    assert 'site="Journal of Soundings"' in f"{render('researcher', prompt)}"
    assert 'text="abstract"' in f"{render('researcher', prompt)}"
    quote = Excerpt(id="E1-1", content_hash=passage.content_hash, quote=passage.text, start=0, end=len(passage.text))
    [view] = evidence_views([quote], found.sources)
    assert (view.site, view.abstract_only) == ("Journal of Soundings", True)


async def test_a_limit_of_searches_counts_each_service(twins: Twins) -> None:
    report = await aresearch(QUESTION, search="exa+openalex+europepmc", depth="quick", max_pages=0, max_searches=2)
    assert asked(twins) == {"exa": 1, "openalex": 1}
    assert report.usage.searches == 2
    assert any("max_searches" in limit for limit in report.limits)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("academic", {"exa", "wikipedia", "openalex", "europepmc"}),
        ("medicine", {"exa", "wikipedia", "openalex", "europepmc"}),
        ("news", {"exa"}),
    ],
)
async def test_a_step_asks_what_fits_its_kind_of_source(twins: Twins, kind: StepKind, names: set[str]) -> None:
    evidence = EvidenceStore(InMemoryStore())
    found = await gather_once(Run(RunContext(max_pages=0)), [QUESTION], evidence, 10, source_kind=kind)
    assert asked(twins) == dict.fromkeys(names, 1)
    assert found.searches == len(names)


async def test_what_was_asked_before_a_crash_is_not_asked_again(twins: Twins) -> None:
    store, context = InMemoryStore(), RunContext(search="exa+openalex", max_pages=0)
    evidence, task = EvidenceStore(store), "task"
    twins["openalex"].replies = [Reply(500, {})]
    cut = Run(context, journal=Journal(store, "key", task, "1:researcher"))
    await gather_once(cut, [QUESTION], evidence, 10)
    for item in await store.asearch(("journal", "key"), limit=100):
        if Entry.read(item.value).kind == "gather":  # as if it had been killed before this was written
            await store.adelete(item.namespace, item.key)
    twins["openalex"].replies = []
    resumed = Run(context, journal=Journal(store, "key", task, "1:researcher"))
    found = await gather_once(resumed, [QUESTION], evidence, 10)
    assert len(twins["exa"].asked) == 1
    assert {source.site for source in found.sources.values()} >= {"a.example"}
