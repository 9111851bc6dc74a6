"""The command line: the report on stdout, progress on stderr, exit codes, and one clear message for bad input."""

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from services.models import answer_watch, attempts
from services.run.settings import forget_settings
from services.search import folder_reading
from tests.leadline.conftest import Leadline

QUESTION = "Where was the designer of the wire sounding machine born?"


def test_research_prints_the_report_and_writes_its_folder(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs, code=0)
    assert ran.out.startswith("# ")
    assert "Belfast" in ran.out
    assert "Step 1" in ran.err
    folder = Path("out/where-was-the-designer-of-the-wire-sounding-machine-born")
    assert (folder / "report.md").read_text() == ran.out.removesuffix("\n")
    assert leadline("verify", folder).code == 0


@pytest.mark.parametrize(
    ("question", "again"),
    [
        (QUESTION, r"asking the model again(?: in \d s)?: the endpoint was not reached"),
        ("测深机是谁发明的？", r"(?:\d 秒后)?再次请求模型：未能连接到端点"),
    ],
)
def test_a_call_to_an_endpoint_that_cannot_be_reached_says_in_words_why_it_is_made_again(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch, question: str, again: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    monkeypatch.setattr(attempts, "FIRST_PAUSE", 1.0)
    monkeypatch.setattr(attempts, "UNREACHED", 2)
    forget_settings()
    ran = leadline("research", question, "--docs", docs, code=1)
    assert len(re.findall(again, " ".join(ran.err.split()))) == 2
    assert "OPENAI_BASE_URL" in ran.err


def test_a_report_that_somebody_edited_is_left_alone(leadline: Leadline, docs: Path) -> None:
    folder = Path("out/where-was-the-designer-of-the-wire-sounding-machine-born")
    for _ in range(2):
        assert leadline("research", QUESTION, "--docs", docs, "--quick", "--format", "html").code == 0
    assert [path.name for path in Path("out").iterdir()] == [folder.name]
    (folder / "report.md").write_text("# My notes\n")
    assert leadline("research", QUESTION, "--docs", docs, "--quick").code == 0
    assert (folder / "report.md").read_text() == "# My notes\n"
    second = folder.with_name(f"{folder.name}-2")
    (second / "report.docx").write_bytes(b"edited")
    assert leadline("research", QUESTION, "--docs", docs, "--quick").code == 0
    assert (second / "report.docx").read_bytes() == b"edited"
    assert (folder.with_name(f"{folder.name}-3") / "report.md").exists()


def test_the_folder_of_documents_may_be_below_the_home_folder(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(docs.parent))
    monkeypatch.setenv("LEADLINE_DOCS", f"~/{docs.name}")
    assert "Belfast" in leadline("research", QUESTION, "--quick").out


@pytest.mark.parametrize("option", [(), ("--events",)])
def test_it_is_told_how_many_files_of_a_folder_are_read(
    leadline: Leadline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    monkeypatch.setattr(folder_reading, "FIRST_REPORT", 0.0)  # however fast the machine reads
    monkeypatch.setattr(folder_reading, "REPORT_EVERY", 0.01)
    folder = tmp_path / "casts"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number}.md").write_text(f"# Cast {number}\n\nThe line of cast {number} ran out.")
    ran = leadline("research", "When did cast 7 run out?", "--docs", folder, *option)
    events = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    lines = [event["title"] for event in events if event["type"] == "reading"] if option else ran.err.splitlines()
    assert any(re.search(r"Reading \d{1,3} of 300 files", line) for line in lines)


def test_without_a_model_nobody_waits_for_one(leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_watch, "REPORT_EVERY", 0.0)
    assert "the model" not in leadline("research", QUESTION, "--docs", docs, "--quick").err


def test_a_checkout_is_searched_as_it_is_and_kinds_that_are_not_read_are_counted(
    leadline: Leadline, tmp_path: Path
) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "pep-0900.rst").write_text(
        "PEP: 900\nTitle: Sounding Wire\n\nAbstract\n========\n\nPiano wire replaced hemp rope aboard the Blake in 1874.\n"
    )
    for name in ("a.bin", "b.bin", "c.zip", "CODEOWNERS"):
        (folder / name).write_bytes(b"\0")
    ran = leadline("research", "When did piano wire replace hemp rope aboard the Blake?", "--docs", folder, "--quick")
    assert ran.code == 0
    assert "1874" in ran.out
    assert "were not read (4 in all): .bin (2), no extension (1), .zip (1)" in ran.out


def test_nothing_found_has_an_exit_code_of_its_own(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_SEARCH", "none")
    ran = leadline("research", QUESTION, "--docs", docs, code=3)
    assert "No evidence was found" in ran.out


def test_runs_lists_what_was_run(leadline: Leadline, docs: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick")
    leadline(
        "research", "威廉·汤姆森设计的钢丝测深机在哪里首次试用，为什么在铅锤的凹槽里填牛脂？", "--docs", docs, "--quick"
    )
    ran = leadline("runs")
    assert "done" in ran.out
    assert QUESTION[:30] in ran.out
    assert max(map(cell_len, ran.out.splitlines())) <= 80
    assert [run["question"] for run in json.loads(leadline("runs", "--json").out)][1] == QUESTION


def test_a_review_is_read_from_the_terminal(leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["also cover Lord Kelvin\n", "\n"])
    monkeypatch.setattr("sys.stdin", type("Typed", (), {"readline": lambda self: next(answers)})())
    ran = leadline(
        "research", "Who designed the wire sounding machine and why was tallow used?", "--docs", docs, "--review"
    )
    assert ran.code == 0
    assert ran.err.count("Enter = accept") == 2
    assert "Kelvin" in ran.err
