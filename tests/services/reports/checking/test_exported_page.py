"""The page beside a report is checked by what the report states."""

import re
from pathlib import Path

import pytest

from schemas.reporter import Report
from services.reports.bundle import verify_bundle, write_exports
from services.reports.formats import render
from services.reports.labels import ALL_LABELS
from tests.attacks.processor_time import processor_time
from tests.services.reports import full
from tests.services.reports.checking.tampering import edit


@pytest.fixture
async def page(bundle: Path, report: Report) -> Path:
    file = bundle / "report.html"
    file.write_bytes((await render(report, ["html"]))["report.html"])
    return file


def change(file: Path, old: str, new: str, count: int = -1) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, count), "utf-8")


@pytest.mark.parametrize("locale", ["english", "chinese"])
async def test_a_page_says_all_that_its_report_says_and_its_key_figures_are_in_its_text(
    tmp_path: Path, locale: str
) -> None:
    report = getattr(full, locale)()
    await full.bundle_of(report, tmp_path)
    page = tmp_path / "report.html"
    before = verify_bundle(tmp_path).problems
    page.write_bytes((await render(report, ["html"]))["report.html"])
    assert verify_bundle(tmp_path).problems == before
    if locale == "english":
        change(page, '"value">10,994', '"value">10,894')
        [problem] = set(verify_bundle(tmp_path).problems) - set(before)
        assert problem == "report.html shows '10,894 metres', which its text does not say"


@pytest.mark.parametrize("locale", ALL_LABELS)
async def test_a_page_that_nobody_changed_holds_in_every_language(tmp_path: Path, locale: str) -> None:
    report = full.report_of(f"# The voyage\n\n{full.ENGLISH[0]} [E1-1]\n", full.ENGLISH, locale=locale)
    await full.bundle_of(report, tmp_path)
    (tmp_path / "report.html").write_bytes((await render(report, ["html"]))["report.html"])
    assert verify_bundle(tmp_path).problems == []


def test_a_sentence_that_was_added_to_the_report_is_not_missed_on_its_page(page: Path) -> None:
    with (page.parent / "report.md").open("a", encoding="utf-8") as report:
        report.write("\nThe moon is made of cheese.\n")
    assert [problem.partition(" ")[0] for problem in verify_bundle(page.parent).problems] == ["report.md:"]


@pytest.mark.parametrize(
    "page",
    [
        b"<p>" + b'a<span class="cite">1</span>' * 300_000,
        b"<div>" * 1_000_000,
        b"<math>" * 1_000_000,
        b"",
        b"\0",
        b"x" * 10_000_001,
    ],
    ids=["citations", "deep", "formulas", "empty", "no text", "large"],
)
def test_a_page_that_no_report_has_is_read_in_time_and_says_nothing_of_it(bundle: Path, page: bytes) -> None:
    (bundle / "report.html").write_bytes(page)
    with processor_time(10):
        problems = verify_bundle(bundle).problems
    assert problems
    assert all(problem.startswith("report.html ") for problem in problems)


def test_a_statement_that_stands_elsewhere_on_the_page_and_a_quote_of_it_are_checked(page: Path) -> None:
    text = page.read_text("utf-8")
    for shown in (r"<q>[^<]*?(\w{6,})", r'<blockquote data-quote="[^"]*">[^<]*?(\w{6,})', r"<p>[^<]*?(\w{6,})"):
        word = re.compile(shown).search(text, text.index("<main"))
        assert word
        page.write_text(f"{text[: word.start(1)]}altered{text[word.end(1) :]}", "utf-8")
        assert verify_bundle(page.parent).problems, word[0]


def test_a_statement_that_also_stands_where_sources_disagree_and_among_the_quotes_is_checked_where_it_is_made(
    page: Path,
) -> None:
    text = page.read_text("utf-8")
    made = re.search(r"<blockquote>\s*<p>[^<]*?4,475", text)
    assert made
    page.write_text(f"{text[: made.end() - 5]}5,475{text[made.end() :]}", "utf-8")
    [problem] = verify_bundle(page.parent).problems
    assert problem.startswith("report.html does not say it: 'On 23 March 1875 HMS Challenger sounded 4,475 fathoms")


async def test_any_change_of_a_file_that_was_made_of_a_report_is_found_and_one_made_elsewhere_is_named(
    bundle: Path, report: Report
) -> None:
    files = await render(report, ["html", "slides", "csl"])
    slides = files.pop("slides.html")
    await write_exports(bundle, files)
    await write_exports(bundle, {"slides.html": slides})
    check = verify_bundle(bundle)
    assert (check.problems, check.checked["files"], check.remarks) == ([], 3, [])
    for file in (*files, "slides.html"):
        data = (bundle / file).read_bytes()
        (bundle / file).write_bytes(data + b" ")
        check = verify_bundle(bundle)
        assert f"{file} was changed after it was made" in check.problems
        assert f"leadline runs export {bundle} --format " in check.remarks[0]
        (bundle / file).write_bytes(data)
    edit(bundle, lambda content: content.update(exports={}), resealed=True)
    [remark] = verify_bundle(bundle).remarks
    assert remark.startswith("Not checked: report.html but for its sentences and quotes, slides.html, references.json.")


async def test_a_file_that_is_made_of_a_changed_report_does_not_mend_its_seal(bundle: Path, report: Report) -> None:
    edit(bundle, lambda content: content["limits"].append("none"))
    await write_exports(bundle, await render(report, ["html"]))
    assert verify_bundle(bundle).problems == ["evidence.json: it was changed after it was written"]
