"""What a question asks of its answer is shown below it, and can be taken away: in a review for the run, later for the next."""

import json

from tests.fakes.browser import Page
from tests.pages.conftest import SIMPLE, Site, ask, button, choose, opened, report_text, status, text

ASKED = f"{SIMPLE} Bullet points only, in French."
CHIPS = "[...document.querySelectorAll('.wishes li')].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())"


def understood(site: Site, complexity: str) -> None:
    wishes = {"said": ["Bullet points only, in French"], "shape": "list", "language": "fr"}
    triage = {"intent": "in_scope", "complexity": complexity, "locale": "en-US", "question": SIMPLE, "wishes": wishes}
    site.model.endpoint.script["coordinator"] = [json.dumps(triage)] * 2


def test_what_is_taken_away_in_a_review_is_not_followed(page: Page, site: Site) -> None:
    understood(site, "complex")
    opened(page, site.address)
    choose(page, max_plan_iterations=1, max_step_num=1, review_plan=True)
    ask(page, ASKED)
    status(page, "waiting")
    assert page.evaluate(CHIPS) == ["Language: French ×", "Form: bullet points ×"]
    page.click(button("Ignore: Language"))
    page.wait("document.querySelector('.wishes .gone')", "the chip that is struck out")
    page.click("document.querySelector('.review .primary')")
    status(page, "done")
    page.wait(f"{CHIPS}.length === 1", "the wish that is left")
    told = report_text(page)
    assert "Only bullet points were requested" in told
    assert "in the language" not in told


def test_what_is_taken_away_afterwards_is_left_out_when_asked_again(page: Page, site: Site) -> None:
    understood(site, "simple")
    opened(page, site.address)
    ask(page, ASKED)
    status(page, "done")
    page.click(button("Ignore: Language"))
    assert page.evaluate("document.getElementById('question').value") == ASKED
    page.press("Enter", 13, text="\r")
    page.wait("document.querySelectorAll('.turn').length === 2", "the second turn")
    status(page, "done")
    assert page.evaluate(f"{CHIPS}.at(-1)") == "Form: bullet points ×"
    assert page.evaluate("document.querySelectorAll('.wishes')[0].querySelectorAll('button').length") == 0
    assert text(page, "#banner") == ""
