"""The chip that says which model is connected, and the form that connects one: where it may, and what becomes of the key."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from fastapi import FastAPI

from leadline.server.accounts import Accounts
from leadline.server.model_connection import model_connection
from services.run.settings import forget_settings
from tests.fakes.browser import Page
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.fakes.openai_server import error as model_error
from tests.pages.conftest import SIMPLE, Site, ask, button, opened, report_text, text, unfold
from tests.pages.watched import leave

CHIP = "document.getElementById('model').textContent"
ESTIMATE = "document.getElementById('estimate').textContent"
KEY = "sk-typed-in-the-page-0123456789"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[OpenAIServer]:
    with openai_server() as server:
        server.key = KEY
        yield server


def connect(page: Page, endpoint: str, key: str) -> None:
    page.click("document.getElementById('model')")
    page.wait("document.getElementById('connect-endpoint')", "the form")
    for field, typed in (("endpoint", endpoint), ("key", key), ("model", "gpt-4o")):
        page.click(f"document.getElementById('connect-{field}')")
        page.write(typed)
    page.click(button("Test and connect"))


def test_a_model_is_tried_out_and_connected_and_its_key_is_nowhere(
    browser: Page, bare: tuple[str, Path], endpoint: OpenAIServer
) -> None:
    alone, home = bare
    page = browser.another()
    opened(page, alone)
    page.wait(f"{CHIP} === 'No model'", "the chip")
    unfold(page)
    assert page.evaluate(ESTIMATE) == "seconds, free of charge; without a model the report shows the closest passages"

    connect(page, endpoint.base_url, "sk-another-key-0123456789")
    page.wait("document.querySelector('#connect .problem:not([hidden])')", "why it is not connected")
    assert "The endpoint does not accept this key." in text(page, "#connect .problem")
    assert "sk-another" not in text(page, "#connect .problem")
    assert page.evaluate(CHIP) == "No model"
    page.click(button("Cancel"))
    page.wait("!document.getElementById('connect-key')", "that nothing which was typed stays")

    other = browser.another()
    opened(other, alone)
    other.wait(f"{CHIP} === 'No model'", "the chip")
    connect(page, endpoint.base_url, KEY)
    page.wait(f"{CHIP} === 'gpt-4o'", "the connected model")
    other.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")
    other.wait(f"{CHIP} === 'gpt-4o'", "the model that another tab connected, when this one is looked at")
    browser.close(other)
    assert page.evaluate(ESTIMATE).startswith("about ")
    ask(page, SIMPLE)
    report_text(page)
    assert "reporter" in endpoint.roles
    page.reload()
    page.wait(f"{CHIP} === 'gpt-4o'", "the model, which the server has")

    kept = [file.read_bytes() for file in home.rglob("*") if file.is_file()]
    assert not any(KEY.encode() in content for content in kept)
    assert KEY not in httpx.get(f"{alone}/model").text + page.evaluate("JSON.stringify(localStorage)")
    page.click("document.getElementById('model')")
    page.wait(button("Disconnect"))
    page.click(button("Disconnect"))
    page.wait(f"{CHIP} === 'No model'", "that it is not connected")
    browser.close(page)


def test_a_model_whose_form_is_closed_while_it_is_tried_out_is_not_connected(
    browser: Page, bare: tuple[str, Path], endpoint: OpenAIServer
) -> None:
    alone, _ = bare
    tested = threading.Event()

    def think(_: int) -> None:
        tested.set()
        time.sleep(2)

    endpoint.on_request = think
    page = browser.another()
    opened(page, alone)
    connect(page, endpoint.base_url, KEY)
    assert tested.wait(20)
    page.click(button("Cancel"))
    page.wait("!document.getElementById('connect').open", "that the form is closed")
    time.sleep(4)
    endpoint.on_request = None
    assert httpx.get(f"{alone}/model").json()["connected"] is False
    browser.close(page)


@pytest.mark.parametrize(
    ("language", "status", "said"),
    [
        ("en", 500, "The endpoint itself failed. Try again later."),
        ("zh", 429, "端点不再接受更多请求，或账户额度已用完。"),
        ("zh", 403, "端点不接受此密钥。"),
    ],
)
def test_an_endpoint_that_fails_the_test_is_told_without_a_run_and_without_an_operator(
    browser: Page, bare: tuple[str, Path], endpoint: OpenAIServer, language: str, status: int, said: str
) -> None:
    endpoint.choose = lambda _: model_error(status, "Sorry.", "no", **{"Retry-After": "900"})
    page = browser.another()
    page.call(
        "Page.addScriptToEvaluateOnNewDocument", source=f"localStorage.setItem('leadline-language', '{language}')"
    )
    opened(page, bare[0])
    page.click("document.getElementById('model')")
    page.wait("document.getElementById('connect-endpoint')", "the form")
    for field, typed in (("endpoint", endpoint.base_url), ("key", KEY), ("model", "gpt-4o")):
        page.evaluate(f"document.getElementById('connect-{field}').value = '{typed}'")
    page.click("document.querySelector('#connect [type=submit]')")
    page.wait("document.querySelector('#connect .problem:not([hidden])')", "why it is not connected")
    told = text(page, "#connect .problem")
    assert told.startswith(said)
    assert "Sorry." in told
    assert "role" not in told
    endpoint.choose = None
    leave(browser, page, bare[0])


def test_a_page_of_another_site_connects_nothing(bare: tuple[str, Path], endpoint: OpenAIServer) -> None:
    given = {"endpoint": endpoint.base_url, "key": KEY}
    for origin in ("https://smith.langchain.com", "http://localhost:1"):
        answer = httpx.post(f"{bare[0]}/model", json=given, headers={"Origin": origin})
        assert answer.status_code == 403, origin


@pytest.mark.parametrize(
    ("set_up", "said"),
    [
        ({}, "This server is shared"),
        ({"OPENAI_API_KEY_PLANNER": "sk-of-the-operator-0123456789"}, "has set up the model"),
        ({"LEADLINE_EXTRA": '{"extra_headers": {"X-Key": "of-the-operator"}}'}, "has set up the model"),
    ],
)
async def test_beside_what_an_operator_set_up_and_on_a_shared_server_nothing_is_connected(
    endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch, set_up: dict[str, str], said: str
) -> None:
    accounts = () if set_up else ((b"0", "ada"),)
    monkeypatch.setattr("leadline.server.model_connection.RULES", SimpleNamespace(accounts=Accounts(accounts)))
    for name, value in set_up.items():
        monkeypatch.setenv(name, value)
    forget_settings()
    asked = len(endpoint.requests)
    app = FastAPI()
    app.include_router(model_connection)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as http:
        answer = await http.post("/model", json={"endpoint": endpoint.base_url, "key": KEY})
        assert answer.status_code == 403
        assert said in answer.json()["detail"]
        assert (await http.get("/model")).json()["offers"] == []
    assert len(endpoint.requests) == asked


async def test_no_key_goes_to_openai_where_the_address_has_another_name(
    endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leadline.server.model_connection.operator_has_model", lambda: False)
    app = FastAPI()
    app.include_router(model_connection)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as http:
        answer = await http.post("/model", json={"base_url": endpoint.base_url, "key": KEY})
    assert (answer.status_code, "base_url" in answer.text) == (422, True)


def test_where_the_operator_set_the_model_up_the_chip_says_so(page: Page, site: Site) -> None:
    opened(page, site.address)
    page.wait(f"{CHIP} === 'gpt-4o'", "the model")
    page.click("document.getElementById('model')")
    page.wait("document.getElementById('connect').open")
    assert "The operator of this server has set up the model" in text(page, "#connect")
    page.click(button("Close"))
