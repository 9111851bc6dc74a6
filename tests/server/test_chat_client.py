"""LangChain's Agent Chat, as npm has it, in a real browser at the real dev server: ask, review, follow up, reload."""

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.fakes.browser import Page, chromium, needs_chromium
from tests.pictures import keep, makes

CLIENT = Path(os.environ.get("LEADLINE_CHAT_CLIENT") or "missing")
QUESTION = "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?"
FOLLOW_UP = "How was the wire stopped at the bottom, and why is the tallow armed?"
EDITED = "title: Only the brake\nsteps:\n- title: The brake\n  queries:\n  - rope brake on the drum"
PLAN = "[...document.querySelectorAll('textarea')].find(one => one.value.includes('steps:'))"
ANSWERS = "[...document.querySelectorAll('.group.mr-auto')]"
pytestmark = [
    needs_chromium,
    pytest.mark.skipif(
        not (CLIENT / "index.html").is_file(),
        reason="LEADLINE_CHAT_CLIENT does not name the built Agent Chat (CONTRIBUTING.md says how to get it)",
    ),
]


class Files(SimpleHTTPRequestHandler):
    """The client's files, served without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served_client() -> Iterator[str]:
    """Serve the client on an address of its own, as it is when it is deployed."""
    handler = functools.partial(Files, directory=str(CLIENT))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{site.server_port}/"
        finally:
            site.shutdown()


@pytest.fixture
def chat(server: str) -> Iterator[Page]:
    """The client, with an assistant whose plans are reviewed: chat clients cannot choose that themselves."""
    context = {"review_plan": True, "max_plan_iterations": 1}
    with get_sync_client(url=server) as sdk:
        assistant = sdk.assistants.create("deep_research", context=context, name="Reviewed")
    where = {"apiUrl": server, "chatHistoryOpen": "true"}
    with served_client() as address, chromium() as page:
        page.open(f"{address}?{urlencode({**where, 'assistantId': assistant['assistant_id']})}")
        page.wait("document.querySelector('textarea')")
        yield page


def button(label: str) -> str:
    return f"[...document.querySelectorAll('button')].find(one => one.innerText.trim() === '{label}')"


def ask(page: Page, question: str) -> None:
    page.click("[...document.querySelectorAll('textarea')].at(-1)")
    page.write(question)
    page.press("Enter", 13, text="\r")


def at_rest(page: Page) -> None:
    """Wait while the client glides to its bottom: until then nothing can be clicked where it stands."""
    page.evaluate("new Promise(done => setTimeout(done, 1500))")


def reports(page: Page, count: int) -> None:
    page.wait(f"document.body.innerText.split('References').length === {count + 1}", f"report number {count}")
    page.wait(button("Send"), "the end of the run")


@makes("agent-chat.png")
def test_a_conversation_with_reviews_in_agent_chat(chat: Page, tmp_path: Path) -> None:
    ask(chat, QUESTION)
    chat.wait(button("Accept"), "the review of the plan")
    at_rest(chat)
    assert "Please review the plan" in chat.evaluate("document.body.innerText")
    chat.click(button("Accept"))
    reports(chat, 1)
    assert chat.evaluate(f"{ANSWERS}.length") == 2  # the plan and the report

    ask(chat, FOLLOW_UP)
    chat.wait(button("Accept"), "the review of the second turn's plan")
    at_rest(chat)
    chat.evaluate(f"{PLAN}.select()")
    chat.write("steps: [")
    chat.click(button("Submit"))
    chat.wait("document.body.innerText.includes('That answer cannot be used: plan is not YAML, line 1')")
    chat.reload()
    chat.wait(button("Accept"), "the review after a reload")
    at_rest(chat)
    chat.evaluate(f"{PLAN}.select()")
    chat.write(EDITED)
    chat.click(button("Submit"))
    reports(chat, 2)
    assert chat.evaluate(f"{ANSWERS}.length") == 4
    shown = chat.evaluate(f"{ANSWERS}[2].innerText")
    assert "Only the brake" in shown
    assert "rope brake on the drum" in shown
    assert "Accept this plan" not in shown

    chat.reload()
    reports(chat, 2)
    links = chat.evaluate("[...document.querySelectorAll('a[href*=\"/sources/\"]')].map(one => one.href)")
    assert len(links) > 4
    for link in set(links):
        assert httpx.get(link, timeout=30).status_code == 200
    assert not [one for one in chat.logged if "favicon" not in one and "404 (File not found)" not in one]
    history = "[...document.querySelectorAll('h1')].find(one => one.innerText === 'Thread History').parentElement.parentElement"
    chat.wait(f"{history}.innerText.includes({QUESTION!r})", "the thread in the history")
    picture = tmp_path / "agent-chat.png"
    at_rest(chat)
    above = chat.evaluate(f"{ANSWERS}[2].getBoundingClientRect().top") - 220
    chat.call("Input.dispatchMouseEvent", type="mouseWheel", x=800, y=400, deltaX=0, deltaY=above)
    chat.evaluate("new Promise(done => setTimeout(done, 1000))")
    chat.screenshot(picture)
    keep(picture)
