"""The tool `query_database`: one SELECT against a database that the operator named, as a table that can be cited."""

import asyncio
from datetime import UTC, datetime

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from services.evidence.computation import query_heading
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.tools.databases.configuration import Database, database
from services.tools.databases.query import QUERY_SECONDS, ask_rows
from services.tools.databases.rows import as_csv, as_table
from services.tools.databases.statement import Statement, checked
from services.tools.output import ResponseFormat, ToolOutput, as_tool

Value = str | int | float | bool | None

_DESCRIPTION = (
    "Run one SQL SELECT against a database and get the rows as a table, and as a CSV file for programs. It only reads: no other statement runs. "
    "Write values as :name and give them in params. Filter and aggregate in SQL rather than asking for many rows."
)
_MAX_TITLE = 160


class QueryDatabase(BaseModel):
    """Parameters of `query_database`."""

    query: str = Field(description="One SELECT (or WITH … SELECT) in the database's own dialect.")
    connection: str = Field(default="primary", description="Name of the database.")
    params: dict[str, Value] = Field(
        default_factory=dict, description='Values of the parameters in the query: {"year": 1875} for :year.'
    )
    max_rows: int = Field(default=1000, ge=1, le=10_000, description="Most rows that are wanted.")
    response_format: ResponseFormat = Field(
        default="standard", description="How much of the result to show: brief, standard or full."
    )


def query_database(run: Run, evidence: EvidenceStore) -> BaseTool:
    """Build the tool for a run, whose remaining time limits a query."""

    async def execute(request: QueryDatabase) -> ToolOutput:
        chosen, statement = await asyncio.to_thread(_prepared, request)
        seconds = max(1.0, min(QUERY_SECONDS, run.seconds_left))
        rows = await ask_rows(chosen, statement.sql, request.params, request.max_rows, seconds)
        words = " ".join(request.query.split())
        title = f"{chosen.name}: {words if len(words) <= _MAX_TITLE else words[:_MAX_TITLE] + '…'}"
        name, data = as_csv(rows)
        return ToolOutput(
            text=as_table(rows, file=name),
            heading=query_heading(
                database=chosen.name, tables=statement.reads, sql=request.query, values=request.params
            ),
            response_format=request.response_format,
            kind="database",
            title=title if statement.reads else "",
            url=f"database:{chosen.name}",
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            artifacts={name: await evidence.put_bytes(data)},
        )

    return as_tool("query_database", _DESCRIPTION, QueryDatabase, execute)


def _prepared(request: QueryDatabase) -> tuple[Database, Statement]:
    """Find the database and check the query. Blocking: the parser is loaded and works."""
    chosen = database(request.connection)
    return chosen, checked(request.query, request.params, chosen.dialect)
