"""Executes the tool calls of a round in parallel, records them in the journal, and returns errors to the model as text."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, ToolException
from pydantic import BaseModel, Field, ValidationError

from schemas.clean_text import CleanText
from schemas.events import ToolSearch
from schemas.evidence import Passage
from schemas.usage import Usage
from services.evidence.references import numbered
from services.models.reply import ToolCall
from services.models.structured_output import explain
from services.run.errors import JournalMiss, LeadlineError, LimitReached
from services.run.private_paths import without_private
from services.run.scope import Run, counting, current_run
from services.text.normal_form import normalise_text
from services.tools.output import TOOL_SECONDS, ResponseFormat, ToolOutput, as_tool, bounded, show_passages, shown
from services.tools.workspace import Workspace, passages_of

MAX_RESULT = 2_000_000
"""Maximum characters stored of a tool's result; most tools have lower limits."""
MAX_CALLS = 6
"""Maximum calls in one round; they run in parallel."""
READ_RESULT = "read_result"


class ToolResult(BaseModel):
    """The result of a call, as the journal keeps it: whole texts lie in the evidence store."""

    text: CleanText
    """What the model sees."""
    failed: bool = False
    id: str = ""
    """By which the model can read the whole again."""
    hash: str = ""
    """Of the whole text in the evidence store."""
    output: ToolOutput | None = None
    """Without its text."""
    kept: dict[str, str] = Field(default_factory=dict)
    """Hashes of long arguments, by id."""
    usage: Usage = Usage()
    """What the tool used."""
    searches: list[ToolSearch] = Field(default_factory=list)
    """Searches that the tool made."""


class CallMade(BaseModel):
    """A call with its result."""

    call: ToolCall
    result: ToolResult


class _ReadResult(BaseModel):
    id: str = Field(description="Of an earlier result, or of code that was kept.")
    start: int = Field(default=0, ge=0, description="Character to begin with.")
    response_format: ResponseFormat = Field(default="full", description="How much of it to show.")


class _ReadNumbered(_ReadResult):
    id: str = Field(description="Of a passage, such as P7, or of code that was kept.")
    start: int = Field(
        default=0, ge=0, description="Sentence to begin with; where nothing is numbered, character to begin with."
    )


class Calls:
    """Runs the calls that a model requests, and stores their results."""

    def __init__(self, tools: Sequence[BaseTool], workspace: Workspace, *, by_reference: bool = False) -> None:
        """Prepare to run calls; `by_reference` shows quotable results as passages with numbered sentences."""
        parameters = _ReadNumbered if by_reference else _ReadResult
        reader = as_tool(
            READ_RESULT, "Read more of an earlier result, or code that was kept, by its id.", parameters, self._read
        )
        self.tools: Mapping[str, BaseTool] = {tool.name: tool for tool in [*tools, reader]}
        self.made: list[CallMade] = []
        self._workspace = workspace
        self._texts: dict[str, str] = {}
        self._by_reference = by_reference
        self._seen = {passage.id for passage in workspace.passages}

    async def run(self, calls: Sequence[ToolCall]) -> list[CallMade]:
        """Run the calls of one round; repeated calls run once, and calls above the limit do not run."""
        first: dict[str, asyncio.Task[ToolResult]] = {}
        tasks: list[asyncio.Task[ToolResult] | ToolResult] = []
        for place, call in enumerate(calls):
            key = json.dumps([call.name, call.arguments], sort_keys=True, ensure_ascii=False)
            if place >= MAX_CALLS:
                tasks.append(ToolResult(text=f"Not run: at most {MAX_CALLS} calls a round.", failed=True))
            elif call.problem:
                tasks.append(ToolResult(text=f"Not run: {call.problem}", failed=True))
            else:
                tasks.append(first.setdefault(key, first.get(key) or asyncio.ensure_future(self._once(call))))
        try:
            await asyncio.gather(*first.values())
        except BaseException:
            for task in first.values():
                task.cancel()
            await asyncio.gather(*first.values(), return_exceptions=True)
            raise
        results = [task.result() if isinstance(task, asyncio.Task) else task for task in tasks]
        results = [await self._remember(result) for result in results]
        made = [CallMade(call=call, result=result) for call, result in zip(calls, results, strict=True)]
        self.made += made
        return made

    async def _once(self, call: ToolCall) -> ToolResult:
        tool = self.tools.get(call.name)
        if tool is None:
            return ToolResult(text=f"There is no tool {call.name!r}. There are: {', '.join(self.tools)}.", failed=True)
        if tool.name == READ_RESULT:
            return await self._invoke(tool, call)
        run = current_run()

        async def work() -> ToolResult:
            with counting() as usage:
                result = await self._invoke(tool, call)
                searches = current_run().tool_searches
            return result.model_copy(update={"usage": usage(), "searches": searches})

        request = {"tool": call.name, "arguments": call.arguments}
        known = await run.journal.once("tool", call.name, request, ToolResult, work)
        run.absorb(known.answer.usage, fresh=known.fresh)
        if not known.fresh:
            _emit_again(run, known.answer)
        return known.answer

    async def _invoke(self, tool: BaseTool, call: ToolCall) -> ToolResult:
        seconds = float((tool.metadata or {}).get("seconds", TOOL_SECONDS))
        try:
            async with asyncio.timeout(seconds):
                message = await tool.ainvoke(
                    {"type": "tool_call", "id": call.id, "name": call.name, "args": call.arguments}
                )
        except TimeoutError:
            return ToolResult(text=f"It took longer than {seconds:g} seconds.", failed=True)
        except ValidationError as error:
            return ToolResult(text=f"The arguments do not fit: {explain(error)}", failed=True)
        except JournalMiss:
            raise
        except LimitReached as limit:
            return ToolResult(text=f"No more of this: {limit}", failed=True)
        except (LeadlineError, ToolException, ValueError) as error:
            return ToolResult(text=str(error), failed=True)
        except Exception as error:  # noqa: BLE001 - a tool's own error goes to the model, whatever it is
            return ToolResult(text=without_private(f"{type(error).__name__}: {error}"), failed=True)
        return await self._stored(tool, message)

    async def _stored(self, tool: BaseTool, message: Any) -> ToolResult:
        evidence = self._workspace.evidence
        output = message.artifact if isinstance(message, ToolMessage) else None
        if not isinstance(output, ToolOutput):
            content = message.content if isinstance(message, ToolMessage) else message
            output = ToolOutput(text=_text(content), title=tool.name, url=f"tool:{tool.name}")
        text = await asyncio.to_thread(normalise_text, bounded(output.text, MAX_RESULT))
        if tool.name == READ_RESULT:
            return ToolResult(text=text)
        content_hash = await evidence.put_text(text)
        result_id = f"result_{tool.name}_{content_hash[:6]}"
        return ToolResult(
            text=shown(text, output.response_format, result_id) or "(nothing)",
            failed=isinstance(message, ToolMessage) and message.status == "error",
            id=result_id,
            hash=content_hash,
            output=output.model_copy(update={"text": "", "kept": {}}),
            kept={name: await evidence.put_text(argument) for name, argument in output.kept.items()},
        )

    async def _remember(self, result: ToolResult) -> ToolResult:
        """Store a call's result for later calls; return it as the model sees it."""
        self._texts.update(result.kept)
        added: list[Passage] = []
        if result.output is not None and not result.failed:
            passages, sources = await passages_of(result.output, result.hash, self._workspace.evidence)
            added = self._workspace.add_evidence(passages, sources)
            await self._workspace.add_files(result.output.artifacts)
        if added and self._by_reference and result.output is not None:
            return result.model_copy(update={"text": await self._shown(added, result.output.response_format)})
        if result.id:
            self._texts[result.id] = result.hash
        return result

    async def _shown(self, passages: Sequence[Passage], response_format: ResponseFormat) -> str:
        """Show passages of a result by reference; passages that were shown completely before are only named."""
        with_numbers = await asyncio.to_thread(numbered, passages)
        shown_now = show_passages(with_numbers, self._workspace.sources, response_format, self._seen)
        self._seen.update(shown_now.whole)
        return shown_now.text

    async def _read(self, request: _ReadResult) -> ToolOutput:
        passages = self._workspace.passages if self._by_reference else []
        requested = [passage for passage in passages if passage.id == request.id]
        if requested:
            with_numbers = await asyncio.to_thread(numbered, requested)
            sources = self._workspace.sources
            part = show_passages(with_numbers, sources, request.response_format, first=max(1, request.start))
            return ToolOutput(text=part.text)
        if request.id not in self._texts:
            ids = [*([f"P1 to {passages[-1].id}"] if passages else []), *self._texts]
            raise ValueError(f"There is no {request.id!r}. There are: {', '.join(ids) or 'none yet'}.")
        text = await self._workspace.evidence.get_text(self._texts[request.id])
        return ToolOutput(text=shown(text, request.response_format, request.id, request.start) or "(nothing more)")


def without_code(made: CallMade) -> ToolCall:
    """Return a call with each stored long argument replaced by a marker, its id."""
    if not made.result.kept or made.result.failed:
        return made.call
    marker = "; ".join(f'kept as {name}: read_result(id="{name}")' for name in made.result.kept)
    arguments = {name: f"[{marker}]" if name == "code" else value for name, value in made.call.arguments.items()}
    return made.call.model_copy(update={"arguments": arguments})


def _text(content: Any) -> str:
    """Convert a tool's result to text: strings unchanged, content blocks by their texts, other values as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(block, dict) and block.get("type") == "text" for block in content):
        return "\n".join(str(block.get("text", "")) for block in content)
    return json.dumps(content, ensure_ascii=False, default=str)


def _emit_again(run: Run, result: ToolResult) -> None:
    """Report the searches and sources that the tool reported when it ran."""
    if result.searches and result.output is not None:
        for key in dict.fromkeys(passage.content_hash for passage in result.output.passages):
            run.emit_source(result.output.sources[key])
    for search in result.searches:
        run.has_searched(search.queries, search.searched)
