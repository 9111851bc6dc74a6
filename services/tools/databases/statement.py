"""Checks a query: one read-only statement, with computing functions only and bound parameters.

This is the first of two protections: it refuses early, with a message that helps the model. The second one, the
connection, is safe without it.
"""

import logging
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from services.run.errors import QueryRefused, SettingsError
from services.tools.databases.configuration import INSTALL, Dialect
from services.tools.databases.functions import ALLOWED, CATALOG, CATALOG_PREFIXES, DENIED

if TYPE_CHECKING:
    from sqlglot import exp

MAX_QUERY = 20_000
"""Maximum characters of a query."""
MAX_DEPTH = 60
"""Maximum nesting of brackets."""
MAX_BRACKETS = 200
"""Maximum number of square brackets, which are slow to parse in large numbers."""
_BEGINS = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
_ONE = "Only one statement is run, and it must be a SELECT (WITH … SELECT, VALUES and UNION are fine)."
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A checked query."""

    sql: str
    """The query, with parameters in the driver's notation."""
    reads: tuple[str, ...]
    """Tables that the query reads; empty if it reads none."""


def checked(query: str, parameters: Collection[str], dialect: Dialect) -> Statement:
    """Check a model's query and convert its parameters, `:name` each, to the driver's notation.

    Raises:
        QueryRefused: the query is not a single read-only statement; the message says what to change.
    """
    if len(query) > MAX_QUERY or "\x00" in query:
        raise QueryRefused(f"The query is longer than {MAX_QUERY:,} characters or holds NUL. Ask for less at once.")
    tokens = _tokens(query, dialect)
    _check_it_reads(tokens)
    tree = _parsed(query, dialect)
    _only_reads(tree)
    _only_computes(tree, tokens)
    reads = _tables(tree)
    _check_parameters(tree, parameters)
    sql = query.rstrip().rstrip(";") if tokens[-1].token_type.name == "SEMICOLON" else query
    tokens = [token for token in tokens if token.token_type.name != "SEMICOLON"]
    if dialect == "postgres" and parameters:
        return Statement(_marked(sql, tokens, parameters), reads)
    return Statement(sql, reads)


def _tokens(query: str, dialect: Dialect) -> list[Any]:
    try:
        from sqlglot import Dialect as Grammar
        from sqlglot.errors import TokenError
    except ImportError:
        raise SettingsError(f"Databases need packages that are not installed. Run: {INSTALL}") from None
    try:
        return list(Grammar.get_or_raise(dialect).tokenize(query))
    except TokenError:
        raise QueryRefused("The query cannot be read: a quotation mark or a comment is not closed.") from None


def _check_it_reads(tokens: list[Any]) -> None:
    names = [token.token_type.name for token in tokens]
    while names and names[-1] == "SEMICOLON":
        names.pop()
    if "SEMICOLON" in names:
        raise QueryRefused(_ONE)
    first = next((token for token in tokens if token.token_type.name != "L_PAREN"), None)
    if first is None or first.text.upper() not in _BEGINS:
        raise QueryRefused(_ONE)
    if names.count("L_BRACKET") > MAX_BRACKETS:
        raise QueryRefused(f"The query has more than {MAX_BRACKETS} square brackets. Write it shorter.")
    depth = deepest = 0
    for name in names:
        depth += name in {"L_PAREN", "L_BRACKET", "L_BRACE", "CASE"}
        depth -= name in {"R_PAREN", "R_BRACKET", "R_BRACE", "END"}
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise QueryRefused(f"The query is nested more than {MAX_DEPTH} levels deep. Write it flatter, using WITH.")


def _marked(query: str, tokens: list[Any], parameters: Collection[str]) -> str:
    """Write each `:name` parameter as psycopg does, and double every other `%`."""
    places = []
    for colon, name in pairwise(tokens):
        before = query[colon.start - 1 : colon.start]
        if (
            colon.token_type.name == "COLON"
            and name.start == colon.end + 1
            and query[name.start : name.end + 1] in parameters
            and not (before.isalnum() or before in tuple("_]\")'"))
        ):
            places.append((colon.start, name.end + 1, f"%({query[name.start : name.end + 1]})s"))
    parts, done = [], 0
    for start, end, written in [*places, (len(query), len(query), "")]:
        parts += [query[done:start].replace("%", "%%"), written]
        done = end
    return "".join(parts)


def _parsed(query: str, dialect: Dialect) -> "exp.Expr":
    import sqlglot
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # parser messages go to the model, not to the log
    try:
        trees = [tree for tree in sqlglot.parse(query, read=dialect) if tree is not None]
    except SqlglotError as error:
        details: list[dict[str, Any]] = getattr(error, "errors", None) or [{}]
        highlight = str(details[0].get("highlight") or "")[:60]
        raise QueryRefused(
            f"The query cannot be read{f' near {highlight!r}' if highlight else ''}. Correct its syntax."
        ) from None
    except RecursionError:
        raise QueryRefused("The query is nested too deeply. Write it flatter, using WITH.") from None
    trees = [tree for tree in trees if type(tree).__name__ != "Semicolon"]
    if len(trees) != 1:
        raise QueryRefused(_ONE)
    return trees[0]


def _only_reads(tree: "exp.Expr") -> None:
    from sqlglot import exp

    if not isinstance(tree, (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)):
        raise QueryRefused(_ONE)
    for node in tree.walk():
        if isinstance(node, exp.Into):
            raise QueryRefused("SELECT … INTO makes a table. Leave out INTO: the rows come back as the result.")
        if isinstance(node, exp.Lock):
            raise QueryRefused("FOR UPDATE and FOR SHARE lock rows. Leave them out.")
        if isinstance(node, (exp.DDL, exp.DML, exp.Command, exp.Copy, exp.Attach, exp.Detach, exp.Pragma, exp.Set)):
            raise QueryRefused(f"{type(node).__name__.upper()} does more than read. {_ONE}")


def _only_computes(tree: "exp.Expr", tokens: list[Any]) -> None:
    """Refuse calls of functions that are not known to be harmless: any name before a bracket counts as a call."""
    from sqlglot import exp

    named = Counter(alias.name.lower() for alias in tree.find_all(exp.TableAlias) if alias.args.get("columns"))
    named.update(window.name.lower() for window in tree.find_all(exp.Window) if window.name)
    for name, bracket in pairwise(tokens):
        if bracket.token_type.name != "L_PAREN":
            continue
        called = name.text.lower()
        if called in DENIED:
            raise QueryRefused(f"The function {called} may not be called: it does more than compute.")
        if name.token_type.name not in {"VAR", "IDENTIFIER"} or called in ALLOWED:
            continue
        named[called] -= 1
        if named[called] < 0:
            raise QueryRefused(
                f"The function {called[:60]!r} is not among those that may be called in a query. Use standard SQL functions."
            )


def _tables(tree: "exp.Expr") -> tuple[str, ...]:
    from sqlglot import exp

    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    names = []
    for table in tree.find_all(exp.Table):
        name = table.name
        parts = [part.name.lower() for part in table.parts if part.name]
        system = [part for part in parts if part.startswith(CATALOG_PREFIXES) and part not in CATALOG]
        if system:
            raise QueryRefused(f"The system table {system[0][:60]!r} may not be read. Read the database's own tables.")
        if name and (name.lower() not in own or len(parts) > 1):
            names.append(name)
    return tuple(dict.fromkeys(names))


def _check_parameters(tree: "exp.Expr", parameters: Collection[str]) -> None:
    from sqlglot import exp

    used = {str(mark.this or "") for mark in tree.find_all(exp.Placeholder)}
    used |= {mark.name for mark in tree.find_all(exp.Parameter)}
    if unnamed := [name for name in used if not _WORD.fullmatch(name)]:
        raise QueryRefused(f"Write parameters as :name and give their values in params, not as {unnamed[0] or '?'}.")
    if missing := sorted(used - set(parameters)):
        raise QueryRefused(f"params gives no value for :{missing[0]}.")
    if idle := sorted(set(parameters) - used):
        raise QueryRefused(f"params has {idle[0]!r}, but the query does not use :{idle[0]}.")
