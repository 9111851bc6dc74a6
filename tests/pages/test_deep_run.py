"""What the page shows of a deep run: the rounds of search of each step, and the section that is researched again."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes import deep_model
from tests.fakes.browser import Page
from tests.fakes.http import Reply
from tests.fakes.openai_server import completion
from tests.pages.conftest import Site, ask, choose, opened, serving, status, text


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve the documents and the model of the scripted deep run."""
    home = tmp_path_factory.mktemp("deep")
    with serving(home, LEADLINE_DOCS=str(deep_model.write_documents(home / "papers"))) as deep:
        deep.model.endpoint.choose = deep_model.answer
        yield deep


def test_it_shows_its_rounds_and_the_section_that_is_written_anew(page: Page, site: Site) -> None:
    opened(page, site.address)
    choose(page, depth="deep")
    page.reload()
    page.wait("document.querySelector('#depth :checked')?.value === 'deep'")
    ask(page, deep_model.QUESTION)
    status(page, "done")
    assert "Depth deep: about 1,100,000 tokens" in text(page, ".notices")
    assert page.evaluate("[...document.querySelectorAll('.reworked li')].map(e => e.textContent)") == [
        f"Searching for more on the weakest section, “{deep_model.BILGE}”",
        f"Rewriting the section “{deep_model.BILGE}” with the new findings",
    ]
    rounds = page.evaluate("[...document.querySelectorAll('.rounds li')].map(e => e.textContent)")
    assert rounds[:2] == [
        "After round 1 there are 4 quotes from 1 source. 1 result in documents. Next it searches for “capstan of the ship”.",
        "After round 2 there are 8 quotes from 2 sources. 2 results in documents.",
    ]


def test_it_shows_what_the_searches_of_a_step_with_tools_brought(page: Page, site: Site) -> None:
    query = json.dumps({"query": "the galley of the ship"})
    plan = {**deep_model.FIRST_PLAN, "steps": [{**deep_model.FIRST_PLAN["steps"][0], "tools": ["search_documents"]}]}

    def answer(body: dict[str, Any]) -> Reply | str | None:
        moment = deep_model.moment_of(body)
        if moment.startswith("planner"):
            return json.dumps(plan)
        if moment.startswith("Ground tackle") and body.get("tools") and len(body["messages"]) == 2:
            return completion(body, "", calls=[("search_documents", query)])
        return deep_model.answer(body)

    site.model.endpoint.choose = answer
    opened(page, site.address)
    ask(page, deep_model.QUESTION)
    status(page, "done")
    searches = page.evaluate("[...document.querySelectorAll('[aria-label=Searches] li')].map(e => e.textContent)")
    assert searches[:2] == ["“anchor” 1 result in documents.", "“the galley of the ship” 1 result in documents."]
