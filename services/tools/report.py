"""The tool `report`: writes a separate file from the step's findings so far, and checks every citation."""

import asyncio
import re
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
from services.evidence.copy_resolution import settled_copies
from services.evidence.number_tracing import lines_of
from services.evidence.programs import programs_of
from services.evidence.views import evidence_views, finding_views
from services.models import write
from services.reports.checking.numbered_citations import read_citations
from services.reports.counts_line import counts_of
from services.reports.format_names import FORMATS
from services.reports.formats import check_formats, render
from services.reports.labels import ENGLISH
from services.reports.markdown import Draft, finish_report
from services.run.errors import SearchError
from services.run.scope import current_run
from services.run.ui_text import say
from services.tools.output import ToolOutput, as_tool
from services.tools.workspace import Workspace

NAME = "report"
SECONDS = 600.0
"""Maximum seconds of a call, including the model's."""
LINES_A_RESULT = 8
"""Maximum citable lines of one result."""
MAX_NAME = 60
_EVERY = 200
"""Number of text pieces between two progress messages."""
FileType = Literal["markdown", "html", "ppt"]
_FORMATS: dict[FileType, OutputFormat] = {"markdown": "md", "html": "html", "ppt": "pptx"}


class _Parameters(BaseModel):
    task: str = Field(min_length=1, description="What the report is to tell, and for whom.")
    file_name: str = Field(default="report", description="Name of the file.")
    file_type: FileType = Field(default="markdown", description="markdown, html or ppt (PowerPoint).")
    description: str = Field(default="", description="What the file holds, in a few words.")


def report(task: StepTask, workspace: Workspace) -> BaseTool:
    """Build the tool for a step.

    Args:
        task: its earlier findings and this step's results are the only sources of the report.
        workspace: holds this step's results.
    """

    async def execute(request: _Parameters) -> ToolOutput:
        chosen = _FORMATS[request.file_type]
        await asyncio.to_thread(check_formats, [chosen])
        own = _own_excerpts(task, workspace)
        excerpts = [*(excerpt for result in task["results"].values() for excerpt in result.excerpts), *own]
        if not excerpts:
            raise SearchError("There is nothing to write from yet: search or compute first.")
        name = file_name(request.file_name, chosen)
        text = await _write(request.task, task, workspace, own, name)
        sources = await settled_copies({**task["sources"], **workspace.sources}, excerpts, workspace.evidence)
        views = evidence_views(excerpts, sources)
        text = await asyncio.to_thread(read_citations, text, views, question=request.task, locale=task["locale"])
        cited = {
            excerpt.content_hash: sources[excerpt.content_hash]
            for excerpt in excerpts
            if excerpt.content_hash in sources
        }
        draft = Draft(
            question=request.task,
            locale=task["locale"],
            title=request.description or request.task,
            markdown=text,
            excerpts=excerpts,
            sources=sources,
            unsupported=current_run().context.unsupported,
            programs=await programs_of(cited.values(), workspace.evidence),
        )
        finished = await asyncio.to_thread(finish_report, draft, Usage())
        [data] = (await render(finished, [chosen])).values()
        key = await workspace.evidence.put_bytes(data)
        counts = counts_of(finished.citations, finished.answered, ENGLISH)
        return ToolOutput(text=f"Written: {name} ({counts.shown}).", artifacts={name: key})

    return as_tool(
        NAME,
        "Write a report as a file of its own (markdown, html or ppt), from what this and earlier steps have found. Only where "
        "the task asks for a file.",
        _Parameters,
        execute,
        seconds=SECONDS,
    )


def file_name(name: str, chosen: OutputFormat) -> str:
    """Return a plain file name: letters, digits and hyphens of any script, with the format's suffix."""
    stem = re.sub(r"\.(?:md|markdown|html?|pptx?)$", "", name.strip(), flags=re.IGNORECASE)
    stem = re.sub(r"[^\w]+", "-", stem).strip("-_")[:MAX_NAME].strip("-_")
    return f"{stem or 'report'}{FORMATS[chosen].file[FORMATS[chosen].file.rindex('.') :]}"


def _own_excerpts(task: StepTask, workspace: Workspace) -> list[Excerpt]:
    """Return citable excerpts from the results of this step's tools, line by line."""
    lines = [line for passage in workspace.passages for line in lines_of(passage)[:LINES_A_RESULT]]
    return [
        Excerpt(
            id=f"E{task['step'].id}-{place}",
            content_hash=line.content_hash,
            quote=line.text,
            start=line.start,
            end=line.end,
        )
        for place, line in enumerate(lines, 1)
    ]


async def _write(question: str, task: StepTask, workspace: Workspace, own: list[Excerpt], name: str) -> str:
    step, steps, results = task["step"], dict(task["steps"]), dict(task["results"])
    steps[step.id] = step
    if own:
        results[step.id] = StepResult(step_id=step.id, status="done", excerpts=own)
    prompt = ReporterPrompt(
        question=question,
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
