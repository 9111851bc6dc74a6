"""Where to search, in the settings: check boxes that say what a search still needs, and six settings before the others."""

import json

from tests.fakes.browser import Page
from tests.pages.conftest import Site, button, choose, opened

TICKED = "[...document.querySelectorAll('.boxes :checked')].map(e => e.id.replace('set-search-', ''))"


def settings(page: Page) -> None:
    page.click("document.getElementById('open-settings')")
    page.wait("document.getElementById('settings').open", "the settings")


def box(name: str) -> str:
    return f"document.getElementById('set-search-{name}')"


def saved(page: Page) -> object:
    page.click(button("Save"))
    page.wait("!document.getElementById('settings').open")
    return json.loads(page.evaluate("localStorage.getItem('leadline-choices')")).get("search")


def test_searches_are_ticked_where_they_can_be_and_what_boxes_cannot_say_is_kept_beside_six_settings(
    page: Page, site: Site
) -> None:
    opened(page, site.address)
    settings(page)
    assert page.evaluate(TICKED) == []
    tavily = f"{box('tavily')}.closest('label').textContent"
    assert (page.evaluate(tavily), page.evaluate(f"{box('tavily')}.disabled")) == (
        "Tavily (needs TAVILY_API_KEY)",
        True,
    )
    page.click(box("duckduckgo"))
    page.click(box("arxiv"))
    assert saved(page) == "duckduckgo+arxiv"
    settings(page)
    assert page.evaluate(TICKED) == ["duckduckgo", "arxiv"]
    page.click(box("documents"))
    assert page.evaluate(TICKED) == ["documents"], "it already says where to search"
    page.click(box("wikipedia"))
    assert page.evaluate(TICKED) == ["wikipedia"]
    page.click(box("wikipedia"))
    assert saved(page) is None
    choose(page, search="duckduckgo|wikipedia+arxiv")
    settings(page)
    assert sorted(page.evaluate(TICKED)) == ["arxiv", "duckduckgo|wikipedia"]
    assert saved(page) == "arxiv+duckduckgo|wikipedia"
    settings(page)
    shown = "[...document.querySelectorAll('#settings .field')].filter(e => e.checkVisibility()).length"
    assert page.evaluate(shown) == 6
    page.click("document.querySelector('#settings summary')")
    assert page.evaluate(shown) > 20
