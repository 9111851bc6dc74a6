"""Where a program's numbers come from: its files, what sources say, or nowhere."""

import time

import pytest

from services.evidence.computation import Computation, program_of
from services.evidence.literals import NO_INPUT, origin_of

KNOWN = ["It reached 8,184 m in 1875, and 7,137 m in 1874."]
FILES = ["soundings.csv", "excerpts.json"]
READ = "import pandas as pd\ntable = pd.read_csv('soundings.csv')\n"


@pytest.mark.parametrize(
    ("code", "nowhere"),
    [
        ("print('Total is', 12345)", "12345"),
        ("total = 12345\nprint(total)", "12345"),
        ("print('12' + '345')", "345"),
        ("print(''.join(chr(code) for code in [49, 50, 51]))", "51"),
        ("print(0x3039)", "12345"),
        ("print(int('12345', 10))", "12345"),
        ("import json\nprint(json.loads('{\"a\": 987}')['a'])", "987"),
        ("from decimal import Decimal\nprint(Decimal('98.7'))", "98.7"),
        ("def total(value=12345):\n    return value\n\nprint(total())", "12345"),
        ("import base64\nprint(base64.b64decode('MTIzNDU=').decode())", "base64"),
        ("import random\nprint(random.randint(1, 9))", "random"),
        ("from datetime import datetime\nprint(datetime.now().year)", "now"),
        ("print(hash('depth'))", "hash"),
        ("print(7 * 5 * 3)", NO_INPUT),
        ("import pandas as pd\nprint(pd.DataFrame({'a': [50, 60]}).a.mean())", "50"),
        (f"{READ}print('Total is', 12345)", "12345"),
        (f"{READ}print(f'The share is {{0.42}}')", "0.42"),
        (f"{READ}share = 42.5\nprint(f'The share is {{share}} %')", "42.5"),
        (f"{READ}print('总计三百四十五')", "三百四十五"),
        (f"{READ}print('相差3个年份')", "3"),
        (f"{READ}rows = {{'a': 8184, 'b': 9999}}\nprint(sum(rows.values()))", "9999"),
        (f"{READ}print('soundings.csv adds up to 12345')", "12345"),
        ("print('12345 rows of soundings.csv')", "12345"),
        (f"{READ}print(' '.join(['Total', '12345']))", "12345"),
        (f"{READ}print('total 12345'.upper())", "12345"),
        (f"{READ}print({{}}.get('a', 12345))", "12345"),
        ("print('soundings.csv')\nprint(7 * 5 * 3)", NO_INPUT),
        (f"print(0x{'f' * 5_000})", "0xfff"),
        ("this does not parse", NO_INPUT),
    ],
)
def test_a_number_from_nowhere_is_named(code: str, nowhere: str) -> None:
    origin = origin_of(code, KNOWN, FILES)
    assert not origin.traced
    assert any(one.startswith(nowhere) for one in origin.nowhere)


@pytest.mark.parametrize(
    "code",
    [
        f"{READ}print(f'The mean of {{len(table)}} depths is {{table.depth_m.mean():,.2f}} m.')",
        f"{READ}print(table[table.year > 1900].head(20).depth_m.quantile(0.9))",
        f"{READ}table['fathoms'] = table.depth_m / 1.8288\nprint(round(table.fathoms.sum(), 1), '%.2f' % table.year.mean())",
        "import csv\nrows = list(csv.DictReader(open('soundings.csv', encoding='utf-8')))\nprint(len(rows[1:10]))",
        "first = 8184  # E1-1\nsecond = 7137  # E1-1\nprint(f'{(first - second) / second * 100:.1f} %')",
        "depths = {'1875': 8184, '1874': 7137}\nprint(sum(depths.values()) / len(depths))",
        "import json\nfound = json.load(open('excerpts.json'))\nprint(len(found))",
        "first = 8184  # E1-1\nsecond = 7137  # E1-1\nprint(f'相差{first - second}，用2次测深、1个单位')",
    ],
)
def test_what_is_computed_from_inputs_and_excerpts_is_traced(code: str) -> None:
    origin = origin_of(code, KNOWN, FILES)
    assert origin.traced, origin


def test_a_file_that_is_no_input_is_none() -> None:
    assert not origin_of("print(len(open('other.csv').read()))", KNOWN, FILES).traced


@pytest.mark.parametrize(
    ("code", "output", "isolated"),
    [
        ("print(1)", "1", True),
        ("print(1)", "1", False),
        ("x = 1\n\n## Output\n\nprint(12345)", "12345", True),
        ("print('## Output')", "these words are not Python\n\n## Output\ntwo", True),
    ],
)
def test_the_program_of_a_stored_computation_is_read_back(code: str, output: str, isolated: bool) -> None:
    stored = Computation(code, "d", output, {"soundings.csv": b"a"}, "", isolated).text()
    assert program_of(stored) == (code, ["soundings.csv"])


@pytest.mark.parametrize(
    "hostile", ["x = '" + "1," * 40_000 + "'", "x = " + "(" * 50_000, "x = '" + "{" * 90_000 + "'", "x = 1\n" * 20_000]
)
def test_hostile_programs_are_read_in_time(hostile: str) -> None:
    begun = time.process_time()  # of this process alone, however busy the machine is
    origin_of(hostile, KNOWN, FILES)
    assert time.process_time() - begun < 5


def test_a_year_by_which_a_program_takes_rows_or_columns_may_be_printed() -> None:
    code = 'import pandas as pd\np = pd.read_csv("a.csv").set_index("year")["n"]\nprint(f"In 2019 {p[2019]} came.")'
    assert origin_of(code, [], ["a.csv"]).traced
    assert origin_of(code.replace("In 2019", "In 2018"), [], ["a.csv"]).nowhere == ("2018",)


def test_another_number_that_is_a_key_may_not_be_printed() -> None:
    code = 'import pandas as pd\np = pd.read_csv("a.csv")\nprint(p["4821"].sum(), "and 4821")'
    assert origin_of(code, [], ["a.csv"]).nowhere == ("4821",)


@pytest.mark.parametrize(
    ("code", "source"),
    [
        ("print(28 * 0.6)", "总投资约28亿元，铁总占60%。"),
        ("print(1200 * 0.4)", "The line cost 1,200 crowns; the town paid 40 percent."),
        ("print('1958年10月')", "1956年3月开工，1958年1月复工，10月铺轨通车。"),
        ("print('两省相连', 290 + 175)", "德大290公里，大莱龙175公里。"),
    ],
)
def test_what_a_source_writes_in_another_form_is_given(code: str, source: str) -> None:
    assert origin_of(code, [source], []).nowhere == ()


def test_the_name_of_a_scale_alone_is_no_number_of_a_printed_text() -> None:
    code = "value = 11\nprint(f'one part in a thousand is {value} m')"
    assert origin_of(code, ["It is 11 m deep."], []).traced
    assert origin_of("print('four thousand metres')", ["It is 11 m deep."], []).nowhere == ("four thousand",)
