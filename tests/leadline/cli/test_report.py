"""`leadline runs export` and `--format`: files of a finished run, made from what is stored, and clear words where one cannot be made."""

import asyncio
import re
from pathlib import Path

import pytest

from leadline import research
from leadline.runs.actions import awatch
from leadline.runs.run_ids import evidence_in
from schemas.reporter import Report
from services.run.installation import install_command
from services.run.settings import forget_settings
from tests.leadline.cli.test_cli import QUESTION
from tests.leadline.conftest import Leadline

FOLDER = Path("out/where-was-the-designer-of-the-wire-sounding-machine-born")


def run_of(leadline: Leadline) -> str:
    return leadline("runs").out.split()[0]


def test_research_writes_the_formats_that_were_asked_for(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs, "--quick", "--format", "md,html,slides", code=0)
    assert {"report.md", "report.html", "slides.html", "evidence.json"} <= {path.name for path in FOLDER.iterdir()}
    assert f"{FOLDER / 'report.html'}" in ran.err
    page = (FOLDER / "report.html").read_text()
    assert "William Thomson was born in Belfast in 1824." in page
    assert re.search(r"(?:src|href)=\"(?!#|sources/)", page) is None
    assert leadline("verify", FOLDER).code == 0


def test_report_makes_files_of_a_finished_run_later(leadline: Leadline, docs: Path, tmp_path: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick")
    markdown = (FOLDER / "report.md").read_text()
    ran = leadline("runs", "export", run_of(leadline), "--format", "html,md")
    assert ran.out.split() == [str(FOLDER / "report.html"), str(FOLDER / "report.md")]
    assert (FOLDER / "report.md").read_text() == markdown
    elsewhere = leadline("runs", "export", run_of(leadline), "--out", tmp_path / "other")
    assert elsewhere.out.strip().endswith("report.html")
    assert leadline("verify", Path(elsewhere.out.strip()).parent).code == 0


def test_an_export_that_cannot_be_written_is_repeated_and_asks_no_question_again(
    leadline: Leadline, docs: Path
) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick", code=0)
    (FOLDER / "report.html").mkdir()
    ran = leadline("runs", "export", code=1)
    assert "cannot be written" in ran.err
    assert "repeat the command" in ran.err
    assert "ask again" not in ran.err


def test_a_folder_never_holds_files_of_two_runs(leadline: Leadline, docs: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick", "--format", "md,html,csl")
    earlier = run_of(leadline)
    leadline("research", QUESTION, "--docs", docs, "--quick")
    assert {path.name for path in FOLDER.iterdir()} == {"report.md", "evidence.json", "sources"}
    assert "report.md" not in leadline("runs", "show", earlier).out
    assert leadline("runs", "export", earlier, "--format", "html").out.split() == [f"{FOLDER}-2/report.html"]
    assert leadline("runs", "replay", earlier).code == 0
    assert [evidence_in(folder)["run_id"] == earlier for folder in (FOLDER, Path(f"{FOLDER}-2"))] == [False, True]
    assert asyncio.run(awatch(earlier))[1] is None
    assert not (FOLDER / "report.html").exists()
    assert leadline("verify", f"{FOLDER}-2").code == leadline("verify", FOLDER).code == 0


def test_a_run_that_finds_nothing_replaces_no_report_that_shows_evidence(leadline: Leadline, docs: Path) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick", "--format", "csl", code=0)
    Path("other").mkdir()
    Path("other", "kettle.md").write_text("The kettle was red.\n")
    ran = leadline("research", QUESTION, "--docs", "other", "--quick", code=3)
    assert "Nothing was found." in ran.err
    assert f"Written to {FOLDER}-2" in ran.err
    assert (FOLDER / "references.json").exists()
    assert [line.split("  ")[1] for line in leadline("runs").out.splitlines()] == ["no evidence", "done"]


def test_what_research_prints_last_can_be_typed_and_the_folder_names_the_run(leadline: Leadline, docs: Path) -> None:
    told = leadline("research", QUESTION, "--docs", docs, "--quick").err
    for hint in (f"leadline verify {FOLDER}", f"leadline runs export {FOLDER} --format html,slides"):
        assert hint in told
        assert leadline(*hint.split()[1:]).code == 0
    for command in (
        ("runs", "show", FOLDER),
        ("runs", "show", f"{FOLDER}/", "--calls"),
        ("watch", FOLDER.absolute()),
        ("follow", FOLDER, "Where did he die?"),
        ("verify", FOLDER, "--version", 1),
        ("runs", "replay", FOLDER),
    ):
        ran = leadline(*command)
        assert ran.code == 0, (command, ran.err)
    assert "cannot get any shorter" in leadline("revise", FOLDER, "--shorter").err
    told = leadline("research", QUESTION, "--docs", docs, "--quick", "--format", "html").err
    assert f"leadline verify {FOLDER}\n  {FOLDER}/report.html\n" in told
    assert "runs export" not in told, "there is a page already"
    assert len(leadline("runs").out.splitlines()) == 3


def test_a_folder_whose_run_is_elsewhere_is_shown_and_exported_and_says_what_it_cannot(leadline: Leadline) -> None:
    leadline("demo", "--seconds", "0")
    folder = "out/challenger-deep"
    ran = leadline("runs", "export", folder, "--format", "md,html,slides", code=0)
    assert ran.out.split() == [f"{folder}/{name}" for name in ("report.md", "report.html", "slides.html")]
    page = Path(folder, "report.html").read_text()
    assert "Challenger Deep" in page
    assert page.count("<q>") > 100
    assert page.count('class="said inferred"') == 15
    assert leadline("verify", folder).code == 0
    [copied] = leadline("runs", "export", folder, "--out", "elsewhere", code=0).out.split()
    assert sorted(path.name for path in Path(copied).parent.iterdir()) == [
        "evidence.json",
        "report.html",
        "report.md",
        "sources",
    ]
    assert leadline("verify", str(Path(copied).parent)).code == 0
    shown = leadline("runs", "show", folder, code=0).out
    assert re.search(
        r"(?s)^Question: .*\nAnswer: .*\nSources: 14.*\nFiles: out/challenger-deep \(evidence.json, ", shown
    )
    for command in (
        ("revise", folder, "Shorter"),
        ("runs", "replay", folder),
        ("resume", folder),
        ("follow", folder, "Why?"),
    ):
        ran = leadline(*command, code=2)
        assert (
            f"is not on this machine, so only what the folder holds can be used: leadline runs show {folder}" in ran.err
        )


def test_a_folder_from_elsewhere_with_a_name_that_leads_outside_is_not_copied(leadline: Leadline) -> None:
    leadline("demo", "--seconds", "0")
    evidence = Path("out/challenger-deep/evidence.json")
    evidence.write_text(evidence.read_text().replace('"sources/01-', '"sources/../../01-', 1))
    ran = leadline("runs", "export", "out/challenger-deep", "--out", "elsewhere", code=2)
    assert "is not where its text lies" in ran.err
    assert not [*Path("elsewhere").iterdir()]


def test_a_folder_from_elsewhere_without_a_model_says_so(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_MODEL", "offline")
    leadline("research", QUESTION, "--docs", docs, "--quick", code=0)
    here = leadline("runs", "show", FOLDER).out
    monkeypatch.setenv("LEADLINE_HOME", "another")
    forget_settings()
    assert leadline("runs", "show", FOLDER).out == here


def test_formats_that_can_be_made_are_and_the_missing_one_is_named(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick", code=0)
    monkeypatch.setattr("services.reports.formats.is_installed", lambda name: name != "pypandoc")
    ran = leadline("runs", "export", "--format", "docx,html", code=1)
    assert ran.out.split() == [str(FOLDER / "report.html")]
    assert ran.err.startswith("leadline: The format docx needs the package")
    assert install_command("formats") in ran.err


def test_a_format_whose_package_is_missing_is_refused_before_the_work(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.reports.formats.is_installed", lambda name: name != "pptx")
    ran = leadline("research", QUESTION, "--docs", docs, "--quick", "--format", "pptx", code=1)
    assert install_command("formats") in ran.err
    assert leadline("runs").out == ""


def test_a_report_is_one_line_where_it_is_named_and_reads_well_where_it_is_printed(docs: Path) -> None:
    report = research(QUESTION, docs=[docs], search="documents")
    assert repr(report).startswith(f"Report({report.title!r}, ")
    assert f"run_id={report.run_id!r}" in repr(report)
    assert "\n" not in repr(report) + repr(report.plans[0])
    assert "](" not in str(report)
    assert " [1]" in str(report)


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(docs: Path) -> None:
    shown = research(QUESTION, docs=[docs], depth="quick")._repr_html_()
    assert shown is not None
    text, _, frame = shown.partition("<iframe ")
    assert frame
    assert text.startswith("<style>.leadline-text { display: none }</style>"), (
        "GitHub shows the text, and neither style nor frame"
    )
    assert "<h2>References</h2>" in text
    assert "Thomson" in text
    assert 'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"' in shown
    assert "<script" not in shown
    assert Report(title="", markdown="Hello!", direct=True)._repr_html_() is None
