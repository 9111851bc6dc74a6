"""What may come between the page and its run: a lost connection, a reload, another tab, a stop, an error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.fakes.browser import Page
from tests.fakes.openai_server import completion
from tests.fakes.relay import Relay, relay
from tests.pages.conftest import (
    QUESTION,
    SIMPLE,
    Site,
    ask,
    button,
    choose,
    opened,
    report_text,
    status,
    text,
    under_way,
)


@contextmanager
def cut_off(page: Page, site: Site) -> Iterator[Relay]:
    """Ask, and lose the connection while the researcher's model is held."""
    with relay(site.address) as line:
        under_way(page, site, address=line.address)
        line.cut()
        yield line


def test_a_lost_connection_is_told_and_the_stream_joined_again(page: Page, site: Site) -> None:
    with cut_off(page, site) as line:
        page.wait("!document.getElementById('banner').hidden", "a word about the lost connection")
        assert "The connection is lost" in text(page, "#banner")
        site.model.release()  # the run goes on without anybody watching
        line.mend()
        status(page, "done")
        assert "Lalla Rookh" in report_text(page)
        assert page.evaluate("document.getElementById('banner').hidden")
        assert page.evaluate("document.querySelectorAll('.arrived li').length") > 0
        page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words


def test_a_question_that_cannot_be_sent_is_not_lost(page: Page, site: Site) -> None:
    with relay(site.address) as line:
        opened(page, line.address)
        line.cut()
        page.click("document.getElementById('question')")
        page.write(SIMPLE)
        page.press("Enter", 13, text="\r")
        page.wait("document.getElementById('banner').innerText.includes('does not answer')", "why it was not sent")
        assert page.evaluate("document.getElementById('question').value") == SIMPLE
        line.mend()
        page.click("document.getElementById('send')")
        assert "William Thomson" in report_text(page)
        page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words


def test_a_run_that_its_server_has_forgotten_can_be_begun_again(page: Page, site: Site) -> None:
    with cut_off(page, site) as line:
        page.wait("!document.getElementById('banner').hidden", "a word about the lost connection")
        thread = page.evaluate("new URL(location.href).searchParams.get('thread')")
        runs = f"{site.address}/threads/{thread}/runs"
        run = httpx.get(runs, timeout=30).json()[0]["run_id"]
        assert httpx.post(f"{runs}/{run}/cancel?wait=true", timeout=30).is_success
        assert httpx.delete(f"{runs}/{run}", timeout=30).is_success  # a killed server forgets what it began last
        line.mend()
        status(page, "stopped")
        assert page.evaluate("document.getElementById('banner').hidden")
        line.cut()
        page.click(button("Continue"))
        page.wait("document.getElementById('banner').innerText.includes('does not answer')", "why it does not go on")
        line.mend()
        page.click(button("Continue"))
        status(page, "running")
        page.wait("document.getElementById('banner').hidden", "that nothing is wrong any more")
        site.model.release()
        assert "Lalla Rookh" in report_text(page)
        page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words


def test_the_run_that_goes_on_is_stopped_before_those_that_wait_behind_it(page: Page, site: Site) -> None:
    site.model.hold_role("coordinator")
    opened(page, site.address)
    ask(page, SIMPLE)
    assert site.model.reached.wait(30)
    thread = page.evaluate("new URL(location.href).searchParams.get('thread')")
    runs = f"{site.address}/threads/{thread}/runs"
    [first] = httpx.get(runs, timeout=30).json()
    work = {"assistant_id": "deep_research", "input": {"messages": [{"role": "user", "content": QUESTION}]}}
    for _ in range(2):
        assert httpx.post(runs, json={**work, "multitask_strategy": "enqueue"}, timeout=30).is_success
    page.reload()
    status(page, "running")
    page.click("document.getElementById('stop')")
    first_run = (
        f"fetch('/threads/{thread}/runs/{first['run_id']}').then(r => r.json()).then(r => r.status === 'interrupted')"
    )
    page.wait(first_run, "that the first run is stopped")
    assert {one["status"] for one in httpx.get(runs, timeout=30).json()} <= {"interrupted", "pending", "running"}
    assert [one["status"] for one in httpx.get(runs, timeout=30).json()].count("interrupted") == 1
    status(page, "stopped")
    assert httpx.delete(f"{site.address}/threads/{thread}", timeout=30).is_success


def test_a_thread_that_is_gone_when_the_connection_is_back_is_said_to_be(page: Page, site: Site) -> None:
    with cut_off(page, site) as line:
        thread = page.evaluate("new URL(location.href).searchParams.get('thread')")
        assert httpx.delete(f"{site.address}/threads/{thread}", timeout=30).is_success
        line.mend()
        page.wait("document.getElementById('banner').innerText.includes('no longer exists')", "what has become of it")
        assert page.evaluate("document.querySelector('.turn')") is None
        page.logged[:] = [one for one in page.logged if "Failed to load resource" not in one]  # the browser's own words


def test_a_question_is_not_lost_where_another_is_asked_at_the_same_time(page: Page, site: Site) -> None:
    opened(page, site.address)
    ask(page, SIMPLE)
    report_text(page)
    status(page, "done")
    site.model.hold_role("coordinator")
    thread = page.evaluate("new URL(location.href).searchParams.get('thread')")
    work = {"assistant_id": "deep_research", "input": {"messages": [{"role": "user", "content": QUESTION}]}}
    assert httpx.post(f"{site.address}/threads/{thread}/runs", json=work, timeout=30).is_success
    page.click("document.getElementById('question')")
    page.write("How deep was the sounding of 1872?")
    page.press("Enter", 13, text="\r")
    page.wait("document.getElementById('banner').innerText.includes('continued elsewhere')", "what is shown instead")
    page.wait("document.getElementById('question').value === 'How deep was the sounding of 1872?'", "the question")
    page.logged[:] = [one for one in page.logged if "409" not in one]  # the browser's own words


def test_a_reload_in_mid_run_shows_the_same_run_and_its_end(page: Page, site: Site) -> None:
    under_way(page, site, "reflector")
    before = steps(page)
    page.reload()
    page.wait("document.querySelector('.node[data-node=reflector][data-state=running]')", "the reflector again")
    assert steps(page) == before
    assert text(page, ".asked") == QUESTION
    assert text(page, "#stop") == "Stop"
    site.model.release()
    assert "Lalla Rookh" in report_text(page)
    assert text(page, "#send") == "Ask"
    shown = "s => [...document.querySelectorAll(s)].map(e => e.textContent).join(' | ')"
    known = f"['.facts', '.arrived li', 'details.outline'].map({shown})"
    facts, arrived, outline = page.evaluate(known)
    assert facts.endswith(" cited")
    assert arrived
    assert "Outline with 2 topics" in outline
    assert "1 Why was tallow pressed into the lead (" in outline
    assert "sources" in outline
    page.reload()
    report_text(page)
    again = page.evaluate(known)
    assert again == [facts, arrived, outline]


def steps(page: Page) -> list[str]:
    found: list[str] = page.evaluate("[...document.querySelectorAll('.steps .name')].map(e => e.textContent)")
    return found


def test_two_tabs_show_one_thread(page: Page, browser: Page, site: Site) -> None:
    under_way(page, site)
    address = page.evaluate("location.href")
    other = browser.another()
    other.open(address)
    other.wait("document.querySelector('.steps [data-status=running]')", "the run in the second tab")
    site.model.release()
    first, second = report_text(page), report_text(other)
    assert first == second
    ask(other, "Where was William Thomson born?")
    status(other, "done")
    assert "Belfast" in report_text(other)
    page.wait("document.querySelectorAll('.turn').length === 2", "the second turn in the first tab")
    assert "Belfast" in report_text(page)
    assert other.logged == []
    browser.close(other)


def test_a_review_answered_before_its_run_has_ended_is_taken(page: Page, site: Site) -> None:
    opened(page, site.address)
    choose(page, review_plan=True, max_plan_iterations=1)
    at_once = (
        "const accept = document.querySelector('.review .primary'); if (accept) { me.disconnect(); accept.click(); }"
    )
    page.evaluate(
        f"void new MutationObserver((_, me) => {{ {at_once} }}).observe(document.body, {{childList: true, subtree: true}})"
    )
    site.model.hold_role("researcher")
    ask(page, QUESTION)
    page.wait("document.querySelector('.steps [data-status=running]')", "a running step")
    assert page.evaluate("document.getElementById('banner').hidden")
    page.evaluate("new Promise(done => setTimeout(done, 1000))")
    assert text(page, "#stop") == "Stop"
    site.model.release()
    report_text(page)


def test_the_report_is_seen_while_it_is_written(page: Page, site: Site) -> None:
    asked = {"model": "gpt-4o", "stream": True, "messages": [], "stream_options": {"include_usage": True}}
    written = completion(asked, "Tallow held a sample of the bottom. **It** stuck to it.")
    written.gate = site.model.let
    site.model.hold_role("nobody")
    site.model.endpoint.script["reporter"] = [written]
    opened(page, site.address)
    ask(page, SIMPLE)
    page.wait("document.querySelector('.draft')?.innerText.startsWith('Tallow')", "the first words")
    assert page.evaluate("document.querySelector('.node[data-node=reporter]').dataset.state") == "running"
    site.model.release()
    report_text(page)
    assert page.evaluate("document.querySelector('.draft').hidden")


def test_a_second_plan_joins_the_first_and_stays_one_through_a_reload(page: Page, site: Site) -> None:
    site.model.hold_role("reporter")
    opened(page, site.address)
    choose(page, max_plan_iterations=2)
    ask(page, "Where was the owner of the schooner Lalla Rookh born?")  # first who it was, then where he was born
    writing = "document.querySelector('.node[data-node=reporter][data-state=running]')"
    page.wait(writing, "the reporter")
    page.wait("document.querySelectorAll('section.plan').length === 2", "both plans")
    before = steps(page)
    page.reload()
    page.wait(writing, "the reporter again")
    page.wait(f"document.querySelectorAll('.steps .name').length === {len(before)}", "the steps of both plans")
    assert steps(page) == before
    site.model.release()
    report_text(page)
    assert steps(page) == before


def test_a_run_deleted_in_one_tab_is_in_no_list_and_a_thread_without_a_run_says_so(
    page: Page, browser: Page, site: Site
) -> None:
    under_way(page, site)
    address = page.evaluate("location.href")
    thread = address.partition("thread=")[2]
    entry = f"document.querySelector('li[data-thread=\"{thread}\"]')"
    other = browser.another()
    other.open(address)
    other.wait(f"{entry} && document.querySelector('.steps [data-status=running]')", "the run in the second tab")
    press = f"{entry}.querySelector('button').click();"
    twice = f"(() => {{ {press} {button('Cancel')}.click(); {press} }})()"
    page.evaluate(twice)  # faster than the dialog tells that it closed
    page.click(button("Delete"))
    page.wait(f"!{entry}", "the run to be gone")
    other.wait(f"!{entry}", "the run to be gone in the second tab")
    assert "no longer exists" in text(other, "#banner")
    browser.close(other)
    site.model.release()
    page.open(address)
    page.wait("document.getElementById('banner').innerText.includes('no longer exists')")

    empty = httpx.post(f"{site.address}/threads", json={"metadata": {"title": "Empty", "graph_id": "deep_research"}})
    page.open(f"{site.address}/?thread={empty.json()['thread_id']}")
    page.wait("document.getElementById('banner').innerText.includes('Nothing has been asked')", "what is missing")
    page.logged[:] = [one for one in page.logged if "404" not in one]  # the browser's own words


def test_that_only_the_examples_are_searched_is_said_after_a_reload_too(browser: Page, bare: tuple[str, Path]) -> None:
    page = browser.another()
    opened(page, bare[0])
    ask(page, "How deep is the Challenger Deep?")
    status(page, "done")
    before = text(page, ".notices")
    assert "the example documents" in before
    page.reload()
    report_text(page)
    assert text(page, ".notices") == before
    browser.close(page)
