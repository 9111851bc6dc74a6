"""What the page shows of an outline: the topics of the report with what was found for each, unfolded by a press."""

from tests.fakes.browser import Page
from tests.pages.conftest import QUESTION, Site, ask, opened, status

OUTLINE = "[...document.querySelectorAll('.turn')].at(-1).querySelector('details.outline')"


def test_the_outline_is_shown_with_what_each_topic_has_while_a_run_goes_on_and_when_it_is_opened_again(
    page: Page, site: Site
) -> None:
    opened(page, site.address)
    ask(page, QUESTION)
    status(page, "done")
    page.click(f"{OUTLINE}.querySelector('summary')")
    shown = str(page.evaluate(f"{OUTLINE}.textContent"))
    assert "Outline with 2 topics" in shown
    assert "1 Why was tallow pressed into the lead (" in shown
    assert "sources" in shown
    page.open(page.evaluate("location.href"))
    status(page, "done")
    assert page.wait(f"{OUTLINE}?.textContent") == shown
