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
    assert "not checked" not in leadline("verify", bundle / "report.md").out
    cited = next(line for line in report.splitlines() if line.startswith("HMS Challenger II"))
    article = bundle / "notes.md"
    added = "The moon is made of cheese.\n\n## What else?\n\n**Weight**\n\nThe Trieste weighed 900 tons."
    article.write_text(f"{report}\n{cited} {added}\n\n| Ship | Year |\n|---|---|\n| Vitiaz | 1957 |\n", "utf-8")
    ran = leadline("verify", article)
    assert "notes.md: everything holds" in ran.out
    named = "    The moon is made of cheese.\n    The Trieste weighed 900 tons.\n    Vitiaz | 1957\n"
    assert f"  3 sentences cite nothing; not checked:\n{named}" in ran.out


def test_a_code_block_that_the_report_does_not_have_is_named_as_not_checked(bundle: Path, leadline: Leadline) -> None:
    report = bundle / "report.md"
    report.write_text(report.read_text("utf-8") + "\n```\ndepth = 1\n```\n", "utf-8")
    article = bundle / "notes.md"
    article.write_text(report.read_text("utf-8") + "\n```\ndepth = 2\nprint(depth)\n```\n", "utf-8")
    assert (
        "  1 code block is not in the report; not checked:\n    depth = 2 print(depth)\n"
        in leadline("verify", article).out
    )


def test_a_chinese_report_is_verified_in_chinese(tmp_path: Path, leadline: Leadline) -> None:
    bundle = asyncio.run(bundle_of(chinese(), tmp_path / "bundle"))
    article = bundle / "notes.md"
    article.write_text(f"{(bundle / 'report.md').read_text('utf-8')}\n\n月球是奶酪做的。\n", "utf-8")
    ran = leadline("verify", article)
    assert f"{article}：全部通过核对（" in ran.out
    assert "  1 个句子没有引用，未核对：\n    月球是奶酪做的。\n" in ran.out
    text = next((bundle / "sources").iterdir())
    text.write_bytes(b"")
    failed = leadline("verify", bundle, code=1)
    assert all(not re.search("[a-z]{2,} [a-z]{2,}", line) for line in failed.err.splitlines())
    assert "与内容哈希不符" in failed.err


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


def test_a_report_that_states_nothing_is_not_called_proved(docs: Path, leadline: Leadline) -> None:
    assert leadline("research", "Which quasar spins fastest?", "--docs", docs, "--quick").code == 3
    [bundle] = Path("out").iterdir()
    assert leadline("verify", bundle).out.startswith(f"{bundle}: it makes no statement and quotes nothing")
