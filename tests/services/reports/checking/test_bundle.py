"""A bundle is written whole, checks offline, and names whatever was changed in it."""

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.card import Card
from schemas.deck import DeckCard, DeckPage
from schemas.evidence import Artifact
from schemas.reporter import Report
from schemas.results import StepResult
from services.reports.bundle import verify_bundle, write_bundle
from services.reports.bundle_files import read_report
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.formats import render
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from tests.services.reports.checking.conftest import MARKDOWN
from tests.services.reports.checking.tampering import Edit, claim_again, edit, rewrite
from tests.services.reports.conftest import Finished, source_of
from tests.services.reports.full import bundle_of, chinese, english

COUNTED = {"sources": 3, "duplicates": 0, "quotes": 4, "statements": 6, "artifacts": 0, "citations": 8}


def files_below(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_fresh_bundle_holds(bundle: Path) -> None:
    check = verify_bundle(bundle)
    assert check.problems == []
    assert check.checked == COUNTED


def test_a_bundle_has_the_stated_files_and_keys(bundle: Path, report: Report) -> None:
    content = json.loads((bundle / "evidence.json").read_text("utf-8"))
    assert (bundle / "report.md").read_text("utf-8") == report.markdown
    assert content["version"] == 3
    assert set(content["sources"][0]) == {
        "id", "url", "title", "kind", "content_hash", "site", "source_kind", "fetched_at", "published", "duplicate_of",
        "snippet_only", "abstract_only", "text",
    }  # fmt: skip
    assert list(content["excerpts"][0]) == ["id", "source_id", "quote", "start", "end", "relevance"]
    assert set(content["claims"][0]) == {"text", "citations", "verified", "status", "reason"}
    assert [one["verified"] for one in content["claims"]] == [True, False, True, True, True, True]


async def test_writing_again_gives_the_same_bytes_and_leaves_nothing_else(
    bundle: Path, report: Report, evidence: EvidenceStore
) -> None:
    before = files_below(bundle)
    (bundle / "sources" / "07-the-web.txt.gz").write_text("of an earlier run")
    (bundle / "sources" / f"{source_of('web').content_hash}.txt").write_text("of an earlier version")
    (bundle / "notes.md").write_text("the user's own")
    await write_bundle(report, bundle, evidence)
    assert files_below(bundle) == before | {bundle / "notes.md": b"the user's own"}


async def test_artifacts_are_written_under_harmless_names_and_checked(
    finished: Finished, evidence: EvidenceStore, tmp_path: Path
) -> None:
    key = await evidence.put_bytes(b"a,b\n1,2\n")
    result = StepResult(
        step_id="1", status="done", artifacts=[Artifact(id="A1", name="../../etc/out put.csv", content_hash=key)]
    )
    await write_bundle(finished(MARKDOWN, results=[result]), tmp_path / "out", evidence)
    [(file, data)] = files_below(tmp_path / "out" / "artifacts").items()
    assert data == b"a,b\n1,2\n"
    assert verify_bundle(tmp_path / "out").problems == []
    file.write_bytes(b"a,b\n1,3\n")
    assert any(problem.endswith("(A1)") for problem in verify_bundle(tmp_path / "out").problems)


async def test_a_failed_write_leaves_the_old_report(bundle: Path, report: Report, evidence: EvidenceStore) -> None:
    before = files_below(bundle)
    broken = report.model_copy(update={"sources": [*report.sources, source_of("web", id="S9", content_hash="0" * 64)]})
    with pytest.raises(StoreError):
        await write_bundle(broken, bundle, evidence)
    assert files_below(bundle) == before


async def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(
    report: Report, evidence: EvidenceStore, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="`out`"):
        await write_bundle(report, tmp_path / "file", evidence)


def test_one_changed_byte_of_a_text_is_found(bundle: Path) -> None:
    for source in json.loads((bundle / "evidence.json").read_text("utf-8"))["sources"]:
        file = bundle / source["text"]
        packed = file.suffix == ".gz"
        data = bytearray(gzip.decompress(file.read_bytes()) if packed else file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(gzip.compress(data) if packed else data)
        assert any(problem.endswith(f"({source['id']})") for problem in verify_bundle(bundle).problems)


def test_every_byte_of_the_report_counts(bundle: Path) -> None:
    file = bundle / "report.md"
    data = file.read_bytes()
    for place in range(0, len(data), 97):
        file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert any(problem.startswith("report.md:") for problem in verify_bundle(bundle).problems)


def test_copies_of_a_source_are_counted_apart_as_a_run_counts_them(bundle: Path) -> None:
    edit(bundle, lambda content: content["sources"][2].update(duplicate_of="S1"), resealed=True)
    assert verify_bundle(bundle).counts.startswith("2 sources, 1 duplicate, ")


EDITS: dict[str, Edit] = {
    "E1-1": lambda content: content["excerpts"][0].update(
        quote=content["excerpts"][0]["quote"].replace("4,475", "4,476")
    ),
    "E1-2": lambda content: content["excerpts"][1].update(start=content["excerpts"][1]["start"] - 1),
    "E2-1": lambda content: content["excerpts"][2].update(source_id="S9"),
    "E3-1": lambda content: content["excerpts"][3].update(start=-5, end=-1, quote="38%以"),
    "under the heading": lambda content: content["excerpts"][0].update(section="From 4,476 fathoms on"),
    "its headings": lambda content: content["excerpts"][0].update(heads="| Year | Depth |"),
    "statement 1": lambda content: content["claims"][0].update(text="HMS Challenger sounded 4,476 fathoms near Guam."),
    "statement 2": lambda content: content["claims"][1].update(verified=True),
    "statement 3": lambda content: content["claims"][2].update(citations=["E7-7"]),
    "statement 4": lambda content: content["claims"][3].update(citations=[]),
    "S1": lambda content: content["sources"][0].update(text="../../../etc/passwd"),
    "S2": lambda content: content["sources"][1].update(content_hash="../../../etc/passwd"),
    "S3": lambda content: content["sources"][2].update(duplicate_of="S8"),
    "[[1]]": lambda content: content["sources"][0].update(url="https://other.example/"),
    "contradiction": lambda content: content["contradictions"][0].update(excerpt_ids=["E1-1", "E9-9"]),
    "is called confirmed": lambda content: content["contradictions"][0].update(differs="numbers"),
    "A1": lambda content: content["artifacts"].append(
        {"id": "A1", "name": "x", "content_hash": "0" * 64, "file": "artifacts/../../../../etc/passwd"}
    ),
}


@pytest.mark.parametrize("named", EDITS)
def test_a_change_of_the_evidence_is_found_and_named_even_when_the_seal_is_made_again(bundle: Path, named: str) -> None:
    edit(bundle, EDITS[named], resealed=True)
    problems = verify_bundle(bundle).problems
    assert any(named in problem for problem in problems)


def test_any_change_of_the_evidence_breaks_the_seal_and_its_layout_does_not(bundle: Path) -> None:
    edit(bundle, lambda content: None)
    assert verify_bundle(bundle).problems == []
    edit(bundle, lambda content: content["limits"].append("none"))
    assert verify_bundle(bundle).problems == ["evidence.json: it was changed after it was written"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[[1]](https", "[[7]](https", "resolves to no source"),
        ("](https://example.org/a", "](https://example.org/b", "not to its source"),
        ("What next?", "What [next](https://evil.example)?", "leads to none of its sources"),
        ("What next?", "What ![next](https://evil.example/x.png)?", "HTML or an image"),
        ("What next?", "<b>What next?</b>", "HTML or an image"),
        ("What next?", "What next?\n\n<!-- chart\nhidden words\n-->", "HTML or an image"),
        ("hemp", "silk", "report.md does not say it"),
    ],
)
def test_a_report_that_leads_elsewhere_or_says_something_else_is_found(
    bundle: Path, old: str, new: str, problem: str
) -> None:
    rewrite(bundle, old, new)
    assert any(problem in one for one in verify_bundle(bundle).problems)


@pytest.mark.parametrize(
    ("version", "statements", "citations", "source", "changed"),
    [(1, 6, 8, "web", ["S1", "E1-1", "E1-2"]), (2, 7, 7, "paper", ["S2", "E2-1"])],
)
def test_a_bundle_of_an_earlier_version_still_holds_and_its_changes_are_found(
    tmp_path: Path, version: int, statements: int, citations: int, source: str, changed: list[str]
) -> None:
    earlier = Path(__file__).with_name(f"bundle-{version}")
    check = verify_bundle(earlier)
    assert check.problems == []
    assert check.checked == {**COUNTED, "statements": statements, "citations": citations}
    assert verify_markdown(earlier / "report.md").problems == []
    copied = Path(shutil.copytree(earlier, tmp_path / "changed"))
    (copied / "sources" / f"{source_of(source).content_hash}.txt").write_text("Something else.")
    assert [one[one.rfind("(") + 1 : -1] for one in verify_bundle(copied).problems] == changed


async def test_texts_are_named_by_number_and_name_and_those_that_the_report_links_to_are_plain(
    evidence: EvidenceStore, finished: Finished, tmp_path: Path
) -> None:
    names = {
        "web": "近视防控 实施方案（2018）",
        "paper": "../../Etc\\pass:wd? \x00" + "of the deep sea " * 9,
        "plan": "🐳",
    }
    sources = [source_of(name, title=title, card=Card(title=title)) for name, title in names.items()]
    sources[2] = sources[2].model_copy(update={"card": Card(title="Lock", name="PEP 703")})
    report = finished(MARKDOWN, sources=sources)
    await write_bundle(report, tmp_path, evidence)
    assert sorted(one.name for one in (tmp_path / "sources").iterdir()) == [
        "01-近视防控-实施方案-2018.txt.gz", "02-etc-pass-wd-of-the-deep-sea-of-the-deep.txt", "03-pep-703.txt"
    ]  # fmt: skip
    linked = {"sources/02-etc-pass-wd-of-the-deep-sea-of-the-deep.txt", "sources/03-pep-703.txt"}
    assert set(re.findall(r"sources/[^)]*", report.markdown)) == linked
    assert verify_bundle(tmp_path).problems == []
    assert verify_markdown(tmp_path / "report.md").problems == []


@pytest.mark.parametrize("name", ["01-the-paper", "02-../../x", "../02-x", "02-", "02-a/b", "02-x\n"])
def test_a_text_lies_only_under_the_number_of_its_source(bundle: Path, name: str) -> None:
    edit(bundle, lambda content: content["sources"][1].update(text=f"sources/{name}.txt"), resealed=True)
    assert any(one.endswith("is not where its text lies (S2)") for one in verify_bundle(bundle).problems)


def test_what_code_cannot_judge_is_counted_and_said(bundle: Path) -> None:
    own_words: dict[str, Any] = {"status": "supported", "judgement": {"verdict": "supported", "words": "4,475 fathoms"}}
    fresh = verify_bundle(bundle)
    edit(bundle, lambda content: claim_again(content, **own_words), resealed=True)
    check = verify_bundle(bundle)
    assert (check.not_quoted, check.judged) == (fresh.not_quoted, 1)
    assert (
        f"Not checked by code: whether {fresh.not_quoted} of 6 statements mean what their quotes say."
        in check.result("")
    )
    assert "a model found 1 supported or rightly inferred, which is not checked here" in check.trust
    assert "leadline verify --judge DIR" in check.trust


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"status": "quoted"}, "it is called quoted, and none of its quotes holds its words"),
        ({"status": "supported", "verified": False}, "it is called supported, and not verified"),
        ({"status": "unverified", "verified": True}, "it is called unverified, and verified"),
    ],
)
def test_a_status_that_its_claim_cannot_have_is_found(bundle: Path, change: dict[str, Any], said: str) -> None:
    edit(bundle, lambda content: claim_again(content, **change), resealed=True)
    assert any(problem.startswith("statement 1") and said in problem for problem in verify_bundle(bundle).problems)


INFERRED = """# How deep

HMS Challenger sounded 4,475 fathoms near Guam [E1-1]. The piano wire of Lucas replaced the hemp line [E2-1].
To sound 4,475 fathoms near Guam must therefore have been slow and heavy work with a hemp line [inferred: E1-1, E2-1].
"""


@pytest.fixture
async def inferring(finished: Finished, evidence: EvidenceStore, tmp_path: Path) -> Path:
    """The bundle of a report with an inference."""
    report = finished(INFERRED)
    assert [claim.status for claim in report.citations] == ["supported", "supported", "inferred"]
    await write_bundle(report, tmp_path / "inferring", evidence)
    return tmp_path / "inferring"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("must therefore have been slow", "must therefore have cost 900 pounds, slow", "Not in what it cites: 900"),
        ("with a hemp line", "with the rope of Captain Nares", "Names that are not in what it cites"),
    ],
)
def test_an_inference_that_was_changed_is_found_even_when_everything_is_sealed_again(
    inferring: Path, old: str, new: str, problem: str
) -> None:
    article = inferring.parent / "article.md"
    article.write_text((inferring / "report.md").read_text("utf-8").replace(old, new), "utf-8")
    [named] = verify_markdown(article, inferring).problems
    assert "is called inferred, but" in named
    edit(inferring, lambda content: claim_again(content, 2, text=content["claims"][2]["text"].replace(old, new)))
    rewrite(inferring, old, new)
    [found] = verify_bundle(inferring).problems
    assert "it is called inferred, but" in found
    assert problem in found


def test_a_bundle_may_call_no_more_than_a_third_of_its_claims_inferred(inferring: Path) -> None:
    edit(inferring, lambda content: claim_again(content, status="inferred"), resealed=True)
    assert any("more than a third" in problem for problem in verify_bundle(inferring).problems)


def test_a_judgement_against_an_inference_is_a_problem(inferring: Path) -> None:
    against = {"verdict": "not_told", "words": ""}
    edit(inferring, lambda content: claim_again(content, 2, judgement=against), resealed=True)
    [problem] = verify_bundle(inferring).problems
    assert "does not follow from its premises" in problem


@pytest.mark.parametrize("make", [english, chinese])
async def test_the_files_of_a_folder_are_those_of_its_run_and_of_a_text_that_was_changed_its_own(
    make: Callable[[], Report], tmp_path: Path
) -> None:
    deck = [DeckPage(section=1, title="One", cards=[DeckCard(text="It is so.", citations=["E1-1"])])]
    report = make().model_copy(update={"deck": deck})
    await bundle_of(report, tmp_path)
    assert await render(read_report(tmp_path), ["html", "slides", "csl"]) == await render(
        report, ["html", "slides", "csl"]
    )
    rewrite(tmp_path, report.title, "Cheese")
    made = await render(read_report(tmp_path), ["html", "slides"])
    assert all(b"Cheese" in data for data in made.values())


@pytest.mark.parametrize("left", [-1, 2])
def test_a_tree_that_says_something_else_than_the_text_makes_no_file(bundle: Path, left: int) -> None:
    edit(
        bundle,
        lambda content: content["document"].update(body=content["document"]["body"][:left], added=[]),
        resealed=True,
    )
    assert (read_report(bundle).document, read_report(bundle).deck) == (None, [])


def test_a_deck_with_numbers_that_its_report_does_not_have_makes_no_slides(bundle: Path) -> None:
    page = {"section": 1, "title": "It is 9,917 metres deep", "cards": []}
    edit(bundle, lambda content: content.update(deck=[page]), resealed=True)
    assert read_report(bundle).deck == []
    assert read_report(bundle).document is not None


async def test_a_mark_of_no_meaning_in_a_tree_is_not_shown(bundle: Path) -> None:
    mark = {"status": "quoted", "reason": "", "size": 0}
    edit(bundle, lambda content: content["document"]["body"][0]["content"].append(mark), resealed=True)
    assert await render(read_report(bundle), ["html", "slides"])
