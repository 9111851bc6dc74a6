"""The built-in tools that search, read pages, run programs and query databases.

`web_search` and `search_documents` find passages for a query, and `web_reader` returns the text of a page that was named. `run_python`
stores its code under an id, and its run becomes a citable source. `query_database` gives the rows of one SELECT as a table that can be cited.
"""

import asyncio
import hashlib
import re
from datetime import UTC, datetime
from typing import Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from schemas.clean_text import beginning
from schemas.evidence import StepKind
from services.evidence.computation import query_heading
from services.run.errors import PageRefused, SearchError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, current_run
from services.sandbox.journaled import run_code
from services.sandbox.sandbox import DEFAULT_SECONDS, MAX_SECONDS, MIN_SECONDS
from services.search.journaled import gather_once
from services.search.run_pages import page_once
from services.tools.databases.configuration import Database, database
from services.tools.databases.query import QUERY_SECONDS, ask_rows
from services.tools.databases.rows import as_csv, as_table
from services.tools.databases.statement import Statement, checked
from services.tools.output import ResponseFormat, ToolOutput, as_tool
from services.tools.workspace import Workspace

_SEARCHES = {
    "web_search": "Search the web; returns passages of the pages that were found.",
    "search_documents": "Search the user's own documents; returns passages of them.",
}


class _Query(BaseModel):
    query: str = Field(min_length=1, description="An affirmative statement, phrased as a source would phrase it.")
    num_results: int = Field(default=10, ge=1, le=20, description="Passages.")
    response_format: ResponseFormat = Field(default="standard", description="How much of them to show.")


def search_tool(
    name: Literal["web_search", "search_documents"], workspace: Workspace, kind: StepKind = "general"
) -> BaseTool:
    """Build the tool that searches the web, or the user's documents, for a step that needs a kind of source."""

    async def execute(request: _Query) -> ToolOutput:
        run = current_run()
        search = await gather_once(
            run,
            [request.query],
            workspace.evidence,
            request.num_results,
            where="web" if name == "web_search" else "documents",
            source_kind=kind,
        )
        run.has_searched([request.query], search.searched)
        if not search.passages:
            raise SearchError("; ".join(["Nothing was found.", *search.failures]))
        found = [(passage, search.sources[passage.content_hash]) for passage in search.passages]
        return ToolOutput(
            text="\n\n".join(f"[{passage.title}] {source.url}\n{passage.text}" for passage, source in found),
            response_format=request.response_format,
            passages=search.passages,
            sources=search.sources,
        )

    return as_tool(name, _SEARCHES[name], _Query, execute, seconds=90)


class _Page(BaseModel):
    url: str = Field(min_length=1, description="Address of a page that a search found or the question names.")
    response_format: ResponseFormat = Field(default="standard", description="How much of the page to show.")


def web_reader(workspace: Workspace) -> BaseTool:
    """Build the tool for a step, whose workspace holds the permitted addresses."""

    async def execute(request: _Page) -> ToolOutput:
        if request.url not in workspace.addresses:
            raise PageRefused(
                f"{request.url} is not read: no search found it, and the question does not name it. Search first."
            )
        page = await page_once(current_run(), request.url, workspace.evidence)
        return ToolOutput(
            text=page.text,
            response_format=request.response_format,
            kind="web",
            title=page.title or page.final_url,
            url=page.final_url,
            at=page.fetched_at,
            site=page.site,
            source_kind=page.source_kind,
            published=page.published,
            card=page.card,
        )

    return as_tool("web_reader", "Read a web page.", _Page, execute, seconds=90)


_PYTHON = (
    "Run a complete Python program in a sandbox without network. Its work folder holds the files that the task names and "
    "those that earlier calls made. Only what it prints comes back; files that it writes are kept. Libraries: json, csv, "
    "datetime, math, statistics, random, pandas, numpy, scipy, statsmodels, openpyxl, xlrd, xlsxwriter, matplotlib, seaborn, plotly."
)


class _Program(BaseModel):
    code: str = Field(min_length=1, description="The program. It prints its results.")
    description: str = Field(default="", description="What it computes, in a few words.")
    timeout: float = Field(default=DEFAULT_SECONDS, ge=MIN_SECONDS, le=MAX_SECONDS, description="Seconds.")
    response_format: ResponseFormat = Field(default="standard", description="How much of the output to show.")


def run_python(workspace: Workspace) -> BaseTool:
    """Build the tool for a step, whose files are in each program's working folder."""

    async def execute(program: _Program) -> ToolOutput:
        ran = await run_code(program.code, workspace.files, workspace.evidence, program.timeout)
        current_run().count(code_runs=1)
        if not ran.ok:
            raise ValueError(f"{ran.error.strip()}\n{ran.stdout[-1_000:]}".strip())
        if not ran.stdout.strip() and not ran.artifacts:
            raise ValueError("It printed nothing. Print the results.")
        source, output = await workspace.add_computation(program.code, program.description, ran)
        made = "".join(f"\n[file made: {name}]" for name in ran.artifacts)
        return ToolOutput(
            text=f"{ran.stdout.rstrip()}{made}{_note(source.untraced or [])}",
            response_format=program.response_format,
            passages=[output],
            sources={source.content_hash: source},
            artifacts=ran.artifacts,
            kept={code_name(program.code, program.description): program.code},
        )

    return as_tool("run_python", _PYTHON, _Program, execute, seconds=MAX_SECONDS + 30)


def _note(untraced: list[str]) -> str:
    if not untraced:
        return ""
    return (
        f"\n[not verified: computed from numbers that no source gives ({', '.join(untraced)[:200]}); "
        "read them from the files or take them from the excerpts]"
    )


def code_name(code: str, description: str) -> str:
    """Return the id under which code is kept: `code_`, its description, and six digits of its hash, so that a replay names it alike."""
    words = "_".join(re.findall(r"\w+", description.lower())[:4])[:40]
    return "_".join(part for part in ("code", words, hashlib.sha256(code.encode()).hexdigest()[:6]) if part)


Value = str | int | float | bool | None

_SQL = (
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
        name, data = as_csv(rows)
        return ToolOutput(
            text=as_table(rows, file=name),
            heading=query_heading(
                database=chosen.name, tables=statement.reads, sql=request.query, values=request.params
            ),
            response_format=request.response_format,
            kind="database",
            title=f"{chosen.name}: {beginning(request.query, _MAX_TITLE)}" if statement.reads else "",
            url=f"database:{chosen.name}",
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            artifacts={name: await evidence.put_bytes(data)},
        )

    return as_tool("query_database", _SQL, QueryDatabase, execute)


def _prepared(request: QueryDatabase) -> tuple[Database, Statement]:
    """Find the database and check the query. Blocking: the parser is loaded and works."""
    chosen = database(request.connection)
    return chosen, checked(request.query, request.params, chosen.dialect)
