"""Programs read off stored texts: the code or the query, and what it read."""

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import Source
from services.evidence.computation import Computation, Program, program_behind, programs_of, query_heading
from services.evidence.literals import files_read, parsed
from services.run.evidence_store import EvidenceStore

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
