"""`leadline verify` of articles: what could not be checked is not said to hold, and the missing file is named."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.leadline.conftest import Leadline
from tests.services.reports.full import bundle_of, english


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return asyncio.run(bundle_of(english(), tmp_path / "bundle"))


def test_what_cites_nothing_is_counted_except_the_reports_own_text(bundle: Path, leadline: Leadline) -> None:
    report = (bundle / "report.md").read_text("utf-8")
    assert "nothing; not checked" not in leadline("verify", bundle / "report.md").out
    cited = next(line for line in report.splitlines() if line.startswith("HMS Challenger II"))
    article = bundle / "notes.md"
    added = "The moon is made of cheese.\n\n## What else?\n\n**Weight**\n\nThe Trieste weighed 900 tons."
    article.write_text(f"{report}\n{cited} {added}\n\n| Ship | Year |\n|---|---|\n| Vitiaz | 1957 |\n", "utf-8")
    ran = leadline("verify", article)
    assert "notes.md: everything holds" in ran.out
    assert "  3 sentences cite nothing; not checked." in ran.out


def test_an_article_and_the_report_that_it_cites_are_told_apart(docs: Path, leadline: Leadline) -> None:
    assert leadline("research", "Who designed the wire sounding machine?", "--docs", docs, "--quick").code == 0
    [bundle], article = Path("out").iterdir(), Path("notes.md")
    article.write_text((bundle / "report.md").read_text("utf-8"), "utf-8")
    ran = leadline("verify", article, "--bundle", bundle)
    assert (ran.code, ran.err) == (0, "")
    assert f"{bundle}: everything holds" in ran.out
    assert f"{article}: everything holds" in ran.out
    article.write_text(re.sub(r"^> \w+", "> Nobody", article.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    ran = leadline("verify", article, "--bundle", bundle)
    assert ran.code == 1
    assert f"{bundle}: everything holds" in ran.out
    assert "FAILED notes.md: " in ran.err
    assert f"{article}: " in ran.err.splitlines()[-1]


def test_the_evidence_of_a_report_is_checked_as_its_folder(bundle: Path, leadline: Leadline) -> None:
    assert leadline("verify", bundle / "evidence.json") == leadline("verify", bundle)


def test_a_report_that_states_nothing_holds_without_an_empty_count(docs: Path, leadline: Leadline) -> None:
    assert leadline("research", "Which quasar spins fastest?", "--docs", docs, "--quick").code == 3
    [bundle] = Path("out").iterdir()
    assert leadline("verify", bundle).out.startswith(f"{bundle}: everything holds.\n")
