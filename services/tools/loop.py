"""The tool loop in bounded rounds, with either of two protocols: native function calls, or structured JSON.

Results of calls, including errors, go back to the model as data; unreadable answers go back as errors. The structured
protocol is for models without function calling: the prompt describes the tools, and the model answers with an action.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from prompts import as_data, attribute, render_partial
from prompts.data import in_all
from services.models.ask import ModelCall
from services.models.endpoint_memory import learned
from services.models.local_endpoint import settled
from services.models.reply import Reply, ToolCall
from services.models.structured_output import explain
from services.run.errors import BadInput, NoNativeTools, UselessAnswer
from services.run.evidence_store import EvidenceStore
from services.run.roles import role_model
from services.run.run_messages import ends_early
from services.run.scope import current_run, memory
from services.run.ui_text import say
from services.text.tracebacks import without_frames
from services.tools.calls import MAX_CALLS, CallMade, Calls, without_code
from services.tools.structured_calls import StructuredAnswer, calls_of, read_structured, with_arguments
from services.tools.workspace import Workspace

MAX_ROUNDS = 8
"""Maximum number of model calls of a loop."""
ERROR_SHOWN = 2_000
"""Maximum characters of the last error of a tool that a failed step shows."""
LAST_ROUND = "This is the last round: give your result now, without further calls."


class Worked(BaseModel):
    """The outcome of working with tools."""

    text: str
    """The result that the model handed over."""
    finished: bool
    """False if the rounds were used up, or a user ended the step, before the model was done."""
    calls: list[CallMade] = Field(default_factory=list)

    def why_nothing(self, locale: str) -> str:
        """Return why no call brought anything: the end of the last error, where there was one."""
        errors = [made.result.text for made in self.calls if made.result.failed and made.result.text]
        if not errors:
            return say("no_tool_result", locale)
        return say("tool_call_failed", locale, reason=without_frames(errors[-1][-ERROR_SHOWN:]))


async def use_tools(
    role: str,
    prompt: BaseModel,
    tools: Sequence[BaseTool],
    workspace: Workspace | None = None,
    *,
    must_call: bool = False,
    by_reference: bool = False,
) -> Worked:
    """Let a role's model work with tools until it returns a result, or the rounds are used up.

    Results lie in the `workspace` of the tools. With `must_call` the first answer must call some tool; a model that
    does not follow is told so once. With `by_reference` what can be quoted is shown as the passages of the workspace,
    with numbered sentences by which an answer can name them.

    Raises:
        BadInput: two tools have one name.
        LimitReached: the budget or the time left does not suffice for a call.
        ModelError: the endpoint refused or could not be reached, or no answer could be used.
    """
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        raise BadInput(f"Two tools have one name: {', '.join(sorted(names))}. Rename one.")
    shared = workspace or Workspace(EvidenceStore(memory()))
    work = _Work(role, prompt, Calls(tools, shared, by_reference=by_reference), must_call)
    if await _starts_structured(role):
        return await work.structured()
    try:
        return await work.native()
    except NoNativeTools:
        if role_model(role, current_run().context).tool_protocol == "native":
            raise
        await current_run().journal.mark("structured")
        return await work.structured()


async def _starts_structured(role: str) -> bool:
    """Choose the protocol; a replay chooses as the recorded run did."""
    run = current_run()
    if run.journal.replays:  # a replay needs no model
        return run.journal.marked("structured")
    model = await settled(role_model(role, run.context))
    takes_no_calls = model.tool_protocol == "auto" and not learned(model).native_tools
    return await run.journal.decided("structured", lambda: model.tool_protocol == "structured" or takes_no_calls)


@dataclass(slots=True)
class _Round:
    """One round: the model's answer and the results of its calls."""

    reply: Reply
    text: str = ""
    """The result if the model is done, else the text beside its calls."""
    done: bool = False
    calls: Sequence[ToolCall] = ()
    made: list[CallMade] = field(default_factory=list)
    answer: StructuredAnswer | None = None
    problem: str = ""
    """Why the answer cannot be read."""
    reminder: str = ""
    """Reminder of a required call that was not made."""


@dataclass(frozen=True, slots=True)
class _Work:
    role: str
    prompt: BaseModel
    calls: Calls
    must_call: bool

    async def native(self) -> Worked:
        """Run the loop with native function calls."""
        tools = [in_all(as_data, convert_to_openai_tool(tool)) for tool in self.calls.tools.values()]

        def read(reply: Reply, _: int) -> _Round:
            return _Round(reply, reply.text, not reply.calls, reply.calls)

        def messages(rounds: Sequence[_Round]) -> list[BaseMessage]:
            last = [HumanMessage(LAST_ROUND)] if len(rounds) == MAX_ROUNDS - 1 else []
            return [*(message for earlier in rounds for message in _native_messages(earlier)), *last]

        exchange = ModelCall(self.role, self.prompt, tools=tools, must_call=self.must_call)
        return await self._work(exchange, read, messages)

    async def structured(self) -> Worked:
        """Run the loop with the structured protocol."""
        tools = [convert_to_openai_tool(tool)["function"] for tool in self.calls.tools.values()]
        tools = [{**tool, "parameters": json.dumps(tool["parameters"], ensure_ascii=False)} for tool in tools]
        instructions = render_partial(
            "structured", tools=tools, most=MAX_CALLS, rounds=MAX_ROUNDS, must_call=self.must_call
        )

        def messages(rounds: Sequence[_Round]) -> list[BaseMessage]:
            return [
                message
                for number, earlier in enumerate(rounds, 1)
                for message in _structured_messages(earlier, MAX_ROUNDS - number)
            ]

        return await self._work(ModelCall(self.role, self.prompt, instructions=instructions), _structured, messages)

    async def _work(
        self,
        exchange: ModelCall,
        read: Callable[[Reply, int], _Round],
        messages: Callable[[Sequence[_Round]], list[BaseMessage]],
    ) -> Worked:
        """Call the model until it is done: `messages` renders earlier rounds, `read` parses a reply and its number."""
        rounds: list[_Round] = []
        for number in range(1, MAX_ROUNDS + 1):
            reply = await exchange.say(messages(rounds))
            current = read(reply, number)
            rounds.append(current)
            exchange = replace(exchange, must_call=False)
            called = any(call.name in self.calls.tools for call in current.calls)
            if self.must_call and not called and number == 1 < MAX_ROUNDS:
                current.done = False
                current.reminder = "You were to call a tool first. Do that now."
            if current.done:
                break
            current.made = await self.calls.run(current.calls)
            if await ends_early(current_run(), f"tools-{number}"):
                break
        last = rounds[-1]
        if last.done and not last.text.strip():
            raise UselessAnswer(
                say("answer_no_tool", role=self.role),
                role=self.role,
                problem="it neither calls a tool nor gives a result",
            )
        return Worked(
            text=next((earlier.text for earlier in reversed(rounds) if not earlier.problem), ""),
            finished=last.done,
            calls=self.calls.made,
        )


def _structured(reply: Reply, number: int) -> _Round:
    try:
        text, answer = read_structured(reply.text)
    except ValueError as error:
        return _Round(reply, problem=explain(error))
    if answer.action.type != "complete":
        return _Round(reply, text, calls=calls_of(answer, number), answer=answer)
    content = answer.action.content
    result = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return _Round(reply, result, done=True, answer=answer)


def _native_messages(earlier: _Round) -> list[BaseMessage]:
    """Render a round as messages: the calls, with long code replaced by its id, and their results."""
    calls = [without_code(made) for made in earlier.made]
    request = AIMessage(
        **{"content": earlier.reply.text or ("" if calls else "(empty)"), **earlier.reply.passed_back},
        tool_calls=[{"id": call.id, "name": call.name, "args": call.arguments} for call in calls if not call.problem],
        invalid_tool_calls=[
            {"type": "invalid_tool_call", "id": call.id, "name": call.name, "args": "{}", "error": call.problem}
            for call in calls
            if call.problem
        ],
    )
    results = [
        ToolMessage(
            str(as_data(made.result.text)),
            tool_call_id=made.call.id,
            status="error" if made.result.failed else "success",
        )
        for made in earlier.made
    ]
    return [request, *results, *([HumanMessage(earlier.reminder)] if earlier.reminder else [])]


def _structured_messages(earlier: _Round, left: int) -> list[BaseMessage]:
    """Render a round of the structured protocol, with the number of remaining rounds."""
    ending = "This is the last round: only `complete` is possible." if left == 1 else f"{left} rounds are left."
    if earlier.answer is None:
        lines, answer = [f"That cannot be read: {as_data(earlier.problem)}"], earlier.reply.text or "(empty)"
    else:
        lines = [
            f'<result of="{attribute(made.call.name)}"{" failed" if made.result.failed else ""}>\n{as_data(made.result.text)}\n</result>'
            for made in earlier.made
        ]
        has_arguments = any(made.result.kept for made in earlier.made)
        calls = [without_code(made) for made in earlier.made]
        answer = with_arguments(earlier.answer, calls) if has_arguments else earlier.reply.text
    reminder = [earlier.reminder] if earlier.reminder else []
    return [AIMessage(answer), HumanMessage("\n".join([*lines, *reminder, ending]))]
