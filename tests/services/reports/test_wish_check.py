"""What a report lacks of what was asked for: only what code can tell for certain."""

import json
from typing import Any

import pytest

from schemas.context import RunContext
from schemas.document import Code
from schemas.evidence import Source
from services.reports.markdown_blocks import read_draft
from services.reports.wishes import unmet_by_sources, unmet_wishes, with_json

TABLE = "# Title\n\n| Year | Share |\n|---|---|\n| 2020 | 4 [E1-1] |"
FRENCH = "Les passagers de la ligne ont augmenté dans une région qui est au nord et le port des îles est plein. " * 3
ENGLISH = "The passengers of the line grew in a region that lies in the north, and the port of the isles is full. " * 3


def lacks(text: str, **choices: Any) -> list[str]:
    return unmet_wishes(read_draft(text, {}), RunContext(**choices), choices.get("locale", "en-US"))


@pytest.mark.parametrize(
    ("text", "choices", "said"),
    [
        (TABLE, {"wishes": {"shape": "table", "columns": ["year", "SHARE"]}}, ""),
        (TABLE, {"wishes": {"shape": "table", "columns": ["Year", "Country"]}}, "requested columns: Country."),
        ("# T\n\nProse.", {"wishes": {"shape": "table"}}, "A table was requested"),
        ("# T\n\n- one\n- two", {"wishes": {"shape": "list"}}, ""),
        ("# T\n\nProse.\n\n- one", {"wishes": {"shape": "list"}}, "Only bullet points"),
        ("# T\n\nProse.", {"wishes": {"shape": "json"}}, "JSON was requested"),
        ("word " * 100, {"words": 110}, ""),
        ("word " * 100, {"words": 200}, "200 words"),
        ("word " * 100, {"words": 50}, "50 words"),
        ("word " * 100, {"words": 200, "wishes": {"at_most": True}}, ""),
        (ENGLISH, {}, ""),
        ("Any prose.", {"wishes": {"form": "as a letter", "readers": "a child"}}, ""),
    ],
)
def test_form_and_length(text: str, choices: dict[str, Any], said: str) -> None:
    found = lacks(text, **choices)
    assert [said in one for one in found] == [True] * bool(said)


@pytest.mark.parametrize(
    ("text", "locale", "other"),
    [
        (FRENCH, "fr", False), (ENGLISH, "fr", True), (FRENCH, "en-US", True), (ENGLISH, "en-GB", False),
        (ENGLISH, "zh-CN", True), ("这条渡轮航线的乘客人数在北方地区有所增长。" * 5, "zh-CN", False),
        ("このフェリーの乗客数は北部地域で増加しました。" * 5, "ja", False), ("这条渡轮航线的乘客人数增长。" * 5, "ja-JP", True),
        ("이 여객선의 승객 수는 북부 지역에서 늘었다. " * 9, "ko-KR", False), (ENGLISH, "ru", True),
    ],
)  # fmt: skip
def test_the_language_where_script_or_commonest_words_are_certain(text: str, locale: str, other: bool) -> None:
    assert bool(lacks(text, locale=locale)) is other


def test_json_has_the_rows_of_the_table_and_is_made_anew() -> None:
    once = with_json(read_draft(TABLE, {}))
    assert isinstance(once[1], Code)
    assert json.loads(once[1].text) == [{"Year": 2020, "Share": 4}]
    assert with_json(once) == once


def source(url: str, published: str | None = None, kind: str = "web") -> Source:
    return Source.model_validate({"url": url, "title": url, "kind": kind, "content_hash": url, "published": published})


def test_sources_of_other_sites_and_dates_are_named() -> None:
    context = RunContext(include_domains=["who.int"], wishes={"after": "2024-01-01"})
    inside, undated = source("https://data.who.int/a", "2024-03"), source("https://who.int/b")
    assert unmet_by_sources([inside], context, "en-US") == []
    dates, sites = unmet_by_sources([inside, source("notes.md", "2020", "document")], context, "en-US")
    assert ("notes.md" in dates, "notes.md" in sites) == (True, True)
    [told] = unmet_by_sources([inside, undated], context, "zh-CN")
    assert "1 个" in told
