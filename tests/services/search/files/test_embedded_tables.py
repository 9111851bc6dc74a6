"""Tables inside documents: found in Markdown, and profiled and kept as CSV like tables of their own."""

from pathlib import Path, PurePath

import pytest

from services.search.documents import open_documents
from services.search.files import table_profile
from services.search.files.table_profile import embedded_tables, names_of, profile
from services.search.providers import Providers
from tests.fakes.read_folder import filled

TEXT = """# Lamps

## Oil by year

| Year | Oil ([litres](units.md)) | Keeper |
|---|---:|---|
| 1871 | 1,420 | **Ann** Roy |
| 1872 | 1,385 | Tom \\| Jo |

| Only | Words |
|---|---|
| of | no number |
| to | compute |
"""


def carried(what: str, by_blake: int = 2) -> str:
    return f"ship,{what}\nBlake,{by_blake}\nTuscarora,3\n"


async def reading(place: Path, files: dict[str, str]) -> Providers:
    return Providers(documents=[await open_documents(filled(place / "docs", files), place / "home")])


def test_a_table_is_named_after_its_document_and_its_heading_and_holds_no_markup() -> None:
    [table] = embedded_tables("light/lamps.md", TEXT)
    view, rows = table.view, table.csv
    assert (view.file, view.title, view.rows) == ("lamps-table-1.csv", "lamps: Oil by year", 2)
    assert view.columns[1] == "Oil (litres): number, 1385 to 1420"
    assert rows.splitlines() == ["Year,Oil (litres),Keeper", '1871,"1,420",Ann Roy', '1872,"1,385",Tom | Jo']


async def test_of_many_tables_those_are_shown_whose_words_few_have(tmp_path: Path) -> None:
    providers = await reading(tmp_path, {f"{kind}.csv": carried(kind) for kind in ("hemp", "wire", "lead", "drum")})
    question = "How much wire did the ship Blake carry?"
    assert [table.view.file for table in providers.nearest_tables(question, 2)] == ["wire.csv"]
    assert len(providers.nearest_tables(question, 4)) == 4
    named = providers.nearest_tables("Add drum to wire.csv", 5)
    assert [table.view.file for table in named][:2] == ["wire.csv", "drum.csv"]
    assert len(named) == 4


async def test_a_questionnaire_is_described_in_brief_and_does_not_come_before_the_table_that_is_asked_about(
    tmp_path: Path,
) -> None:
    questions = [
        f"Question {n}: how many times did you carry the wire that the ship had, and why? {'why ' * 40}"
        for n in range(200)
    ]
    poll = "\n".join(",".join(f'"{cell}"' for cell in row) for row in [questions, ["yes"] * 200, ["no"] * 200])
    files = {"poll.csv": poll, "wire.csv": carried("wire"), "drum.csv": carried("drum")}
    providers = await reading(tmp_path, files)
    question = "How much wire did the ship Blake carry?"
    assert providers.nearest_tables(question, 3)[0].view.file == "wire.csv"
    [asked] = [table for table in providers.nearest_tables(question, 3) if table.view.file == "poll.csv"]
    assert len(asked.describe()) < 2_000
    assert len(asked.view.columns) < 100
    assert "150 further columns" in asked.view.columns[-1]
    named = providers.nearest_tables(f"From poll.csv, and the table of wire: {question}", 2)
    assert [table.view.file for table in named] == ["poll.csv", "wire.csv"]


def test_a_column_is_described_by_all_rows_of_a_table_or_says_by_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["year", "ship"], *([str(year), f"ship {year}"] for year in range(1751, 9_751))]
    view = profile(PurePath("ships.csv"), "", rows)
    assert view is not None
    assert view.columns == ["year: number, 1751 to 9750", view.columns[1]]
    assert view.columns[1].startswith("ship: text, 8000 different")
    assert view.sample == "year,ship\n1751,ship 1751\n1752,ship 1752\n1753,ship 1753"
    small = profile(PurePath("ships.csv"), "", rows[:6])
    assert small is not None
    assert small.sample.splitlines()[-1] == "1755,ship 1755"
    monkeypatch.setattr(table_profile, "MAX_CELLS_PROFILED", 2_000)
    view = profile(PurePath("ships.csv"), "", rows)
    assert view is not None
    assert view.rows == 8_000
    assert (view.columns[0], view.columns[-1]) == ("year: number, 1751 to 2750", "(of the first 1000 rows)")


async def test_files_of_years_with_another_column_are_one_table_that_says_so(tmp_path: Path) -> None:
    heads = {
        "2001": "pier,riders,fare",
        "2002": "pier,riders,fare",
        "2003": "pier,passengers,fare,card",
        "2004": "pier,passengers,fare,card",
    }
    rows = [["North", "2", "3", "4"], ["South", "1", "2", "3"]]
    files = {
        f"rides-{year}.csv": "\n".join([head, *(",".join(row[: head.count(",") + 1]) for row in rows)])
        for year, head in heads.items()
    }
    providers = await reading(
        tmp_path, {**files, "tolls-2004.csv": "pier,ship,toll,fee\nNorth,Ada,2,3\nSouth,Ida,1,2\n"}
    )
    rides, tolls = sorted(providers.nearest_tables("rides and tolls of the pier", 5), key=lambda table: table.view.file)
    assert (rides.view.file, tolls.view.file) == ("rides-2004.csv", "tolls-2004.csv")
    assert rides.view.also_line == (
        "mostly the same columns in 3 further files with 6 rows: rides-2001.csv, rides-2002.csv, rides-2003.csv; "
        "rides-2001.csv, rides-2002.csv with riders and without passengers, card"
    )
    assert [part.read().decode().split("\n")[0] for part in rides.parts] == [
        heads[year] for year in ("2001", "2002", "2003")
    ]


async def test_files_of_other_names_are_one_table_only_with_the_same_columns(tmp_path: Path) -> None:
    with_cards = "pier,riders,fare,card\nNorth,2,3,4\nSouth,1,2,3\n"
    files = {
        "east.csv": with_cards,
        "north.csv": "pier,riders,fare\nNorth,2,3\nSouth,1,2\n",
        "west.csv": with_cards,
    }
    tables = (await reading(tmp_path, files)).nearest_tables("riders of the pier", 5)
    assert sorted((table.view.file, *table.view.also) for table in tables) == [("north.csv",), ("west.csv", "east.csv")]
    assert [table.view.also_line for table in tables if table.view.also] == [
        "the same columns in 1 further file with 2 rows: east.csv"
    ]


def test_a_column_of_numbers_is_one_beside_units_and_what_stands_for_missing_ones() -> None:
    rows = [
        ["day", "depth", "ship"],
        ["", "m", ""],
        ["1875-05-03", "8184", "2"],
        ["1874-01-31", "n/a", "Blake"],
        ["1874-02-01", "1.5e2", ""],
    ]
    view = profile(PurePath("soundings.csv"), "", rows)
    assert view is not None
    assert view.columns == [
        "day: text, 3 different, 1 missing, 1874-01-31 to 1875-05-03, e.g. 1875-05-03 | 1874-01-31 | 1874-02-01",
        "depth: number, 150 to 8184, and 2 other, e.g. m | n/a",
        "ship: number, 2 to 2, 2 missing, and 1 other, e.g. Blake",
    ]
    commas = profile(PurePath("a.tsv"), "", [["a", "b"], ["1", "3,5"], ["2", "12,25"]])
    assert commas is not None
    assert commas.columns[1] == "b: text, 2 different, e.g. 3,5 | 12,25"


async def test_a_table_among_text_is_offered_where_its_document_was_found(tmp_path: Path) -> None:
    text = "# Wire\n\nOf ships.\n\n| ship | wire |\n|---|---|\n| Blake | 2 |\n| Faraday | 3 |\n"
    providers = await reading(tmp_path, {"wire.csv": carried("wire"), "found.md": text, "other.md": text})
    [document] = {hit.url for hit in await providers.documents[0].search("ships", 9) if "found" in hit.url}
    names = {table.view.file for table in providers.nearest_tables("How much wire?", 9, {document})}
    assert names == {"wire.csv", "found-table-1.csv"}


async def test_tables_of_one_name_are_told_apart_by_their_folders_and_of_many_the_others_are_named(
    tmp_path: Path,
) -> None:
    years = {f"year {year}/log/wire.csv": carried(f"wire {year}", year) for year in range(2001, 2009)}
    providers = await reading(tmp_path, {**years, "drum.csv": carried("drum")})
    near, others = providers.overview_of_tables("How much wire did the ship Blake carry?", 2, ())
    assert (near[0].view.file, len(near) + len(others)) == ("year-2001-log-wire.csv", 9)
    [further] = names_of(others)
    assert further.startswith("Further tables, nearest first: year-2002-log-wire.csv (2 rows), ")
    [named, *_] = providers.nearest_tables("Add the wire of year-2007-log-wire.csv", 2)
    assert b"2007" in named.read()


async def test_files_that_are_too_large_together_stay_several_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    providers = await reading(tmp_path, {f"wire-{year}.csv": carried("wire", year) for year in range(2001, 2005)})
    assert [table.view.file for table in providers.nearest_tables("wire", 5)] == ["wire-2004.csv"]
    monkeypatch.setattr(table_profile, "MAX_PARTS_BYTES", 2 * len(carried("wire", 2001)))
    assert {table.view.file for table in providers.nearest_tables("wire", 5)} == {"wire-2002.csv", "wire-2004.csv"}
