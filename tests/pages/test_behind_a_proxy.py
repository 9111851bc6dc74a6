"""The page behind a reverse proxy that serves it below a path, and answers for itself in HTML."""

from pathlib import Path

from tests.fakes.browser import Page
from tests.fakes.proxy import BELOW, MOST_BYTES, proxy
from tests.pages.conftest import REPORT, SIMPLE, Site, ask, opened, report_text, status, text, under_way


def banner(page: Page) -> str:
    page.wait("!document.getElementById('banner').hidden", "what went wrong")
    return text(page, "#banner")


def without_the_browsers_own_words(page: Page) -> None:
    page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]


def test_all_of_the_page_works_below_a_path(page: Page, site: Site) -> None:
    with proxy(site.address) as between:
        opened(page, between.address)
        ask(page, SIMPLE)
        assert "William Thomson" in report_text(page)
        assert f"{BELOW}/?thread=" in page.evaluate("location.href")
        page.reload()
        assert "William Thomson" in report_text(page)
        page.click(f"[...{REPORT}.querySelectorAll('button')].find(b => b.innerText === 'Open its text')")
        page.wait("document.getElementById('source').innerText.includes('Thomson')", "the text of a source")
        page.press("Escape", 27)
        page.click("document.getElementById('brand')")
        page.wait(f"location.href === '{between.address}/'", "the empty page")
        page.wait("document.querySelector('#run-list a')", "the list of past runs")
        page.click("document.querySelector('#run-list a')")
        assert "William Thomson" in report_text(page)
        assert [one for _, one in page.answers if one.startswith("http") and BELOW not in one] == []


def test_what_a_proxy_refuses_is_told_in_words_and_with_the_files_name(page: Page, site: Site, tmp_path: Path) -> None:
    big = tmp_path / "figures.csv"
    big.write_bytes(b"depth,place\n" + b"60,Galway\n" * (MOST_BYTES // 8))
    with proxy(site.address) as between:
        opened(page, between.address)
        files = page.call("Runtime.evaluate", expression="document.getElementById('files')")["result"]["objectId"]
        page.call("DOM.setFileInputFiles", files=[str(big)], objectId=files)
        said = banner(page)
        assert said.startswith("figures.csv: A proxy before the server refused this (HTTP 413). Ask the operator")
        assert "<" not in said
    without_the_browsers_own_words(page)


def test_a_proxy_without_a_server_behind_it_is_told_as_a_server_that_does_not_answer(page: Page, site: Site) -> None:
    with proxy(site.address) as between:
        opened(page, between.address)
        between.is_up = False
        page.click("document.getElementById('question')")
        page.write(SIMPLE)
        page.click("document.getElementById('send')")
        assert "The server does not answer." in banner(page)
        between.is_up = True
        page.click("document.getElementById('send')")
        assert "William Thomson" in report_text(page)
    without_the_browsers_own_words(page)


def test_a_run_that_could_not_be_stopped_can_be_stopped_again(page: Page, site: Site) -> None:
    with proxy(site.address) as between:
        under_way(page, site, address=between.address)
        between.is_up = False
        page.click("document.getElementById('stop')")
        assert "The server does not answer." in banner(page)
        between.is_up = True
        page.click("document.getElementById('stop')")
        status(page, "stopped")
    without_the_browsers_own_words(page)
