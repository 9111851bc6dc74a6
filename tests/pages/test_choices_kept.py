"""A page that goes on with a run leaves it the choices it was asked with, and says only what was changed since."""

from tests.fakes.browser import Page
from tests.pages.conftest import Site, button, opened, under_review

NEXT_PLAN = "document.querySelector('.review-place form .in-words textarea')"
STEPS = "document.querySelectorAll('.edited > li').length"


def test_another_browser_goes_on_with_the_runs_choices(page: Page, site: Site) -> None:
    opened(page, site.address)
    under_review(page, max_step_num=1)
    page.evaluate("localStorage.clear()")
    page.reload()
    page.wait(NEXT_PLAN, "the review of the plan")
    page.evaluate("document.querySelector('form.review').dataset.old = 'yes'")
    page.click(NEXT_PLAN)
    page.write("also the silver chromate tube")
    page.click(button("Plan again"))
    page.wait("document.querySelector('form.review:not([data-old])')", "the plan for review once more")
    assert page.evaluate(STEPS) == 1
