"""Documents that are attached to a thread: over the API with all its bounds, and in the page."""

import json
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from leadline.server.attachments import MAX_BYTES, MAX_FILES
from schemas.clean_text import LONGEST_NAME, clean_file_name
from schemas.context import RunContext
from services.run.errors import DocumentsError
from services.search.folder_files import ATTACHMENTS
from services.search.providers import folders_of
from tests.fakes.browser import Page
from tests.pages.conftest import REPORT, Site, ask, button, opened, report_text, status, text

NOTE = b"# The brass quadrant\n\nThe brass quadrant of the Lalla Rookh was made by Jesse Ramsden in 1777.\n"
ASKED = "Who made the brass quadrant of the Lalla Rookh?"


@pytest.fixture
async def client(site: Site) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=site.address) as connected:
        yield connected


@pytest.fixture
async def thread(client: LangGraphClient) -> str:
    return str((await client.threads.create())["thread_id"])


@pytest.fixture
async def http(site: Site, thread: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{site.address}/attachments", timeout=60) as connected:
        yield connected


async def test_a_thread_searches_its_own_files_and_no_other_threads(
    client: LangGraphClient, http: httpx.AsyncClient, thread: str
) -> None:
    assert (await http.put(f"/{thread}/note.md", content=NOTE)).json() == {"name": "note.md", "size": len(NOTE)}
    listed = (await http.get(f"/{thread}")).json()
    assert listed["files"] == [{"name": "note.md", "size": len(NOTE)}]
    context: Any = {"documents": [listed["documents"]], "max_plan_iterations": 1}
    state: Any = await client.runs.wait(thread, "deep_research", input={"question": ASKED}, context=context)
    assert "Jesse Ramsden" in state["report"]["markdown"]
    assert "attachments/note.md" in [one["url"] for one in state["report"]["sources"]]
    other = str((await client.threads.create())["thread_id"])
    with pytest.raises(Exception, match="does not exist"):
        await client.runs.wait(other, "deep_research", input={"question": ASKED}, context=context)


def test_a_run_without_a_thread_has_no_attachments() -> None:
    with pytest.raises(DocumentsError, match="this run has none"):
        folders_of(RunContext(documents=[ATTACHMENTS]))


@pytest.mark.parametrize("way", ["{home}/threads/{thread}/attachments", "{home}/threads"])
async def test_the_folder_itself_is_not_open_to_runs(
    client: LangGraphClient, http: httpx.AsyncClient, thread: str, way: str
) -> None:
    await http.put(f"/{thread}/note.md", content=NOTE)
    context: Any = {"documents": [way.format(home="home", thread=thread)]}
    with pytest.raises(Exception, match="not open to this server"):
        await client.runs.wait(None, "deep_research", input={"question": ASKED}, context=context)


async def test_files_are_replaced_and_taken_away(http: httpx.AsyncClient, thread: str) -> None:
    for content in (NOTE, b"shorter"):
        assert (await http.put(f"/{thread}/a.txt", content=content)).status_code == 200
    await http.put(f"/{thread}/b.txt", content=b"two")
    assert [one["size"] for one in (await http.get(f"/{thread}")).json()["files"]] == [7, 3]
    assert (await http.delete(f"/{thread}/a.txt")).status_code == 204
    assert (await http.delete(f"/{thread}/a.txt")).status_code == 204
    assert [one["name"] for one in (await http.get(f"/{thread}")).json()["files"]] == ["b.txt"]
    assert (await http.delete(f"/{thread}")).status_code == 204
    assert (await http.get(f"/{thread}")).json()["files"] == []


async def test_what_is_too_large_too_many_or_unreadable_is_refused_and_leaves_nothing(
    http: httpx.AsyncClient, thread: str
) -> None:
    async def much() -> AsyncIterator[bytes]:
        for _ in range(MAX_BYTES // 1_000_000 + 2):
            yield bytes(1_000_000)

    assert (await http.put(f"/{thread}/a.txt", content=much())).status_code == 413
    refused = await http.put(f"/{thread}/run.exe", content=b"MZ\0")
    assert refused.status_code == 415
    assert "PDF" in refused.json()["detail"]
    assert (await http.put(f"/{thread}/.hidden", content=b"x")).json()["detail"].startswith(".hidden cannot be read")
    assert (await http.get(f"/{thread}")).json()["files"] == []
    for number in range(MAX_FILES):
        await http.put(f"/{thread}/{number}.txt", content=b"x")
    assert (await http.put(f"/{thread}/more.txt", content=b"x")).status_code == 413
    assert (await http.put(f"/{thread}/0.txt", content=b"y")).status_code == 200


async def test_only_threads_that_exist_take_files(site: Site) -> None:
    async with httpx.AsyncClient(base_url=site.address, timeout=60) as http:
        for thread in (str(uuid.uuid4()), "no-thread", "..", "%2e%2e"):
            answer = await http.put(f"/attachments/{thread}/a.txt", content=b"x")
            assert answer.status_code in {404, 405, 422}, thread


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("report.md", "report.md"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\x\\notes.docx", "notes.docx"),
        (".hidden.md", "hidden.md"),
        ("a\x00b\n c\u202egpj.md", "a b c gpj.md"),
        ("近视 防控.pdf", "近视 防控.pdf"),
        ("e\u0301.txt", "é.txt"),
        (".txt", "txt"),
        ("", "document"),
        ("...", "document"),
        ("<script>.csv", "script.csv"),
    ],
)
def test_names_are_cleaned(name: str, clean: str) -> None:
    assert clean_file_name(name) == clean


def test_long_names_keep_their_ending() -> None:
    name = clean_file_name("近" * 300 + ".pdf")
    assert name.endswith(".pdf")
    assert len(name.encode()) <= LONGEST_NAME


def test_in_the_page_files_are_attached_before_the_question_and_removed(page: Page, site: Site, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_bytes(NOTE)
    (tmp_path / "other.txt").write_text("")
    (tmp_path / "run.exe").write_bytes(b"MZ\0")
    opened(page, site.address)
    choose_files(page, tmp_path / "note.md", tmp_path / "other.txt")
    page.wait("document.querySelectorAll('#attached li:not(.sending)').length === 2", "two files")
    assert page.evaluate("[...document.querySelectorAll('#attached .soft')].map(e => e.textContent)") == [
        f"{len(NOTE)} B",
        "0 B",
    ]
    page.click(button("Remove other.txt"))
    page.wait("document.querySelectorAll('#attached li').length === 1")
    choose_files(page, tmp_path / "run.exe", tmp_path / "other.txt")
    page.wait("document.getElementById('banner').innerText.includes('cannot be read')")
    page.wait("document.querySelectorAll('#attached li:not(.sending)').length === 2", "the file behind the refused one")
    (tmp_path / "third.txt").write_text("")
    choose_files(page, tmp_path / "third.txt")
    page.wait("document.getElementById('banner').hidden", "that the refusal is over")
    ask(page, ASKED)
    assert "Jesse Ramsden" in report_text(page)
    page.hover(f"{REPORT}.querySelector('.cite .mark')")
    assert "Jesse Ramsden" in page.evaluate(f"{REPORT}.querySelector('.cite .tip q').textContent")
    assert "note.md" in text(page, "#attached")
    page.reload()
    report_text(page)
    assert "note.md" in text(page, "#attached")
    ask(page, "Where was William Thomson born?")
    page.wait("document.querySelectorAll('.turn').length === 2", "the second turn")
    status(page, "done")
    assert text(page, "#run-list [aria-current] .title") == ASKED
    page.logged[:] = [one for one in page.logged if "415" not in one]  # the browser's own words


def choose_files(page: Page, *files: Path) -> None:
    """Choose files in the page's dialog."""
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    chosen = page.call("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=chosen, files=[str(one) for one in files])


def test_what_is_pasted_and_does_not_fit_is_not_cut_but_attached(page: Page, site: Site) -> None:
    opened(page, site.address)
    page.click("document.getElementById('question')")
    page.write("Who made it?")
    page.evaluate(pasting("word " * 5000))
    page.wait("!document.getElementById('banner').hidden", "why nothing was pasted")
    assert "there would be 25,012 characters here; the limit is 20,000" in text(page, "#banner")
    page.click(button("Attach it as a document"))
    page.wait("document.querySelectorAll('#attached li:not(.sending)').length === 1", "the file")
    assert "25 kB" in text(page, "#attached")
    assert page.evaluate("document.getElementById('question').value") == "Who made it?"


def pasting(words: str) -> str:
    """Return a script that pastes into the question's field."""
    data = f"const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', {json.dumps(words)});"
    event = "new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })"
    return f"(() => {{ {data} document.getElementById('question').dispatchEvent({event}); }})()"
