"""What a question asks of its answer holds: form, length, language, readers, dates, sites, a pasted text; what cannot hold is told."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graph import build_graph
from leadline import aresearch
from leadline.runs.recheck import recheck
from schemas.context import RunContext
from services.reports.bundle import verify_bundle
from services.search.providers import allow_folders
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.site import site
from tests.fakes.tavily_server import TavilyServer, page, search_there, tavily_server
from tests.graph.judging import editing, quoted_whole

pytestmark = pytest.mark.long

ASKED = "How many passengers did the ferry line of Norland carry in 2019 and 2021?"
QUOTES = [
    "The ferry line of Norland carried 18,200 passengers in 2019.",
    "The ferry line of Norland carried 23,400 passengers in 2021.",
    "Its captain, Ada Holm, has steered the ferry of Norland since 2015.",
]
PROSE = f"# More passengers\n\n{QUOTES[0]} [E1-1] {QUOTES[1]} [E1-2]"
TABLE = "| Year | Passengers |\n|---|---|\n| 2019 | 18,200 [E1-1] |\n| 2021 | 23,400 [E1-2] |"


@pytest.fixture
def ferry(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """A folder with one document, and a model that plans one step and quotes all of it."""
    return quoted_whole(endpoint, tmp_path / "ferry", "The ferry of Norland", QUOTES)


def understood(endpoint: OpenAIServer, question: str = ASKED, complexity: str = "complex", **wishes: Any) -> None:
    """Script a coordinator that reads these wishes from a message."""
    triage = {"intent": "in_scope", "complexity": complexity, "locale": "en-US", "question": question}
    endpoint.script["coordinator"] = [json.dumps({**triage, "wishes": wishes})]


async def test_a_table_that_was_asked_for_is_asked_for_again_and_then_there(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    wish = "as a table with the columns year and passengers"
    understood(endpoint, said=[wish], shape="table", columns=["year", "passengers"])
    endpoint.script["reporter"] = [PROSE]
    endpoint.script["reporter_editing"] = [editing(("B2", "replace", TABLE))]
    report = await aresearch(f"{ASKED} Answer {wish}.", docs=[ferry], out=tmp_path / "out")
    for role in ("planner", "reporter", "reporter_editing"):
        assert '<wishes shape="table" columns="year; passengers"></wishes>' in endpoint.asked(role)[0], role
        assert role == "reporter_editing" or f"<question>\n{ASKED}\n</question>" in endpoint.asked(role)[0]
    assert "<unmet>A table was requested, but the report has none.</unmet>" in endpoint.asked("reporter_editing")[0]
    assert "| 2021 | 23,400" in report.markdown
    assert not any("requested" in limit for limit in report.limits)
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_what_the_editor_does_not_mend_is_a_limit(endpoint: OpenAIServer, ferry: Path) -> None:
    understood(endpoint, said=["Bullet points only"], shape="list", readers="a ten-year-old")
    endpoint.script["reporter"] = [PROSE]
    endpoint.script["reporter_editing"] = [editing()]
    report = await aresearch(f"{ASKED} Bullet points only.", docs=[ferry])
    assert endpoint.roles.count("reporter_editing") == 1
    assert report.limits.count("Only bullet points were requested, but the report has other text, too.") == 1


async def test_a_quick_answer_is_edited_only_where_it_lacks_what_was_asked_for(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    understood(endpoint, complexity="simple", said=["as a table"], shape="table", columns=["Year", "Passengers"])
    found = TABLE.replace("E1-1", "B0-1").replace("E1-2", "B0-1")
    endpoint.script["reporter"] = [found]
    report = await aresearch(f"{ASKED} Answer as a table.", docs=[ferry], depth="quick")
    assert "reporter_editing" not in endpoint.roles
    assert "| Year | Passengers [[1]](" in report.markdown
    assert report.title == ASKED


async def test_json_is_made_of_the_table_that_was_checked(endpoint: OpenAIServer, ferry: Path, tmp_path: Path) -> None:
    understood(endpoint, said=["Give JSON"], shape="json", columns=["Year", "Passengers"])
    endpoint.script["reporter"] = [f"# Passengers\n\n{TABLE}"]
    report = await aresearch(f"{ASKED} Give JSON.", docs=[ferry], out=tmp_path / "out")
    made = report.markdown.partition("```json\n")[2].partition("```")[0]
    assert json.loads(made) == [{"Year": 2019, "Passengers": "18,200"}, {"Year": 2021, "Passengers": "23,400"}]
    assert {claim.status for claim in report.citations} <= {"quoted", "supported"}
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_wish_that_no_words_of_the_message_have_is_none(endpoint: OpenAIServer, ferry: Path) -> None:
    understood(endpoint, said=["in French"], language="fr", shape="table", words=900)
    endpoint.script["reporter"] = [PROSE]
    report = await aresearch(ASKED, docs=[ferry])
    assert "<wishes" not in endpoint.asked("reporter")[0]
    assert report.locale == "en-US"


async def test_the_language_of_the_answer_is_that_which_is_asked_for(endpoint: OpenAIServer, ferry: Path) -> None:
    understood(endpoint, said=["Answer in French"], language="fr")
    endpoint.script["reporter"] = [
        f"# Passagers\n\n{' '.join([f'{quote} [E1-{n}]' for n, quote in enumerate(QUOTES, 1)] * 2)}"
    ]
    endpoint.script["reporter_editing"] = [editing()]
    report = await aresearch(f"{ASKED} Answer in French.", docs=[ferry], locale="en-GB")
    assert 'locale="fr"' in endpoint.asked("planner")[0]
    assert report.locale == "fr"
    assert sum("The requested language was “fr”" in limit for limit in report.limits) == 1


async def test_a_number_of_words_is_held_or_told(endpoint: OpenAIServer, ferry: Path) -> None:
    understood(endpoint, complexity="simple", said=["in 100 words"], words=100)
    endpoint.script["reporter"] = [PROSE.replace("E1-", "B0-")]
    report = await aresearch(f"{ASKED} Answer in 100 words.", docs=[ferry], words=400)
    assert "- About 100 words" in endpoint.requests[endpoint.roles.index("reporter")]["messages"][0]["content"]
    assert any("length aimed at was 100 words" in limit for limit in report.limits)


async def test_a_quick_run_asks_for_a_short_answer_to_a_question_of_several_parts(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    understood(endpoint, complexity="complex")
    endpoint.script["reporter"] = [PROSE.replace("E1-", "B0-")]
    await aresearch(ASKED, docs=[ferry], depth="quick")
    assert "- Two to four sentences" in endpoint.requests[endpoint.roles.index("reporter")]["messages"][0]["content"]


@pytest.fixture
def tavily(monkeypatch: pytest.MonkeyPatch) -> Iterator[TavilyServer]:
    """A search that knows a page of 2019, one of 2024, one of another site, and one without a date."""
    places = {"https://who.example/old": "2019-05-01", "https://who.example/new": "2024-05-01"}
    places |= {"https://news.example/a": "2024-06-01", "https://who.example/undated": ""}
    notices = [
        page(
            url, f"Ferries {number}", f"{QUOTES[1]} So says notice number {number} of the line.", published=day or None
        )
        for number, (url, day) in enumerate(places.items())
    ]
    with tavily_server(*notices) as server:
        search_there(server, monkeypatch)
        yield server


async def test_sites_and_dates_are_those_that_are_asked_for(endpoint: OpenAIServer, tavily: TavilyServer) -> None:
    message = f"{ASKED} Only who.example, only sources after 2023."
    understood(
        endpoint, complexity="simple", said=["Only who.example", "only sources after 2023"], after="2024",
        sites=["https://who.example"],
    )  # fmt: skip
    endpoint.script["reporter"] = [f"{QUOTES[1]} [B0-1][B0-2]"]
    report = await aresearch(message, search="tavily")
    assert all(request["include_domains"] == ["who.example"] for request in tavily.requests)
    assert {source.url for source in report.sources} == {"https://who.example/new", "https://who.example/undated"}
    assert any("1 cited source has no date" in limit for limit in report.limits)


async def test_a_question_narrows_what_the_settings_allow_and_never_widens_it(
    endpoint: OpenAIServer, tavily: TavilyServer
) -> None:
    understood(endpoint, complexity="simple", said=["Only news.example"], sites=["news.example"])
    report = await aresearch(f"{ASKED} Only news.example.", search="tavily", include_domains=["who.example"])
    assert all(request["include_domains"] == ["who.example"] for request in tavily.requests)
    assert any("do not allow (sites)" in limit for limit in report.limits)


async def test_a_wish_that_was_taken_away_is_not_followed(endpoint: OpenAIServer, tavily: TavilyServer) -> None:
    understood(endpoint, complexity="simple", said=["Only who.example"], sites=["who.example"], shape="table")
    await aresearch(f"{ASKED} Only who.example.", search="tavily", wishes={"ignored": ["sites", "form"]})
    assert all("include_domains" not in request for request in tavily.requests)
    assert "<wishes" not in endpoint.asked("reporter")[0]


async def test_a_wish_is_taken_away_while_the_plan_is_reviewed(endpoint: OpenAIServer, ferry: Path) -> None:
    understood(endpoint, said=["in French, as a table"], language="fr", shape="table")
    endpoint.script["reporter"] = [PROSE]
    allow_folders([ferry])
    graph: Any = build_graph().compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    context = RunContext(review_plan=True, documents=[str(ferry)])
    await graph.ainvoke({"question": f"{ASKED} Answer in French, as a table."}, config, context=context)
    later = context.model_copy(update={"wishes": context.wishes.model_copy(update={"ignored": ["language", "form"]})})
    values = await graph.ainvoke(Command(resume={"action": "accept"}), config, context=later)
    assert values["report"].locale == "en-US"
    assert "<wishes" not in endpoint.asked("reporter")[0]


async def test_choices_say_the_same_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "ferry.md").write_text("\n\n".join(QUOTES))
    report = await aresearch(ASKED, docs=[tmp_path], wishes={"shape": "table", "after": "2024"})
    assert any(limit.startswith("No model wrote this report") for limit in report.limits)


@pytest.mark.parametrize(("at_most", "told"), [(False, 1), (True, 0)])
async def test_without_a_model_a_length_that_is_missed_is_told(tmp_path: Path, at_most: bool, told: int) -> None:
    (tmp_path / "ferry.md").write_text("\n\n".join(QUOTES))
    report = await aresearch(ASKED, docs=[tmp_path], words=700, wishes={"at_most": at_most})
    assert sum(limit.startswith("The length aimed at was 700 words") for limit in report.limits) == told


PASTED = "\n".join(
    f"Notice {n} of the Norland ferry: on day {n} of March the pier held {100 + n} crates." for n in range(40)
)


@pytest.mark.parametrize("words", ["", "Notice 0 of the Norland"])
async def test_a_pasted_text_is_a_source_that_can_be_cited(endpoint: OpenAIServer, tmp_path: Path, words: str) -> None:
    question = "How many crates did the pier hold on day 7 of March?"
    understood(endpoint, question if words else "", complexity="simple", pasted=words)
    told = "On day 7 of March the pier held 107 crates [B0-1]."
    endpoint.script["reporter"] = [told]
    report = await aresearch(f"{question}\n\n{PASTED}", search="none", out=tmp_path / "out")
    assert f"<question>\n{question}\n</question>" in endpoint.asked("reporter")[0]
    assert [(source.title, source.kind) for source in report.sources] == [("Text in the question", "document")]
    assert re.search(r"1\. .*Text in the question.*sources/01", report.markdown)
    [again], _ = await recheck(report, RunContext(search="none"))
    assert again.state == "not read again"
    assert {claim.status for claim in report.citations} == {"supported"}
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_an_address_that_the_rewritten_question_lost_is_read(
    endpoint: OpenAIServer, tavily: TavilyServer, environment: SetEnvironment
) -> None:
    tavily.pages = []
    with site() as served:
        text = "".join(f"<p>{quote}</p>" for quote in QUOTES)
        address = served.page(
            "/ferry", f"<html><head><title>Ferry</title></head><body><article>{text}</article></body></html>"
        )
        environment(LEADLINE_ALLOW_PRIVATE_HOSTS=served.host)
        understood(endpoint, complexity="simple", said=["as a list"], shape="list")
        endpoint.script["reporter"] = [f"- {QUOTES[1]} [B0-1]"]
        report = await aresearch(f"{ASKED} See {address} and answer as a list.", search="tavily")
    assert "/ferry" in served.asked
    assert [source.url for source in report.sources] == [address]
