"""Bundles that somebody made to be trouble: each is an error or a named problem, and none is read or unpacked without end."""

import gzip
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.reports.bundle import verify_bundle
from services.reports.bundle_files import MAX_TEXT_BYTES
from services.reports.checking.cited_markdown import verify_markdown
from services.run.errors import BundleError
from services.run.ui_text import say
from tests.attacks.processor_time import processor_time
from tests.services.reports.checking.tampering import Edit, claim_again, edit
from tests.services.reports.conftest import TEXTS


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
        (lambda _: gzip.compress(b"Something else."), "this source text was changed after it was read"),
    ],
    ids=["cut off", "doubled", "a byte changed", "empty", "not packed", "a bomb", "another text"],
)
def test_a_compressed_text_that_is_not_what_it_was_is_a_problem_of_its_source(
    bundle: Path, damage: Callable[[bytes], bytes], said: str
) -> None:
    file = packed_text(bundle)
    file.write_bytes(damage(file.read_bytes()))
    problems = verify_bundle(bundle).problems
    quotes = [] if "changed" not in said else ["E1-1", "E1-2"]  # in a text that cannot be read none is looked for
    assert [one[one.rfind("(") + 1 : -1] for one in problems] == ["S1", *quotes]
    assert said in problems[0]


def test_a_text_that_is_missing_is_one_problem_and_none_of_each_of_its_quotes(bundle: Path) -> None:
    packed_text(bundle).unlink()
    [problem] = verify_bundle(bundle).problems
    assert "No such file" in problem
    assert problem.endswith("(S1)")


def test_a_text_that_the_report_links_to_may_not_be_compressed(bundle: Path) -> None:
    file = bundle / "sources" / "02-the-paper.txt"
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    edit(bundle, lambda content: content["sources"][1].update(text=f"sources/{file.name}.gz"), resealed=True)
    assert any(one.endswith("is not where its text lies (S2)") for one in verify_bundle(bundle).problems)


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
    edit(bundle, malform)
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
    file = packed_text(bundle)
    os.truncate(file, 400_000_000)
    with processor_time(10):
        problems = verify_bundle(bundle).problems
    assert any(file.name in problem and "larger than 200,000,000 bytes" in problem for problem in problems)


def test_a_pipe_in_the_place_of_a_text_is_not_waited_for(bundle: Path) -> None:
    file = packed_text(bundle)
    file.unlink()
    os.mkfifo(file)
    assert any("it is a pipe, not a file" in problem for problem in verify_bundle(bundle).problems)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content.update(claims=content["claims"] * 1_000), "6,000 claims, more than the limit"),
        (
            lambda content: content.update(excerpts=content["excerpts"] * 6_000),
            "24,000 excerpts, more than the limit",
        ),
        (lambda content: content.update(limits=["[" * 20_000_001]), "evidence.json cannot be read .it is larger"),
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
    monkeypatch.setattr("services.reports.bundle_files.SECONDS", -1.0)
    assert verify_bundle(bundle).problems == [say("verify_out_of_time", file="evidence.json", seconds=60)]
    assert verify_markdown(bundle / "report.md").problems == [say("verify_out_of_time", file="report.md", seconds=60)]


def test_quotes_longer_than_any_statement_cites_are_not_compared(bundle: Path) -> None:
    edit(
        bundle,
        lambda content: claim_again(content, citations=content["claims"][0]["citations"] * 5_000),
        resealed=True,
    )
    assert any("cites more than 100,000 characters" in problem for problem in verify_bundle(bundle).problems)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "report.md").unlink(), "report.md cannot be read"),
        (lambda folder: (folder / "evidence.json").unlink(), "evidence.json cannot be read"),
        (lambda folder: (folder / "evidence.json").write_text("{"), "not valid JSON"),
        (lambda folder: (folder / "evidence.json").write_bytes(b"\xff\xfe\x00"), "not valid JSON"),
        (lambda folder: (folder / "evidence.json").write_text("[" * 100_000), "not valid JSON"),
        (shutil.rmtree, "There is no file or folder"),
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
