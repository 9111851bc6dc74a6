"""The choice of depth on the page: four levels beside the question, what each costs, and what a limit leaves out."""

import json

import pytest

from schemas.depth import DEPTHS
from tests.fakes.browser import Page
from tests.pages.conftest import Site, opened, unfold

ESTIMATE = "document.getElementById('estimate').textContent"
CHECKED = "document.querySelector('#depth :checked').value"
WORDS = {
    "en-US": (["Quick", "Standard", "Deep", "Exhaustive"], "about 3,300,000 tokens", "about 200 sources", "at most 120 minutes"),
    "zh-CN": (["快速", "标准", "深入", "详尽"], "约 3,300,000 个词元", "约 200 个来源", "最多 120 分钟"),
}  # fmt: skip


@pytest.mark.parametrize("language", WORDS)
def test_each_level_says_what_it_takes_in_the_readers_language(page: Page, site: Site, language: str) -> None:
    page.call("Network.setUserAgentOverride", userAgent="Chromium of the tests", acceptLanguage=language)
    opened(page, site.address, width=390)
    unfold(page)
    levels, *figures = WORDS[language]
    assert page.evaluate("[...document.querySelectorAll('#depth span')].map(e => e.textContent)") == levels
    page.wait(ESTIMATE, "the estimate of the default")
    assert page.evaluate(CHECKED) == "standard"
    for depth in DEPTHS:
        before = page.evaluate(ESTIMATE)
        page.click(f"document.getElementById('{depth}')")
        if depth != "standard":
            page.wait(f"{ESTIMATE} !== {json.dumps(before)}", f"the estimate of {depth}")
        assert page.evaluate("JSON.parse(localStorage.getItem('leadline-choices')).depth") == depth
    said = page.evaluate(ESTIMATE)
    assert all(figure in said for figure in figures), said
    assert "$" in said or "美元" in said
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "document.getElementById('depth').getBoundingClientRect().right <= document.getElementById('composer').getBoundingClientRect().right"
    )
    page.reload()
    page.wait(ESTIMATE)
    assert page.evaluate(CHECKED) == "exhaustive"


def test_what_a_limit_leaves_out_is_said_before_the_question_is_asked(page: Page, site: Site) -> None:
    opened(page, site.address)
    unfold(page)
    page.click("document.getElementById('deep')")
    page.click("document.getElementById('open-settings')")
    page.wait("document.getElementById('set-max_tokens')")
    assert page.evaluate("document.getElementById('set-depth')") is None
    assert page.evaluate("document.getElementById('set-max_seconds').placeholder") == "by depth"
    page.click("document.querySelector('#settings summary')")
    page.click("document.getElementById('set-max_tokens')")
    page.write("20000")
    page.click("document.querySelector('#settings .primary')")
    page.wait("document.getElementById('estimate').className === 'short'", "what is left out")
    assert "20,000 of 1,100,000 tokens are not enough for all of that" in page.evaluate(ESTIMATE)
    assert page.evaluate(CHECKED) == "deep"
