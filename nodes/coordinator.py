"""Coordinator: what is asked, in which language, and whether research is due, in one model call."""

from datetime import UTC, datetime

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from pydantic import BaseModel

from schemas.context import RunContext
from schemas.coordinator import CoordinatorPrompt, Triage, Turn
from schemas.state import ResearchState
from schemas.usage import Usage
from services.claims import let_go
from services.errors import BadInput, LimitReached
from services.messages import say
from services.models import ask
from services.models.rules import answer_by_rules
from services.progress import emit, emit_message
from services.runs import Run, choices, turn_run
from services.search.providers import notices_for
from services.search.tokens import has_cjk
from services.steps import left_out, limit_said

MAX_QUESTION = 20_000
"""Characters of a question. More is a document: it belongs into a documents folder."""
MAX_TURNS = 8
MAX_TURN = 2_000
"""Characters of an earlier message that are shown."""


async def coordinator(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Begin a turn: read the question, start the run's state over, and answer at once where no research is due.

    Raises:
        BadInput: there is no question, or it is too long.
    """
    context = choices(runtime)
    question = question_of(state)
    for notice in await notices_for(context, "zh" if has_cjk(question) else "en"):
        emit(runtime, "notice", "coordinator", notice)
    prompt = CoordinatorPrompt(
        question=question,
        conversation=conversation_of(state.get("messages", [])),
        profile=context.profile,
        locale=_wanted_locale(context),
    )
    limit: LimitReached | None = None
    async with turn_run(runtime, "coordinator") as (run, turn):
        today = await _today(run)
        try:
            triage = await ask("coordinator", prompt, Triage)
        except LimitReached as reached:
            limit = reached
            triage = Triage.model_validate_json(await answer_by_rules("coordinator", prompt))
    triage = _settled(triage, question, context)
    emit_message(runtime, "triage", "coordinator", "triage", triage.locale, data=triage.model_dump(mode="json"))
    if _answers(triage):
        await let_go(runtime)
    limits = [*left_out(run, triage.locale), *([limit_said(limit, triage.locale)] if limit else [])]
    return _fresh_turn(question, triage, turn, today, limits, run.usage)


def question_of(state: ResearchState) -> str:
    """Return the question of this turn: the last human message, or `question` where there is none.

    Raises:
        BadInput: there is no question, or it is longer than `MAX_QUESTION` characters.
    """
    messages = state.get("messages", [])
    last = messages[-1] if messages else None
    text = last.text if last is not None and last.type == "human" else state.get("question", "")
    question = text.strip()
    if not question:
        raise BadInput("The question is empty. Ask something, for example: Who invented the sounding machine?")
    if len(question) > MAX_QUESTION:
        raise BadInput(
            f"The question has {len(question):,} characters, and at most {MAX_QUESTION:,} are taken. "
            "Put long material into a folder and name it with --docs."
        )
    return question


def conversation_of(messages: list[AnyMessage]) -> list[Turn]:
    """Return the turns before the present question, shortened."""
    return [
        Turn(role="user" if message.type == "human" else "assistant", text=message.text[:MAX_TURN])
        for message in messages[:-1][-MAX_TURNS:]
        if message.type in {"human", "ai"} and message.text
    ]


def _wanted_locale(context: RunContext) -> str:
    if context.locale == "auto" and context.profile is not None:
        return context.profile.locale
    return context.locale


def _settled(triage: Triage, question: str, context: RunContext) -> Triage:
    """Hold the answer to what the run chose: the locale, and a scope only where a profile gives one."""
    wanted = _wanted_locale(context)
    intent = triage.intent
    if intent == "out_of_scope" and context.profile is None:
        intent = "in_scope"
    locale = triage.locale if wanted == "auto" else wanted
    reply = triage.reply
    if not reply and intent in {"greeting", "out_of_scope", "unclear", "not_research"}:
        reply = say(intent, locale)
    return triage.model_copy(
        update={"intent": intent, "locale": locale, "reply": reply, "question": triage.question.strip() or question}
    )


class _Clock(BaseModel):
    today: str


async def _today(run: Run) -> str:
    """Return the date on which the run began, the same when it is replayed on another."""

    async def read() -> _Clock:
        return _Clock(today=datetime.now(UTC).date().isoformat())

    return (await run.journal.once("clock", "today", {}, _Clock, read)).answer.today


def _answers(triage: Triage) -> bool:
    """Tell whether the turn ends with the reply, as no research is due."""
    return triage.intent in {"greeting", "out_of_scope", "unclear", "not_research"}


def _fresh_turn(question: str, triage: Triage, turn: int, today: str, limits: list[str], usage: Usage) -> ResearchState:
    update: dict[str, object] = {
        "question": question,
        "locale": triage.locale,
        "turn": turn,
        "today": today,
        "triage": triage,
        "background": None,
        "plan": None,
        "plans": [],
        "plan_iterations": 0,
        "feedback": [],
        "review": "none",
        "results": Overwrite({}),
        "reflection": None,
        "has_enough_context": False,
        "sources": Overwrite({}),
        "limits": Overwrite(limits),
        "spent": False,
        "usage": Overwrite(usage),
        "report": None,
    }
    if _answers(triage):
        update["messages"] = [AIMessage(triage.reply)]
    return update  # type: ignore[return-value]  # a TypedDict cannot say that a value may come as Overwrite
