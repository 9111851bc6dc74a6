"""`leadline watch`: what is new on a report's question since the run, and since the last check."""

import re
import shutil
from pathlib import Path

from leadline import research
from tests.fakes.site import Site
from tests.leadline.conftest import Leadline
from tests.leadline.runs.conftest import Checked, article, found

QUESTION = "Where was the designer of the wire sounding machine born?"
PIANO = "Who first sounded with piano wire?"
WALSH = "Lieutenant Walsh first sounded with piano wire from the schooner Taney in 1849."


def test_nothing_new_is_one_line(docs: Path, leadline: Leadline) -> None:
    run_id = research(PIANO, docs=[docs], out="out").run_id
    ran = leadline("watch", run_id, code=0)
    assert ran.out.startswith("Nothing new since ")
    assert ran.out.count("\n") == 1
    assert not list(Path("out").glob("*/watch.md"))


def test_a_new_document_is_quoted_once(docs: Path, checked: Checked) -> None:
    run_id = research(PIANO, docs=[docs], out="out").run_id
    (docs / "walsh.md").write_text(f"# Wire before Thomson\n\nPublished: 2026-11-24\n\n{WALSH}\n")
    [finding] = checked(run_id)["findings"]
    assert (finding["quote"], finding["published"]) == (WALSH, "2026-11-24")
    assert WALSH in next(Path("out").glob("*/watch.md")).read_text("utf-8")
    assert checked(run_id)["findings"] == []


def test_a_new_document_on_something_else_is_not_news(docs: Path, leadline: Leadline) -> None:
    run_id = research(PIANO, docs=[docs]).run_id
    (docs / "cheese.md").write_text("# Cheese\n\nThe museum of cheese opens at nine and closes at five.\n")
    assert "Nothing new" in leadline("watch", run_id).out


def test_a_document_that_the_run_passed_over_is_not_news(docs: Path, checked: Checked) -> None:
    for number in range(30):
        (docs / f"wire-{number}.md").write_text(
            f"# Ship {number}\n\nShip {number} sounded with piano wire in {1900 + number}.\n"
        )
    run_id = research(PIANO, docs=[docs], depth="quick").run_id
    assert checked(run_id)["findings"] == []


def test_what_was_added_to_a_known_document_is_news_and_what_stood_there_is_not(docs: Path, checked: Checked) -> None:
    run_id = research(PIANO, docs=[docs]).run_id
    thomson = docs / "thomson.md"
    thomson.write_text(f"{thomson.read_text()}\n\n## Before Thomson\n\n{WALSH}\n")
    assert [finding["quote"] for finding in checked(run_id)["findings"]] == [WALSH]


def test_another_figure_is_told_once(docs: Path, leadline: Leadline) -> None:
    run_id = research(QUESTION, docs=[docs], out="out").run_id
    thomson = docs / "thomson.md"
    thomson.write_text(thomson.read_text().replace("1824", "1842"))
    ran = leadline("watch", run_id, code=1)
    assert "## Changed figures" in ran.out
    assert "now: “William Thomson was born in Belfast in 1842." in ran.out
    told = leadline("watch", run_id)
    assert (told.code, told.out.startswith("Nothing new")) == (0, True)
    assert re.search(r"Statements that failed earlier and still do not hold: [1-9]", told.out)
    thomson.write_text(thomson.read_text().replace("1842", "1824"))
    again = leadline("watch", run_id, code=0)
    assert "## Hold again" in again.out


def test_old_news_stay_in_the_file_and_are_not_told_again(tmp_path: Path, checked: Checked) -> None:
    folder = tmp_path / "dams"
    folder.mkdir()
    dam = folder / "dam.md"
    dam.write_text("# Kessan dam\n\nThe dam is 61 metres high.\n")
    run_id = research("How high is the Kessan dam?", docs=[folder], out="out").run_id
    dam.write_text("# Kessan dam\n\nThe dam is 64 metres high.\n")
    assert checked(run_id, code=1)["other_figures"]
    survey = "The Kessan dam is 66 metres high, a survey found."
    (folder / "survey.md").write_text(f"{survey}\n")
    assert [finding["quote"] for finding in checked(run_id)["findings"]] == [survey]
    news = next(Path("out").glob("*/watch.md")).read_text("utf-8")
    assert news.count("# How high is the Kessan dam?") == 1
    assert news.index(survey) < news.index("\n---\n") < news.index("64 metres")
    assert "61 metres" in news
    (folder / "survey.md").write_text(f"{survey} It was in May.\n")
    assert survey not in [finding["quote"] for finding in checked(run_id)["findings"]]


def test_a_source_that_is_gone_is_told_with_its_claims(docs: Path, leadline: Leadline) -> None:
    run_id = research(QUESTION, docs=[docs]).run_id
    (docs / "thomson.md").unlink()
    ran = leadline("watch", run_id, code=1)
    assert "## Sources that can no longer be read" in ran.out
    assert "## No longer supported by their sources" in ran.out


def test_a_chinese_report_is_told_of_in_chinese(tmp_path: Path, leadline: Leadline) -> None:
    folder = tmp_path / "文件"
    folder.mkdir()
    (folder / "测深.md").write_text("# 测深\n\n1872年，汤姆森首次用钢琴线测量海深。\n")
    run_id = research("谁首次用钢琴线测量海深？", docs=[folder]).run_id
    assert leadline("watch", run_id).out.startswith("自 ")
    (folder / "测深.md").write_text("# 测深\n\n1874年，汤姆森首次用钢琴线测量海深。\n")
    ran = leadline("watch", run_id, code=1)
    assert "## 数字有变" in ran.out
    assert "\n  - 现为：“1874年，汤姆森首次用钢琴线测量海深。”" in ran.out
    assert "钢琴线测量海深。 [1]\n" in ran.out


def test_only_pages_that_are_new_are_read(checked: Checked, pages: Site) -> None:
    first = "The first tide predicting machine was designed by William Thomson and built in 1873."
    later = "The first tide predicting machine was designed by William Thomson with Edward Roberts in 1872."
    one = pages.page("/machine", article("Tide predicting machines", first))
    two = pages.page("/archive", article("The archive's letters", later))
    found(pages, (one, "Tide machines", "In short."))
    run_id = research("Who designed the tide predicting machine and in which year?", search="duckduckgo").run_id
    found(pages, (one, "Tide machines", "In short."), (two, "Letters", "Short."))
    pages.asked.clear()
    news = checked(run_id)["findings"]
    assert later in {finding["quote"] for finding in news}
    assert {finding["url"] for finding in news} == {two}
    assert (pages.asked.count("/machine"), pages.asked.count("/archive")) == (1, 1)
    pages.asked.clear()
    assert checked(run_id)["findings"] == []
    assert "/archive" not in pages.asked


def test_a_run_that_there_is_not_and_a_folder_that_is_gone_are_bad_input(docs: Path, leadline: Leadline) -> None:
    assert leadline("watch", "no-such-run").code == 2
    run_id = research(PIANO, docs=[docs]).run_id
    shutil.rmtree(docs)
    ran = leadline("watch", run_id, code=2)
    assert "of this run does not exist. Put it back" in ran.err
    assert str(docs.name) in ran.err
