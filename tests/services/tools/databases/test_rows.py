"""The file of a query's rows, which people open in spreadsheets, too."""

from services.tools.databases.rows import Rows, as_csv


def test_a_text_that_a_spreadsheet_would_compute_stays_text_and_a_number_a_number() -> None:
    cells: list[str | None] = ["=1+1", "@SUM(A1)", "-5", "+2.5e-3", "-cmd", "plain", None]
    _, data = as_csv(Rows(columns=["=a", *"bcdefg"], types=[""] * 7, rows=[cells]))
    assert data.decode().splitlines() == ["'=a,b,c,d,e,f,g", "'=1+1,'@SUM(A1),-5,+2.5e-3,'-cmd,plain,"]
