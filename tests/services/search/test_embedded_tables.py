"""Tables inside documents: found in Markdown, and profiled and kept as CSV like tables of their own."""

from pathlib import Path

from docx import Document

from services.search.documents import open_documents
from services.search.table_profile import embedded_tables

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


def test_a_table_is_named_after_its_document_and_its_heading_and_holds_no_markup() -> None:
    [table] = embedded_tables("light/lamps.md", TEXT)
    view, rows = table.view, table.csv
    assert (view.file, view.title, view.rows) == ("lamps-table-1.csv", "lamps: Oil by year", 2)
    assert view.columns[1] == "Oil (litres): number, 1385 to 1420"
    assert rows.splitlines() == ["Year,Oil (litres),Keeper", '1871,"1,420",Ann Roy', '1872,"1,385",Tom | Jo']


def test_lines_without_a_rule_below_the_first_are_no_table() -> None:
    assert embedded_tables("a.md", "| a | 1 |\n| b | 2 |\n| c | 3 |\n") == []


async def test_tables_of_word_and_html_files_are_tables_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    rows = [("Year", "Wrecks"), ("1871", "12"), ("1872", "9")]
    document = Document()
    table = document.add_table(rows=3, cols=2)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            table.cell(place, column).text = cell
    document.save(str(folder / "wrecks.docx"))
    cells = "".join(f"<tr><td>{year}</td><td>{count}</td></tr>" for year, count in rows)
    (folder / "page.html").write_text(f"<h1>Wrecks</h1><table>{cells}</table>")
    opened = await open_documents(folder, tmp_path / "home")
    assert {table.view.file: table.read().decode() for table in opened.tables} == {
        "wrecks-table-1.csv": "Year,Wrecks\n1871,12\n1872,9\n",
        "page-table-1.csv": "Year,Wrecks\n1871,12\n1872,9\n",
    }
