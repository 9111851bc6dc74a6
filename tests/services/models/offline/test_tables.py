"""The programs that the offline coder writes, really run: the right rows, the right column, the right arithmetic."""

import subprocess
import sys
from pathlib import Path

import pytest

from schemas.coder import TableView
from services.search.table_views import table_views
from tests.services.models.offline.prompts_of import code

RAIN = """station,region,year,days,wet_days,rainfall_mm
Bergen,West,2000,365,240,2400
Bergen,West,2010,365,219,2000
Oslo,East,2000,300,120,800
Oslo,East,2010,365,146,1000
Tromsø,North,2000,365,200,
Tromsø,North,2010,365,210,1100
"""
SCHOOLS = """班级,参加人数,达标人数,跑步次数（开学）,跑步次数（3个月）
一班,40,30,2,5
二班,60,30,3,4
一班,10,10,1,7
"""


def run(question: str, folder: Path, *files: str) -> str:
    views = [view for file in files for view in table_views(file, (folder / file).read_bytes())]
    program = code(question, *views).code
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rain.csv").write_text(RAIN, "utf-8")
    (tmp_path / "跑步.csv").write_text(SCHOOLS, "gb18030")
    return tmp_path


@pytest.mark.parametrize(
    ("question", "results"),
    [
        ("What is the mean rainfall at Bergen in the table?", ["2,200", "2 rows"]),
        ("What is the total rainfall in the table in 2010?", ["4,100", "year = 2010"]),
        ("How much more rainfall did Bergen have than Oslo in 2010, according to the table?", ["2,000", "1,000"]),
        ("Which station in the table has the highest rainfall?", ["2,400 (Bergen"]),
        ("What percentage of wet days did Oslo have in the table?", ["40%"]),
        ("What is the median rainfall in the table?", ["1,100", "left out: 1"]),
    ],
)
def test_an_english_computation_comes_out_right(question: str, results: list[str], folder: Path) -> None:
    printed = run(question, folder, "rain.csv")
    assert all(result in printed for result in results), printed


@pytest.mark.parametrize(
    ("question", "results"),
    [
        ("表中一班和二班的达标率各是多少，相差多少个百分点？", ["80%", "50%", "相差 30个百分点"]),
        ("表中参加人数总和是多少？", ["110", "3 行"]),
    ],
)
def test_a_chinese_computation_comes_out_right(question: str, results: list[str], folder: Path) -> None:
    printed = run(question, folder, "跑步.csv")
    assert all(result in printed for result in results), printed


def test_a_second_attempt_does_not_fall_back_on_a_table_that_is_not_meant() -> None:
    rain = TableView(
        file="rain.csv",
        title="rain",
        rows=2,
        columns=["station: text, 2 different, e.g. Bergen | Oslo", "rainfall_mm: number, 1 to 9"],
    )
    sheep = TableView(
        file="sheep.csv",
        title="sheep",
        rows=2,
        columns=["farm: text, 1 different, e.g. Tiree", "mean_wool: number, 1 to 9"],
    )
    question = "What is the mean rainfall at Bergen in the table?"
    assert "'rain.csv'" in code(question, rain, sheep).code
    assert "sheep.csv" not in code(question, rain, sheep, failed=1).code


def test_with_nothing_to_compute_from_the_program_says_so_and_fails(tmp_path: Path) -> None:
    program = code("What is the mean rainfall?").code
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no table" in done.stderr
