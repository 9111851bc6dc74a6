"""Files that are still being sent: the question waits for them, and they stay with their thread, whatever is opened meanwhile."""

import json
import time
from pathlib import Path

import httpx
import pytest

from leadline.server.attachments import MAX_FILES
from tests.fakes.browser import PATIENCE, Page
from tests.pages.conftest import IN_SIGHT, QUESTION, SIMPLE, Site, ask, button, opened, report_text, status, text
from tests.pages.test_attachments import ASKED, NOTE, choose_files
from tests.services.run.test_ui_text import OF_A_COMMAND_LINE

FOLLOW_UP = "Where was William Thomson born?"
ARRIVED = "document.querySelector('#attached li') && !document.querySelector('#attached .sending')"


def hold(page: Page, method: str, path: str) -> None:
    """Let requests of a method to a path of this beginning wait until `letGo()` is called in the page."""
    page.evaluate(f"""(() => {{
        const send = window.fetch;
        const let_ = new Promise((go) => {{ window.letGo = go; }});
        window.fetch = async (path, options) => {{
            if (options?.method === '{method}' && path.startsWith('{path}')) await let_;
            return await send(path, options);
        }};
    }})()""")


def write(page: Page, question: str) -> None:
    """Write a question and send it with Enter."""
    page.click("document.getElementById('question')")
    page.write(question)
    page.press("Enter", 13, text="\r")


def send_slowly(page: Page, *files: Path) -> None:
    """Attach files that do not arrive until `letGo()` is called in the page."""
    hold(page, "PUT", "/attachments/")
    choose_files(page, *files)
    page.wait(f"document.querySelectorAll('#attached .sending').length === {len(files)}", "the files on their way")


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders at the question's field."""
    x, y = page.at("document.getElementById('composer')")
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)


def begun(page: Page) -> str:
    """Begin a thread, wait for its report, and return its id."""
    ask(page, SIMPLE)
    status(page, "done")
    report_text(page)
    return str(page.evaluate("new URL(location.href).searchParams.get('thread')"))


def answered(page: Page, ending: str) -> str:
    """Wait for the answer to an address that ends so, and return the address."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := [address for _, address in page.answers if address.endswith(ending)]:
            return found[0]
        page.evaluate("new Promise(done => setTimeout(done, 100))")
    raise AssertionError(f"no answer to {ending}")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    (tmp_path / "note.md").write_bytes(NOTE)
    return tmp_path / "note.md"


def test_a_question_waits_for_its_files(page: Page, site: Site, note: Path) -> None:
    opened(page, site.address)
    send_slowly(page, note)
    write(page, ASKED)
    page.wait(f"document.querySelector('#attached .waiting')?.innerText.endsWith({json.dumps(ASKED)})", "that it waits")
    write(page, "Sent a second time?")
    assert page.evaluate("document.getElementById('question').value") == "Sent a second time?"
    page.evaluate("letGo()")
    assert "Jesse Ramsden" in report_text(page)
    assert page.evaluate("document.querySelectorAll('.turn').length") == 1


def test_a_stopped_run_goes_on_with_the_files_that_are_on_their_way(
    page: Page, site: Site, note: Path, tmp_path: Path
) -> None:
    program = tmp_path / "run.exe"
    program.write_bytes(b"MZ\0")
    opened(page, site.address)
    site.model.hold_role("coordinator")
    ask(page, ASKED)
    page.click("document.getElementById('stop')")
    status(page, "stopped")
    site.model.release()
    send_slowly(page, program)
    page.click(button("Continue"))
    page.wait("document.querySelector('#attached .waiting')?.innerText.startsWith('Goes on when')", "that it waits")
    page.evaluate("letGo()")
    page.wait(f"!{button('Continue')}.disabled", "that the run has not gone on without the file")
    assert "cannot be read" in text(page, "#banner")
    status(page, "stopped")
    send_slowly(page, note)
    page.click(button("Continue"))
    page.wait("document.querySelector('#attached .waiting')", "that it waits")
    page.evaluate("letGo()")
    assert "Jesse Ramsden" in report_text(page)
    page.logged[:] = [one for one in page.logged if "415" not in one]  # the browser's own words


def test_a_question_is_not_asked_without_a_file_that_was_refused(page: Page, site: Site, tmp_path: Path) -> None:
    (tmp_path / "run.exe").write_bytes(b"MZ\0")
    opened(page, site.address)
    send_slowly(page, tmp_path / "run.exe")
    write(page, SIMPLE)
    page.wait("document.querySelector('#attached .waiting')", "that it waits")
    page.evaluate("letGo()")
    page.wait("document.getElementById('banner').innerText.includes('cannot be read')", "the refusal")
    assert not OF_A_COMMAND_LINE.search(text(page, "#banner"))
    page.wait(f"document.getElementById('question').value === {json.dumps(SIMPLE)}", "the question, to be sent again")
    assert page.evaluate("document.querySelector('.turn')") is None
    page.click("document.getElementById('send')")
    report_text(page)
    page.logged[:] = [one for one in page.logged if "415" not in one]  # the browser's own words


def test_files_go_to_the_thread_they_were_chosen_for(page: Page, site: Site, note: Path) -> None:
    second = note.with_name("second.txt")
    second.write_text("second")
    opened(page, site.address)
    thread = begun(page)
    page.click("document.getElementById('new-question')")
    send_slowly(page, note, second)
    page.click(f"document.querySelector('li[data-thread=\"{thread}\"] a')")
    report_text(page)
    page.evaluate("letGo()")
    assert thread not in answered(page, "/second.txt")
    assert httpx.get(f"{site.address}/attachments/{thread}", timeout=30).json()["files"] == []
    assert text(page, "#attached") == ""

    send_slowly(page, note, second)
    page.click("document.getElementById('new-question')")
    page.wait("document.getElementById('attached').hidden", "that a new question has no files")
    page.click(f"document.querySelector('li[data-thread=\"{thread}\"] a')")
    page.wait("document.querySelectorAll('#attached .sending').length === 2", "the files, still on their way")
    page.evaluate("letGo()")
    page.wait(f"{ARRIVED} && document.querySelectorAll('#attached li').length === 2", "both files")


def test_files_attached_after_the_first_question_are_read_for_the_next(page: Page, site: Site, note: Path) -> None:
    opened(page, site.address)
    thread = begun(page)
    choose_files(page, note)
    page.wait(ARRIVED, "the file")
    ask(page, ASKED)
    page.wait("document.querySelectorAll('.turn').length === 2", "the second turn")
    status(page, "done")
    assert "Jesse Ramsden" in report_text(page)
    assert page.evaluate("new URL(location.href).searchParams.get('thread')") == thread


def test_what_is_asked_after_another_thread_was_opened_goes_to_that_one(page: Page, site: Site) -> None:
    opened(page, site.address)
    thread = begun(page)
    page.click("document.getElementById('new-question')")
    hold(page, "POST", "/threads")
    write(page, ASKED)
    page.evaluate(f"document.querySelector('li[data-thread=\"{thread}\"] a').click()")
    report_text(page)
    page.evaluate("letGo()")
    page.wait(
        f"document.getElementById('run-list').innerText.includes({json.dumps(ASKED)})", "the thread that was left"
    )
    ask(page, FOLLOW_UP)
    status(page, "done")
    asked = [
        one["metadata"]["question"] for one in httpx.get(f"{site.address}/threads/{thread}/runs", timeout=30).json()
    ]
    assert asked == [FOLLOW_UP, SIMPLE]
    assert "step" not in str(page.evaluate("[...document.querySelectorAll('.facts')].at(-1).textContent"))


def test_folders_and_files_that_are_not_taken_are_named_in_the_page_s_language(
    page: Page, site: Site, note: Path
) -> None:
    folder, program = note.with_name("folder"), note.with_name("run.exe")
    folder.mkdir()
    program.write_bytes(b"MZ\0")
    opened(page, site.address)
    drop(page, folder)
    page.wait(
        "document.getElementById('banner').innerText.includes('Folders cannot be attached: folder')", "the folder"
    )
    page.evaluate("localStorage.setItem('leadline-language', 'zh')")
    page.reload()
    page.wait("document.querySelector('#run-list li') && document.documentElement.lang === 'zh-CN'", "the Chinese page")
    drop(page, folder, program, note)
    page.wait("document.querySelector('#banner:not([hidden])')", "what was not taken")
    assert text(page, "#banner span").splitlines() == [
        "无法添加文件夹：folder",
        "无法读取 run.exe。请附加文本、PDF、办公文档、HTML 或邮件文件。",
    ]
    assert "note.md" in text(page, "#attached")
    page.evaluate("localStorage.setItem('leadline-language', 'en')")
    page.logged[:] = [one for one in page.logged if "415" not in one]  # the browser's own words


def test_the_most_files_leave_room_for_the_report_and_more_are_named(page: Page, site: Site, tmp_path: Path) -> None:
    names = ["long-" * 20 + "name.txt", *(f"{number:02}.txt" for number in range(MAX_FILES + 1))]
    for name in names:
        (tmp_path / name).write_text("x")
    opened(page, site.address, width=390, height=844)
    begun(page)
    choose_files(page, *(tmp_path / name for name in names))
    page.wait("document.querySelector('#banner:not([hidden])')", "that these are too many")
    assert text(page, "#banner span") == f"A thread can have {MAX_FILES} files. Not attached: 49.txt, 50.txt"
    assert page.evaluate("document.querySelectorAll('#attached li').length") == MAX_FILES
    assert page.evaluate("document.querySelector('.dock').offsetHeight < innerHeight / 2")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click(button(f"Remove {names[0]}"))
    page.wait(f"document.querySelectorAll('#attached li').length === {MAX_FILES - 1}", "that one is gone")


def test_continue_is_not_below_the_files_of_the_thread(page: Page, site: Site, note: Path) -> None:
    opened(page, site.address, width=390, height=700)
    further = [note.with_name(f"{number}.md") for number in range(4)]
    for path in further:
        path.write_bytes(note.read_bytes())
    choose_files(page, note, *further)
    page.wait(f"{ARRIVED} && document.querySelectorAll('#attached li').length === 5", "the files")
    site.model.hold_role("reflector")
    ask(page, QUESTION)
    page.wait("document.querySelector('.node[data-node=reflector][data-state=running]')", "the reflector")
    page.click("document.getElementById('stop')")
    status(page, "stopped")
    site.model.release()
    for _ in range(2):
        page.wait(f"({IN_SIGHT})({button('Continue')})", "the button in sight")
        page.reload()
        page.wait("document.querySelectorAll('#attached li').length === 5", "the files again")
        page.wait(button("Continue"), "the button")
