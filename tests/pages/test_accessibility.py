"""Every state of the page before axe-core, as npm has it: no finding is serious."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.browser import Page
from tests.pages.conftest import Site, ask, choose, opened, report_text, status, under_review

AXE = Path(os.environ.get("LEADLINE_AXE") or "missing")
pytestmark = pytest.mark.skipif(
    not AXE.is_file(), reason="LEADLINE_AXE does not name axe.min.js (CONTRIBUTING.md says how to get it)"
)
RUN = """axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(
  one => `${one.impact} ${one.id}: ${one.nodes.map(node => node.html.slice(0, 150)).join(' | ')}`))"""


def findings(page: Page) -> list[Any]:
    page.evaluate(f"{AXE.read_text('utf-8')}; 0")
    page.evaluate(
        "Promise.all(document.getAnimations().filter(a => a.effect.getTiming().iterations === 1).map(a => a.finished)).then(() => 0)"
    )
    return list(page.evaluate(RUN))


@pytest.mark.parametrize(("width", "dark", "language"), [(390, True, "en-US"), (1440, False, "zh-CN")])
def test_no_state_of_the_page_has_a_finding(page: Page, site: Site, width: int, dark: bool, language: str) -> None:
    page.call("Network.setUserAgentOverride", userAgent="Chromium of the tests", acceptLanguage=language)
    opened(page, site.address, width=width, dark=dark)
    assert findings(page) == []
    page.click("document.getElementById('open-settings')")
    page.wait("document.querySelector('#settings form')")
    assert findings(page) == []
    page.click("document.querySelector('#settings .buttons .plain')")
    under_review(page)
    assert findings(page) == []
    site.model.hold_role("researcher")
    page.click("document.querySelector('.review .primary')")
    page.wait("document.querySelector('.steps [data-status=running]')")
    assert findings(page) == []
    page.click("document.getElementById('send')")
    status(page, "stopped")
    assert findings(page) == []
    site.model.release()
    page.click("document.querySelector('.ending .primary')")
    report_text(page)
    page.click("document.querySelector('.work > summary')")
    assert findings(page) == []
    choose(page, max_plan_iterations=1)
    ask(page, "Where was William Thomson born?")
    page.wait("document.querySelectorAll('.turn').length === 2")
    status(page, "done")
    assert findings(page) == []
