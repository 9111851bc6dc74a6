"""The program is one file that runs alone in the sandbox."""

from pathlib import Path

import pytest

from services.models.offline.table_program import table_program
from services.models.offline.table_program.program import main
from services.models.offline.tables import tables_to_compute
from services.sandbox.imports import refused_imports

OUTAGES = "site,minutes,cause\nOban,40,storm\nOban,20,frost\nMull,60,storm\nMull,10,rust\n"


def test_the_program_needs_nothing_that_the_sandbox_lacks() -> None:
    code = table_program(file="t.csv", sheet="", clauses=["How many?"], translations=[], chinese=False)
    assert "services." not in code
    assert refused_imports(code, ["pandas"]) == ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "What share of the outages was caused by storm?",
            "The share of cause = storm in outages.csv (4 rows) is 50%.",
        ),
        (
            "How many outages were caused by frost in Oban?",
            "The number of rows in outages.csv (cause = frost; site = Oban; 1 row) is 1.",
        ),
    ],
)
def test_a_column_is_known_by_another_form_of_its_name(
    question: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outages.csv").write_text(OUTAGES)
    monkeypatch.chdir(tmp_path)
    main("outages.csv", "", [question], [], chinese=False)
    assert capsys.readouterr().out.splitlines() == [line]


def test_a_mean_by_a_column_of_text_is_computed_from_the_table_that_has_both() -> None:
    table = "outages.csv: 4 rows; columns: site: text, e.g. Oban | Mull; minutes: number, 10 to 60; cause: text, e.g. storm | rust"
    assert tables_to_compute("Which cause had the longest mean minutes?", [table]) == [table]
    assert tables_to_compute("Which cause is the most common among sailors?", [table]) == []
