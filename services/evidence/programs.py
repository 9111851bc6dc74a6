"""The program behind a computed source, as its stored text has it: the code or the query, and the tables that it read."""

import ast
import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Literal

from schemas.evidence import Source
from services.evidence.computation import program_of
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore

QUOTES_FILE, FINDINGS_FILE = "excerpts.json", "findings.json"
"""Files of every work folder that hold what earlier steps quoted and found."""
_QUERY, _TABLES, _SQL, _RESULT = "# Query", "## Tables", "## SQL", "## Result"
_LISTING = frozenset({"listdir", "scandir", "iterdir", "walk"})
"""Calls after which a program may have read every table of its folder."""
_LONGEST_PATTERN = 100
"""Characters of a pattern of file names."""


@dataclass(frozen=True, slots=True)
class Program:
    """What was run for a source, and what it read."""

    code: str
    language: Literal["python", "sql"]
    reads: tuple[str, ...] = ()
    """Names of the files in its work folder, or the database with its tables; empty where code cannot tell."""


async def programs_of(sources: Iterable[Source], evidence: EvidenceStore) -> dict[str, Program]:
    """Return the programs of computations and database queries among sources, by content hash.

    A source whose text is gone, or is not what a program leaves, has none.
    """
    programs: dict[str, Program] = {}
    for source in sources:
        if source.kind in {"computation", "database"}:
            with contextlib.suppress(StoreError):
                program = program_behind(source, await evidence.get_text(source.content_hash))
                if program is not None:
                    programs[source.content_hash] = program
    return programs


def program_behind(source: Source, text: str) -> Program | None:
    """Read the program of a source off its stored text; None where there is none."""
    if source.kind == "database":
        return _query_in(text) or _query_in_title(source.title)
    program = program_of(text)
    return Program(program[0], "python", files_read(*program)) if program is not None else None


def query_heading(*, database: str, tables: Sequence[str], sql: str, values: Mapping[str, object]) -> str:
    """Return what is stored before a query's result, so that a report can show the query.

    Args:
        database: its name, as the operator gave it.
        tables: that the query names.
        sql: the query, as it was asked.
        values: of its parameters.
    """
    query = "\n".join([sql.strip(), *(f"-- :{name} = {value!r}" for name, value in values.items())])
    return "\n".join([_QUERY, database, "", _TABLES, *tables, "", _SQL, query, "", _RESULT, ""])


def _query_in(text: str) -> Program | None:
    head, result_heading, _ = text.partition(f"\n\n{_RESULT}\n")
    head, sql_heading, sql = head.partition(f"\n{_SQL}\n")
    if not text.startswith(f"{_QUERY}\n") or not sql_heading or not result_heading:
        return None
    database, _, tables = head.removeprefix(f"{_QUERY}\n").partition(f"\n\n{_TABLES}\n")
    named = ", ".join(table for table in tables.split("\n") if table)
    return Program(sql.strip(), "sql", (f"{database} ({named})" if named else database,))


def _query_in_title(title: str) -> Program | None:
    """Read the query off the title, where bundles of earlier versions have it, shortened if it is long."""
    database, colon, sql = title.partition(": ")
    return Program(sql, "sql", (database,)) if colon else None


def files_read(code: str, inputs: Sequence[str]) -> tuple[str, ...]:
    """Return which of its inputs a program names, by name or pattern; all tables where it lists its folder.

    Args:
        code: Python source.
        inputs: names of the files in its work folder.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    listed = any(_name_of(node) in _LISTING for node in ast.walk(tree) if isinstance(node, ast.Call))
    tables = {name for name in inputs if listed and name not in {QUOTES_FILE, FINDINGS_FILE}}
    for text in _texts(tree):
        tables.update(_named_in(text, inputs))
    return tuple(name for name in inputs if name in tables)


def _named_in(text: str, inputs: Sequence[str]) -> Iterator[str]:
    """Yield the files that a text names, but none whose name is only a part of another name."""
    base = text.replace("\\", "/").rpartition("/")[2]
    if "*" in base and len(base) <= _LONGEST_PATTERN:
        yield from (name for name in inputs if fnmatchcase(name, base))
    for name in sorted(inputs, key=len, reverse=True):
        around = pairwise(text.split(name))
        if any(not _goes_on(before[-1:]) and not _goes_on(after[:1]) for before, after in around):
            yield name
        text = text.replace(name, "\n")


def _goes_on(char: str) -> bool:
    return char.isalnum() or char in {"-", "_"}


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in a program that are no comments of it: a text that stands alone does nothing."""
    nodes = list(ast.walk(tree))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value
