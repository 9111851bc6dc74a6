"""Without a model the page shows what one brings, a recorded run, and links to the example documents that it searches."""

from pathlib import Path

import httpx

from leadline.server.page import RECORDING
from services.search.providers import EXAMPLE_FOLDERS
from tests.fakes.browser import Page
from tests.pages.conftest import SIMPLE, ask, opened, status, text

FASTER = "const slow = setTimeout; window.setTimeout = (act, wait) => slow(act, wait / 20);"


def test_a_recorded_run_is_played_and_called_one(browser: Page, bare: tuple[str, Path]) -> None:
    page = browser.another()
    opened(page, bare[0])
    page.wait("document.getElementById('documents').checkVisibility()", "the link beside, which moves the button")
    page.wait("document.getElementById('watch').checkVisibility()", "the recorded run")
    page.click("document.getElementById('watch')")
    page.wait("document.querySelector('.played')", "the recording")
    page.evaluate("history.back()")
    page.wait("document.getElementById('watch').checkVisibility()", "the way back")
    page.evaluate(FASTER)
    page.click("document.getElementById('watch')")
    page.wait("document.querySelector('.steps [data-status=running]')", "a step at work")
    assert "A recording of" in text(page, ".notices")
    status(page, "done")
    page.wait("document.querySelector('.recorded a')", "the link to its report")
    assert page.evaluate("document.querySelectorAll('.steps [data-status=done]').length") > 1
    assert "This was a recording" in text(page, ".reply")
    assert "14 sources" in text(page, ".work .facts")  # as many as the report has, not all that were looked at
    assert "depths span 171 metres" in text(page, ".recorded")
    report = httpx.get(page.evaluate("document.querySelector('.recorded a').href"))
    assert (report.status_code, report.text.count("<q>") > 100) == (200, True)
    page.click("document.querySelector('.recorded button')")
    page.wait("document.getElementById('connect').open", "the form that connects a model")
    page.evaluate("document.getElementById('connect').close()")

    ask(page, SIMPLE)  # a question of one's own comes in its place
    page.wait("document.querySelector('.notices a')", "what is searched")
    assert page.evaluate("document.querySelectorAll('.turn').length") == 1
    assert page.evaluate("document.querySelector('.notices a').getAttribute('href')") == "page/examples"
    assert page.logged == []
    browser.close(page)


def test_the_example_documents_are_a_link_and_nothing_else_is_served_there(
    browser: Page, bare: tuple[str, Path]
) -> None:
    page = browser.another()
    opened(page, bare[0])
    page.wait("document.getElementById('documents').checkVisibility()", "the link")
    page.open(page.evaluate("document.getElementById('documents').href"))
    links = page.evaluate("[...document.querySelectorAll('a')].map(link => link.href)")
    assert len(links) == sum(file.is_file() for folder in EXAMPLE_FOLDERS for file in folder.iterdir())
    answers = [httpx.get(link) for link in links]
    assert {answer.status_code for answer in answers} == {200}
    assert not any("html" in answer.headers["Content-Type"] for answer in answers)
    for beside in ("/page/examples/deep-sea/..%2f..%2fsetup.py", "/page/examples/demo/about.json", "/page/recorded/x"):
        assert httpx.get(f"{bare[0]}{beside}").status_code == 404, beside
    assert RECORDING.is_dir()
    browser.close(page)


def test_an_empty_list_names_the_terminals_own_and_what_can_be_pressed_has_a_border(
    browser: Page, bare: tuple[str, Path]
) -> None:
    for thread in httpx.post(f"{bare[0]}/threads/search", json={"limit": 1000}).json():
        httpx.delete(f"{bare[0]}/threads/{thread['thread_id']}").raise_for_status()
    page = opened(browser.another(), bare[0])
    assert text(page, "#run-list") == "None yet. The terminal lists its own: leadline runs"
    page.wait("document.getElementById('watch').checkVisibility()", "the recorded run")
    seen = "[...document.querySelectorAll('#watch, #open-memory')].map(one => getComputedStyle(one).borderTopColor)"
    assert not {"rgba(0, 0, 0, 0)"}.intersection(page.evaluate(seen))
    browser.close(page)
