"""What the page shows of a deep run: the rounds of search of each step, and the section that is researched again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import deep_model
from tests.fakes.browser import Page
from tests.pages.conftest import Site, ask, choose, opened, serving, status


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Serve the documents and the model of the scripted deep run."""
    with serving(tmp_path, LEADLINE_DOCS=str(deep_model.write_documents(tmp_path / "papers"))) as deep:
        deep.model.endpoint.choose = deep_model.answer
        yield deep


def test_it_shows_its_rounds_and_the_section_that_is_written_anew(page: Page, site: Site) -> None:
    opened(page, site.address)
    choose(page, depth="deep")
    page.reload()
    page.wait("document.querySelector('#depth :checked')?.value === 'deep'")
    ask(page, deep_model.QUESTION)
    status(page, "done")
    assert page.evaluate("[...document.querySelectorAll('.reworked li')].map(e => e.textContent)") == [
        f"Searching for more on the section “{deep_model.BILGE}”, the weakest one",
        f"Writing the section “{deep_model.BILGE}” anew, with what was found for it",
    ]
    rounds = page.evaluate("[...document.querySelectorAll('.rounds li')].map(e => e.textContent)")
    assert rounds[:2] == [
        "Round 1: quotes so far 4, sources 1 Results: documents 1 Next: capstan of the ship",
        "Round 2: quotes so far 8, sources 2 Results: documents 1",
    ]
