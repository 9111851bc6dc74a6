"""The tool `report`: a file of its own, written from what the step knows so far, with every citation checked."""

import asyncio
import re
from dataclasses import dataclass
from typing import Literal

from langchain_core.tools import BaseTool
from langgraph.config import get_stream_writer
from pydantic import BaseModel, Field

from schemas.context import OutputFormat
from schemas.events import Event
from schemas.evidence import Excerpt
from schemas.reporter import ReporterPrompt
from schemas.results import StepResult
from schemas.state import StepTask
from schemas.usage import Usage
from services.evidence.number_tracing import lines_of
from services.evidence.settled_copies import settled_copies
from services.evidence.views import finding_views
from services.models import write
from services.reports.formats import FORMATS, check_formats, render
from services.reports.markdown import Draft, finish_report
from services.run.errors import SearchError
from services.run.scope import current_run
from services.run.ui_text import say
from services.tools.output import ToolOutput, as_tool
from services.tools.workspace import Workspace

NAME = "report"
SECONDS = 600.0
"""The whole call, model included."""
LINES_A_RESULT = 8
"""Lines of one result that may be cited."""
MAX_NAME = 60
_EVERY = 200
"""Pieces of text between two signs of progress."""
FileType = Literal["markdown", "html", "ppt"]
_FORMATS: dict[FileType, OutputFormat] = {"markdown": "md", "html": "html", "ppt": "pptx"}


class _Parameters(BaseModel):
    task: str = Field(min_length=1, description="What the report is to tell, and for whom.")
    file_name: str = Field(default="report", description="Name of the file.")
    file_type: FileType = Field(default="markdown", description="markdown, html or ppt (PowerPoint).")
    description: str = Field(default="", description="What the file holds, in a few words.")


@dataclass(slots=True)
class _Known:
    """What the step may write from."""

    excerpts: list[Excerpt]
    own: StepResult | None
    """What this step has found so far."""


def report(task: StepTask, workspace: Workspace) -> BaseTool:
    """Make the tool for a step.

    Args:
        task: whose earlier findings, with this step's results, are all that the report is written from.
        workspace: holds this step's results.
    """

    async def execute(wanted: _Parameters) -> ToolOutput:
        chosen = _FORMATS[wanted.file_type]
        await asyncio.to_thread(check_formats, [chosen])
        known = _known(task, workspace)
        if not known.excerpts:
            raise SearchError("There is nothing to write from yet: search or compute first.")
        name = file_name(wanted.file_name, chosen)
        text = await _write(wanted.task, task, workspace, known, name)
        draft = Draft(
            question=wanted.task,
            locale=task["locale"],
            title=wanted.description or wanted.task,
            markdown=text,
            excerpts=known.excerpts,
            sources=await settled_copies({**task["sources"], **workspace.sources}, known.excerpts, workspace.evidence),
            unsupported=current_run().context.unsupported,
        )
        finished = await asyncio.to_thread(finish_report, draft, Usage())
        [data] = (await render(finished, [chosen])).values()
        key = await workspace.evidence.put_bytes(data)
        claims = f"{sum(one.verified for one in finished.citations)} of {len(finished.citations)} claims verified"
        return ToolOutput(text=f"Written: {name} ({claims}).", artifacts={name: key})

    return as_tool(
        NAME,
        "Write a report as a file of its own (markdown, html or ppt), from what this and earlier steps have found. Only where "
        "the task asks for a file.",
        _Parameters,
        execute,
        seconds=SECONDS,
    )


def file_name(asked: str, chosen: OutputFormat) -> str:
    """Return a plain file name: letters, digits and hyphens of any script, with the suffix of its format."""
    stem = re.sub(r"\.(?:md|markdown|html?|pptx?)$", "", asked.strip(), flags=re.IGNORECASE)
    stem = re.sub(r"[^\w]+", "-", stem).strip("-_")[:MAX_NAME].strip("-_")
    return f"{stem or 'report'}{FORMATS[chosen].file[FORMATS[chosen].file.rindex('.') :]}"


def _known(task: StepTask, workspace: Workspace) -> _Known:
    """Return what may be cited: the excerpts of earlier steps, and lines of what this step's tools returned."""
    earlier = [excerpt for result in task["results"].values() for excerpt in result.excerpts]
    lines = [line for passage in workspace.passages for line in lines_of(passage)[:LINES_A_RESULT]]
    step_id = task["step"].id
    own = [
        Excerpt(
            id=f"E{step_id}-{place}", content_hash=line.content_hash, quote=line.text, start=line.start, end=line.end
        )
        for place, line in enumerate(lines, 1)
    ]
    found = StepResult(step_id=step_id, status="done", excerpts=own) if own else None
    return _Known([*earlier, *own], found)


async def _write(asked: str, task: StepTask, workspace: Workspace, known: _Known, name: str) -> str:
    steps, results = {**task["steps"], task["step"].id: task["step"]}, dict(task["results"])
    if known.own is not None:
        results[task["step"].id] = known.own
    prompt = ReporterPrompt(
        question=asked,
        locale=task["locale"],
        today="",
        length="standard",
        tone="",
        findings=finding_views(steps, results, {**task["sources"], **workspace.sources}),
        background=[],
        contradictions=[],
        missing_aspects=[],
    )
    pieces = 0

    def on_token(_: str) -> None:
        nonlocal pieces
        pieces += 1
        if pieces % _EVERY == 1:
            title = say("writing_file", task["locale"], name=name)
            get_stream_writer()(Event(type="notice", node="coder", title=title).model_dump(mode="json"))

    reply = await write("reporter", prompt, scale=2.0, on_token=on_token)
    return reply.text.partition("\n===")[0].strip()
