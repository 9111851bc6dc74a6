"""What the page says over a report: whether it answers and its statements by status, green and with a tick only where it does and all are sure."""

import re

from schemas.evidence import EXCERPT_ID
from tests.fakes.browser import Page
from tests.fakes.openai_server import role_of, think
from tests.pages.conftest import REPORT, SIMPLE, Site, ask, opened, report_text

BADGE = f"{REPORT}.querySelector('.badge')"
GREEN, AMBER = "rgb(23, 105, 58)", "rgb(138, 75, 0)"


def unsupported(body: dict[str, object]) -> str | None:
    """Write a report that ends with two sentences which its quotes do not support, where the reporter is asked."""
    if role_of(body) != "reporter":
        return None
    told = think("reporter", body).partition("\n===")[0]
    cited = re.search(rf"\[{EXCERPT_ID}\]", told)
    assert cited
    return f"{told}\n\nThe moon has 77777 lighthouses {cited[0]}. Its king weighed 88888 tons {cited[0]}.\n"


def test_what_is_not_sure_as_a_whole_is_amber_and_has_no_tick(page: Page, site: Site) -> None:
    site.model.endpoint.choose = unsupported
    opened(page, site.address)
    ask(page, SIMPLE)
    report_text(page)
    said = "Answers the question: partly · 1 of 3 statements backed by quotes (1 quoted, 2 unverified †)"
    assert page.evaluate(f"{BADGE}.textContent") == said
    assert page.evaluate(f"getComputedStyle({BADGE}).color") == AMBER
    tips = page.evaluate(f"[...{REPORT}.querySelectorAll('.why .tip')].map(tip => tip.textContent)")
    assert len(tips) == 2
    assert all("Not in what it cites: " in tip for tip in tips)
    assert page.evaluate(f"{REPORT}.querySelectorAll('.marked .state.unverified').length") == 2


def test_everything_sure_is_green_and_has_a_tick(page: Page, site: Site) -> None:
    opened(page, site.address)
    ask(page, SIMPLE)
    report_text(page)
    said = page.evaluate(f"{BADGE}.textContent")
    states = r"\d+ (?:quoted|supported)(?:, \d+ supported)?"
    assert re.fullmatch(
        rf"✓ Answers the question: yes · every quote checked \((?:1 statement|\d+ statements): {states}\)", said
    )
    assert page.evaluate(f"getComputedStyle({BADGE}).color") == GREEN
    states = page.evaluate(f"[...{REPORT}.querySelectorAll('.tip .state')].map(state => state.textContent)")
    assert states
    assert set(states) <= {"quoted", "supported"}
    assert page.evaluate(f"{REPORT}.querySelector('.why')") is None
