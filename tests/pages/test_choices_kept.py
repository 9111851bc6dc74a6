"""A page that goes on with a run leaves it the choices it was asked with, and says only what was changed since."""

from tests.fakes.browser import Page
from tests.pages.conftest import QUESTION, Site, ask, button, choose, opened

NEXT_PLAN = "document.querySelector('.review-place form .in-words textarea')"
STEPS = "document.querySelectorAll('.edited > li').length"


def asked_again(page: Page, words: str) -> None:
    page.wait(NEXT_PLAN, "the review of the plan")
    page.evaluate("document.querySelector('form.review').dataset.old = 'yes'")
    page.click(NEXT_PLAN)
    page.write(words)
    page.click(button("Plan again"))


def test_another_browser_goes_on_with_the_runs_choices(page: Page, site: Site) -> None:
    opened(page, site.address)
    choose(page, max_plan_iterations=1, max_step_num=1, review_plan=True)
    ask(page, QUESTION)
    page.wait(NEXT_PLAN, "the review of the plan")
    page.evaluate("localStorage.clear()")
    page.reload()
    asked_again(page, "also the silver chromate tube")
    page.wait("document.querySelector('form.review:not([data-old])')", "the plan for review once more")
    assert page.evaluate(STEPS) == 1
