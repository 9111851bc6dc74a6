"""Every button, link and download of the page, pressed under the real server with its check of blocking calls on."""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.depth import DEPTHS
from tests.fakes.browser import Page
from tests.fakes.editing import blocks_in, whole
from tests.fakes.openai_server import error as model_error
from tests.fakes.openai_server import openai_server, role_of, think
from tests.pages.conftest import IN_SIGHT, Site, ask, button, choose, report_text, status, text, unfold
from tests.pages.downloads import HOLDS, letters, saved
from tests.pages.pressing import FILES, all_buttons, presses_of, watch_presses
from tests.pages.test_attachments import choose_files, pasting
from tests.pages.test_recorded import FASTER
from tests.pages.test_steering import SAID
from tests.pages.watched import Watched, leave
from tests.server.conftest import TOKENS

QUESTION = "Why was tallow pressed into the lead, and who designed the wire sounding machine?"
NEXT = "Who invented the detachable sounder?"
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
    _downloads(tab, tmp_path)
    _changing(tab, site=watched.site)
    _inside_a_report(tab)
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
        return _asks_on(body)
    return json.dumps(json.loads(think("planner", body)) | {"thought": "Who it was comes first."})


def _asks_on(body: dict[str, Any]) -> str | None:
    return f"{think('reporter', body)}\n\n===\n{NEXT}\n" if role_of(body) == "reporter" else None


def _downloads(tab: Page, folder: Path) -> None:
    tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    names = tab.evaluate("[...document.querySelectorAll('[data-file]')].map(e => e.dataset.file)")
    assert set(names) == set(HOLDS)
    title = tab.evaluate("document.querySelector('.report-host').shadowRoot.querySelector('h1').textContent")
    for name in names:
        tab.click(f"document.querySelector('[data-file=\"{name}\"]')")
        tab.wait(f"document.getElementById('said').textContent.startsWith('{name}')", f"{name} to be saved")
        wanted = "title" if name.startswith("references.") else letters(title)[:30]
        assert wanted in letters(HOLDS[name](saved(folder / name))), name


def _changing(tab: Page, site: Site) -> None:
    """Press each way to change a report, and what shows its versions."""

    def choose(body: dict[str, Any]) -> str | None:
        if "<instruction>" not in body["messages"][-1]["content"]:
            return _asks_on(body)
        told = [text for text in blocks_in(body).values() if re.search(r"\[[BET]\d", text) and text[0].isalpha()]
        text = "\n\n".join([f"# Version {next(versions)}", "## First", told[0], "## Second", told[-1]])
        return whole(text, locale="zh-CN" if "中文" in body["messages"][-1]["content"] else "")(body)

    versions = count(2)
    site.model.endpoint.choose = choose
    number = 1
    for name in ("changeShorter", "changeSimpler", "changeChinese", "drop", ""):
        tab.wait("document.querySelector('form.change')", "the form that changes the report")
        if name:
            tab.click(f"document.querySelector('[data-change={name}]')")
        else:
            tab.click("document.querySelector('.change input')")
            tab.write("In other words")
            tab.click(button("Change"))
        number += 1
        tab.wait(f"document.querySelector('[data-version=\"{number}\"][aria-pressed=true]')", f"version {number}")
    site.model.endpoint.choose = _asks_on
    tab.click("document.querySelector('.what-changed')")
    tab.wait("document.querySelector('.difference')", "what changed")
    tab.click("document.querySelector('[data-version=\"2\"]')")
    tab.wait("document.querySelector('[data-version=\"2\"][aria-pressed=true]')", "the second version")
    tab.click(f"document.querySelector('[data-version=\"{number}\"]')")
    tab.wait("document.querySelector('form.change')", "the latest version")


def _inside_a_report(tab: Page) -> None:
    """Press what opens in a turn, every kind of link in its report, and a question to ask next."""
    root = "document.querySelector('.report-host').shadowRoot"
    tab.click("[...document.querySelectorAll('.work > summary')].at(-1)")
    tab.click("document.querySelector('.why > summary')")
    tab.click("document.querySelector('.steps summary')")
    if tab.evaluate("document.querySelector('.outline > summary') !== null"):
        tab.click("document.querySelector('.outline > summary')")
    assert tab.evaluate("document.querySelector('.steps details').open")
    links = tab.evaluate(f"[...{root}.querySelectorAll('a[href]')].map(e => e.getAttribute('href'))")
    assert links
    _quote_sheet(tab, root)
    assert [one for one in links if not one.startswith("#ref-")] == [], "a kind of link that this test does not press"
    tab.click(f"{root}.querySelector('.cite .mark')")
    assert tab.evaluate(f"{root}.activeElement.id.startsWith('ref-')")
    tab.click(f"{root}.querySelector('.references summary')")
    assert tab.evaluate(f"{root}.querySelector('.references details').open")
    for opens in (".references p .text-of", ".references blockquote .text-of"):
        tab.click(f"{root}.querySelector('{opens}')")
        tab.wait("document.querySelector('#source[open] mark.seen')", "the source's text")
        tab.click("document.querySelector('#source button')")
        tab.wait("!document.getElementById('source').open")
    tab.click("document.querySelector('.follow-ups button')")
    tab.wait("document.querySelectorAll('.turn').length === 2")
    status(tab, "done")
    report_text(tab)
    counted = "['.report-host', '.downloads', 'form.change'].map(e => document.querySelectorAll(e).length)"
    assert tab.evaluate(counted) == [2, 2, 1]
    tab.reload()
    tab.wait("document.querySelector('.earlier')", "the earlier turn")
    tab.click("document.querySelector('.earlier > summary')")
    tab.wait("document.querySelector('.earlier .report-host')", "its report")


def _quote_sheet(tab: Page, root: str) -> None:
    """Press the two buttons of the sheet that a citation opens on a phone."""
    tab.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
    tab.evaluate("new Promise(done => setTimeout(done, 500))")  # the page takes its new form
    mark, ways = f"{root}.querySelector('.cite .mark')", f"{root}.querySelectorAll('.cite.open .ways button')"
    tab.evaluate(f"{mark}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    tab.click(mark)
    tab.wait(f"{ways}.length === 2", "the first sheet")
    tab.click(f"{ways}[0]")
    tab.wait(f"{ways}.length === 0", "the sheet to close")
    tab.click(mark)
    tab.wait(f"{ways}.length === 2", "the sheet")
    tab.click(f"{ways}[1]")
    tab.wait("document.querySelector('#source[open]')", "the source's text")
    tab.click("document.querySelector('#source button')")
    tab.call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
    tab.evaluate("new Promise(done => setTimeout(done, 500))")  # and its old form again


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
