"""Tables as people make them: titles above, heads in two rows, merged cells, formulas that nobody computed, other separators."""

import csv
from datetime import timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment

from leadline import aresearch
from services.search.documents import Documents, open_documents
from services.search.files import convert_plain
from services.search.files.convert_office import convert
from services.search.files.number_formats import as_exact, formatted
from services.search.files.sheets import Sheet, delimiter_of, table_of
from services.search.files.table_profile import Table
from services.search.providers import Providers
from tests.fakes.read_folder import read_once

STATIONS = [
    ["Outer bar", 55.238, 8.544, 8.3, 10.4],
    ["Old mole", 55.259, 8.234, 14, 9.2],
    ["Quay", 55.8, 8.4, 10.8, 6.4],
]
HEADS = ["Station", "Position Lat", "Position Lon", "Depth 1871", "Depth 1874"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tables of the tests, which has been read once."""
    folder = tmp_path_factory.mktemp("tables") / "docs"
    folder.mkdir()
    for write in (with_merged_heads, twice, with_formats, with_commas, large):
        write(folder)
    return read_once(folder)


@pytest.fixture
async def documents(folder: Path) -> Documents:
    return await open_documents(folder, folder.parent / "home")


async def text_of(documents: Documents, name: str) -> str:
    hit = await documents.at(f"docs/{name}")
    assert hit
    return hit.text


def table(documents: Documents, name: str) -> Table:
    [named] = [one for one in documents.tables if one.path.name == name]
    return named


def with_merged_heads(folder: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Soundings"
    sheet.append(["Soundings of the Varde survey"])
    sheet.merge_cells("A1:F1")
    sheet.append(["Depths in feet at low water"])
    sheet.append([])
    sheet.append(["Station", "Position", None, "Depth", None, "Mean"])
    sheet.append([None, "Lat", "Lon", "1871", "1874", None])
    for cells in ("A4:A5", "B4:C4", "D4:E4", "F4:F5"):
        sheet.merge_cells(cells)
    for row, station in enumerate(STATIONS, 6):
        sheet.append([*station, f"=AVERAGE(D{row}:E{row})"])
    book.save(folder / "soundings.xlsx")


async def test_a_workbook_with_titles_and_merged_heads_is_one_table(documents: Documents) -> None:
    text = await text_of(documents, "soundings.xlsx")
    assert "Soundings of the Varde survey\nDepths in feet at low water\n\n| Station | Position Lat |" in text
    assert "| Old mole | 55.259 | 8.234 | 14 | 9.2 | =AVERAGE(D7:E7) |" in text
    assert "Unnamed" not in text
    assert "NaN" not in text
    soundings = table(documents, "soundings.xlsx")
    assert [column.split(":")[0] for column in soundings.view.columns] == [*HEADS, "Mean"]
    assert soundings.read().decode().splitlines()[0] == ",".join([*HEADS, "Mean"])
    assert [notice for notice in Providers(documents=[documents]).notices("en") if "formulas" in notice]


def test_comments_on_cells_stand_below_their_table(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Station", "Depth"], ["Quay", 6.4], ["Mole", 9]):
        sheet.append(row)
    sheet["B2"].comment = Comment("Wire broke;\nsee the log.", "Ann")
    book.save(tmp_path / "a.xlsx")
    text = convert("a.xlsx", (tmp_path / "a.xlsx").read_bytes())["text"]
    assert text.endswith("| Quay | 6.4 |\n| Mole | 9 |\n\n- B2 (6.4): Wire broke; see the log.")


def test_what_somebody_hid_in_a_workbook_is_not_told_but_named(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Salaries", None, None, None])
    sheet.merge_cells("A1:D1")
    for row in (["Name", "Bonus", "Room", "Floor"], ["Ann", 900, 12, 1], ["Bo", 800, 14, 2], ["Cy", 700, 16, 3]):
        sheet.append(row)
    sheet.column_dimensions["A"].hidden = sheet.column_dimensions["B"].hidden = sheet.row_dimensions[4].hidden = True
    sheet["B3"].comment = Comment("Raise it.", "Ann")
    sheet.row_dimensions.group(5, 5, hidden=True)  # a closed group, which a click opens
    kept = book.create_sheet("Kept")
    kept.append(["Margin", 41])
    kept.sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    answer = convert("a.xlsx", (tmp_path / "a.xlsx").read_bytes())
    assert answer["text"] == "## Sheet\n\nSalaries\n\n| Room | Floor |\n| --- | --- |\n| 12 | 1 |\n| 16 | 3 |"
    assert answer["note"] == "hidden"


def test_tables_below_each_other_have_their_own_heads_and_a_gap_parts_none(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Ship", "Length"], ["Argo", 58.2], [], ["Boreas", 71], [], ["Total", 129.2]):
        sheet.append(row)
    for row in ([], ["Crew"], [], ["Role", "Count"], ["Mate", 3], ["Cook", 1]):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    assert convert("a.xlsx", (tmp_path / "a.xlsx").read_bytes())["text"] == (
        "## Sheet\n\n| Ship | Length |\n| --- | --- |\n| Argo | 58.2 |\n| Boreas | 71 |\n| Total | 129.2 |\n\n"
        "Crew\n\n| Role | Count |\n| --- | --- |\n| Mate | 3 |\n| Cook | 1 |"
    )


@pytest.mark.parametrize(
    ("number_format", "shown"),
    [
        ("mmm-yy", "2024-05"), ("yyyy", "2024"), ('yyyy"年"m"月"', "2024-05"), ("[$-409]mmmm yyyy;@", "2024-05"),
        ("dd.mm.yyyy", "2024-05-01"), ('yyyy"年"m"月"d"日"', "2024-05-01"), ("General", "2024-05-01"), ("hh:mm", "2024-05-01"),
    ],
)  # fmt: skip
def test_a_date_is_as_exact_as_its_format_shows_it(number_format: str, shown: str) -> None:
    assert as_exact("2024-05-01", number_format) == shown


async def test_rows_of_two_sheets_are_told_apart(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    book = Workbook()
    for year, depth in (("1871", 14), ("1874", 9)):
        sheet = book.create_sheet(year)
        sheet.append(["Station", "Depth"])
        sheet.append(["Old mole", depth])
    del book["Sheet"]
    book.save(folder / "soundings.xlsx")
    report = await aresearch("What is the depth at the Old mole?", docs=[folder], deep_research=False)
    assert "**soundings – 1871**" in report.markdown
    assert "**soundings – 1874**" in report.markdown
    assert {claim.status for claim in report.citations} == {"quoted"}


def twice(folder: Path) -> None:
    book = Workbook()
    assert book.active is not None
    for row in (HEADS, *STATIONS):
        book.active.append(row)
    book.active.title = "Sheet"
    book.save(folder / "stations.xlsx")
    with (folder / "stations.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEADS, *STATIONS])


async def test_a_table_reads_the_same_from_a_workbook_and_from_csv(documents: Documents) -> None:
    assert await text_of(documents, "stations.xlsx") == f"## Sheet\n\n{await text_of(documents, 'stations.csv')}"
    assert table(documents, "stations.xlsx").view.columns == table(documents, "stations.csv").view.columns


def with_formats(folder: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Station", "Salt", "Cost", "Code", "Watched"])
    for station, salt in (("Old mole", 0.125), ("Quay", 0.5)):
        sheet.append([station, salt, 1234.5, 42, timedelta(hours=30, minutes=5)])
    for row in "23":
        for column, number_format in zip("BCDE", ("0.0%", '#,##0.00 "€"', "00000", "[h]:mm"), strict=True):
            sheet[f"{column}{row}"].number_format = number_format
    book.save(folder / "formats.xlsx")


async def test_numbers_of_a_workbook_are_read_as_shown_and_computed_with_as_numbers(documents: Documents) -> None:
    assert "| Old mole | 12.5% | 1234.5 € | 00042 | 30:05:00 |" in await text_of(documents, "formats.xlsx")
    assert [column.partition(", ")[0] for column in table(documents, "formats.xlsx").view.columns[1:4]] == [
        "Salt: number",
        "Cost: number",
        "Code: number",
    ]


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (1234.5, r'_-* #,##0.00\ "€"_-;\-* #,##0.00\ "€"_-;_-* "-"??\ "€"_-;_-@_-', "1234.5 €"),
        (-5, '"$"#,##0_);[Red]("$"#,##0)', "-$5"),
        (5, "[$USD] 0.00", "USD 5"),
        (-0.5, '"gain "0%;"loss "0%', "loss 50%"),
        (12.5, "General", "12.5"),
        (42.5, "00000", "42.5"),
        (1234567, '0.0,,"M"', "1234567"),
        (0.5, "# ?/?", "0.5"),
        (123456789, "000-00-0000", "123456789"),
        (5, '[>=1000]0,"k";0', "5"),
    ],
)
def test_a_number_is_shown_with_what_its_format_surely_adds(value: float, number_format: str, shown: str) -> None:
    assert formatted(value, number_format) == shown


def with_commas(folder: Path) -> None:
    (folder / "häfen.csv").write_bytes("Hafen;Tiefe (m);Größe\nRömö;6,5;4\nHusum;3,25;9\n".encode("cp1252"))


async def test_semicolons_and_decimal_commas_are_understood(documents: Documents) -> None:
    harbours = table(documents, "häfen.csv")
    assert harbours.view.columns[1] == "Tiefe (m): number, 3.25 to 6.5"
    assert harbours.read().decode() == "Hafen,Tiefe (m),Größe\nRömö,6.5,4\nHusum,3.25,9\n"
    assert "| Römö | 6,5 | 4 |" in (await documents.search("Tiefe Römö", 1))[0].text


def large(folder: Path) -> None:
    with (folder / "large.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "station", "region", "date", "depth_m", "salinity", "observer"])
        for number in range(40_000):
            rows.writerow([number, f"ST-{number:06d}", "north", "2020-01-01", number % 4_999 / 10, 33.5, "Andersen"])


async def test_a_large_table_is_profiled_and_found_by_words_without_being_embedded(documents: Documents) -> None:
    assert table(documents, "large.csv").view.rows == 40_000
    assert documents.index.passages() < 50
    found = await documents.search("ST-037123", 3)
    assert any("ST-037123" in hit.text[place.start : place.end] for hit in found for place in hit.passages)


def test_of_a_table_that_is_too_long_the_beginning_is_looked_at_and_all_rows_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(convert_plain, "LONGEST_TABLE", 40)
    data = "ship,depth\n" + "".join(f"Vema,{depth}\n" for depth in range(100, 200))
    read = convert_plain.convert_plain("soundings.csv", data.encode())
    [table] = read["tables"]
    assert (read["note"], table["csv"], table["view"]["rows"]) == ("beginning", "", 100)
    assert table["view"]["columns"][1:] == ["depth: number, 100 to 102", "(of the first 3 rows)"]


@pytest.mark.parametrize(
    ("rows", "merged", "captions", "heads"),
    [
        ([["Title"], [], ["a", "b"], ["1", "2"]], [], ["Title"], ["a", "b"]),
        ([["a", "b"], ["1", "2"]], [], [], ["a", "b"]),
        ([["a", "", "c"], ["", "x", ""], ["1", "2", "3"]], [], [], ["a", "a x", "c"]),
        ([["", "2019", "2020"], ["rain", "1", "2"]], [], [], ["column 1", "2019", "2020"]),
        ([["a", "b"], ["1", ""], ["", "2"]], [], [], ["a", "b"]),
        ([["", "a", "", "d"], ["k", "b", "c", "c"], ["x", "1", "2", "3"]], [], [], ["k", "a b", "a c", "d c"]),
        ([["", "a", "b"], ["k", "x", "y"], ["l", "z", "w"]], [], [], ["column 1", "a", "b"]),
        ([["a", "x", ""], ["", "b", "c"], ["1", "2", "3"]], [(0, 0, 1, 0), (0, 1, 0, 2)], [], ["a", "x b", "x c"]),
        ([["a", "x", ""], ["", "1871", "1874"], ["p", "2", "3"]], [(0, 1, 0, 2)], [], ["a", "x 1871", "x 1874"]),
        ([["x", "", "polls"], ["1", "p", "448"], ["2", "q", "95"]], [(0, 0, 0, 1)], [], ["x", "x", "polls"]),
    ],
)
def test_heads_are_told_from_titles_and_rows(
    rows: list[list[str]], merged: list[tuple[int, int, int, int]], captions: list[str], heads: list[str]
) -> None:
    made = table_of(Sheet("", rows, merged))
    assert made is not None
    assert (made.captions, made.rows[0]) == (captions, heads)


def test_a_merged_cell_is_said_once_in_a_row_and_in_each_row_that_it_takes() -> None:
    rows = [["Ship", "Depth", "Sea"], ["Blake", "7", "North"], ["", "9", "South"], ["a note", "", ""]]
    made = table_of(Sheet("", rows, [(1, 0, 2, 0), (3, 0, 3, 2)]))
    assert made is not None
    assert made.rows[1:] == [["Blake", "7", "North"], ["Blake", "9", "South"], ["a note", "", ""]]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n2,5;3\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("Title\n\na;b;c\n1;2;3\n4;5;6\n", ";"),
        ("one\ntwo\n", ","),
    ],
)
def test_the_separator_is_the_one_that_makes_columns(text: str, delimiter: str) -> None:
    assert delimiter_of("a.csv", text) == delimiter
