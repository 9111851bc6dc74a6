"""`leadline verify` of articles: what could not be checked is not said to hold, and the missing file is named."""

import asyncio
import re
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from services.reports.bundle import write_bundle
from services.run.evidence_store import EvidenceStore
from tests.leadline.conftest import Leadline
from tests.services.reports.full import ENGLISH, english


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    async def written() -> None:
        store = EvidenceStore(InMemoryStore())
        for text in ENGLISH:
            await store.put_text(text)
        await write_bundle(english(), tmp_path / "bundle", store)

    asyncio.run(written())
    return tmp_path / "bundle"


def test_an_article_of_which_nothing_was_checked_fails(bundle: Path, leadline: Leadline) -> None:
    article = bundle / "notes.md"
    article.write_text("# An article\n\nA multibeam survey gave 10,994 metres in 2010 [1].\n")
    ran = leadline("verify", article)
    assert ran.code == 1
    assert "notes.md: nothing of it was checked" in ran.err
    assert "()" not in ran.err
    assert "everything holds" not in ran.out


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


def test_a_file_without_a_bundle_says_what_to_name(tmp_path: Path, leadline: Leadline) -> None:
    (tmp_path / "a.md").write_text("# A")
    ran = leadline("verify", tmp_path / "a.md")
    assert ran.code == 2
    assert f"{tmp_path / 'a.md'} cannot be checked: its folder holds no report" in ran.err
    assert f"leadline verify {tmp_path / 'a.md'} --bundle DIR" in ran.err
    assert "report.md" not in ran.err


def test_a_name_of_nothing_is_not_called_a_folder(tmp_path: Path, leadline: Leadline) -> None:
    ran = leadline("verify", tmp_path / "none.md")
    assert ran.code == 2
    assert f"There is no file or folder {tmp_path / 'none.md'}" in ran.err
