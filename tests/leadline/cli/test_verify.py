"""`leadline verify` of articles: what could not be checked is not said to hold, and the missing file is named."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.leadline.conftest import Leadline
from tests.services.reports.full import bundle_of, chinese, english


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return asyncio.run(bundle_of(english(), tmp_path / "bundle"))


def test_what_cites_nothing_is_counted_except_the_reports_own_text(bundle: Path, leadline: Leadline) -> None:
    report = (bundle / "report.md").read_text("utf-8")
    cited = next(line for line in report.splitlines() if line.startswith("HMS Challenger II"))
    article = bundle / "notes.md"
    added = "The moon is made of cheese.\n\n## What else?\n\n**Weight**\n\nThe Trieste weighed 900 tons."
    article.write_text(f"{report}\n{cited} {added}\n\n| Ship | Year |\n|---|---|\n| Vitiaz | 1957 |\n", "utf-8")
    ran = leadline("verify", article)
    assert re.search(
        r"notes.md: what code checked holds .* Not checked by code: .*, 3 sentences that cite nothing\.", ran.out
    )
    named = "    The moon is made of cheese.\n    The Trieste weighed 900 tons.\n    Vitiaz | 1957\n"
    assert f"  Not checked: 3 sentences that cite nothing\n{named}" in ran.out


def test_a_code_block_that_the_report_does_not_have_is_named_as_not_checked(bundle: Path, leadline: Leadline) -> None:
    report = bundle / "report.md"
    report.write_text(report.read_text("utf-8") + "\n```\ndepth = 1\n```\n", "utf-8")
    article = bundle / "notes.md"
    article.write_text(report.read_text("utf-8") + "\n```\ndepth = 2\nprint(depth)\n```\n", "utf-8")
    ran = leadline("verify", article, code=1)
    assert "  Not checked: 1 code block that is not in the report\n    depth = 2 print(depth)\n" in ran.out
    assert "FAILED report.md: 'depth = 1' was added or changed after the report was written" in ran.err


def test_a_chinese_report_is_verified_in_chinese(tmp_path: Path, leadline: Leadline) -> None:
    bundle = asyncio.run(bundle_of(chinese(), tmp_path / "bundle"))
    article = bundle / "notes.md"
    article.write_text(f"{(bundle / 'report.md').read_text('utf-8')}\n\n月球是奶酪做的。\n", "utf-8")
    ran = leadline("verify", article)
    assert f"{article}：程序核对过的内容均通过（" in ran.out
    assert "，1 个没有引用的句子。\n  未核对：1 个没有引用的句子\n    月球是奶酪做的。\n" in ran.out
    text = next((bundle / "sources").iterdir())
    text.write_bytes(b"")
    failed = leadline("verify", bundle, code=1)
    assert all(not re.search("[a-z]{2,} [a-z]{2,}", line) for line in failed.err.splitlines())
    assert "来源文本在读取之后被改动" in failed.err


def test_an_article_and_the_report_that_it_cites_are_told_apart(docs: Path, leadline: Leadline) -> None:
    assert leadline("research", "Who designed the wire sounding machine?", "--docs", docs, "--quick").code == 0
    [bundle], article = Path("out").iterdir(), Path("notes.md")
    article.write_text((bundle / "report.md").read_text("utf-8"), "utf-8")
    ran = leadline("verify", article, "--bundle", bundle)
    assert (ran.code, ran.err) == (0, "")
    assert f"{bundle}: everything holds" in ran.out
    assert f"{article}: everything holds" in ran.out
    article.write_text(re.sub(r"^> \w+", "> Nobody", article.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    ran = leadline("verify", article, "--bundle", bundle, code=1)
    assert f"{bundle}: everything holds" in ran.out
    assert "FAILED notes.md: " in ran.err
    assert f"{article}: " in ran.err.splitlines()[-1]


def test_the_evidence_of_a_report_is_checked_as_its_folder(bundle: Path, leadline: Leadline) -> None:
    assert leadline("verify", bundle / "evidence.json") == leadline("verify", bundle)


@pytest.mark.parametrize("bundle_named", [False, True])
def test_what_was_added_to_a_report_is_named_and_nothing_is_said_to_hold(
    bundle: Path, leadline: Leadline, *, bundle_named: bool
) -> None:
    report = bundle / "report.md"
    report.write_text(report.read_text("utf-8") + "\nThe moon is made of cheese.\n", "utf-8")
    ran = leadline("verify", report, *(["--bundle", bundle] if bundle_named else []), code=1)
    [named] = [line for line in ran.err.splitlines() if line.startswith("FAILED report.md")]
    assert named == "FAILED report.md: 'The moon is made of cheese.' was added or changed after the report was written"
    assert ran.out == ""


def test_a_folder_of_reports_and_an_empty_one_are_told_apart(bundle: Path, leadline: Leadline, tmp_path: Path) -> None:
    above = leadline("verify", bundle.parent, code=2)
    assert f"1 report is in folders below it. Check them: leadline verify {bundle.parent}/*" in above.err
    (tmp_path / "empty").mkdir()
    assert "empty holds no report." in leadline("verify", tmp_path / "empty", code=2).err


def test_a_changed_source_is_named_by_its_file_and_its_quotes_by_their_words(bundle: Path, leadline: Leadline) -> None:
    changed = next(file for file in (bundle / "sources").iterdir() if file.suffix == ".txt")
    changed.write_text("Something else.", "utf-8")
    text, quote, *_ = leadline("verify", bundle, code=1).err.splitlines()
    assert f"sources/{changed.name}: this source text was changed after it was read" in text
    assert re.search(rf"the quote “[^”]+…?” does not stand in sources/{changed.name} word for word", quote)


def test_a_report_that_states_nothing_is_not_called_proved(docs: Path, leadline: Leadline) -> None:
    assert leadline("research", "Which quasar spins fastest?", "--docs", docs, "--quick").code == 3
    [bundle] = Path("out").iterdir()
    assert leadline("verify", bundle).out.startswith(f"{bundle}: it makes no statement and quotes nothing")


def test_the_files_of_a_report_are_checked_with_its_folder_and_those_that_are_changed_are_named(
    docs: Path, leadline: Leadline
) -> None:
    research = ("research", "Who designed the wire sounding machine?", "--docs", docs, "--quick")
    assert leadline(*research, "--format", "html,slides").code == 0
    [bundle] = Path("out").iterdir()
    page = bundle / "report.html"
    ran = leadline("verify", page)
    assert ", 2 exported files)" in ran.out
    assert "Not checked: slides.html" not in ran.out
    alone = leadline("verify", bundle / "slides.html", code=2).err
    assert "slides.html cannot be checked by itself. `verify` checks the folder of a report" in alone
    assert alone.count("\n") == 1
    page.write_text(page.read_text("utf-8").replace("wire", "rope"), "utf-8")
    for named in (bundle, page):
        ran = leadline("verify", named, code=1)
        assert ran.out == ""
        assert "FAILED report.html does not say it: " in ran.err
        assert "FAILED report.html was changed after it was made" in ran.err
        assert ran.err.endswith(f"  Make anew from the run: leadline runs export {bundle} --format html\n")
    assert leadline(*ran.err.splitlines()[-1].partition("leadline ")[2].split()).code == 0
    assert leadline("verify", bundle).code == 0
