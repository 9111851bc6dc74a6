"""Whatever is wrong with what a person gives: one message that says what to do, the right exit code, nothing on stdout."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer
from tests.leadline.conftest import Leadline, python

QUESTION = "Where was the designer of the wire sounding machine born?"
TABLE: dict[str, tuple[list[str], str]] = {
    "a file of documents": (
        ["research", QUESTION, "--docs", "file.txt"],
        "is a file, not a folder. Name an existing folder with --docs",
    ),
    "an unknown format": (
        ["research", QUESTION, "--format", "odt"],
        "Choose from: md, html, slides, pptx, docx, pdf, csl.",
    ),
    "an unknown depth": (["research", QUESTION, "--depth", "abyss"], "'quick', 'standard', 'deep', 'exhaustive'"),
    "an unknown kind to prefer": (
        ["research", QUESTION, "--prefer-kinds", "news,blog"],
        "--prefer-kinds cannot be 'blog': Input should be 'academic'",
    ),
    "a wish that there is not": (
        ["research", QUESTION, "--wish", "colour=red"],
        "wishes.colour. Choose from: shape, columns",
    ),
    "a wish for a day that is none": (["research", QUESTION, "--wish", "after=abc"], "write a day as 2024-05-31"),
    "an unknown search": (["research", QUESTION, "--search", "gopher"], "duckduckgo"),
    "a search without its key": (["research", QUESTION, "--search", "tavily"], "TAVILY_API_KEY"),
    "no seconds": (
        ["research", QUESTION, "--max-seconds", "-3"],
        "--max-seconds cannot be -3: it must be from 5 to 86,400.",
    ),
    "a blank question": (["research", "  "], "empty"),
    "a question that is a document": (["research", "deep " * 20_000], "--docs"),
    "a missing folder": (["research", QUESTION, "--docs", "nowhere"], "does not exist"),
    "an empty folder": (["research", QUESTION, "--docs", "empty"], "no documents"),
    "folders where nothing is searched": (
        ["research", QUESTION, "--docs", "empty", "--search", "none"],
        "choose documents",
    ),
    "an unknown locale": (["research", QUESTION, "--locale", "xx-klingon"], "locale"),
    "a missing profile": (["research", QUESTION, "--profile", "no.yaml"], "No such file"),
    "an unknown run to resume": (["resume", "20000101-000000-abcdef"], "no run"),
    "nothing to resume": (["resume"], "no unfinished run"),
    "an unknown option": (["research", QUESTION, "--no-such"], "--no-such"),
    "no question at all": (["research"], "The question is empty. Ask something, for example: "),
    "a command of runs that there is not": (["runs", "list"], "Without one it lists the runs: leadline runs"),
    "a folder that cannot be written": (["research", QUESTION, "--out", "/proc/nowhere"], "--out"),
    "an unknown run to show": (["runs", "show", "2000"], "leadline runs"),
    "nothing to show": (["runs", "show"], "no runs yet"),
    "an unknown format of a report": (["runs", "export", "--format", "html,nonsense"], "nonsense"),
    "a report in an unwritable place": (["runs", "export", "--out", "/proc/nowhere"], "--out"),
    "a report to verify that is missing": (["verify", "nowhere"], "evidence.json"),
    "a report to verify that is none": (["verify", "empty"], "evidence.json"),
    "prompts that are missing": (["eval", "set.json", "--docs", "empty", "--prompts", "nowhere"], "nowhere"),
    "an endpoint that is no address": (["init", "--endpoint", "localhost", "--model", "m"], "http://"),
    "a provider that nobody knows": (["init", "--provider", "hal"], "openai"),
    "an init with nobody to ask": (["init"], "--provider"),
    "an init without its key": (["init", "--provider", "openai"], "OPENAI_API_KEY"),
    "documents that are links in a circle": (["research", QUESTION, "--docs", "circle"], "does not exist"),
    "a profile that is a pipe": (["research", QUESTION, "--profile", "pipe"], "it is a pipe, not a file"),
    "a profile that is a device": (["research", QUESTION, "--profile", "device"], "it is a device, not a file"),
    "a profile without an end": (["research", QUESTION, "--profile", "huge"], "it is larger than 1,000,000 bytes"),
    "a set that is missing": (["eval", "nowhere.jsonl"], "nowhere.jsonl"),
    "too many settings of a set": (["eval", "set.json", *(f"--model=m{one}" for one in range(30))], "at most 24"),
    "an unknown search of a set": (["eval", "set.json", "--search", "documents", "--search", "nosuch"], "nosuch"),
    "an impossible limit of a set": (["eval", "set.json", "--max-tokens", "1"], "--max-tokens cannot be 1"),
    "an unknown run to follow": (["follow", "20000101", "Why?"], "leadline runs"),
    "nothing to follow": (["follow", "1"], "leadline research"),
    "a set that is a pipe": (["eval", "pipe"], "it is a pipe, not a file"),
    "prompts that are a pipe": (["eval", "set.json", "--docs", "empty", "--prompts", "prompts"], "it is a pipe"),
    "a report to verify with a pipe": (["verify", "hostile/pipe"], "report.md cannot be read (it is a pipe"),
    "a report to verify with a device": (["verify", "hostile/device"], "report.md cannot be read (it lies outside"),
    "a report to verify in a circle": (["verify", "hostile/circle"], "report.md cannot be read (Too many levels"),
    "a text with a pipe for its evidence": (["verify", "file.txt", "--bundle", "hostile/evidence"], "it is a pipe"),
}


@pytest.fixture
def around() -> Iterator[None]:
    Path("empty").mkdir()
    Path("file.txt").write_text("plain\n")
    Path("set.json").write_text(json.dumps([{"id": "a", "question": "x?"}]))
    Path("huge").write_bytes(b"#" * 1_000_001)
    make_hostile_files()
    yield
    assert not Path(".env").exists()


def make_hostile_files() -> None:
    """Make pipes that nobody writes to, a link to a device, and links in a circle, some of them in a report's folder."""
    folders = {name: Path("hostile", name) for name in ("pipe", "device", "circle", "evidence")}
    for folder in (*folders.values(), Path("prompts")):
        folder.mkdir(parents=True)
    for pipe in ("pipe", "prompts/planner.md", "hostile/pipe/report.md", "hostile/evidence/evidence.json"):
        os.mkfifo(pipe)
    for device in (Path("device"), folders["device"] / "report.md"):
        device.symlink_to("/dev/zero")
    for circle in (Path("circle"), folders["circle"] / "report.md"):
        circle.symlink_to(circle.name)
    (folders["evidence"] / "report.md").touch()


@pytest.mark.parametrize(("arguments", "message"), TABLE.values(), ids=TABLE.keys())
@pytest.mark.usefixtures("around")
def test_it_is_one_clear_message(leadline: Leadline, arguments: list[str], message: str) -> None:
    ran = leadline(*arguments, code=2)
    assert message in " ".join(ran.err.replace("│", " ").split())
    assert "Value error" not in ran.err
    assert "Researching" not in ran.err
    assert "unexpected" not in ran.err.replace("unexpected extra", "")
    assert ran.out == ""


def test_a_chinese_question_about_folders_that_are_not_there_is_answered_in_chinese(leadline: Leadline) -> None:
    Path("void").mkdir()
    for folder, said in (("nowhere", "文档文件夹 nowhere 不存在。"), ("void", "void 中没有可读取的文档。")):
        ran = leadline("research", "北海市有多少充电桩？", "--docs", folder, code=2)
        assert f"leadline: {said}" in ran.err


def test_runs_speak_the_language_of_the_run_or_else_of_the_terminal(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert leadline("research", "蒸汽船有多少艘？", "--docs", docs, "--quick").code in {0, 3}
    assert "第 9 版" in leadline("runs", "export", "--version", "9").err
    docs.rename("elsewhere")
    assert f"文档文件夹 {docs} 不存在" in leadline("watch").err
    assert "There is no run 'abc'" in leadline("runs", "show", "abc").err
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有名为 'abc' 的研究" in leadline("runs", "show", "abc").err


def test_a_wrong_key_is_named(endpoint: OpenAIServer, leadline: Leadline, docs: Path) -> None:
    endpoint.key = "another"
    ran = leadline("research", QUESTION, "--docs", docs, code=1)
    assert "key" in ran.err
    assert leadline("doctor", "--models").code == 1


@pytest.mark.parametrize("command", [["research", QUESTION], ["runs"], ["resume"]])
def test_a_home_that_cannot_be_made_is_named(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    Path("file.txt").touch()
    monkeypatch.setenv("LEADLINE_HOME", "file.txt/home")
    ran = leadline(*command, code=1)
    assert "Name a folder in LEADLINE_HOME" in ran.err
    assert "Make room" not in ran.err


@pytest.mark.parametrize("setting", ["LEADLINE_MCP", "LEADLINE_SEARCH_SERVICES"])
def test_a_setting_that_names_no_such_file_is_named_before_any_work(
    endpoint: OpenAIServer, leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    Path("file.txt").write_text("plain\n")
    monkeypatch.setenv(setting, "file.txt")
    forget_settings()
    ran = leadline("research", QUESTION, "--docs", docs, code=1)
    assert setting in ran.err
    assert not endpoint.requests


def test_a_narrow_terminal_shows_some_of_each_question(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick")
    monkeypatch.setenv("COLUMNS", "40")
    assert "Where was the designer" in leadline("runs").out


def test_a_beginning_that_several_runs_share_is_not_guessed(leadline: Leadline, docs: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick")
    leadline("research", QUESTION, "--docs", docs, "--quick")
    ran = leadline("runs", "show", "20", code=2)
    assert "2 runs" in ran.err


def _shell(command: str) -> subprocess.CompletedProcess[bytes]:
    command = command.replace("leadline", f"{sys.executable} -m leadline").replace("QUESTION", f"'{QUESTION}'")
    return subprocess.run(["bash", "-c", command], capture_output=True, timeout=100, check=False)


def test_a_reader_who_leaves_early_is_no_error(leadline: Leadline, docs: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick")
    done = _shell("leadline runs --json | true; echo ${PIPESTATUS[0]}")
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
    assert done.stdout.strip() in {b"0", b"141"}


def test_a_run_whose_reader_leaves_is_interrupted(leadline: Leadline, docs: Path) -> None:
    done = _shell(f"leadline research QUESTION --docs {docs} 2>&1 | head -1; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.split()[-1] == b"141"
    assert "interrupted" in leadline("runs").out


@pytest.mark.parametrize("stream", [">&-", ">/dev/full", "2>&-", "2>/dev/full"])
def test_a_report_is_written_also_where_a_stream_takes_nothing(docs: Path, stream: str) -> None:
    done = _shell(f"leadline research QUESTION --docs {docs} --quick {stream}")
    assert len(list(Path("out").glob("*/report.md"))) == 1
    assert b"unexpected" not in done.stderr
    full = stream == ">/dev/full"
    assert (done.returncode == 1) == full, done.stderr
    assert (b"Standard output cannot be written (No space left on device)" in done.stderr) == full


@pytest.mark.parametrize(
    "command",
    [r"printf 'caf\xe9' | leadline research -", r"leadline revise $'caf\xe9'"],
)
def test_a_text_that_is_not_utf_8_is_refused(command: str) -> None:
    done = _shell(command)
    assert done.returncode == 2
    assert b"not UTF-8" in done.stderr
    assert b"unexpected" not in done.stderr


def test_a_terminal_that_cannot_show_chinese_gets_question_marks(docs: Path) -> None:
    done = _shell(f"PYTHONIOENCODING=latin-1 leadline research 威廉·汤姆森何时受封为爵士？ --docs {docs} --quick")
    assert done.returncode in {0, 3}, done.stderr
    assert b"?" in done.stdout


def test_who_interrupts_a_command_sees_one_word() -> None:
    begun = "import signal; from leadline.__main__ import main; from leadline.cli import app; "
    begun += "signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell's background process ignores it
    at_once = "app.app = lambda: signal.raise_signal(signal.SIGINT); main()"
    ran = python("-c", f"{begun}{at_once}")
    assert ran.returncode == 130
    assert not ran.stdout
    assert ran.stderr.split() == ["leadline:", "Interrupted."]


def test_who_interrupts_before_the_run_is_stored_is_not_told_to_resume(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr("leadline.api.carry_out", interrupted)
    ran = leadline("research", QUESTION, "--docs", docs, code=130)
    assert "Ask again" in ran.err
    assert "resume" not in ran.err


def test_a_folder_behind_that_of_docs_is_no_part_of_the_question(leadline: Leadline, docs: Path) -> None:
    Path("papers", "one").mkdir(parents=True)
    ran = leadline("research", "How", "deep?", "--docs", docs, "papers/one", code=2)
    assert "name each folder with an option of its own: --docs papers/one" in ran.err
    leadline("research", "What is in papers/one?", "--docs", docs, "--quick")
    assert Path("out").exists(), "a question in quotes may name a path"
    assert leadline("research", "Why", f"/{'x' * 5_000}", "--docs", docs, "--quick").code != 2
