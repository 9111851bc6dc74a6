"""Ordinary questions over four tables: what is told is what was asked, with figures that are worked out here in another way."""

import csv
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from services.sandbox.sandbox import Sandbox
from services.search.table_views import table_views
from tests.conftest import EXAMPLES
from tests.services.models.offline.prompts_of import code

pytestmark = pytest.mark.long

RAIN = (190, 152, 170, 114, 106, 132, 148, 190, 283, 271, 259, 235), (55, 40, 48, 44, 58, 70, 82, 95, 88, 90, 79, 61)
MONTHS = "January February March April May June July August September October November December".split()
SALES = """日期,门店,品类,销量（件）,销售额（元）,是否退货
2024-01-05,东门店,饮料,120,960,否
2024-01-18,西门店,零食,80,1200,否
2024-02-02,东门店,零食,60,900,是
2024-02-20,南门店,饮料,150,1200,否
2024-03-08,西门店,饮料,90,720,否
2024-03-15,东门店,文具,40,400,否
2024-03-28,南门店,零食,110,1650,是
2024-04-10,东门店,饮料,130,1040,否
2024-04-22,西门店,文具,35,350,是
2024-05-06,东门店,零食,95,1425,否
"""
TABLES = {"repairs.csv": "r", "volunteers.csv": "v", "rainfall.csv": "w", "门店销售.csv": "s"}
Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    for name in ("repairs.csv", "volunteers.csv"):
        (folder / name).write_bytes((EXAMPLES / "repair-cafe" / name).read_bytes())
    lines = ["month,station,rainfall_mm,wet_days,mean_temperature_c"]
    for station, fallen in zip(("Bergen", "Oslo"), RAIN, strict=True):
        lines += [f"{m},{station},{mm},{mm // 12 + 5},{mm % 17 - 4}" for m, mm in zip(MONTHS, fallen, strict=True)]
    (folder / "rainfall.csv").write_text("\n".join(lines), "utf-8")
    (folder / "门店销售.csv").write_text(SALES, "utf-8-sig")
    return folder


def rows_of(folder: Path, name: str) -> Rows:
    return list(csv.DictReader((folder / name).read_text("utf-8-sig").splitlines()))


def program(question: str, folder: Path, name: str) -> str:
    return code(question, *table_views(name, (folder / name).read_bytes())).code


def run(question: str, folder: Path, name: str) -> list[str]:
    """Return the lines that the program prints."""
    done = subprocess.run(
        [sys.executable, "-c", program(question, folder, name)], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def share(rows: Rows, column: str, value: str) -> str:
    return f"{100 * sum(one[column] == value for one in rows) / len(rows):.2f}".rstrip("0").rstrip(".") + "%"


def of(rows: Rows, column: str, number: str) -> dict[str, list[float]]:
    return {
        key: [float(one[number]) for one in rows if one[column] == key]
        for key in dict.fromkeys(one[column] for one in rows)
    }


def most(counts: Counter[str]) -> list[str]:
    return [key for key, count in counts.items() if count == max(counts.values())]


def where(rows: Rows, **wanted: str) -> Rows:
    return [one for one in rows if all(one[key] == value for key, value in wanted.items())]


REPAIRS: list[tuple[str, Callable[[Rows], list[str]]]] = [
    ("Which item was repaired most often?", lambda r: [*most(Counter(one["item"] for one in where(r, outcome="repaired"))), "38 rows", ": 6."]),
    ("How many repairs were there?", lambda r: [f"is {len(r)}."]),
    ("How many bicycles were repaired?", lambda r: [f"is {len(where(r, item='bicycle', outcome='repaired'))}."]),
    ("What share of kitchen items was repaired?", lambda r: [share(where(r, category="kitchen"), "outcome", "repaired")]),
    ("What share of the repaired items were bicycles?", lambda r: [share(where(r, outcome="repaired"), "item", "bicycle")]),
    ("Which category has the highest share of repaired items?", lambda r: ["highest for household", "92.86%"]),
    ("Which outcome is least common?", lambda r: [Counter(one["outcome"] for one in r).most_common()[-1][0], ": 4."]),
    ("What is the median weight in the kitchen category?", lambda r: [f"{statistics.median(of(r, 'category', 'weight_kg')['kitchen']):g}"]),
    ("Which category took the most minutes?", lambda r: ["household", f"{sum(of(r, 'category', 'minutes')['household']):g}"]),
    ("Which month had the most repairs?", lambda r: most(Counter(one["date"][:7] for one in r))),
    ("What did the parts cost in total?", lambda r: [f"is {sum(float(one['parts_eur']) for one in r):g}."]),
    (
        "What are the average minutes for electronics compared with textiles?",
        lambda r: [f"electronics {statistics.mean(of(r, 'category', 'minutes')['electronics']):.2f}", "textile 66.36", "differ by 4.55"],
    ),
]  # fmt: skip
WEATHER: list[tuple[str, Callable[[Rows], list[str]]]] = [
    ("Which month had the highest rainfall in Bergen?", lambda r: ["September", "283"]),
    ("What was the total rainfall in Oslo?", lambda r: [f"{sum(of(r, 'station', 'rainfall_mm')['Oslo']):g}"]),
    ("How much more rain fell in Bergen than in Oslo?", lambda r: [f"differ by {sum(RAIN[0]) - sum(RAIN[1]):,}"]),
    ("Which station had the most wet days?", lambda r: ["Bergen", f"{sum(of(r, 'station', 'wet_days')['Bergen']):g}"]),
    ("What was the lowest temperature, and in which month was it?", lambda r: [min(r, key=lambda one: float(one["mean_temperature_c"]))["month"]]),
    ("What share of the total rainfall fell in Bergen?", lambda r: [f"{100 * sum(RAIN[0]) / sum(map(sum, RAIN)):.2f}%"]),
    ("What was the rainfall in Bergen in March?", lambda r: ["is 170."]),
]  # fmt: skip
SHOPS: list[tuple[str, Callable[[Rows], list[str]]]] = [
    ("哪个门店的销售额最高？", lambda r: ["东门店", f"{sum(of(r, '门店', '销售额（元）')['东门店']):,.0f}"]),
    ("退货占比是多少？", lambda r: [share(r, "是否退货", "是")]),
    ("哪个品类的退货率最高？", lambda r: ["零食、文具", "50%"]),
    ("各品类的平均销量是多少？", lambda r: [f"零食 {statistics.mean(of(r, '品类', '销量（件）')['零食']):g}"]),
    ("2024年3月的销售总额是多少？", lambda r: [f"为 {sum(float(one['销售额（元）']) for one in r if one['日期'][:7] == '2024-03'):,.0f}", "3 行"]),
    ("东门店和西门店的销售额相差多少？", lambda r: ["相差 2,455"]),
    ("一共有多少笔销售记录？", lambda r: [f"为 {len(r)}。"]),
    ("最高的一笔销售额是多少，是哪个门店？", lambda r: ["1,650", "南门店"]),
    ("饮料的销售额占总销售额的比例是多少？", lambda r: [f"{100 * sum(of(r, '品类', '销售额（元）')['饮料']) / sum(float(one['销售额（元）']) for one in r):.2f}%"]),
    ("出现次数最多的品类是哪个？", lambda r: most(Counter(one["品类"] for one in r))),
    ("Which store had the highest total sales?", lambda r: ["东门店", "4,725"]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), REPAIRS, ids=lambda one: one if isinstance(one, str) else "")
def test_repairs(question: str, expected: Callable[[Rows], list[str]], folder: Path) -> None:
    answered(run(question, folder, "repairs.csv"), expected(rows_of(folder, "repairs.csv")), question)


@pytest.mark.parametrize(("question", "expected"), WEATHER, ids=lambda one: one if isinstance(one, str) else "")
def test_rainfall(question: str, expected: Callable[[Rows], list[str]], folder: Path) -> None:
    answered(run(question, folder, "rainfall.csv"), expected(rows_of(folder, "rainfall.csv")), question)


@pytest.mark.parametrize(("question", "expected"), SHOPS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_chinese_table(question: str, expected: Callable[[Rows], list[str]], folder: Path) -> None:
    answered(run(question, folder, "门店销售.csv"), expected(rows_of(folder, "门店销售.csv")), question)


def answered(lines: list[str], results: list[str], question: str) -> None:
    """Assert that the answers stand in the first lines, which a report opens with."""
    opening = "\n".join(lines[:2])
    assert not [one for one in results if one not in opening], (question, lines)


@pytest.mark.parametrize(
    ("question", "file", "results"),
    [
        ("How many toasters were stolen?", "repairs.csv", ["“stolen”", "columns are: repair, date, item"]),
        ("What share of repairs succeeded?", "repairs.csv", ["“succeeded”", "columns are: repair, date, item"]),
        ("How many repairs took more than 100 minutes?", "repairs.csv", ["“more than 100”"]),
        ("What was the heaviest item?", "repairs.csv", ["No column or value", "columns are: repair, date, item"]),
        ("What is the average temperature?", "repairs.csv", ["No column or value", "columns are"]),
        ("What was the rainfall in Reykjavik?", "rainfall.csv", ["“Reykjavik”", "columns are: month, station"]),
        ("How many repairs were there in 1999?", "repairs.csv", ["is 0."]),
        ("员工平均年龄是多少？", "门店销售.csv", ["没有与", "现有的列：日期, 门店"]),
    ],
)
def test_what_the_table_does_not_tell_is_not_computed(
    question: str, file: str, results: list[str], folder: Path
) -> None:
    [line, *_] = run(question, folder, file)
    assert all(one in line for one in results), line


@pytest.mark.parametrize(
    ("question", "file", "result"),
    [
        ("Which item was repaired most often?", "repairs.csv", "jacket, sewing machine"),
        ("How many hours did the volunteers give in total, and who gave the most?", "volunteers.csv", "27 (Emil"),
        ("Which station had the most wet days?", "rainfall.csv", "241"),
        ("各品类的平均销量是多少？", "门店销售.csv", "零食 86.25"),
    ],
)
async def test_the_program_runs_in_the_sandbox(question: str, file: str, result: str, folder: Path) -> None:
    ran = await Sandbox().run(program(question, folder, file), files={file: (folder / file).read_bytes()})
    assert ran.ok, ran.error
    assert result in ran.stdout


def test_the_column_that_is_asked_for_tells_the_row_with_the_highest_of_another(tmp_path: Path) -> None:
    (tmp_path / "reads.csv").write_text("Page size,10k,1m\n1024,1.5,0.2\n4096,2.4,0.4\n65536,2.1,0.9\n", "utf-8")
    [line] = run("Which page size has the highest value for 10k blobs?", tmp_path, "reads.csv")
    assert "4096" in line
    assert "2.4" in line
    assert "65,536" not in line
