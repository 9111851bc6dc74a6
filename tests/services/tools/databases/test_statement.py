"""The check of a query: what it refuses, what it lets pass, and that no text wears it out."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.run.errors import QueryRefused
from services.tools.databases import statement
from tests.services.tools.databases.conftest import DIALECTS


@pytest.mark.parametrize(
    ("query", "params", "message"),
    [
        ("SELECT :a", {}, "no value for :a"),
        ("SELECT 1", {"a": 1}, "does not use :a"),
        ("SELECT ?", {}, ":name"),
        ("SELECT 'a", {}, "not closed"),
        ("SELECT FROM WHERE", {}, "syntax"),
    ],
)
def test_a_query_that_cannot_be_run_is_refused_in_words(query: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryRefused, match=message):
        statement.checked(query, params, "sqlite")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT ship, rank() OVER (PARTITION BY year ORDER BY depth DESC) FROM soundings",
        "WITH a(x) AS (VALUES (1), (2)), b AS (SELECT x FROM a WHERE x IN (1, 2)) SELECT max(x) FROM b",
        "SELECT CAST(year AS VARCHAR(10)), coalesce(depth, 0), round(depth, 1) FROM soundings s JOIN soundings t USING (ship)",
        "SELECT count(*) FILTER (WHERE depth > 5) FROM soundings GROUP BY (year) HAVING (count(*) > 0)",
        "(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 LIMIT (1);",
        "SELECT * FROM soundings WHERE EXISTS (SELECT 1) AND NOT (depth BETWEEN (1) AND (2)) -- done",
        "SELECT CASE WHEN (depth > 1) THEN upper(ship) ELSE lower('; DROP TABLE x') END FROM soundings",
        "SELECT 年份, 金额 / nullif(lag(金额) OVER (ORDER BY 年份), 0) AS 增长 FROM 销售 AS 表(年份, 地区, 金额)",
    ],
)
def test_ordinary_queries_pass_the_check(query: str, dialect: str) -> None:
    statement.checked(query, (), dialect)  # type: ignore[arg-type]  # the three names of dialects


@settings(max_examples=300, deadline=None)
@given(
    words=st.lists(st.sampled_from("SELECT FROM WHERE WITH AS ( ) , * a 1 'x' \"q\" :p ? $1 [ ] { } CASE END UNION NOT - :: || -> IN "
                                   "EXISTS OVER CAST ; -- /* */ $$ PIVOT INTO FOR UPDATE x'ab' DELETE COPY 中文".split()), max_size=20),
    dialect=st.sampled_from(DIALECTS),
)  # fmt: skip
def test_any_text_is_a_statement_or_is_refused(words: list[str], dialect: str) -> None:
    with contextlib.suppress(QueryRefused):
        statement.checked(" ".join(["SELECT", *words]), ("p",), dialect)  # type: ignore[arg-type]  # the three dialects


@pytest.mark.parametrize(
    "query",
    [
        "NOT " * 4_000 + "1",
        "- " * 9_000 + "1",
        "1" + " UNION SELECT 1" * 1_200,
        "ARRAY" + "[1]" * 6_000,
        "CASE " * 3_000,
        "a" * 21_000,
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_query_that_would_wear_the_parser_out_is_refused_or_read(query: str, dialect: str) -> None:
    with contextlib.suppress(QueryRefused):
        statement.checked(f"SELECT {query}", (), dialect)  # type: ignore[arg-type]  # the three dialects
