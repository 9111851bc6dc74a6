"""Presses of all that can be pressed in a report and around it: its downloads, changes, links and next questions."""

import re
from itertools import count
from pathlib import Path
from typing import Any

from tests.fakes.browser import Page
from tests.fakes.editing import blocks_in, whole
from tests.fakes.openai_server import role_of, think
from tests.pages.conftest import Site, button, report_text, status
from tests.pages.downloads import HOLDS, letters, saved

NEXT = "Who invented the detachable sounder?"


def asks_on(body: dict[str, Any]) -> str | None:
    return f"{think('reporter', body)}\n\n===\n{NEXT}\n" if role_of(body) == "reporter" else None


def downloads(tab: Page, folder: Path) -> None:
    tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    names = tab.evaluate("[...document.querySelectorAll('[data-file]')].map(e => e.dataset.file)")
    assert set(names) == set(HOLDS)
    title = tab.evaluate("document.querySelector('.report-host').shadowRoot.querySelector('h1').textContent")
    for name in names:
        tab.click(f"document.querySelector('[data-file=\"{name}\"]')")
        tab.wait(f"document.getElementById('said').textContent.startsWith('{name}')", f"{name} to be saved")
        wanted = "title" if name.startswith("references.") else letters(title)[:30]
        assert wanted in letters(HOLDS[name](saved(folder / name))), name


def changing(tab: Page, site: Site) -> None:
    """Press each way to change a report, and what shows its versions."""

    def choose(body: dict[str, Any]) -> str | None:
        if "<instruction>" not in body["messages"][-1]["content"]:
            return asks_on(body)
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
    site.model.endpoint.choose = asks_on
    tab.click("document.querySelector('.what-changed')")
    tab.wait("document.querySelector('.difference')", "what changed")
    tab.click("document.querySelector('[data-version=\"2\"]')")
    tab.wait("document.querySelector('[data-version=\"2\"][aria-pressed=true]')", "the second version")
    tab.click(f"document.querySelector('[data-version=\"{number}\"]')")
    tab.wait("document.querySelector('form.change')", "the latest version")


def inside_a_report(tab: Page) -> None:
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
