"""While a run goes on, the box says something to it: by a person in a browser."""

from tests.fakes.browser import Page
from tests.pages.conftest import Site, report_text, status, text, under_way

SAID = "[...document.querySelectorAll('.said li')].map(e => e.textContent)"


def test_the_box_says_something_to_the_run_and_the_plans_history_shows_it(page: Page, site: Site) -> None:
    under_way(page, site)
    assert site.model.reached.wait(30)
    page.evaluate("new Promise(done => setTimeout(done, 300))")  # sources that arrive move what stands below them
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
