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


@pytest.mark.parametrize(
    ("questions", "printed"),
    [
        (
            ["How many minutes were lost in total?", "how many by each site?"],
            [
                "The total of minutes in outages.csv (4 rows) is 130.",
                "By site, the total of minutes in outages.csv (4 rows): Mull 70, Oban 60.",
            ],
        ),
        (
            ["Which site gained the most minutes?"],
            ["No column or value of outages.csv matches “gained”. Its columns are: site, minutes, cause."],
        ),
    ],
)
def test_a_count_leans_on_the_clause_before_and_a_change_is_not_computed(
    questions: list[str],
    printed: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "outages.csv").write_text(OUTAGES)
    monkeypatch.chdir(tmp_path)
    main("outages.csv", "", questions, [], chinese=False)
    assert capsys.readouterr().out.splitlines() == printed


def test_a_mean_by_a_column_of_text_is_computed_from_the_table_that_has_both() -> None:
    table = "outages.csv: 4 rows; columns: site: text, e.g. Oban | Mull; minutes: number, 10 to 60; cause: text, e.g. storm | rust"
    assert tables_to_compute("Which cause had the longest mean minutes?", [table]) == [table]
    assert tables_to_compute("Which cause is the most common among sailors?", [table]) == []


def test_a_table_is_known_by_its_only_word_or_by_a_column_of_one_character() -> None:
    rated = "technicians.csv: 6 rows; columns: name: text, e.g. Liga Ozola; rating: number, 4 to 5"
    assert tables_to_compute("Which technician has the best rating?", [rated]) == [rated]
    towns = "yunling.csv: 4 rows; columns: 镇: text, e.g. 石坪镇; 茶园面积（亩）: number, 3 to 4"
    assert tables_to_compute("哪个镇的茶园面积最大？", [towns]) == [towns]
