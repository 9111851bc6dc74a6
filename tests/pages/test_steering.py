"""While a run goes on, the box says something to it: by a person in a browser."""

import json

from tests.fakes.browser import Page
from tests.pages.conftest import Site, opened, report_text, status, text, under_way

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


def test_a_step_of_an_earlier_plan_does_not_wait_and_cannot_be_skipped(page: Page, site: Site) -> None:
    opened(page, site.address)
    step = {"description": "", "queries": []}
    plans = [
        {"title": "First", "steps": [{**step, "id": "1", "title": "Ropes"}, {**step, "id": "2", "title": "Leads"}]},
        {"title": "Second", "steps": [{**step, "id": "3", "title": "Leads again"}]},
    ]
    script = """import('/page/plan.js').then(({ planView }) => {
      const shown = [];
      for (const status of ['running', 'done']) {
        const steps = new Map(['done', 'queued', 'queued'].map((state, place) => [`${place + 1}`, { status: state, sources: new Map(), rounds: [], searches: new Map(), attempt: 1 }]));
        const view = planView(() => true);
        view.show({ plans: PLANS, steps, status, steering: [], outline: [], reworked: [], background: [], searched: [] });
        shown.push([...view.element.querySelectorAll('.steps > li')].map((step) => [step.querySelector('.state').textContent, Boolean(step.querySelector('button'))]));
      }
      return shown;
    })"""
    running, done = page.evaluate(script.replace("PLANS", json.dumps(plans)))
    assert running == [["done", False], ["not done", False], ["waiting", True]]
    assert done == [["done", False], ["not done", False], ["not done", False]]
