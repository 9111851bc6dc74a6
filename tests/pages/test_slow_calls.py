"""Model calls that take their time: the page shows how they stand, with seconds that count on, in its own language."""

import re

from tests.fakes.browser import Page
from tests.fakes.openai_server import error
from tests.pages.conftest import QUESTION, Site, ask, button, opened, report_text, status, text

CALLS = "document.querySelector('.calls').textContent"
STEPS = "[...document.querySelectorAll('.steps .call')].map(e => e.textContent)"


def test_steps_side_by_side_show_each_how_their_call_stands(page: Page, site: Site) -> None:
    site.model.hold_role("researcher")
    opened(page, site.address)
    ask(page, QUESTION)
    page.wait(f"{STEPS}.filter(t => t.startsWith('waiting for the model, ')).length > 1", "two steps that wait")
    steps = "document.querySelector('.steps')"
    page.evaluate(f"{steps}.kept = true")
    first = page.evaluate(STEPS)
    page.wait(f"JSON.stringify({STEPS}) !== {str(first)!r}.replaceAll(\"'\", '\"')", "seconds that count on")
    assert page.evaluate(f"{steps}.kept"), "the list stays as it is while they do"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    site.model.release()
    report_text(page)
    assert set(page.evaluate(STEPS)) == {""}


def test_a_call_that_a_stop_broke_off_does_not_wait_any_more(page: Page, site: Site) -> None:
    site.model.hold_role("researcher")
    opened(page, site.address)
    ask(page, QUESTION)
    page.wait(f"{STEPS}.some(t => t.startsWith('waiting for the model, '))", "a step that waits")
    page.click("document.getElementById('stop')")
    status(page, "stopped")
    page.click(button("Continue"))
    status(page, "running")
    assert set(page.evaluate(STEPS)) == {""}
    site.model.release()
    report_text(page)


def test_a_call_that_is_made_again_says_why_and_when_in_the_pages_language(page: Page, site: Site) -> None:
    page.call("Network.setUserAgentOverride", userAgent="Chromium of the tests", acceptLanguage="zh-CN")
    site.model.endpoint.script["planner"] = [error(429, "slow down", "rate", retry_after="3")]
    opened(page, site.address)
    site.model.hold_role("planner")
    ask(page, QUESTION)
    site.model.reached.wait(30)
    site.model.release()
    page.wait(f"/^[12] 秒后再次请求模型：端点暂时不再接受请求：HTTP 429$/.test({CALLS})", "why it is asked again")
    site.model.hold_role("planner")
    page.wait(f"{CALLS}.endsWith('（已再次请求：端点暂时不再接受请求：HTTP 429）')", "what it has come to since")
    assert re.match(r"等待模型回答，\d+ 秒", text(page, ".calls"))
    site.model.release()
    report_text(page)
    assert page.evaluate(CALLS) == ""
