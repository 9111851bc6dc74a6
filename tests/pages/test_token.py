"""A server with tokens: the page comes without one, asks for it once, and sends it from then on."""

import httpx

from tests.fakes.browser import Page
from tests.pages.conftest import SIMPLE, button, report_text, text
from tests.pages.watched import Watched, leave
from tests.server.conftest import TOKENS


def test_views_and_attachments_of_another_users_thread_are_not_there(watched: Watched) -> None:
    address = watched.site.address

    def client_of(name: str) -> httpx.Client:
        return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {TOKENS[name]}"}, timeout=60)

    with client_of("ada") as ada, client_of("grace") as grace:
        thread = ada.post("/threads", json={}).json()["thread_id"]
        assert ada.put(f"/attachments/{thread}/a.txt", content=b"x").status_code == 200
        for method, path in (
            ("GET", f"/attachments/{thread}"),
            ("PUT", f"/attachments/{thread}/b.txt"),
            ("DELETE", f"/attachments/{thread}/a.txt"),
            ("DELETE", f"/attachments/{thread}"),
            ("GET", f"/reports/{thread}/view.json"),
            ("GET", f"/reports/{thread}/turns.json"),
        ):
            assert grace.request(method, path).status_code == 404, path
        assert [one["name"] for one in ada.get(f"/attachments/{thread}").json()["files"]] == ["a.txt"]
        assert httpx.get(f"{address}/attachments/{thread}").status_code == 401


def test_a_token_given_late_makes_the_page_as_if_it_had_been_given_at_once(browser: Page, watched: Watched) -> None:
    page = browser.another()
    page.open(f"{watched.site.address}/")
    page.wait("document.getElementById('asking').open", "the question for a token")
    page.press("Escape", 27)
    page.wait("!document.getElementById('banner').hidden", "what the server wants")
    page.click("document.getElementById('question')")
    page.write(SIMPLE)
    page.press("Enter", 13, text="\r")
    page.wait("document.getElementById('asking').open", "the question for a token")
    page.write(TOKENS["ada"])
    page.click(button("Use token"))
    assert "William Thomson" in report_text(page)
    assert page.evaluate("document.getElementById('banner').hidden")
    assert text(page, "#run-list [aria-current] .title") == SIMPLE
    assert text(page, "#model") == "gpt-4o"
    page.click("document.getElementById('open-settings')")
    page.wait("document.getElementById('settings').open", "the settings")
    leave(browser, page, watched.site.address)


def test_a_run_of_another_user_is_told_to_be_perhaps_that(browser: Page, watched: Watched) -> None:
    address = watched.site.address
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {TOKENS['ada']}"}, timeout=60) as ada:
        thread = ada.post("/threads", json={}).json()["thread_id"]
    page = browser.another()
    page.open(f"{address}/?thread={thread}")
    page.wait("document.getElementById('asking').open", "the question for a token")
    page.write(TOKENS["grace"])
    page.click(button("Use token"))
    page.wait("document.getElementById('banner').innerText.includes('is another user')", "whose it may be")
    leave(browser, page, address)
