"""The tool `query_database`: what it takes, what it shows, and what it says when something is wrong."""

import sys

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.tools import BaseTool
from pydantic import ValidationError

from services.run.errors import DatabaseError, SettingsError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.tools.builtin_tools import QueryDatabase
from services.tools.databases import query_child
from services.tools.databases.query import schema_views
from tests.services.tools.conftest import output
from tests.services.tools.databases.conftest import Configure

pytestmark = pytest.mark.long


@pytest.mark.usefixtures("any_database")
async def test_rows_are_a_table_a_source_that_names_the_database_and_a_file_for_programs(
    tool: BaseTool, evidence: EvidenceStore
) -> None:
    query = "SELECT ship, year FROM soundings WHERE year < 1990 ORDER BY year"
    found = await output(tool, query=query, response_format="brief")
    lines = found.text.splitlines()
    [(name, content_hash)] = found.artifacts.items()
    assert lines[0] == f"2 rows, all there are. As a file: {name}"
    assert lines[1].startswith("Columns: ship (")
    assert lines[3:] == ["| ship | year |", "| --- | --- |", "| Challenger | 1875 |", "| Vema | 1957 |"]
    assert (found.kind, found.url, found.response_format) == ("database", "database:primary", "brief")
    assert (found.title, found.at[-6:]) == (f"primary: {query}", "+00:00")
    assert (await evidence.get_bytes(content_hash)).decode() == "ship,year\r\nChallenger,1875\r\nVema,1957\r\n"


@pytest.mark.usefixtures("any_database")
async def test_chinese_names_and_parameters_work(tool: BaseTool) -> None:
    query = "SELECT 年份, sum(金额) AS 总额 FROM 销售 WHERE 地区 = :地区 AND 年份 >= :year GROUP BY 年份 -- :x"
    found = await output(tool, query=query, params={"地区": "华东", "year": 2024})
    assert found.text.splitlines()[-1].startswith("| 2024 | 150.0")


@pytest.mark.usefixtures("any_database")
async def test_a_parameter_is_a_value_and_never_part_of_the_query(tool: BaseTool) -> None:
    hostile = "x' OR '1'='1'; DELETE FROM soundings; --"
    found = await output(tool, query="SELECT ship FROM soundings WHERE ship = :ship", params={"ship": hostile})
    assert found.text.startswith("0 rows")


@pytest.mark.usefixtures("any_database")
async def test_texts_that_look_like_parameters_are_left_alone(tool: BaseTool) -> None:
    query = "SELECT 'at :year, 100%' AS said, CAST(5 % 3 AS INTEGER) AS rest FROM soundings WHERE year = :year"
    found = await output(tool, query=query, params={"year": 1875})
    assert found.text.splitlines()[-1] == "| at :year, 100% | 2 |"


@pytest.mark.usefixtures("any_database")
async def test_more_rows_than_wanted_are_not_fetched_and_the_text_says_so(tool: BaseTool) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT i FROM n"
    found = await output(tool, query=endless, max_rows=7)
    assert found.text.startswith("7 rows shown of more than 7.")
    assert found.text.splitlines()[-1] == "| 7 |"


@pytest.mark.usefixtures("any_database")
async def test_wide_cells_are_cut_and_a_large_result_ends_at_the_limit_of_bytes(tool: BaseTool) -> None:
    many = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
        "SELECT replace('aaaaaaaaaa', 'a', :long) AS wide FROM n"
    )
    found = await output(tool, query=many, params={"long": "x" * 900}, max_rows=5000)
    assert "… [7,000 more characters]" in found.text
    assert "(the result grew too large)" in found.text.splitlines()[0]
    assert len(found.text) < 1_100_000


@pytest.mark.usefixtures("any_database")
@pytest.mark.parametrize(
    ("query", "name"), [("SELECT dept FROM soundings", "dept"), ("SELECT 1 FROM sounding", "sounding")]
)
async def test_an_unknown_name_is_answered_in_the_words_of_the_database(tool: BaseTool, query: str, name: str) -> None:
    with pytest.raises(DatabaseError, match=f"primary: .*{name}"):
        await tool.ainvoke({"query": query})


@pytest.mark.usefixtures("any_database")
async def test_a_query_that_takes_too_long_is_ended(tool: BaseTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.tools.builtin_tools.QUERY_SECONDS", 0.5)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(DatabaseError, match="longer than 1 seconds"):
        await tool.ainvoke({"query": endless})


@pytest.mark.usefixtures("any_database")
async def test_a_query_that_reads_no_table_proves_nothing(tool: BaseTool) -> None:
    assert (await output(tool, query="SELECT 8184 AS depth")).title == ""


async def test_databases_have_names_and_the_first_is_primary_where_none_is_called_so(
    tool: BaseTool, configure: Configure, sqlite_url: str
) -> None:
    configure(f"one={sqlite_url}; two={sqlite_url}")
    assert (await output(tool, query="SELECT ship FROM soundings", connection="two")).url == "database:two"
    assert (await output(tool, query="SELECT ship FROM soundings")).url == "database:one"
    with pytest.raises(DatabaseError, match="Known: one, two"):
        await tool.ainvoke({"query": "SELECT 1", "connection": "three"})


async def test_without_a_database_the_tool_says_how_to_name_one(tool: BaseTool) -> None:
    with pytest.raises(DatabaseError, match="LEADLINE_DATABASES"):
        await tool.ainvoke({"query": "SELECT 1"})


@pytest.mark.parametrize("rows", [0, 10_001])
async def test_the_number_of_rows_has_bounds(tool: BaseTool, rows: int) -> None:
    with pytest.raises(ValidationError):
        await tool.ainvoke({"query": "SELECT 1", "max_rows": rows})


def test_parameters_and_defaults_are_those_of_the_contract(tool: BaseTool) -> None:
    fields = QueryDatabase.model_json_schema()["properties"]
    assert tool.args == fields
    assert list(fields) == ["query", "connection", "params", "max_rows", "response_format"]
    assert (fields["connection"]["default"], fields["max_rows"]["default"]) == ("primary", 1000)


@pytest.mark.usefixtures("any_database")
async def test_nothing_blocks_the_event_loop(tool: BaseTool, run: Run) -> None:
    with blockbuster_ctx():
        await tool.ainvoke({"query": "SELECT count(*) FROM soundings"})
        await schema_views(run)


@pytest.mark.parametrize("package", ["sqlalchemy.engine", "sqlglot"])
async def test_a_missing_package_is_answered_with_the_command_that_installs_it(
    package: str, tool: BaseTool, configure: Configure, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(f"primary={sqlite_url}")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingsError, match=r"pip install .*\[databases\]"):
        await tool.ainvoke({"query": "SELECT 1"})


def test_a_missing_driver_is_said_by_the_process_that_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "services.tools.databases.postgres_server", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert query_child._answer({"dialect": "postgres"}) == {"missing": True}
