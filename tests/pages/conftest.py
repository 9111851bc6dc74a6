"""Our page in a real browser, on the real dev server, with a model on loopback that tests can hold back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.browser import CHROMIUM, Page, chromium
from tests.fakes.held_model import HeldModel
from tests.fakes.openai_server import openai_server
from tests.pages.watched import CONTROL, Watched
from tests.server.conftest import TOKENS, dev_server, papers

QUESTION = "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?"
SIMPLE = "Who owned the schooner Lalla Rookh?"


@dataclass(slots=True)
class Site:
    """A served page."""

    address: str
    model: HeldModel


@contextmanager
def serving(home: Path, *, app: str = "", **environment: str) -> Iterator[Site]:
    """Serve the page with a model on loopback."""
    with openai_server() as endpoint:
        model = HeldModel(endpoint)
        keys = {
            "OPENAI_API_KEY": endpoint.key,
            "OPENAI_BASE_URL": endpoint.base_url,
            "LEADLINE_MODEL": "gpt-4o",
            "LEADLINE_ONE_CALL_TOKENS": "0",
        }
        with dev_server(home, app=app, **keys, **environment) as (address, _):
            yield Site(address, model)
            model.release()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("page")
    with serving(home, LEADLINE_DOCS=str(papers(home))) as site:
        yield site


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory, example_indexes: Path) -> Iterator[tuple[str, Path]]:
    """Serve with neither a model nor documents; yield the address and the folder of all that the server keeps."""
    home = _with_examples(tmp_path_factory.mktemp("bare"), example_indexes)
    with dev_server(home) as (address, _):
        yield address, home


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory, example_indexes: Path) -> Iterator[Watched]:
    """Serve users by their tokens, search the examples, and notice calls that block."""
    home = _with_examples(tmp_path_factory.mktemp("watched"), example_indexes)
    (home / "control.py").write_text(CONTROL)
    tokens = ",".join(f"{name}:{token}" for name, token in TOKENS.items())
    with serving(home, app="./control.py:app", LEADLINE_TOKENS=tokens) as made:
        yield Watched(made, home / "log")


def _with_examples(home: Path, indexes: Path) -> Path:
    """Give a server that is to have no documents of its own the examples as it would have read them."""
    (home / "home").mkdir(0o700)
    (home / "home" / "documents").symlink_to(indexes)
    return home


@pytest.fixture
def site(served: Site) -> Iterator[Site]:
    yield served
    served.model.release()
    served.model.endpoint.script.clear()
    served.model.endpoint.choose = None


@pytest.fixture(scope="session")
def browser() -> Iterator[Page]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with chromium() as first:
        yield first


@pytest.fixture
def page(browser: Page, site: Site) -> Iterator[Page]:
    """A new tab, in English, without anything kept from before; at the end nothing may have been logged or popped up."""
    tab = browser.another()
    tab.call("Network.setUserAgentOverride", userAgent="Chromium of the tests", acceptLanguage="en-US")
    yield tab
    assert tab.dialogs == []
    assert [one for one in tab.logged if not one.startswith("warning")] == []
    origin = "/".join(tab._address.split("/")[:3])
    assert [one for one in tab.asked if not one.startswith((f"{origin}/", f"blob:{origin}/", "data:"))] == []
    for address in {site.address, origin}:
        tab.call("Storage.clearDataForOrigin", origin=address, storageTypes="all")
    browser.close(tab)


def opened(page: Page, address: str, **how: Any) -> Page:
    """Open the page and wait until it can be used; runs make one plan, so that they are short."""
    page.open(f"{address}/", **how)
    page.wait("document.querySelector('#run-list li')", "the list of past runs")
    choose(page, max_plan_iterations=1)
    return page


def choose(page: Page, **choices: Any) -> None:
    """Settle what runs choose, as the settings form does."""
    page.evaluate(f"localStorage.setItem('leadline-choices', {json.dumps(json.dumps(choices))})")


def ask(page: Page, question: str) -> None:
    """Write a question, send it with Enter, and wait until its turn has begun."""
    page.click("document.getElementById('question')")
    page.write(question)
    page.press("Enter", 13, text="\r")
    page.wait(f"[...document.querySelectorAll('.asked')].at(-1)?.textContent === {json.dumps(question)}", "the turn")


def under_way(page: Page, site: Site, node: str = "researcher", address: str = "") -> None:
    """Ask at an address, by default the site's, and wait for a node whose calls of the model are held."""
    site.model.hold_role(node)
    opened(page, address or site.address)
    ask(page, QUESTION)
    page.wait(f"document.querySelector('.node[data-node={node}][data-state=running]')", f"the {node}")
    if node == "researcher":
        page.wait("document.querySelector('.steps [data-status=running]')", "a running step")


def under_review(page: Page, question: str = QUESTION, **choices: Any) -> None:
    """Ask, and wait for the review of the plan."""
    choose(page, review_plan=True, max_plan_iterations=1, **choices)
    ask(page, question)
    page.wait("document.querySelector('form.review')", "the review of the plan")


def unfold(page: Page) -> None:
    """Click into the question's field, which shows depth and review of the plan."""
    page.click("document.getElementById('question')")
    page.wait("document.getElementById('depth').checkVisibility()", "the depth")


def status(page: Page, wanted: str) -> None:
    """Wait until the last turn is in a state: running, waiting, stopped, failed or done."""
    page.wait(
        f"[...document.querySelectorAll('.turn')].at(-1)?.dataset.status === '{wanted}'", f"a run that is {wanted}"
    )


def report_text(page: Page) -> str:
    """Wait for the last turn's report and return its words."""
    found = page.wait(
        "[...document.querySelectorAll('.turn')].at(-1)?.querySelector('.report-host')?.shadowRoot.textContent"
    )
    return str(found)


def text(page: Page, selector: str) -> str:
    """Return the words of an element."""
    return str(page.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText || ''"))


def button(words: str) -> str:
    """Return a script that finds a button by its words or its label."""
    wanted = json.dumps(words)
    return f"[...document.querySelectorAll('button')].find(b => (b.getAttribute('aria-label') || b.innerText).trim() === {wanted})"


REPORT = "document.querySelector('.report-host').shadowRoot"
IN_SIGHT = "e => { const b = e.getBoundingClientRect(); return document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2) === e }"
"""A script that tells whether nothing covers the middle of an element."""
