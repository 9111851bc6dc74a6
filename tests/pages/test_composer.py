"""The question's field and what stands below it while a run goes on: one line until it is used, and nothing empty until the report is there."""

from tests.fakes.browser import Page
from tests.fakes.editing import titled
from tests.pages.conftest import QUESTION, Site, ask, opened, report_text, status, unfold

LINE = "document.getElementById('composer').offsetHeight"
BESIDE = "['depth', 'estimate', 'review'].map(id => document.getElementById(id).checkVisibility())"


def test_it_is_one_line_until_it_is_used_and_again_when_the_question_is_sent(page: Page, site: Site) -> None:
    opened(page, site.address)
    assert page.evaluate(BESIDE) == [False, False, False]
    line = page.evaluate(LINE)
    unfold(page)
    assert page.evaluate(BESIDE) == [True, True, True]
    assert page.evaluate(LINE) > line
    site.model.hold_role("planner")
    ask(page, QUESTION)
    assert page.evaluate(BESIDE) == [False, False, False]
    page.click("document.getElementById('question')")
    page.write("also the schooner")
    assert page.evaluate(BESIDE) == [False, False, False], "they are no part of a message to the run"
    site.model.release()
    status(page, "done")


def test_by_keyboard_depth_and_review_come_after_the_question(page: Page, site: Site) -> None:
    opened(page, site.address)
    page.press("Tab", 9)
    assert page.evaluate("document.activeElement.name") == "depth"


def test_what_is_to_come_stands_where_the_report_will_and_a_report_stays_while_it_is_changed(
    page: Page, site: Site
) -> None:
    coming = "document.querySelector('.coming').checkVisibility()"
    site.model.hold_role("planner")
    opened(page, site.address)
    ask(page, QUESTION)
    assert site.model.reached.wait(30)
    assert page.evaluate(coming)
    site.model.release()
    status(page, "done")
    before = report_text(page)
    assert not page.evaluate(coming)

    site.model.endpoint.choose = titled("In short")
    site.model.hold_role("reporter_editing")
    page.click("document.querySelector('[data-change=changeShorter]')")
    assert site.model.reached.wait(30)
    assert report_text(page) == before
    assert page.evaluate("document.querySelector('.ending').inert")
    assert not page.evaluate(coming)
    page.reload()
    assert report_text(page) == before
    page.wait("document.querySelector('.ending').inert", "that it is being changed")
    assert not page.evaluate(coming)
    site.model.release()
    page.wait("document.querySelector('.versions [aria-pressed=true]')?.dataset.version === '2'", "the second version")
    assert not page.evaluate("document.querySelector('.ending').inert")


def test_what_is_written_is_kept_for_its_thread(page: Page, site: Site) -> None:
    written = "document.getElementById('question').value"

    def write(words: str) -> None:
        page.click("document.getElementById('question')")
        page.write(words)

    opened(page, site.address)
    ask(page, QUESTION)
    report_text(page)
    write("a follow-up")
    page.reload()
    report_text(page)
    assert page.evaluate(written) == "a follow-up"
    page.click("document.getElementById('new-question')")
    assert page.evaluate(written) == ""
    write("another question")
    page.evaluate("history.back()")
    page.wait(f"{written} === 'a follow-up'", "the follow-up of the thread")
    page.click("document.getElementById('new-question')")
    page.wait(f"{written} === 'another question'", "the new question")
    page.click("document.getElementById('language')")
    page.wait("document.documentElement?.lang === 'zh-CN'", "Chinese")
    page.wait(f"{written} === 'another question'", "the new question")
