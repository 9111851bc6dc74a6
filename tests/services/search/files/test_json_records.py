"""Records in JSON are tables for programs; what is no list of records stays text alone."""

import csv
import io
import json
from pathlib import Path

import pytest

from services.search.documents import open_documents
from services.search.files.convert_plain import convert_plain
from services.search.providers import Providers
from tests.fakes.read_folder import filled

SOUNDINGS = [
    {"ship": "Gazelle", "depth": {"value": 310.5, "unit": "fathoms"}, "tags": ["lead", "night"]},
    {"ship": "Maury, US", "depth": {"value": 90, "unit": "fathoms"}, "bottom": None},
]


def rows_of(name: str, text: str) -> list[list[str]]:
    """Return the rows of the only table of a file; none where it has none."""
    tables = convert_plain(name, text.encode()).get("tables", [])
    return [row for table in tables for row in csv.reader(io.StringIO(table["csv"]))]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("soundings.json", json.dumps(SOUNDINGS)),
        ("soundings.json", json.dumps({"count": 2, "next": None, "data": SOUNDINGS})),
        ("soundings.jsonl", "\n".join(map(json.dumps, SOUNDINGS))),
    ],
)
def test_objects_are_rows_and_objects_within_them_columns(name: str, text: str) -> None:
    assert rows_of(name, text) == [
        ["ship", "depth.value", "depth.unit", "tags"],
        ["Gazelle", "310.5", "fathoms", '["lead", "night"]'],
        ["Maury, US", "90", "fathoms", ""],
    ]


@pytest.mark.parametrize(
    "text", [json.dumps(SOUNDINGS[:1]), json.dumps({"a": SOUNDINGS, "b": SOUNDINGS}), "[1, 2]", '{"a": 1', "[" * 50_000]
)
def test_what_is_no_list_of_records_is_no_table(text: str) -> None:
    assert rows_of("some.json", text) == []


async def test_programs_read_the_records_of_a_folder_as_a_table(tmp_path: Path) -> None:
    folder = filled(tmp_path / "docs", {"soundings.json": json.dumps(SOUNDINGS)})
    providers = Providers(documents=[await open_documents(folder, tmp_path / "home")])
    [table] = providers.nearest_tables("depth of the soundings", 5)
    assert table.view.file == "soundings.csv"
    assert table.read().startswith(b"ship,depth.value")
