"""Where the numbers of a program's output come from: its files, what sources say, or nowhere."""

import time

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import NO_INPUT, Source
from services.evidence.computation import Computation, Program, program_behind, program_of, programs_of, query_heading
from services.evidence.literals import files_read, origin_of, parsed
from services.run.evidence_store import EvidenceStore

KNOWN = ["It reached 8,184 m in 1875, and 7,137 m in 1874."]
FILES = ["soundings.csv", "excerpts.json"]
READ = "import pandas as pd\ntable = pd.read_csv('soundings.csv')\n"


@pytest.mark.parametrize(
    ("code", "nowhere"),
    [
        ("print('Total is', 12345)", "12345"),
        ("print('12' + '345')", "345"),
        ("print(''.join(chr(code) for code in [49, 50, 51]))", "51"),
        ("print(0x3039)", "12345"),
        ("import json\nprint(json.loads('{\"a\": 987}')['a'])", "987"),
        ("from decimal import Decimal\nprint(Decimal('98.7'))", "98.7"),
        ("def total(value=12345):\n    return value\n\nprint(total())", "12345"),
        ("import base64\nprint(base64.b64decode('MTIzNDU=').decode())", NO_INPUT),
        ("import random\nprint(random.randint(1, 9))", NO_INPUT),
        ("print(7 * 5 * 3)", "5"),
        ("import pandas as pd\nprint(pd.DataFrame({'a': [50, 60]}).a.mean())", "50"),
        ("print('12345 rows of soundings.csv')", "12345"),
        ("print('soundings.csv')\nprint(7 * 5 * 3)", "5"),
        ("first = 8184  # E1-1\nsecond = 9999\nprint(second / first)", "9999"),
        (f"print(0x{'f' * 5_000})", "f" * 5_000),
        ("this does not parse", NO_INPUT),
    ],
)
def test_of_a_program_that_takes_in_nothing_no_number_is_anybodys(code: str, nowhere: str) -> None:
    origin = origin_of(code, "whatever: 77", KNOWN, FILES)
    assert origin.untraced[0] == NO_INPUT
    assert nowhere in origin.untraced


@pytest.mark.parametrize(
    ("code", "output", "untraced"),
    [
        ("print('Total is', 12345)", "Total is 12345", "12345"),
        ("print(f'The share is {0.42}')", "The share is 0.42", "0.42"),
        ("share = 42.5\nprint(f'The share is {share} %')", "The share is 42.5 %", "42.5 %"),
        ("print('总计三百四十五')", "总计三百四十五", "三百四十五"),
        (
            "rows = {'a': 8184, 'b': 9999}\nfor key, depth in rows.items():\n    print(key, depth)",
            "a 8184\nb 9999",
            "9999",
        ),
        ("def show(label, value):\n    print(label, value)\n\nshow('Total', 12345)", "Total 12345", "12345"),
        ("rows = []\nrows.append(12345)\nprint(*rows)", "12345", "12345"),
        ("share = 42.567\nprint(f'The share is {share:.1f} %')", "The share is 42.6 %", "42.6 %"),
        ("print('soundings.csv adds up to 12345')", "soundings.csv adds up to 12345", "12345"),
        ("import numpy as np\ntotal = 12345\nprint('Total', np.round(total))", "Total 12345", "12345"),
        ("print('Since 2019:')\nfor year in table.year:\n    print(year)", "Since 2019:\n2020\n2021", "2019"),
        ("people = 1234567\nprint(f'{people / 1e6:.1f} million')", "1.2 million", "1.2 million"),
        ("print(' '.join(['Total', '12345']))", "Total 12345", "12345"),
        ("print('total 12345'.upper())", "TOTAL 12345", "12345"),
        ("import numpy as np\nprint('Total', np.array([12345]).sum())", "Total 12345", "12345"),
        ("print(f'{table.depth_m.sum() / 1.8288} fathoms of 1.8288 m')", "9 fathoms of 1.8288 m", "1.8288"),
    ],
)
def test_a_number_that_a_program_only_prints_is_untraced_and_what_it_computes_is_not(
    code: str, output: str, untraced: str
) -> None:
    mean = "print(table.depth_m.mean())\n"
    assert origin_of(f"{READ}{mean}{code}", f"8107.5\n{output}", KNOWN, FILES).untraced == (untraced,)


@pytest.mark.parametrize(
    ("code", "output"),
    [
        (f"{READ}print(f'The mean of {{len(table)}} depths is {{table.depth_m.mean():,.2f}} m.')", "of 3 depths is 8,107.00 m."),
        (f"{READ}print(table[table.year > 1900].head(20).depth_m.quantile(0.9), 20 * 0.9)", "1900\n20\n0.9"),
        (f"{READ}table['fathoms'] = table.depth_m / 1.8288\nprint(round(table.fathoms.sum(), 1))", "1.8288"),
        (f"{READ}rows = {{'a': 8184, 'b': 9999}}\nprint(sum(rows.values()))", "18183"),
        (f"{READ}first, last = 2010, 2020\nprint(f'{{first}} to {{last}}:', table[table.year.between(first, last)].sum())", "2010 to 2020: 7"),
        (f"{READ}deep = 6000\nprint(f'deeper than {{deep}} m: {{(table.depth_m > deep).sum()}}')", "deeper than 6000 m: 12"),
        (f"{READ}print(f'The 3 deepest: {{table.depth_m.nlargest(3)}}')", "The 3 deepest: 9, 8, 7"),
        (f"{READ}deepest = table.nlargest(20, 'depth_m')\nprint(f'The mean of the 20 deepest is {{deepest.depth_m.mean()}}')", "of the 20 deepest is 7,500"),
        (f"{READ}top = 20\nbest = table.head(top)\nprint(f'The first {{top}}: {{best.depth_m.sum()}}')", "The first 20: 99"),
        (f"{READ}print(f'In 2019 {{table[2019]}} came.')", "In 2019 4 came."),
        (f"{READ}print(f'{{(table.depth_m >= 2500).sum()}} of at least 2,500 m')", "7 of at least 2,500 m"),
        (f"{READ}rate = table.lost.sum() / table.ships.sum() * 1000\nprint(f'{{rate:.1f}} of 1,000 ships')", "3.4 of 1,000 ships"),
        (f"{READ}rate = 100_000 * table.lost.sum() / 7\nprint(f'{{rate}} je 100.000 Schiffe')", "3 je 100.000 Schiffe"),
        (f"{READ}known = table.depth_m.replace(-999, None)\nprint(f'{{known.isna().sum()}} rows have -999')", "2 rows have -999"),
        ("import csv\nrows = list(csv.DictReader(open('soundings.csv', encoding='utf-8')))\nprint(len(rows[1:10]))", "8"),
        ("first = 8184  # E1-1\nsecond = 7137  # E1-1\nprint(f'{(first - second) / second * 100:.1f} %')", "14.7 %"),
        ("depths = {'1875': 8184, '1874': 7137}\nprint(sum(depths.values()) / len(depths))", "7660.5"),
        ("import json\nfound = json.load(open('excerpts.json'))\nprint(len(found))", "2"),
        ("first = 8184  # E1-1\nsecond = 7137  # E1-1\nprint(f'相差{first - second}，用2次测深、1个单位')", "相差1047，用2次测深、1个单位"),
    ],
)  # fmt: skip
def test_what_is_computed_from_inputs_and_excerpts_is_traced(code: str, output: str) -> None:
    assert not origin_of(code, output, KNOWN, FILES).untraced


def test_a_number_that_a_source_gives_is_traced_beside_a_date_that_holds_it() -> None:
    code = f"{READ}print('On 3 May 1875 it was', table.depth_m.max())"
    assert origin_of(code, "On 3 May 1875 it was 9.\nIn 1875", KNOWN, FILES).untraced == ("3 May 1875",)


def test_a_program_may_repeat_the_first_rows_of_a_table_that_it_reads() -> None:
    tables = {"soundings.csv": "day,depth\n1875-05-03,8184", "other.csv": "day\n1999-01-01"}
    files = {"soundings.csv": b"a", "other.csv": b"b"}
    said = "From 3 May 1875 to 1 January 1999: 9"
    computation = Computation(f"{READ}print('{said}')", "d", said, files, tables=tables)
    assert computation.origin.untraced == ("1 January 1999",)
    program = program_of(computation.text())
    assert program
    assert (program.reads, program.rows) == (("soundings.csv",), tables["soundings.csv"])


def test_a_file_that_is_no_input_is_none() -> None:
    assert origin_of("print(len(open('other.csv').read()))", "7", KNOWN, FILES).untraced == (NO_INPUT,)


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
    program = program_of(stored)
    assert program
    assert (program.code, program.output) == (code, output)


@pytest.mark.parametrize(
    "hostile", ["x = '" + "1," * 40_000 + "'", "x = " + "(" * 50_000, "x = '" + "{" * 90_000 + "'", "x = 1\n" * 20_000]
)
def test_hostile_programs_are_read_in_time(hostile: str) -> None:
    begun = time.process_time()  # of this process alone, however busy the machine is
    origin_of(hostile, "1 " * 10_000, KNOWN, FILES)
    assert time.process_time() - begun < 5


def test_a_number_that_a_source_gives_may_be_printed_and_is_named_as_given() -> None:
    origin = origin_of(f"{READ}print('In 1875 it was', table.depth_m.max())", "In 1875 it was 9", KNOWN, FILES)
    assert (origin.untraced, origin.sourced) == ((), ("1875",))


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
    assert origin_of(code, "", [source], []).untraced == ()


def test_a_count_in_words_is_none_and_other_numbers_in_words_are() -> None:
    assert not origin_of(f"{READ}print('one part in a thousand')", "one part in a thousand", KNOWN, FILES).untraced
    code = f"{READ}print('four thousand metres')"
    assert origin_of(code, "four thousand metres", KNOWN, FILES).untraced == ("four thousand",)


INPUTS = ("excerpts.json", "harbour.csv", "old harbour.csv", "ships.xlsx")


def source_of(kind: str, title: str = "t", content_hash: str = "0" * 64) -> Source:
    return Source.model_validate({"url": "u", "title": title, "kind": kind, "content_hash": content_hash})


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("read_csv('harbour.csv')", ("harbour.csv",)),
        ("open('./old harbour.csv')", ("old harbour.csv",)),
        ("sql('select * from \"ships.xlsx\"')", ("ships.xlsx",)),
        ("glob('*.csv')", ("harbour.csv", "old harbour.csv")),
        ("os.listdir('.')", ("harbour.csv", "old harbour.csv", "ships.xlsx")),
        ("json.load(open('excerpts.json'))", ("excerpts.json",)),
        ("'''Not of harbour.csv.'''\nprint(1)", ()),
        ("open('my-harbour.csv')", ()),
        ("print('harbour.csv')", ()),
        ("read_csv(f'{age}harbour.csv')", ("harbour.csv", "old harbour.csv")),
        ("open(folder / f'data/old {name}.csv')", ("old harbour.csv",)),
        ("open('old ' + name + '.csv')", ("old harbour.csv",)),
        ("open('old {}.csv'.format(name))", ("old harbour.csv",)),
        ("open('%s.xlsx' % name)", ("ships.xlsx",)),
        ("name = f'{first}-{last}'", ()),
        ("print(f'{age}harbour.csv')", ()),
    ],
)
def test_a_program_reads_what_it_names(code: str, read: tuple[str, ...]) -> None:
    program = parsed(code)
    assert program
    assert files_read(program, INPUTS) == read


def test_a_computation_tells_its_program() -> None:
    code = "print(open('harbour.csv').read())"
    text = Computation(code, "all", "## Output\n1", {"harbour.csv": b"1"}).text()
    assert program_behind(source_of("computation"), text) == Program(code, "python", ("harbour.csv",), "## Output\n1")
    assert program_behind(source_of("computation"), "something else") is None


def test_a_query_is_read_off_its_heading() -> None:
    sql = "SELECT ship\nFROM casts\nWHERE year = :year"
    text = query_heading(database="primary", tables=["casts"], sql=sql, values={"year": 1875}) + "1 row, all there are."
    whole = Program(f"{sql}\n-- :year = 1875", "sql", ("primary (casts)",))
    assert program_behind(source_of("database", "primary: SELECT …"), text) == whole
    assert program_behind(source_of("database", "primary: SELECT 1"), "1 row") is None


async def test_a_source_whose_text_is_gone_has_no_program() -> None:
    evidence = EvidenceStore(InMemoryStore())
    key = await evidence.put_text(Computation("print(1)", "one", "1").text())
    sources = [source_of("computation", content_hash=key), source_of("computation"), source_of("web")]
    assert list(await programs_of(sources, evidence)) == [key]


@pytest.mark.parametrize(
    "name",
    ['f"rides-{year}.csv"', '"rides-" + str(year) + ".csv"', '"rides-%d.csv" % year', '"rides-{}.csv".format(year)'],
)
def test_a_name_that_a_program_puts_together_is_read_as_a_pattern(name: str) -> None:
    program = parsed(f"import pandas as pd\nfor year in range(2001, 2004):\n    print(len(pd.read_csv({name})))")
    assert program is not None
    inputs = ["rides-2001.csv", "rides-2002.csv", "fares.csv", "excerpts.json"]
    assert files_read(program, inputs) == ("rides-2001.csv", "rides-2002.csv")
    [printed] = [node for node in (parsed(f"print({name})"),) if node is not None]
    assert files_read(printed, inputs) == ()


def test_bounds_of_a_range_select() -> None:
    code = f"{READ}for year in range(2000, 2024):\n    print(year, len(table))"
    assert origin_of(code, "2000 12\n2001 12", KNOWN, FILES).untraced == ()
