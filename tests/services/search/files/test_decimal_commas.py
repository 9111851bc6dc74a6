"""Numbers with decimal commas: programs get all of a column in one form, or the column as it is written."""

import pytest

from services.search.files import table_profile
from services.search.files.convert_plain import convert_plain
from services.search.files.decimal_commas import with_points

HEADS = ["Ort", "Wert"]


def column(*cells: str, usual: bool = True) -> list[str] | None:
    rows = with_points([HEADS, *(["Husum", cell] for cell in cells)], usual=usual)
    return None if rows is None else [row[1] for row in rows[1:]]


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        (["982,5", "1.234,5", "12"], ["982.5", "1234.5", "12"]),
        (["1 234,5", "-1.234.567,89 €", "k. A."], ["1234.5", "-1234567.89 €", "k. A."]),
        (["12,5 %", "3,0 %"], ["12.5 %", "3.0 %"]),
    ],
)
def test_a_column_has_one_form(cells: list[str], written: list[str]) -> None:
    assert column(*cells) == written


def test_points_between_thousands_are_told_from_decimal_points_by_the_other_cells_of_the_column() -> None:
    rows = [["a", "b", "c"], ["1,5", "252.103", "3.14"], ["2,5", "99.000", "1.500"]]
    assert with_points(rows, usual=True) == [rows[0], ["1.5", "252103", "3.14"], ["2.5", "99000", "1.500"]]


def test_commas_between_thousands_stay() -> None:
    assert column("1,234", "1,234,567") is None
    assert column("1,234", "1,234.5") is None


def test_where_commas_are_not_usual_one_number_has_to_be_certain() -> None:
    assert column("12,18", "3,4", usual=False) is None
    assert column("1,234", "5,678", usual=False) is None
    assert column("12,18", "1.003,4", usual=False) == ["12.18", "1003.4"]


def test_dates_and_versions_stay() -> None:
    rows = [["Tag", "Fassung", "Wert"], ["31.12.2023", "1.2.3", "1,5"]]
    assert with_points(rows, usual=True) == [rows[0], ["31.12.2023", "1.2.3", "1.5"]]


def test_a_table_with_points_between_thousands_is_read_by_programs_as_numbers() -> None:
    written = "Bezirk;Einwohner;Ausgaben\n;Personen;Tsd. EUR\nAltona;256.999;982,5\nNord;458.459;1.064.604,5\nOst;459.383;k. A.\n"
    [table] = convert_plain("ausgaben.csv", written.encode())["tables"]
    assert table["csv"].splitlines()[2:] == ["Altona,256999,982.5", "Nord,458459,1064604.5", "Ost,459383,k. A."]
    assert table["view"]["columns"][1:] == [
        "Einwohner: number, 256999 to 459383, and 1 other, e.g. Personen",
        "Ausgaben: number, 982.5 to 1064604.5, and 2 other, e.g. Tsd. EUR | k. A.",
    ]


def test_of_a_table_that_is_too_long_to_be_kept_it_is_told_how_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_profile, "MAX_CSV", 20)
    [table] = convert_plain("häfen.csv", "Hafen;Größe\nRömö;6,5\nHusum;1.003,25\n".encode("cp1252"))["tables"]
    assert not table["csv"]
    differs = "semicolons between cells, encoding cp1252, decimal commas"
    assert table["view"]["columns"][1:] == [
        "Größe: number, 6.5 to 1003.25",
        f"(shown as programs read it; in the file: {differs})",
    ]
