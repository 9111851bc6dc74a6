"""Working with tools in bounded rounds, in either of two protocols: native function calls, or structured JSON.

What a call returns, errors included, goes back to the model as data; what cannot be read goes back as an error, too. The
structured protocol is for models without function calling: tools are described in the prompt, and an action comes back.
"""

import asyncio
import json
import re
import time
from collections.abc import Sequence
from typing import Any

from json_repair import repair_json
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field, ValidationError

from prompts import render_partial
from schemas.tools import StructuredAnswer, StructuredCall
from services.errors import BadInput, ModelError, NoNativeTools
from services.models.dialects import explain, parse
from services.models.endpoint import learned
from services.models.exchange import Exchange, Reply, ToolCall
from services.models.roles import role_model
from services.runs import current_run

MAX_CALLS = 6
"""Calls of one round; they run side by side."""
MAX_ROUNDS = 8
TOOL_SECONDS = 60.0
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


class ToolResult(BaseModel):
    """What a call returned."""

    text: str
    failed: bool = False


class CallMade(BaseModel):
    """A call with its result."""

    call: ToolCall
    result: ToolResult


class Worked(BaseModel):
    """What working with tools came to."""

    text: str
    """The result that the model handed over."""
    finished: bool
    """False where the rounds were used up before the model was done."""
    finish_reason: str = ""
    rounds: int
    calls: list[CallMade] = Field(default_factory=list)
    recommended_questions: list[str] = Field(default_factory=list)
    tokens: int = 0
    """In and out, over all rounds."""
    seconds: float = 0.0


async def use_tools(
    role: str,
    prompt: BaseModel,
    tools: Sequence[BaseTool],
    *,
    rounds: int = MAX_ROUNDS,
    tool_seconds: float = TOOL_SECONDS,
) -> Worked:
    """Let a role's model work with tools until it hands over a result, or the rounds are used up.

    Args:
        role: stem of node and template.
        prompt: the role's prompt model.
        tools: what it may use; names are unique.
        rounds: most model calls.
        tool_seconds: seconds for one call of a tool.

    Raises:
        BadInput: two tools have one name.
        LimitReached: the budget leaves no room for it, or no time.
        ModelError: the endpoint refused or could not be reached, or nothing that it said was of use.
    """
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        raise BadInput(f"Two tools have one name: {', '.join(sorted(names))}. Rename one.")
    started = time.monotonic()
    work = _Work(role, prompt, {tool.name: tool for tool in tools}, rounds, tool_seconds)
    if not await _starts_structured(role):
        try:
            worked = await work.native()
        except NoNativeTools:
            if role_model(role, current_run().context).tool_protocol == "native":
                raise
            await current_run().journal.mark("structured")
            worked = await work.structured()
    else:
        worked = await work.structured()
    return worked.model_copy(update={"seconds": round(time.monotonic() - started, 3)})


async def _starts_structured(role: str) -> bool:
    """Choose the protocol, as the run did that is replayed, if one is."""
    run = current_run()
    if run.journal.replays:
        return run.journal.marked("structured")
    model = role_model(role, run.context)
    structured = model.tool_protocol == "structured" or (
        model.tool_protocol == "auto" and not learned(model).native_tools
    )
    if structured:
        await run.journal.mark("structured")
    return structured


class _Work:
    """The rounds of one piece of work."""

    def __init__(
        self, role: str, prompt: BaseModel, tools: dict[str, BaseTool], rounds: int, tool_seconds: float
    ) -> None:
        self._role = role
        self._prompt = prompt
        self._tools = tools
        self._rounds = rounds
        self._tool_seconds = tool_seconds
        self._made: list[CallMade] = []
        self._tokens = 0

    async def native(self) -> Worked:
        """Work by native function calls."""
        exchange = Exchange(
            self._role, self._prompt, tools=[convert_to_openai_tool(tool) for tool in self._tools.values()]
        )
        more: list[BaseMessage] = []
        reply = Reply(text="")
        for number in range(1, self._rounds + 1):
            if number == self._rounds:
                more.append(HumanMessage("This is the last round: give your result now, without further calls."))
            reply = await exchange.say(more)
            self._tokens += reply.used.tokens
            if not reply.calls:
                return await self._finished(exchange, reply.text, reply, number, [])
            results = await self._run(reply.calls)
            more += [
                _as_message(reply),
                *(_tool_message(call, result) for call, result in zip(reply.calls, results, strict=True)),
            ]
        return self._worked(reply.text, reply, self._rounds, finished=False)

    async def structured(self) -> Worked:
        """Work by the structured protocol."""
        described = [convert_to_openai_tool(tool)["function"] for tool in self._tools.values()]
        tools = [{**one, "parameters": json.dumps(one["parameters"], ensure_ascii=False)} for one in described]
        instructions = render_partial("structured", tools=tools, most=MAX_CALLS, rounds=self._rounds)
        exchange = Exchange(self._role, self._prompt, instructions=instructions)
        more: list[BaseMessage] = []
        reply, said = Reply(text=""), ""
        for number in range(1, self._rounds + 1):
            reply = await exchange.say(more)
            self._tokens += reply.used.tokens
            try:
                said, answer = read_structured(reply.text)
            except ValueError as error:
                more += [
                    AIMessage(reply.text or "(empty)"),
                    _results(number, self._rounds, [f"That cannot be read: {explain(error)}"]),
                ]
                continue
            if answer.action.type == "complete":
                text = (
                    answer.action.content
                    if isinstance(answer.action.content, str)
                    else json.dumps(answer.action.content)
                )
                return await self._finished(exchange, text, reply, number, answer.action.recommended_questions)
            calls = _structured_calls(answer, number)
            results = await self._run(calls)
            lines = [
                f'<result tool_call_id="{call.id}"{" failed" if result.failed else ""}>\n{result.text}\n</result>'
                for call, result in zip(calls, results, strict=True)
            ]
            more += [AIMessage(reply.text), _results(number, self._rounds, lines)]
        return self._worked(said, reply, self._rounds, finished=False)

    async def _finished(self, exchange: Exchange, text: str, reply: Reply, rounds: int, questions: list[str]) -> Worked:
        if not text.strip():
            await exchange.give_up()
            raise ModelError(
                f"The model for the role {self._role} neither called a tool nor gave a result. "
                f"Name another with LEADLINE_MODEL_{self._role.upper()}, then resume the run."
            )
        return self._worked(text, reply, rounds, finished=True, questions=questions)

    def _worked(self, text: str, reply: Reply, rounds: int, *, finished: bool, questions: Sequence[str] = ()) -> Worked:
        return Worked(
            text=text,
            finished=finished,
            finish_reason=reply.finish_reason,
            rounds=rounds,
            calls=self._made,
            recommended_questions=list(questions),
            tokens=self._tokens,
        )

    async def _run(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """Run the calls of one round side by side; one that is repeated runs once, and those above the limit do not run."""
        first: dict[str, asyncio.Task[ToolResult]] = {}
        tasks: list[asyncio.Task[ToolResult] | ToolResult] = []
        for place, call in enumerate(calls):
            key = json.dumps([call.name, call.arguments], sort_keys=True, ensure_ascii=False)
            if place >= MAX_CALLS:
                tasks.append(ToolResult(text=f"Not run: at most {MAX_CALLS} calls a round.", failed=True))
            elif call.problem:
                tasks.append(ToolResult(text=f"Not run: {call.problem}", failed=True))
            else:
                tasks.append(first.setdefault(key, first.get(key) or asyncio.ensure_future(self._one(call))))
        results = [await one if isinstance(one, asyncio.Task) else one for one in tasks]
        self._made += [CallMade(call=call, result=result) for call, result in zip(calls, results, strict=True)]
        return results

    async def _one(self, call: ToolCall) -> ToolResult:
        tool = self._tools.get(call.name)
        if tool is None:
            return ToolResult(text=f"There is no tool {call.name!r}. There are: {', '.join(self._tools)}.", failed=True)

        async def run() -> ToolResult:
            try:
                async with asyncio.timeout(self._tool_seconds):
                    return ToolResult(text=_text(await tool.ainvoke(call.arguments)))
            except TimeoutError:
                return ToolResult(text=f"It took longer than {self._tool_seconds:g} seconds.", failed=True)
            except ValidationError as error:
                return ToolResult(text=f"The arguments do not fit: {explain(error)}", failed=True)
            except Exception as error:  # noqa: BLE001 - a tool's own error goes to the model, whatever it is
                return ToolResult(text=f"{type(error).__name__}: {error}", failed=True)

        request = {"tool": call.name, "arguments": call.arguments}
        return (await current_run().journal.once("tool", call.name, request, ToolResult, run)).answer


def read_structured(text: str) -> tuple[str, StructuredAnswer]:
    """Read an answer of the structured protocol: the whole object, or fenced JSON blocks that each hold a call.

    Returns:
        The text before the JSON, and the answer.

    Raises:
        ValueError: it is neither; the message says what is wrong.
    """
    blocks = [repair_json(block, return_objects=True) for block in _FENCE.findall(text)]
    calls = [one for block in blocks for one in (block if isinstance(block, list) else [block]) if _is_call(one)]
    if calls and not any(isinstance(one, dict) and "action" in one for one in blocks):
        before = text.partition("```")[0].strip()
        return before, StructuredAnswer.model_validate({"action": {"type": "tool_call", "content": calls}})
    found = next((one for one in blocks if isinstance(one, dict) and "action" in one), None)
    answer = StructuredAnswer.model_validate(found if found is not None else parse(text, StructuredAnswer))
    return answer.task_analysis, answer


def _is_call(one: Any) -> bool:
    return (
        isinstance(one, dict) and "name" in one and isinstance(one.get("arguments", {}), dict) and "action" not in one
    )


def _structured_calls(answer: StructuredAnswer, number: int) -> list[ToolCall]:
    """Read an action's calls; each gets an id of its own, and one that cannot be read says why."""
    content = answer.action.content
    items = content if isinstance(content, list) else [repair_json(content, return_objects=True)]
    calls: list[ToolCall] = []
    for place, item in enumerate(items, 1):
        own = f"r{number}-{place}"
        try:
            call = StructuredCall.model_validate(item)
        except ValidationError as error:
            calls.append(ToolCall(id=own, name="", problem=f"the call cannot be read: {explain(error)}"))
            continue
        taken = {one.id for one in calls}
        calls.append(
            ToolCall(
                id=call.tool_call_id if call.tool_call_id and call.tool_call_id not in taken else own,
                name=call.name,
                arguments=call.arguments,
            )
        )
    return calls


def _results(number: int, rounds: int, lines: list[str]) -> HumanMessage:
    left = rounds - number
    ending = "This is the last round: only `complete` is possible." if left == 1 else f"{left} rounds are left."
    return HumanMessage("\n".join([*lines, ending]))


def _as_message(reply: Reply) -> AIMessage:
    return AIMessage(
        reply.text,
        tool_calls=[{"id": one.id, "name": one.name, "args": one.arguments} for one in reply.calls if not one.problem],
        invalid_tool_calls=[
            {"type": "invalid_tool_call", "id": one.id, "name": one.name, "args": "{}", "error": one.problem}
            for one in reply.calls
            if one.problem
        ],
    )


def _tool_message(call: ToolCall, result: ToolResult) -> ToolMessage:
    return ToolMessage(result.text, tool_call_id=call.id, status="error" if result.failed else "success")


def _text(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
