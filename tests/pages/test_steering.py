"""While a run goes on, the box says something to it, steps are left out, and the report is had at once: by a person in a browser."""

from tests.fakes.browser import Page
from tests.pages.conftest import QUESTION, Site, ask, button, opened, report_text, status, text

SAID = "[...document.querySelectorAll('.said li')].map(e => e.textContent)"


def at_work(page: Page, site: Site) -> None:
    """Ask, and wait until the researcher is asked, which is held."""
    site.model.hold("researcher")
    opened(page, site.address)
    ask(page, QUESTION)
    page.wait("document.querySelector('.node[data-node=researcher][data-state=running]')", "the researcher")
    assert site.model.reached.wait(30)
    page.evaluate("new Promise(done => setTimeout(done, 300))")  # sources that arrive move what stands below them


def test_the_box_says_something_to_the_run_and_the_plans_history_shows_it(page: Page, site: Site) -> None:
    at_work(page, site)
    page.click("document.getElementById('question')")
    assert text(page, "#stop").strip() == "Stop"
    assert not page.evaluate("document.getElementById('send').checkVisibility()")
    page.write("also the <b>silver</b> chromate tube")
    assert text(page, "#send").strip() == "Send"
    assert page.evaluate("document.getElementById('stop').checkVisibility()"), "a run can always be stopped"
    page.click("document.getElementById('send')")
    page.wait("document.querySelector('.said li')", "what was said")
    assert page.evaluate(SAID) == [
        "You said: “also the <b>silver</b> chromate tube” · will be taken into account at the next step"
    ]
    assert page.evaluate("document.getElementById('question').value") == ""
    page.reload()  # what waits is known to the server
    page.wait("document.querySelector('.said li')", "what was said")
    assert "will be taken into account at the next step" in page.evaluate(SAID)[0]
    site.model.release()
    page.wait("document.querySelectorAll('.plan').length === 2", "another plan")
    status(page, "done")
    report_text(page)
    page.wait("document.querySelector('.plan + .said + .plan')", "what was said between the plans")
    assert page.evaluate(SAID) == ["You said: “also the <b>silver</b> chromate tube”"]
    assert "chromate" in page.evaluate("document.querySelectorAll('.plan')[1].textContent")
    page.reload()
    page.wait("document.querySelector('.plan + .said + .plan')", "the history, as the server keeps it")


def test_a_step_is_left_out_and_the_report_is_written_now(page: Page, site: Site) -> None:
    at_work(page, site)
    page.wait(button("Skip step 2"), "the button of the second step")
    page.click(button("Skip step 2"))
    page.wait(f"{SAID}[0]?.startsWith('You said: Skip step 2')", "what was said")
    assert page.evaluate(f"!!{button('Skip step 1')} && !{button('Skip step 2')}")
    page.click(button("Write now"))
    page.wait(f"{SAID}.length === 2", "what was said")
    assert page.evaluate("document.querySelector('.write-now').hidden && !document.querySelector('.leave-out')")
    site.model.release()
    status(page, "done")
    assert "The research was stopped at your request" in report_text(page)
    assert page.evaluate(SAID) == ["You said: Skip step 2", "You said: Write now"]
