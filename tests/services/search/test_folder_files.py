"""Which files of a folder are searched."""

import os
from pathlib import Path

import pytest

from services.run.errors import DocumentsError
from services.search import folder_files
from services.search.folder_files import check_folder, list_files
from tests.fakes.read_folder import filled


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside.md").write_text("of somebody else")
    paths = ("b.md", "a/z.txt", "a-b.md", "a/deep/er.pdf", ".git/config.md", "a/.hidden.md", "photo.heic")
    return filled(tmp_path / "papers", dict.fromkeys(paths, "text"))


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("../outside.md", "leads_out"),
        ("nowhere.md", "leads_nowhere"),
        ("link.md", "leads_to_itself"),
        ("pipe", "no_regular_file"),
        ("a", None),
    ],
)
def test_a_link_is_followed_no_further_than_the_folder(folder: Path, target: str, why: str | None) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "link.md").symlink_to(target)
    states, skipped = list_files(folder)
    assert "link.md" not in {one.path for one in states}
    assert dict(skipped).get("link.md") == why


@pytest.mark.parametrize(
    ("target", "why"), [("elsewhere", "leads_out"), ("", "leads_out"), ("papers", None), ("papers/a", None)]
)
def test_a_link_to_a_folder_is_not_followed_and_named_if_it_leads_out(
    folder: Path, target: str, why: str | None
) -> None:
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "elsewhere" / "other.md").write_text("of somebody else")
    listed = list_files(folder)
    (folder / "a" / "link").symlink_to(folder.parent / target)
    assert list_files(folder) == (listed[0], sorted([*listed[1], *([("a/link", why)] if why else [])]))


def test_a_link_within_the_folder_is_what_it_leads_to(folder: Path) -> None:
    (folder / "link.md").symlink_to("a/z.txt")
    (folder / "a" / "z.txt").write_text("a longer text")
    assert {one.path: one.size for one in list_files(folder)[0]}["link.md"] == len("a longer text")


def test_what_is_beyond_the_most_files_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_files, "MAX_FILES", 3)
    states, skipped = list_files(folder)
    assert len(states) == 3
    assert ("b.md", "beyond_first:3") in skipped


def test_a_folder_is_checked_by_its_first_file_that_can_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_folder(folder)
    for one in ("b.md", "a/z.txt", "a-b.md", "a/deep/er.pdf"):
        (folder / one).unlink()
    with pytest.raises(DocumentsError, match=r"no documents that can be read \(photo\.heic is of a kind"):
        check_folder(folder)
    (folder / "late.csv").write_text("a,b")
    monkeypatch.setattr(folder_files, "list_files", None)  # what looks at all of them is not asked
    check_folder(folder)


@pytest.mark.parametrize(("name", "problem"), [("b.md", "is a file"), ("none", "does not exist")])
def test_what_is_no_folder_is_said_to_be_none(folder: Path, name: str, problem: str) -> None:
    for look, words in ((check_folder, problem), (list_files, "of this run does not exist. Put it back")):
        with pytest.raises(DocumentsError, match=words):
            look(folder / name)
