"""`leadline report` and `--format`: files of a finished run, made from what is stored, and clear words where one cannot be made."""

import re
from pathlib import Path

import pytest

from leadline import research
from schemas.reporter import Report
from services.run.installation import install_command
from tests.leadline.cli.test_cli import QUESTION
from tests.leadline.conftest import Leadline

FOLDER = Path("out/where-was-the-designer-of-the-wire-sounding-machine-born")


def run_of(leadline: Leadline) -> str:
    return leadline("runs").out.split()[0]


def test_research_writes_the_formats_that_were_asked_for(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs, "--format", "md,html,slides")
    assert ran.code == 0
    assert {"report.md", "report.html", "slides.html", "evidence.json"} <= {path.name for path in FOLDER.iterdir()}
    assert f"{FOLDER / 'report.html'}" in ran.err
    page = (FOLDER / "report.html").read_text()
    assert "William Thomson was born in Belfast in 1824." in page
    assert re.search(r"(?:src|href)=\"(?!#|sources/)", page) is None
    assert leadline("verify", FOLDER).code == 0


def test_report_makes_files_of_a_finished_run_later(leadline: Leadline, docs: Path, tmp_path: Path) -> None:
    leadline("research", QUESTION, "--docs", docs)
    markdown = (FOLDER / "report.md").read_text()
    ran = leadline("report", run_of(leadline), "--format", "html,md")
    assert ran.out.split() == [str(FOLDER / "report.html"), str(FOLDER / "report.md")]
    assert (FOLDER / "report.md").read_text() == markdown
    elsewhere = leadline("report", run_of(leadline), "--out", tmp_path / "other")
    assert elsewhere.out.strip().endswith("report.html")
    assert leadline("verify", Path(elsewhere.out.strip()).parent).code == 0


def test_report_asks_for_a_finished_run_and_a_known_format(leadline: Leadline) -> None:
    assert leadline("report", "nothing").code == 2
    ran = leadline("report", "nothing", "--format", "odt")
    assert ran.code == 2
    assert "There is no format 'odt'. Choose from: md, html, slides, pptx, docx, pdf." in ran.err


def test_a_format_whose_package_is_missing_is_refused_before_the_work(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.reports.formats.is_installed", lambda name: name != "pptx")
    ran = leadline("research", QUESTION, "--docs", docs, "--format", "pptx")
    assert ran.code == 1
    assert install_command("formats") in ran.err
    assert leadline("runs").out == ""


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(docs: Path) -> None:
    shown = research(QUESTION, docs=[docs])._repr_html_()
    assert shown is not None
    assert shown.startswith("<iframe")
    assert 'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"' in shown
    assert "<script" not in shown
    assert Report(title="", markdown="Hello!", direct=True)._repr_html_() is None
