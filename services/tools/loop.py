"""Working with tools in bounded rounds, in either of two protocols: native function calls, or structured JSON.

What a call returns, errors included, goes back to the model as data; what cannot be read goes back as an error, too. The
structured protocol is for models without function calling: tools are described in the prompt, and an action comes back.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from prompts import as_data, attribute, render_partial
from prompts.data import in_all
from schemas.tools import StructuredAnswer
from services.models.endpoint import learned
from services.models.model_call import ModelCall
from services.models.reply import Reply
from services.models.structured_output import explain
from services.run.errors import BadInput, NoNativeTools, UselessAnswer
from services.run.evidence_store import EvidenceStore
from services.run.roles import role_model
from services.run.scope import current_run, memory
from services.tools.calls import MAX_CALLS, CallMade, Calls, without_code
from services.tools.structured import calls_of, read_structured, with_arguments
from services.tools.workspace import Workspace

MAX_ROUNDS = 8
"""Most model calls of one piece of work."""
LAST_ROUND = "This is the last round: give your result now, without further calls."


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
    workspace: Workspace | None = None,
    *,
    rounds: int = MAX_ROUNDS,
    tool_seconds: float | None = None,
) -> Worked:
    """Let a role's model work with tools until it hands over a result, or the rounds are used up.

    Args:
        role: stem of node and template.
        prompt: the role's prompt model.
        tools: what it may use; names are unique.
        workspace: what the tools share, and where their results are kept; in memory by default.
        rounds: most model calls.
        tool_seconds: seconds for one call of any tool; by default each tool's own limit.

    Raises:
        BadInput: two tools have one name.
        LimitReached: the budget leaves no room for it, or no time.
        ModelError: the endpoint refused or could not be reached, or nothing that it said was of use.
    """
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        raise BadInput(f"Two tools have one name: {', '.join(sorted(names))}. Rename one.")
    started = time.monotonic()
    calls = Calls(tools, workspace or Workspace(EvidenceStore(memory())), tool_seconds)
    work = _Work(role, prompt, calls, rounds)
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

    def structured() -> bool:
        model = role_model(role, run.context)
        return model.tool_protocol == "structured" or (
            model.tool_protocol == "auto" and not learned(model).native_tools
        )

    return await run.journal.decided("structured", structured)


@dataclass(slots=True)
class _Round:
    """One round, as the model is reminded of it."""

    reply: Reply
    made: list[CallMade] = field(default_factory=list)
    answer: StructuredAnswer | None = None
    problem: str = ""


class _Work:
    """The rounds of one piece of work."""

    def __init__(self, role: str, prompt: BaseModel, calls: Calls, rounds: int) -> None:
        self._role = role
        self._prompt = prompt
        self._calls = calls
        self._rounds = rounds
        self._tokens = 0

    async def native(self) -> Worked:
        """Work by native function calls."""
        tools = [in_all(as_data, convert_to_openai_tool(tool)) for tool in self._calls.tools.values()]
        exchange = ModelCall(self._role, self._prompt, tools=tools)
        past: list[_Round] = []
        for number in range(1, self._rounds + 1):
            more = [message for one in past for message in _native_messages(one)]
            if number == self._rounds:
                more.append(HumanMessage(LAST_ROUND))
            reply = await exchange.say(more)
            self._tokens += reply.used.tokens
            if not reply.calls:
                return self._finished(reply.text, reply, number, [])
            results = await self._calls.run(reply.calls)
            made = [CallMade(call=call, result=result) for call, result in zip(reply.calls, results, strict=True)]
            past.append(_Round(reply, made))
        return self._worked(past[-1].reply.text, past[-1].reply, self._rounds, finished=False)

    async def structured(self) -> Worked:
        """Work by the structured protocol."""
        described = [convert_to_openai_tool(tool)["function"] for tool in self._calls.tools.values()]
        tools = [{**one, "parameters": json.dumps(one["parameters"], ensure_ascii=False)} for one in described]
        instructions = render_partial("structured", tools=tools, most=MAX_CALLS, rounds=self._rounds)
        exchange = ModelCall(self._role, self._prompt, instructions=instructions)
        past: list[_Round] = []
        said = ""
        for number in range(1, self._rounds + 1):
            more = [
                message
                for place, one in enumerate(past, 1)
                for message in _structured_messages(one, self._rounds - place)
            ]
            reply = await exchange.say(more)
            self._tokens += reply.used.tokens
            try:
                said, answer = read_structured(reply.text)
            except ValueError as error:
                past.append(_Round(reply, problem=explain(error)))
                continue
            if answer.action.type == "complete":
                content = answer.action.content
                text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
                return self._finished(text, reply, number, answer.action.recommended_questions)
            calls = calls_of(answer, number)
            results = await self._calls.run(calls)
            made = [CallMade(call=call, result=result) for call, result in zip(calls, results, strict=True)]
            past.append(_Round(reply, made, answer))
        return self._worked(said, past[-1].reply, self._rounds, finished=False)

    def _finished(self, text: str, reply: Reply, rounds: int, questions: list[str]) -> Worked:
        if not text.strip():
            raise UselessAnswer(
                f"The model for the role {self._role} neither called a tool nor gave a result. "
                f"Name another with LEADLINE_MODEL_{self._role.upper()}.",
                role=self._role,
                problem="it neither calls a tool nor gives a result",
            )
        return self._worked(text, reply, rounds, finished=True, questions=questions)

    def _worked(self, text: str, reply: Reply, rounds: int, *, finished: bool, questions: Sequence[str] = ()) -> Worked:
        return Worked(
            text=text,
            finished=finished,
            finish_reason=reply.finish_reason,
            rounds=rounds,
            calls=self._calls.made,
            recommended_questions=list(questions),
            tokens=self._tokens,
        )


def _native_messages(one: _Round) -> list[BaseMessage]:
    """Show a round: the calls, with long code replaced by its id, and their results."""
    calls = [without_code(made) for made in one.made]
    asked = AIMessage(
        one.reply.text,
        tool_calls=[{"id": call.id, "name": call.name, "args": call.arguments} for call in calls if not call.problem],
        invalid_tool_calls=[
            {"type": "invalid_tool_call", "id": call.id, "name": call.name, "args": "{}", "error": call.problem}
            for call in calls
            if call.problem
        ],
    )
    return [
        asked,
        *(
            ToolMessage(
                str(as_data(made.result.text)),
                tool_call_id=made.call.id,
                status="error" if made.result.failed else "success",
            )
            for made in one.made
        ),
    ]


def _structured_messages(one: _Round, left: int) -> list[BaseMessage]:
    """Show a round of the structured protocol, and how many are left after it."""
    ending = "This is the last round: only `complete` is possible." if left == 1 else f"{left} rounds are left."
    if one.answer is None:
        lines, said = [f"That cannot be read: {as_data(one.problem)}"], one.reply.text or "(empty)"
    else:
        lines = [
            f'<result tool_call_id="{attribute(made.call.id)}"{" failed" if made.result.failed else ""}>\n{as_data(made.result.text)}\n</result>'
            for made in one.made
        ]
        kept = any(made.result.kept for made in one.made)
        said = with_arguments(one.answer, [without_code(made) for made in one.made]) if kept else one.reply.text
    return [AIMessage(said), HumanMessage("\n".join([*lines, ending]))]
