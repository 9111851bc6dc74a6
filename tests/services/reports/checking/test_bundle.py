"""A bundle is written whole, checks offline, and names whatever was changed in it."""

import gzip
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.card import Card
from schemas.evidence import Artifact, Contradiction
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.usage import Usage
from services.reports.bundle import verify_bundle, write_bundle
from services.reports.bundle_files import MAX_TEXT_BYTES
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.checking.clock import OUT_OF_TIME
from services.reports.markdown import finish_report
from services.run.errors import BundleError, StoreError
from services.run.evidence_store import EvidenceStore
from tests.attacks.processor_time import processor_time
from tests.services.reports.checking.tampering import Edit, edit, rewrite
from tests.services.reports.conftest import TEXTS, Make, source_of

VERSION_1, VERSION_2 = Path(__file__).with_name("bundle-1"), Path(__file__).with_name("bundle-2")
"""Bundles that earlier versions wrote: in 2 texts are named by their hashes, and marks are words in brackets."""

MARKDOWN = """# How deep: 4,475 fathoms

**TL;DR** HMS Challenger sounded 4,475 fathoms near Guam in March 1875 [E1-1]. It was green [E1-1].

> On 23 March 1875 HMS Challenger sounded 4,475 fathoms [E1-1]

- Wire replaced the *hemp* line & it < rope [E2-1]
- 到2030年小学生近视率下降到38%以下[E3-1]。

| Ship | Depth |
|---|---|
| HMS Challenger | 4,475 fathoms [E1-1] |
"""


@pytest.fixture
def report(draft: Make) -> Report:
    conflict = Contradiction(topic="depth", excerpt_ids=["E1-1", "E2-1"])
    return finish_report(draft(MARKDOWN, contradictions=[conflict], follow_up_questions=["What next?"]), Usage())


@pytest.fixture
async def bundle(report: Report, evidence: EvidenceStore, tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "how-deep"
    await write_bundle(report, folder, evidence)
    return folder


def files_below(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_fresh_bundle_holds(bundle: Path) -> None:
    check = verify_bundle(bundle)
    assert check.problems == []
    assert check.checked == {
        "sources": 3,
        "duplicates": 0,
        "quotes": 4,
        "statements": 6,
        "artifacts": 0,
        "citations": 8,
    }


def test_a_bundle_has_the_stated_files_and_keys(bundle: Path, report: Report) -> None:
    content = json.loads((bundle / "evidence.json").read_text("utf-8"))
    assert (bundle / "report.md").read_text("utf-8") == report.markdown
    assert content["version"] == 3
    assert {"question", "plans", "results", "contradictions", "usage", "limits", "report_sha256"} <= content.keys()
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
    draft: Make, evidence: EvidenceStore, tmp_path: Path
) -> None:
    key = await evidence.put_bytes(b"a,b\n1,2\n")
    result = StepResult(
        step_id="1", status="done", artifacts=[Artifact(id="A1", name="../../etc/out put.csv", content_hash=key)]
    )
    await write_bundle(finish_report(draft(MARKDOWN, results=[result]), Usage()), tmp_path / "out", evidence)
    [(file, data)] = files_below(tmp_path / "out" / "artifacts").items()
    assert data == b"a,b\n1,2\n"
    assert verify_bundle(tmp_path / "out").problems == []
    file.write_bytes(b"a,b\n1,3\n")
    assert any(problem.startswith("A1:") for problem in verify_bundle(tmp_path / "out").problems)


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
        assert any(problem.startswith(f"{source['id']}:") for problem in verify_bundle(bundle).problems)


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
    assert verify_bundle(bundle).problems == ["evidence.json: changed after it was written (evidence_sha256)"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[[1]](https", "[[7]](https", "resolves to no source"),
        ("](https://example.org/a", "](https://example.org/b", "not to its source"),
        ("What next?", "What [next](https://evil.example)?", "leads to none of its sources"),
        ("What next?", "What ![next](https://evil.example/x.png)?", "HTML or an image"),
        ("What next?", "<b>What next?</b>", "HTML or an image"),
        ("hemp", "silk", "report.md does not say it"),
    ],
)
def test_a_report_that_leads_elsewhere_or_says_something_else_is_found(
    bundle: Path, old: str, new: str, problem: str
) -> None:
    rewrite(bundle, old, new)
    assert any(problem in one for one in verify_bundle(bundle).problems)


def test_texts_that_the_report_links_to_are_plain_and_the_others_compressed(bundle: Path, report: Report) -> None:
    written = {one["id"]: one["text"] for one in json.loads((bundle / "evidence.json").read_text("utf-8"))["sources"]}
    for source in report.sources:
        plain = f"sources/0{source.number}-{source.title.lower().replace(' ', '-')}.txt"
        assert (plain in report.markdown) == (source.kind != "web")
        assert written[source.id] == (f"{plain}.gz" if source.kind == "web" else plain)
    assert gzip.decompress(packed_text(bundle).read_bytes()).decode() == TEXTS["web"]
    assert (bundle / "sources" / "02-the-paper.txt").read_text("utf-8") == TEXTS["paper"].rstrip()


def test_a_bundle_of_the_first_version_still_holds_and_its_changes_are_found(tmp_path: Path) -> None:
    check = verify_bundle(VERSION_1)
    assert check.problems == []
    assert check.checked == {
        "sources": 3,
        "duplicates": 0,
        "quotes": 4,
        "statements": 6,
        "artifacts": 0,
        "citations": 8,
    }
    assert verify_markdown(VERSION_1 / "report.md").problems == []
    changed = Path(shutil.copytree(VERSION_1, tmp_path / "changed"))
    (changed / "sources" / f"{source_of('web').content_hash}.txt").write_text("Something else.")
    assert [one.partition(":")[0] for one in verify_bundle(changed).problems] == ["S1", "E1-1", "E1-2"]


def test_a_bundle_of_the_second_version_still_holds_and_its_changes_are_found(tmp_path: Path) -> None:
    check = verify_bundle(VERSION_2)
    assert check.problems == []
    assert check.checked == {
        "sources": 3,
        "duplicates": 0,
        "quotes": 4,
        "statements": 7,
        "artifacts": 0,
        "citations": 7,
    }
    edited = verify_markdown(VERSION_2 / "report.md")
    assert (edited.problems, edited.checked["sentences"]) == ([], 4)
    changed = Path(shutil.copytree(VERSION_2, tmp_path / "changed"))
    (changed / "sources" / f"{source_of('paper').content_hash}.txt").write_text("Something else.")
    assert [one.partition(":")[0] for one in verify_bundle(changed).problems] == ["S2", "E2-1"]


async def test_texts_are_named_by_number_and_short_name_or_title(
    evidence: EvidenceStore, draft: Make, tmp_path: Path
) -> None:
    names = {
        "web": "近视防控 实施方案（2018）",
        "paper": "../../Etc\\pass:wd? \x00" + "of the deep sea " * 9,
        "plan": "🐳",
    }
    sources = [source_of(name, title=title, card=Card(title=title)) for name, title in names.items()]
    sources[2] = sources[2].model_copy(update={"card": Card(title="Lock", name="PEP 703")})
    report = finish_report(draft(MARKDOWN, sources=sources), Usage())
    await write_bundle(report, tmp_path, evidence)
    assert sorted(one.name for one in (tmp_path / "sources").iterdir()) == [
        "01-近视防控-实施方案-2018.txt.gz", "02-etc-pass-wd-of-the-deep-sea-of-the-deep.txt", "03-pep-703.txt"
    ]  # fmt: skip
    assert "[[3]](sources/03-pep-703.txt)" in report.markdown
    assert verify_bundle(tmp_path).problems == []
    assert verify_markdown(tmp_path / "report.md").problems == []


@pytest.mark.parametrize("name", ["01-the-paper", "02-../../x", "../02-x", "02-", "02-a/b", "02-x\n"])
def test_a_text_lies_only_under_the_number_of_its_source(bundle: Path, name: str) -> None:
    edit(bundle, lambda content: content["sources"][1].update(text=f"sources/{name}.txt"), resealed=True)
    assert any(one.startswith("S2:") and "is not where its text lies" in one for one in verify_bundle(bundle).problems)


def packed_text(folder: Path) -> Path:
    """Return the file of the text that the report does not link to."""
    return folder / "sources" / "01-the-web.txt.gz"


def bomb() -> bytes:
    """Return a small file that unpacks to more than any text may have."""
    file = io.BytesIO()
    with gzip.open(file, "wb") as packed:
        for _ in range(MAX_TEXT_BYTES // 1_000_000 + 1):
            packed.write(b"\0" * 1_000_000)
    return file.getvalue()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[:-9], "is not one whole gzip file"),
        (lambda data: data + data, "is not one whole gzip file"),
        (lambda data: data[:20] + b"\xff" + data[21:], "is not a gzip file"),
        (lambda _: b"", "is not one whole gzip file"),
        (lambda _: TEXTS["web"].encode(), "is not a gzip file"),
        (lambda _: bomb(), "unpacks to more than 50 MB"),
        (lambda _: gzip.compress(b"Something else."), "was changed: it does not have its content hash"),
    ],
    ids=["cut off", "doubled", "a byte changed", "empty", "not packed", "a bomb", "another text"],
)
def test_a_compressed_text_that_is_not_what_it_was_is_a_problem_of_its_source(
    bundle: Path, damage: Callable[[bytes], bytes], said: str
) -> None:
    file = packed_text(bundle)
    file.write_bytes(damage(file.read_bytes()))
    problems = verify_bundle(bundle).problems
    assert [one.partition(":")[0] for one in problems] == ["S1", "E1-1", "E1-2"]
    assert said in problems[0]


def test_a_text_that_the_report_links_to_may_not_be_compressed(bundle: Path) -> None:
    paper = next(
        one for one in json.loads((bundle / "evidence.json").read_text("utf-8"))["sources"] if one["kind"] != "web"
    )
    file = bundle / paper["text"]
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    place = int(paper["id"][1:]) - 1
    edit(bundle, lambda content: content["sources"][place].update(text=f"{paper['text']}.gz"), resealed=True)
    assert any(one.startswith(f"{paper['id']}:") and "is not where" in one for one in verify_bundle(bundle).problems)


@pytest.mark.parametrize(
    "malform",
    [
        lambda content: content["sources"][0].update(id=["S1"]),
        lambda content: content["sources"][0].update(content_hash=["a"]),
        lambda content: content["sources"][0].update(duplicate_of={}),
        lambda content: content["excerpts"][0].update(source_id={}),
        lambda content: content.update(excerpts=5),
        lambda content: content.update(results=5),
        lambda content: content.update(results=[5, {"excerpts": 5}]),
    ],
)
def test_fields_of_another_type_are_named(bundle: Path, malform: Callable[[Any], None]) -> None:
    file = bundle / "evidence.json"
    content = json.loads(file.read_text())
    malform(content)
    file.write_text(json.dumps(content))
    with pytest.raises(BundleError, match="does not have the form of version 3"):
        verify_bundle(bundle)


def test_a_text_behind_a_link_out_of_the_folder_is_not_read(bundle: Path, tmp_path: Path) -> None:
    file = packed_text(bundle)
    outside = tmp_path / "outside.txt"
    file.rename(outside)
    file.symlink_to(outside)
    assert any("lies outside the folder" in problem for problem in verify_bundle(bundle).problems)


def test_a_text_that_is_longer_than_any_source_is_not_searched(bundle: Path) -> None:
    """400 MB took over two minutes and 4 GB of memory where a quote of a copy was looked for."""
    name = json.loads((bundle / "evidence.json").read_bytes())["sources"][0]["text"]
    os.truncate(bundle / name, 400_000_000)
    with processor_time(10):
        problems = verify_bundle(bundle).problems
    assert any(name in problem and "larger than 200,000,000 bytes" in problem for problem in problems)


def test_a_pipe_in_the_place_of_a_text_is_not_waited_for(bundle: Path) -> None:
    file = packed_text(bundle)
    file.unlink()
    os.mkfifo(file)
    assert any("it is a pipe, not a file" in problem for problem in verify_bundle(bundle).problems)


def claim_again(content: dict[str, Any], **change: object) -> None:
    """Change the first claim."""
    content["claims"][0].update(change)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content.update(claims=content["claims"] * 20_000), "120,000 claims, more than the limit"),
        (
            lambda content: content.update(excerpts=content["excerpts"] * 6_000),
            "24,000 excerpts, more than the limit",
        ),
        (lambda content: content.update(limits=["["] * 5_000_000), "evidence.json cannot be read .it is larger"),
        (lambda content: claim_again(content, text="[" * 30_000), "statement 1 has 30,000 characters"),
    ],
)
def test_a_bundle_of_a_size_that_no_report_has_is_refused_at_once(bundle: Path, change: Edit, said: str) -> None:
    edit(bundle, change, resealed=True)
    with pytest.raises(BundleError, match=said):
        verify_bundle(bundle)


def test_a_report_of_a_length_that_none_has_is_refused_at_once(bundle: Path) -> None:
    (bundle / "report.md").write_text("[" * 3_000_000)
    with pytest.raises(BundleError, match="it is larger than 2,000,000 bytes"):
        verify_bundle(bundle)
    with pytest.raises(BundleError, match="it is larger than 2,000,000 bytes"):
        verify_markdown(bundle / "report.md")


def test_a_check_ends_in_time_and_says_what_it_leaves_out(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.reports.checking.clock.SECONDS", -1.0)
    assert verify_bundle(bundle).problems == [OUT_OF_TIME.format(file="evidence.json")]
    assert verify_markdown(bundle / "report.md").problems == [OUT_OF_TIME.format(file="report.md")]


def test_quotes_longer_than_any_statement_cites_are_not_compared(bundle: Path) -> None:
    edit(
        bundle,
        lambda content: claim_again(content, citations=content["claims"][0]["citations"] * 5_000),
        resealed=True,
    )
    assert any("cites more than 100,000 characters" in problem for problem in verify_bundle(bundle).problems)


def test_what_code_cannot_judge_is_counted_and_said(bundle: Path) -> None:
    own_words = {"status": "supported", "judgement": {"verdict": "supported", "words": "4,475 fathoms"}}
    fresh = verify_bundle(bundle)
    edit(bundle, lambda content: claim_again(content, **own_words), resealed=True)
    check = verify_bundle(bundle)
    assert (check.not_quoted, check.judged) == (fresh.not_quoted, 1)
    assert f"({fresh.not_quoted} of 6)" in check.trust
    assert "a model found 1 of them supported; that is not checked here" in check.trust
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


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "report.md").unlink(), "report.md cannot be read"),
        (lambda folder: (folder / "evidence.json").unlink(), "evidence.json cannot be read"),
        (lambda folder: (folder / "evidence.json").write_text("{"), "not valid JSON"),
        (lambda folder: (folder / "evidence.json").write_bytes(b"\xff\xfe\x00"), "not valid JSON"),
        (lambda folder: (folder / "evidence.json").write_text("[" * 100_000), "not valid JSON"),
        (
            lambda folder: (folder / "evidence.json").write_text("[]"),
            r"none of the versions that this program reads \(1, 2, 3\)",
        ),
        (lambda folder: (folder / "evidence.json").write_text('{"version": 4}'), "none of the versions"),
        (lambda folder: (folder / "evidence.json").write_text('{"version": 2}'), "does not have the form of version 2"),
    ],
)
def test_what_is_no_bundle_is_an_error_that_says_what_to_do(
    bundle: Path, damage: Callable[[Path], object], said: str
) -> None:
    damage(bundle)
    with pytest.raises(BundleError, match=said):
        verify_bundle(bundle)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="There is no file or folder"):
        verify_bundle(tmp_path / "nothing")
