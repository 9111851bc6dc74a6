"""What is proven is remembered where a person switches that on, used for another question, looked through and forgotten: in a browser."""

from tests.fakes.browser import Page
from tests.pages.conftest import SIMPLE, Site, ask, button, choose, opened, report_text, status, text

LISTED = "document.querySelectorAll('.remembered li').length"


def opened_list(page: Page) -> None:
    page.click("document.getElementById('open-memory')")
    page.wait("document.getElementById('memory').open", "the list")


def test_a_person_has_things_remembered_uses_them_and_forgets_them(page: Page, site: Site) -> None:
    opened(page, site.address)
    opened_list(page)
    assert "Nothing is remembered yet." in text(page, "#memory")
    page.click(button("Close"))

    page.click("document.getElementById('open-settings')")
    page.wait("document.getElementById('settings').open", "the settings")
    page.click("document.querySelector('#settings summary')")
    page.click("document.getElementById('set-memory')")
    page.click(button("Save"))
    ask(page, SIMPLE)
    status(page, "done")
    assert "known from" not in report_text(page)

    opened_list(page)
    page.wait(f"{LISTED} > 0", "what is remembered")
    assert "known from 20" in text(page, ".remembered li")
    assert "The wire sounding machine" in text(page, ".remembered li")
    page.click("document.querySelector('#memory input')")
    page.write("kettle")
    page.wait(f"{LISTED} === 0", "nothing about kettles")
    page.click(button("Close"))

    choose(page, memory=True, search="none", max_plan_iterations=1)
    page.click("document.getElementById('new-question')")
    ask(page, SIMPLE)
    status(page, "done")
    assert "known from 20" in report_text(page)

    opened_list(page)
    page.wait(f"{LISTED} > 0", "what is remembered")
    before = page.evaluate(LISTED)
    page.click("document.querySelector('.remembered li button')")
    page.wait(f"{LISTED} === {before - 1}", "the statement to be gone")
