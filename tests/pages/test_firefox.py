"""The page in Firefox: from the question over the review to the report, its quotes, a follow-up and a reload."""

from collections.abc import Iterator

import pytest

from tests.fakes.firefox import FirefoxPage, firefox, needs_firefox
from tests.pages.conftest import IN_SIGHT, QUESTION, REPORT, Site, ask, opened, report_text, status, unfold

pytestmark = needs_firefox


@pytest.fixture(scope="module")
def fox() -> Iterator[FirefoxPage]:
    with firefox() as page:
        yield page


@pytest.mark.parametrize("width", [390, 1280])
def test_the_whole_path_in_firefox(fox: FirefoxPage, site: Site, width: int) -> None:
    opened(fox, site.address, width=width)
    unfold(fox)
    fox.click("document.getElementById('review')")
    ask(fox, QUESTION)
    fox.wait("document.querySelector('form.review')", "the review of the plan")
    fox.click("document.querySelector('.edited li [data-act=down]')")
    site.model.hold_role("researcher")
    fox.click("document.querySelector('.review .primary')")
    fox.wait("document.querySelector('.steps [data-status=running]')", "a running step")
    fox.click("document.getElementById('send')")
    status(fox, "stopped")
    fox.wait(f"document.querySelector('.ending .primary') && ({IN_SIGHT})(document.querySelector('.ending .primary'))")
    site.model.release()
    fox.click("document.querySelector('.ending .primary')")
    assert "Lalla Rookh" in report_text(fox)

    fox.hover(f"{REPORT}.querySelector('.cite .mark')")
    fox.wait(f"getComputedStyle({REPORT}.querySelector('.cite .tip')).display === 'block'", "the quote of a citation")
    assert fox.evaluate("document.documentElement.scrollWidth <= innerWidth")
    fox.evaluate("document.getElementById('review').click()")
    ask(fox, "Where was William Thomson born?")
    fox.wait("document.querySelectorAll('.turn').length === 2", "the second turn")
    status(fox, "done")
    fox.reload()
    fox.wait("document.querySelectorAll('.turn').length === 2", "both turns after a reload")
    report_text(fox)
    assert fox.evaluate("document.querySelector('#run-list [aria-current] .title').textContent") == QUESTION
    assert [one for one in fox.logged if not one.startswith("warn")] == []
