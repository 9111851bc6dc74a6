"""The program behind a computed source, as its stored text has it: the code or the query, and the tables that it read."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence

from schemas.evidence import Source
from services.evidence.computation import Program, program_of
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore

_QUERY, _TABLES, _SQL, _RESULT = "# Query", "## Tables", "## SQL", "## Result"


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
    return _query_in(text) or _query_in_title(source.title) if source.kind == "database" else program_of(text)


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
