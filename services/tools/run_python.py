"""The tool `run_python`: runs code in the sandbox; the code is stored under an id, and its run becomes a citable source."""

import hashlib
import re

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from services.run.scope import current_run
from services.sandbox.journaled import run_code
from services.sandbox.sandbox import DEFAULT_SECONDS, MAX_SECONDS, MIN_SECONDS
from services.tools.output import ResponseFormat, ToolOutput, as_tool
from services.tools.workspace import Workspace

NAME = "run_python"
_DESCRIPTION = (
    "Run a complete Python program in a sandbox without network. Its work folder holds the files that the task names and "
    "those that earlier calls made. Only what it prints comes back; files that it writes are kept. Libraries: json, csv, "
    "datetime, math, statistics, random, pandas, numpy, scipy, statsmodels, openpyxl, xlrd, xlsxwriter, matplotlib, seaborn, plotly."
)


class _Parameters(BaseModel):
    code: str = Field(min_length=1, description="The program. It prints its results.")
    description: str = Field(default="", description="What it computes, in a few words.")
    timeout: float = Field(default=DEFAULT_SECONDS, ge=MIN_SECONDS, le=MAX_SECONDS, description="Seconds.")
    response_format: ResponseFormat = Field(default="standard", description="How much of the output to show.")


def run_python(workspace: Workspace) -> BaseTool:
    """Build the tool for a step, whose files are in each program's working folder."""

    async def execute(program: _Parameters) -> ToolOutput:
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

    return as_tool(NAME, _DESCRIPTION, _Parameters, execute, seconds=MAX_SECONDS + 30)


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
