"""Below a finished report a person changes it: by a button, in words, by a message; its versions are kept and compared, in a browser."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.browser import Page
from tests.fakes.editing import edits, titled, whole
from tests.fakes.openai_server import role_of
from tests.pages.conftest import REPORT, SIMPLE, Site, ask, button, opened, report_text, status, text

VERSION = "document.querySelector('.versions [aria-pressed=true]')"


def revising(site: Site, change: Any) -> None:
    """Let the model change the report as a function of its present text says; everything else is thought as before."""

    def choose(body: dict[str, Any]) -> str | None:
        if role_of(body) == "coordinator" and "Rewrite it" in body["messages"][-1]["content"]:
            said = {"reason": "r", "revises": True, "intent": "not_research", "question": "Rewrite it", "locale": "en"}
            return json.dumps(said)
        return str(change(body)) if "<instruction>" in body["messages"][-1]["content"] else None

    site.model.endpoint.choose = choose


@pytest.fixture
def reported(page: Page, site: Site) -> Page:
    opened(page, site.address)
    ask(page, SIMPLE)
    status(page, "done")
    report_text(page)
    page.wait("document.querySelector('form.change')", "the form that changes it")
    return page


def test_a_button_makes_a_version_and_what_changed_is_shown(reported: Page, site: Site, tmp_path: Path) -> None:
    page = reported
    before = page.evaluate(f"{REPORT}.textContent")
    revising(site, titled("In short"))
    page.click("document.querySelector('[data-change=changeShorter]')")
    page.wait(f"{VERSION}?.dataset.version === '2'", "the second version")
    assert page.evaluate("document.querySelectorAll('.turn').length") == 1
    assert "In short" in report_text(page)
    assert text(page, ".asked-for") == "Changed as you asked: Make it shorter"
    page.click(button("What changed"))
    page.wait("document.querySelector('.difference ins')", "the difference")
    assert page.evaluate("document.querySelector('.difference ins').textContent") == "In short"
    assert page.evaluate("document.querySelectorAll('.difference p[data-state=same]').length") >= 1
    page.click("document.querySelector('[data-version=\"1\"]')")
    page.wait(f"document.querySelector('.report-host') && {REPORT}.textContent === {before!r}", "the first version")
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.click("document.querySelector('[data-file=\"report.md\"]')")
    page.wait("document.getElementById('said').textContent.startsWith('report.md')", "the file")
    assert "In short" not in (tmp_path / "report.md").read_text()
    page.reload()
    page.wait(f"{VERSION}?.dataset.version === '2'", "the versions, as the server keeps them")
    assert page.evaluate("document.querySelectorAll('.turn').length") == 1


def test_after_a_further_question_the_versions_and_files_of_a_report_are_still_there(
    reported: Page, site: Site, tmp_path: Path
) -> None:
    page = reported
    revising(site, titled("In short"))
    page.click("document.querySelector('[data-change=changeShorter]')")
    page.wait(f"{VERSION}?.dataset.version === '2'", "the second version")
    site.model.endpoint.choose = None
    ask(page, "Why was a shorter wire used in the sounding machine?")
    status(page, "done")
    page.wait("document.querySelectorAll('form.change').length === 1", "the form of the second turn alone")
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    for number, opens in ((1, ""), (2, "document.querySelector('.earlier > summary')")):
        if opens:
            page.reload()
            page.wait(opens, "the turn before")
            page.click(opens)
            page.wait("document.querySelector('.versions')", "its versions")
        page.click(f"document.querySelector('[data-version=\"{number}\"]')")
        page.wait(f"{VERSION}?.dataset.version === '{number}'", "the version")
        page.wait("document.querySelectorAll('form.change').length === 1", "the form of the last turn alone")
        page.click("document.querySelector('[data-file=\"report.md\"]')")
        page.wait("document.getElementById('said').textContent.startsWith('report.md')", "the file")
        assert ("In short" in (tmp_path / "report.md").read_text()) is (number == 2)
        (tmp_path / "report.md").unlink()
    page.click(button("What changed"))
    page.wait("document.querySelector('.difference ins')?.textContent === 'In short'", "the difference")


def test_free_words_by_keyboard_and_a_change_that_fails_leaves_the_report(reported: Page, site: Site) -> None:
    page = reported
    revising(site, whole("# Nothing\n\nAll harbours of Norway were painted green in 1850."))
    page.evaluate("document.querySelector('.change input').focus()")
    page.write("Write about Norway")
    page.press("Enter", 13, text="\r")
    page.wait("document.querySelector('.ending .problem')", "why it was not changed")
    page.wait("document.querySelector('.ending .report-host')", "the report, which stays")
    status(page, "done")
    assert "the report stays as it was" in text(page, ".ending .problem")
    assert page.evaluate("document.querySelector('.versions')") is None
    revising(site, titled("Plainly"))
    page.evaluate("document.querySelector('.change input').focus()")
    page.write("For <b>sailors</b>")
    page.press("Enter", 13, text="\r")
    status(page, "done")
    page.wait(f"{VERSION}?.dataset.version === '2'", "the version")
    assert text(page, ".asked-for") == "Changed as you asked: For <b>sailors</b>"


def test_a_message_in_the_box_changes_the_report_and_a_question_does_not(reported: Page, site: Site) -> None:
    page = reported
    revising(site, titled("For children"))
    ask(page, "Rewrite it for school children")
    status(page, "done")
    page.wait("document.querySelector('.turn:last-child .versions')", "the versions")
    assert "For children" in report_text(page)
    assert (
        page.evaluate("[...document.querySelectorAll('.asked')].at(-1).textContent") == "Rewrite it for school children"
    )
    page.reload()
    page.wait("document.querySelector('.earlier')", "the turn before")
    page.wait("[...document.querySelectorAll('.asked')].at(-1).textContent", "the message that changed the report")
    asked = page.evaluate("[...document.querySelectorAll('.asked')].map(e => e.textContent)")
    assert asked == [SIMPLE, "Rewrite it for school children"]
    site.model.endpoint.choose = None
    ask(page, "Why was a shorter wire used in the sounding machine?")
    status(page, "done")
    page.wait("document.querySelectorAll('.turn').length === 3", "a turn of its own")
    assert "For children" not in report_text(page)


def test_without_a_model_the_page_shows_passages_and_no_verdict_and_says_in_chinese_how_they_can_be_changed(
    page: Page, bare: tuple[str, Path]
) -> None:
    page.call("Page.addScriptToEvaluateOnNewDocument", source="localStorage.setItem('leadline-language', 'zh')")
    page.open(f"{bare[0]}/")
    page.wait("document.querySelector('#run-list li')", "the page")
    ask(page, "Who designed the wire sounding machine, and what took the place of hemp rope in it?")
    status(page, "done")
    page.wait("document.querySelector('form.change')", "the form")
    assert report_text(page).strip().startswith("Closest passages: Who designed the wire sounding machine")
    assert report_text(page).count("took the place of hemp rope in it?") == 1
    badge = page.evaluate(f"{REPORT}.querySelector('.badge').textContent")
    assert badge.startswith("No answer: the closest passages, without a model · every quote checked (")
    assert page.evaluate("document.querySelector('.follow-ups')") is None
    assert text(page, ".change h3") == "修改这份报告"
    able = "[...document.querySelectorAll('.change :is(button, input)')].filter(e => !e.disabled).map(e => e.dataset.change)"
    assert page.evaluate(able) == ["changeShorter", "drop"]
    assert "未连接模型时，只能缩短报告" in text(page, ".change")
    page.click(button("更短"))
    page.wait(f"{VERSION}?.dataset.version === '2'", "the version")
    assert "缩短报告" in text(page, ".asked-for")
    assert page.evaluate("document.querySelector('.ending .problem')") is None
    page.click("document.querySelector('[data-change=drop]')")
    page.wait(f"{VERSION}?.dataset.version === '3'", "the version without a section")


def test_why_a_change_was_refused_is_gone_while_the_next_is_made(reported: Page, site: Site) -> None:
    page = reported
    revising(site, lambda _: edits())
    page.click("document.querySelector('[data-change=changeShorter]')")
    page.wait("document.querySelector('.ending .problem')?.innerText.includes('changed nothing')", "the refusal")
    revising(site, titled("In short"))
    site.model.hold_role("reporter_editing")
    page.click("document.querySelector('[data-change=changeSimpler]')")
    assert site.model.reached.wait(30)
    page.wait("document.querySelector('.ending').inert", "that it is being changed")
    assert page.evaluate("document.querySelector('.ending .problem')") is None
    site.model.release()
    page.wait(f"{VERSION}?.dataset.version === '2'", "the second version")


def test_a_version_that_cannot_be_fetched_is_told(reported: Page, site: Site) -> None:
    page = reported
    revising(site, titled("In short"))
    page.click("document.querySelector('[data-change=changeShorter]')")
    page.wait(f"{VERSION}?.dataset.version === '2'", "the second version")
    for offline in (True, False):
        throughput = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        page.call("Network.emulateNetworkConditions", offline=offline, **throughput)
        page.click("document.querySelector('[data-version=\"1\"]')")
        if offline:
            page.wait("document.getElementById('banner').innerText.includes('does not answer')", "what is wrong")
            assert page.evaluate(f"{VERSION}.dataset.version") == "2"
    page.wait(f"{VERSION}.dataset.version === '1'", "the first version")
    page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words
