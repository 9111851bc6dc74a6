"""Dates of the user's documents: what the text says at its beginning, else what the file says of itself."""

from pathlib import Path

import pytest

from services.search.cards import properties_card
from services.search.conversion import Content, converted
from services.search.convert_office import convert
from services.search.documents import open_documents
from tests.conftest import EXAMPLES


def date_of(text: str, of_file: str = "") -> str | None:
    return converted(
        "a.md", text.encode(), lambda _, data: Content(data.decode(), properties_card([("modified", of_file)]))
    ).get("published")


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ('---\ntitle: Wire\ndate: "2024-03-12"\n---\nPiano wire.', "2024-03-12"),
        ("# Wire\n\nDate: 12 March 2024\n\nPiano wire.", "2024-03-12"),
        ("Last updated: 2024-03\n\nPiano wire.", "2024-03"),
        ("Publication date: 2024/3/1 | Piano wire.", "2024-03-01"),
        ("发布日期：2024年3月12日\n\n钢琴线。", "2024-03-12"),
        ("updated: soon\npublished: 2021-05-05\nPiano wire.", "2021-05-05"),
        ("Birth date: 1824-06-26\nWilliam Thomson.", None),
        ("出生日期：1824年6月26日", None),
        ("mandate: 2024-01", None),
        ("# Get\n\n```\nname: ann\nupdated: 2017-10-02\n```\n\nPrints it.", None),
        ("date: 2024-02-30", None),
        ("date: " * 400, None),
        ("x" * 2_000 + "\ndate: 2024-03-12", None),
    ],
)
def test_a_text_that_tells_its_date_at_its_beginning(text: str, published: str | None) -> None:
    assert date_of(text) == published


def test_the_date_of_the_file_counts_where_the_text_tells_none() -> None:
    assert date_of("Piano wire.", "20240312") == "2024-03-12"
    assert date_of("Date: 2021-05-05\nPiano wire.", "20240312") == "2021-05-05"
    assert date_of("Piano wire.", "yesterday") is None


async def test_files_of_every_kind_tell_theirs(tmp_path: Path) -> None:
    names = ["台湾经验-天天户外120.html", "学龄前儿童近视预防指引.docx", "高度近视与并发症综述.pdf"]
    (tmp_path / "docs" / "papers").mkdir(parents=True)
    for name in names:
        (tmp_path / "docs" / "papers" / name).write_bytes((EXAMPLES / "myopia" / name).read_bytes())
    documents = await open_documents(tmp_path / "docs", tmp_path / "home")
    hits = [await documents.at(f"docs/papers/{name}") for name in names]
    assert [(hit.published, hit.site, hit.source_kind) for hit in hits if hit] == [
        ("2022-10-12", "papers", "general"), ("2023-08-25", "papers", "general"), ("2024-09-02", "papers", "general"),
    ]  # fmt: skip


@pytest.mark.parametrize("content", ["x" * 100_000, "", "&lt;b&gt;", "2024-99-99", "\x1b[2J"])
def test_a_page_whose_tag_holds_no_date_has_none(content: str) -> None:
    page = f'<html><head><meta name="date" content="{content}"></head><body><p>Piano wire is thin.</p></body></html>'
    assert convert("a.html", page.encode(), 0).get("published", "missing") is None
