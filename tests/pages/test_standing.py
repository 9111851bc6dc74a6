"""The page's mark over a report: green and with a tick only where every statement is verified."""

from tests.fakes.browser import Page
from tests.pages.conftest import REPORT, SIMPLE, Site, ask, opened, report_text
from tests.services.reports.test_standing import unsupported

BADGE = f"{REPORT}.querySelector('.badge')"
GREEN, AMBER = "rgb(23, 105, 58)", "rgb(138, 75, 0)"


def test_nothing_verified_is_amber_and_has_no_tick(page: Page, site: Site) -> None:
    site.model.endpoint.choose = unsupported
    opened(page, site.address)
    ask(page, SIMPLE)
    report_text(page)
    assert page.evaluate(f"{BADGE}.textContent") == "0 of 2 statements verified against their quotes"
    assert page.evaluate(f"getComputedStyle({BADGE}).color") == AMBER


def test_everything_verified_is_green_and_has_a_tick(page: Page, site: Site) -> None:
    opened(page, site.address)
    ask(page, SIMPLE)
    report_text(page)
    assert page.evaluate(f"{BADGE}.textContent").startswith("✓ ")
    assert page.evaluate(f"getComputedStyle({BADGE}).color") == GREEN
