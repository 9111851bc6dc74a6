"""Every button, link and download of the page, pressed under the real server with its check of blocking calls on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.depth import DEPTHS
from tests.fakes.browser import Page
from tests.fakes.openai_server import error as model_error
from tests.fakes.openai_server import openai_server, role_of, think
from tests.pages.conftest import IN_SIGHT, Site, ask, button, choose, report_text, status, text, unfold
from tests.pages.pressing import FILES, all_buttons, presses_of, watch_presses
from tests.pages.report_presses import asks_on, changing, downloads, inside_a_report
from tests.pages.test_attachments import choose_files, pasting
from tests.pages.test_recorded import FASTER
from tests.pages.test_steering import SAID
from tests.pages.watched import Watched, leave
from tests.server.conftest import TOKENS

QUESTION = "Why was tallow pressed into the lead, and who designed the wire sounding machine?"
SEARCHING = 120
"""Seconds that a first search of the examples may take on a busy machine."""


@pytest.fixture
def client(watched: Watched) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {TOKENS['ada']}"}
    with httpx.Client(base_url=watched.site.address, headers=headers, timeout=60) as connected:
        yield connected


def test_the_server_notices_a_blocking_call(watched: Watched, client: httpx.Client) -> None:
    assert client.get("/page/control/quick").text == '"quick"'
    noticed = watched.blocking_calls(client)
    assert watched.blocking_calls(client) == noticed + 1


def test_each_button_of_the_page_itself_has_a_name() -> None:
    written = (FILES / "index.html").read_text("utf-8")
    named = [one for one in all_buttons() if ":" not in one]
    assert written.count("<button") + written.count('type="checkbox"') == len(named)


@pytest.mark.timeout(240)
def test_every_button_does_what_it_says(
    browser: Page, watched: Watched, bare: tuple[str, Path], client: httpx.Client, tmp_path: Path
) -> None:
    tab = browser.another()
    tab.call("Network.setUserAgentOverride", userAgent="Chromium of the tests", acceptLanguage="en-US")
    watch_presses(tab)
    noticed = watched.blocking_calls(client)
    _token(tab, watched.site)
    tab.logged.clear()  # that a token is wanted is an error to the browser
    first = len(tab.answers)

    _examples_and_stopping(tab, watched.site)
    downloads(tab, tmp_path)
    changing(tab, site=watched.site)
    inside_a_report(tab)
    _failing_and_trying_again(tab, watched.site)
    _reviewing(tab, watched.site)
    _remembering(tab)
    _steering(tab, watched.site)
    _attaching(tab, tmp_path)
    _settings(tab)
    _model(tab)
    _language(tab)
    _past_runs(tab, client)
    _narrow(tab)
    _without_a_model(tab, bare[0])

    seen = presses_of(tab)
    assert seen.made <= all_buttons()
    assert all_buttons() - seen.pressed == set(), "buttons that this test does not press"
    assert {"up", "down", "remove"} <= seen.parts
    assert [one for one in tab.answers[first:] if one[0] >= 400] == []
    assert tab.dialogs == []
    assert [one for one in tab.logged if not one.startswith("warning")] == []
    assert watched.blocking_calls(client) == noticed + 1, "something of the page blocks the event loop"
    leave(browser, tab, watched.site.address)


def _token(tab: Page, site: Site) -> None:
    tab.open(f"{site.address}/")
    tab.wait("document.getElementById('asking').open", "the question for a token")
    tab.click(button("Cancel"))
    tab.wait("!document.getElementById('banner').hidden", "what the server wants")
    tab.click(button("Close"))
    assert tab.evaluate("document.getElementById('banner').hidden")
    tab.reload()
    tab.wait("document.getElementById('asking').open && document.activeElement.id === 'token'", "the question again")
    tab.write("wrong")
    tab.press("Enter", 13, text="\r")
    tab.wait("document.querySelector('#asking .problem')", "a word about the wrong token")
    tab.write(TOKENS["ada"])
    tab.click(button("Use token"))
    tab.wait("document.querySelector('#run-list li')", "the list of past runs")
    choose(tab, max_plan_iterations=1)


def _examples_and_stopping(tab: Page, site: Site) -> None:
    site.model.hold_role("reporter")
    site.model.endpoint.choose = _thinks_and_asks_on
    tab.wait("document.querySelector('#examples button')", "questions to begin with")
    tab.click("document.querySelectorAll('#examples button')[1]")  # which needs a plan
    tab.wait(
        "document.querySelector('.node[data-node=reporter][data-state=running]')", "the reporter", seconds=SEARCHING
    )
    planned = site.model.endpoint.roles.count("planner")
    tab.click("document.getElementById('stop')")
    status(tab, "stopped")
    site.model.release()
    tab.wait(f"document.querySelector('.ending .primary') && ({IN_SIGHT})(document.querySelector('.ending .primary'))")
    tab.click(button("Continue"))
    status(tab, "done")
    report_text(tab)
    assert site.model.endpoint.roles.count("planner") == planned, "it goes on where it was"


def _thinks_and_asks_on(body: dict[str, Any]) -> str | None:
    if role_of(body) != "planner":
        return asks_on(body)
    return json.dumps(json.loads(think("planner", body)) | {"thought": "Who it was comes first."})


def _failing_and_trying_again(tab: Page, site: Site) -> None:
    site.model.endpoint.choose = None
    site.model.endpoint.script["coordinator"] = [model_error(401, "Incorrect API key provided.", "invalid_api_key")]
    tab.click("document.getElementById('new-question')")
    unfold(tab)
    tab.click("document.getElementById('quick')")
    ask(tab, QUESTION)
    status(tab, "failed")
    tab.click(button("Try again"))
    status(tab, "done")
    unfold(tab)
    for depth in DEPTHS:
        tab.click(f"document.getElementById('{depth}')")
        tab.wait(f"document.querySelector('#depth :checked').value === '{depth}'", f"the depth {depth}")
    tab.click("document.getElementById('standard')")


def _reviewing(tab: Page, site: Site) -> None:
    """Press what changes a plan, in a run that is remembered."""
    choose(tab, max_plan_iterations=1, memory=True)
    tab.click("document.getElementById('brand')")
    unfold(tab)
    tab.click("document.getElementById('review')")
    wishes = {"said": ["Why was tallow"], "readers": "children"}
    triage = {"intent": "in_scope", "complexity": "complex", "locale": "en-US", "question": QUESTION, "wishes": wishes}
    site.model.endpoint.script["coordinator"] = [json.dumps(triage)]
    ask(tab, QUESTION)
    tab.wait("document.querySelector('form.review')", "the review of the plan")
    tab.click(button("Ignore: For"))
    tab.click("document.querySelector('.in-words textarea')")
    tab.write("also the silver chromate tube")
    tab.click(button("Plan again"))
    tab.wait("[...document.querySelectorAll('.edited textarea')].some(e => e.value.includes('chromate'))", "a new plan")
    titles = "[...document.querySelectorAll('.edited input')].map(e => e.value)"
    before = tab.evaluate(titles)
    tab.click("document.querySelector('.edited summary')")
    tab.wait("document.querySelector('.edited details').open", "the first step")
    tab.click("document.querySelectorAll('.edited li')[1].querySelector('[data-act=up]')")
    assert tab.evaluate(titles)[:2] == [before[1], before[0]]
    tab.click("document.querySelectorAll('.edited li')[0].querySelector('[data-act=down]')")
    assert tab.evaluate(titles) == before
    tab.click(button("Add a step"))
    tab.click(f"document.querySelectorAll('.edited li')[{len(before)}].querySelector('[data-act=remove]')")
    assert tab.evaluate(titles) == before
    tab.click("document.querySelector('.review .primary')")
    status(tab, "done")
    unfold(tab)
    tab.click("document.getElementById('review')")


def _steering(tab: Page, site: Site) -> None:
    site.model.hold_role("researcher")
    tab.click("document.getElementById('new-question')")
    ask(tab, QUESTION)
    tab.wait("document.querySelector('.leave-out')", "a step that can be left out", seconds=SEARCHING)
    tab.wait("document.querySelector('.node[data-node=researcher][data-state=running]')", "the steps at work")
    assert site.model.reached.wait(30)
    tab.evaluate("new Promise(done => setTimeout(done, 300))")  # sources that arrive move what stands below them
    tab.click("[...document.querySelectorAll('.leave-out')].at(-1)")
    tab.wait(f"{SAID}[0]?.startsWith('You said: Skip step')", "that the step is left out")
    tab.click("document.getElementById('question')")
    tab.write("also the echo")
    tab.click("document.getElementById('send')")
    tab.wait("document.querySelectorAll('.said li').length === 2", "what is said")
    tab.click(button("Write now"))
    tab.wait(f"{SAID}.length === 3", "that the report is wanted")
    assert tab.evaluate("document.querySelector('.write-now').hidden && !document.querySelector('.leave-out')")
    site.model.release()
    status(tab, "done")
    assert "The research was stopped at your request" in report_text(tab)


def _attaching(tab: Page, folder: Path) -> None:
    (folder / "note.md").write_text("# A note\n\nThe brass quadrant was made by Jesse Ramsden in 1777.\n")
    tab.click("document.getElementById('new-question')")
    tab.call("Page.setInterceptFileChooserDialog", enabled=True)
    tab.click("document.getElementById('attach')")
    choose_files(tab, folder / "note.md")
    tab.wait("document.querySelectorAll('#attached li:not(.sending)').length === 1", "the file")
    tab.click(button("Remove note.md"))
    tab.wait("document.getElementById('attached').hidden", "the file to be gone")
    tab.evaluate(pasting("word " * 5000))
    tab.click(button("Attach it as a document"))
    tab.wait("document.querySelectorAll('#attached li:not(.sending)').length === 1", "what was pasted, as a file")


def _settings(tab: Page) -> None:
    for words in ("Cancel", "Save", "Reset"):
        tab.click("document.getElementById('open-settings')")
        tab.wait("document.getElementById('settings').open", "the settings")
        tab.click("document.querySelector('#settings details > summary')")
        assert tab.evaluate("document.querySelector('#settings details').open")
        found = "[...document.querySelectorAll('#settings button')]"
        tab.click(f"{found}.find(b => b.innerText.trim().startsWith({json.dumps(words)}))")
        tab.wait("!document.getElementById('settings').open", "the settings to close")
    choose(tab, max_plan_iterations=1)


def _remembering(tab: Page) -> None:
    listed = "document.querySelectorAll('.remembered li').length"
    tab.click("document.getElementById('open-memory')")
    tab.wait(f"document.getElementById('memory').open && {listed} > 1", "what is remembered")
    assert "known from 20" in text(tab, ".remembered li")
    before = tab.evaluate(listed)
    tab.click("document.querySelector('.remembered li button')")
    tab.wait(f"{listed} === {before - 1}", "a statement to be gone")
    tab.click(button("Forget everything"))
    tab.click(button("Really forget everything?"))
    tab.wait(f"{listed} === 0", "all statements to be gone")
    tab.click("document.querySelector('#memory .plain')")
    tab.wait("!document.getElementById('memory').open")
    choose(tab, max_plan_iterations=1)


def _model(tab: Page) -> None:
    tab.click("document.getElementById('model')")
    tab.wait("document.getElementById('connect').open", "what is said of the model")
    tab.click("document.querySelector('#connect button')")


def _language(tab: Page) -> None:
    for language in ("zh-CN", "en"):
        tab.click("document.getElementById('language')")
        tab.wait(f"document.documentElement?.lang === '{language}' && document.querySelector('#run-list li')", language)


def _past_runs(tab: Page, client: httpx.Client) -> None:
    for number in range(31):
        metadata = {"title": f"Question {number}", "graph_id": "deep_research"}
        client.post("/threads", json={"metadata": metadata}).raise_for_status()
    tab.open(str(client.base_url))
    tab.wait("document.getElementById('more-runs').checkVisibility()", "that there are more")
    tab.click("document.getElementById('more-runs')")
    tab.wait("document.querySelectorAll('#run-list li').length > 31", "the others")
    assert tab.evaluate("document.activeElement === document.querySelectorAll('#run-list li a')[30]"), (
        "the first new one"
    )
    oldest = tab.evaluate("[...document.querySelectorAll('#run-list li')].at(-1).dataset.thread")
    entry = f"document.querySelector('li[data-thread=\"{oldest}\"]')"
    tab.click(f"{entry}.querySelector('a')")
    report_text(tab)
    for answer in ("Cancel", "Delete"):
        tab.click(f"{entry}.querySelector('button')")
        tab.wait("document.getElementById('asking').open")
        tab.click(button(answer))
        tab.wait("!document.getElementById('asking').open")
    tab.wait(f"!{entry}", "the run to be gone")


def _without_a_model(tab: Page, address: str) -> None:
    """Press what a server without a model has: the recorded run, and the form that connects one."""
    chip = "document.getElementById('model').textContent"
    with openai_server() as endpoint:
        tab.open(f"{address}/")
        tab.wait("document.getElementById('documents').checkVisibility()", "the link beside, which moves the button")
        tab.wait("document.getElementById('watch').checkVisibility()", "the recorded run")
        tab.evaluate(FASTER)
        tab.click("document.getElementById('watch')")
        tab.wait("document.querySelector('.played .plan')", "its plan")
        tab.wait("document.querySelector('section.recorded button')", "its end", seconds=60)
        tab.click("document.querySelector('section.recorded button')")
        tab.wait("document.getElementById('connect').open", "the form")
        tab.click("[...document.querySelectorAll('#connect button')].find(b => b.textContent === 'Cancel')")
        tab.click("document.getElementById('new-question')")
        for pressed, then in (("Cancel", "No model"), ("Test and connect", "gpt-4o"), ("Disconnect", "No model")):
            tab.click("document.getElementById('model')")
            tab.wait("document.getElementById('connect').open", "the form")
            typed = {"endpoint": endpoint.base_url, "key": endpoint.key, "model": "gpt-4o"}
            for field, value in typed.items():
                tab.evaluate(f"document.getElementById('connect-{field}').value = {json.dumps(value)}")
            found = "[...document.querySelectorAll('#connect button')]"
            tab.click(f"{found}.find(b => b.textContent === {json.dumps(pressed)})")
            tab.wait("!document.getElementById('connect').open", "the form to close")
            tab.wait(f"{chip} === '{then}'", then)


def _narrow(tab: Page) -> None:
    tab.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
    tab.click("document.getElementById('open-runs')")
    assert tab.evaluate("document.getElementById('runs').classList.contains('shown')")
    tab.click("document.getElementById('open-runs')")
    assert text(tab, "#banner") == ""
