"""A deep run with many rounds over the same pages asks their server once for each."""

import json
from collections import Counter
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.events import Event
from tests.fakes.openai_server import OpenAIServer, think
from tests.fakes.site import Answer, Site
from tests.graph.test_web import PAGE, pages  # noqa: F401 - a fixture
from tests.services.search.test_duckduckgo import results

pytestmark = pytest.mark.long

QUESTION = (
    "Compare the tide predicting machine of William Thomson with later machines: their makers, their constituents and "
    "their years."
)
PATHS = ("/first", "/second", "/third", "/gone")


@pytest.fixture
def found(pages: Site) -> Site:  # noqa: F811 - the fixture
    """The same four pages for whatever is searched, one of which there is not."""
    for number, path in enumerate(PATHS[:-1]):
        pages.page(path, PAGE.replace("ten harmonic", f"{11 + number} harmonic"))
    hits = [(pages.url(path), f"Tide machines {path}", "The tide predicting machine, in short.") for path in PATHS]
    pages.pages["/html/"] = Answer(results(*hits).encode())
    return pages


def asking_on(body: dict[str, Any]) -> str:
    """Answer as a researcher that lacks something and asks for another search."""
    answer = json.loads(think("researcher", body))
    return json.dumps({**answer, "missing_aspects": ["the makers"], "queries": [f"Makers {len(str(body))}"]})


async def test_a_deep_run_with_rounds_asks_for_each_address_once(found: Site, endpoint: OpenAIServer) -> None:
    asked_for = ("makers", "constituents", "years", "later machines")
    steps = [
        {"id": str(place), "title": one, "description": one, "queries": [one]} for place, one in enumerate(asked_for, 1)
    ]
    endpoint.script["planner"] = [json.dumps({"title": "Machines", "steps": steps})]
    endpoint.script["researcher"] = [asking_on] * 8
    events: list[Event] = []
    report = await aresearch(QUESTION, search="duckduckgo", depth="deep", on_event=events.append)
    assert len([event for event in events if event.type == "round"]) > 3
    asked = Counter(found.asked)
    assert asked.pop("/html/") > 3
    assert asked == {"/robots.txt": 1, **dict.fromkeys(PATHS, 1)}
    assert report.usage.pages == len(PATHS)
    before = len(found.asked)
    again = await areplay(report.run_id)
    assert (again.markdown, again.usage.pages) == (report.markdown, report.usage.pages)
    assert len(found.asked) == before


async def test_the_next_turn_reads_anew(found: Site) -> None:
    first = await aresearch(QUESTION, search="duckduckgo")
    await aresearch("Who made the later tide predicting machines?", search="duckduckgo", after=first)
    assert Counter(found.asked)["/first"] == 2
