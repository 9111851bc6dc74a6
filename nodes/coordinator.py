"""Coordinator: determines the question, its language, and whether research is needed, in one model call."""

import re
from datetime import UTC, datetime
from functools import partial

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from pydantic import BaseModel

from schemas.context import RunContext
from schemas.conversation import Former
from schemas.coordinator import CoordinatorPrompt, Triage, Turn, triage_schema
from schemas.evidence import Excerpt, quoted_sources
from schemas.files_read import FilesRead
from schemas.options import LANGUAGES
from schemas.profile import Profile
from schemas.results import RECALLED, StepResult
from schemas.state import ResearchState
from schemas.usage import Usage
from schemas.wishes import Wishes
from services.evidence.views import evidence_views
from services.models import ask, ask_by_rules
from services.run.budget import limit_message
from services.run.choices import note_choices, store_choices
from services.run.errors import BadInput, LimitReached, UselessAnswer
from services.run.estimate import emit_estimate
from services.run.events import emit, emit_message
from services.run.evidence_store import EvidenceStore
from services.run.log import log, run_ended
from services.run.roles import check_models_chosen, role_model
from services.run.scope import Run, choices, evidence_of, node_run
from services.run.ui_text import say, told
from services.run.wishes import answer_locale, followed_wishes, obeyed, pasted_text, settled_wishes
from services.search.providers import notices_for
from services.search.web import filters_of, named_pages
from services.text.questions import names_in
from services.text.tokens import message_language
from services.turn.conversation import (
    as_change,
    carried_context,
    change_messages,
    chosen_question,
    conversation_of,
    recall,
    stands_alone,
)
from services.turn.steps import left_out

MAX_QUESTION = 20_000
"""Maximum characters of a question. Longer texts belong into a documents folder."""
DIRECT = frozenset(["greeting", "out_of_scope", "unclear", "not_research"])
"""Intents that are answered directly."""


async def coordinator(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Start a turn: read the question, reset the run's state, and answer directly if no research is needed.

    A message that asks to change the previous turn's report starts no turn: the previous turn continues with the
    change.

    Raises:
        BadInput: there is no question, or it is too long.
        SettingsError: the run names a model of a provider that is not set up.
    """
    if state.get("revision") is not None and state.get("triage") is None:
        return {}  # a change for a thread without a report, which the reporter rejects
    context, former = choices(runtime), carried_context(state)
    question = chosen_question(question_of(state), former)
    spoken, report = message_language(question), state.get("report")
    notices = await notices_for(context, spoken)
    for notice in notices:
        emit(runtime, "notice", "coordinator", notice)
    await emit_estimate(runtime, context, "coordinator", spoken)
    present, messages = _present(state), state.get("messages", [])
    earlier = messages if present is None else messages[:-1]
    problem: LimitReached | UselessAnswer | None = None
    async with node_run({"locale": spoken}, runtime, "coordinator") as run:
        log("run_started", characters=len(question), depth=context.depth, formats=context.output_formats)
        chosen = await store_choices(context, evidence_of(runtime))
        await note_choices(evidence_of(runtime).store, run.thread, run.turn, context, chosen)
        today = await _today(run)
        conversation, recalled = await _thread(run, question, earlier, former, evidence_of(runtime))
        prompt = CoordinatorPrompt(
            question=question,
            conversation=conversation,
            profile=context.profile,
            locale=context.locale,
            today=today,
            known=evidence_views(recalled, former.sources) if former else [],
            answers=await run.journal.decided("answers", partial(_answers_itself, context)),
            asked_back=former.asked_back if former else "",
            report=report.question if report else "",
        )
        try:
            answer = await ask("coordinator", prompt, triage_schema(prompt))
            triage = Triage.model_validate(answer.model_dump())
        except (LimitReached, UselessAnswer) as caught:
            problem = caught
            triage = (await ask_by_rules(prompt, Triage)).model_copy(update={"answer": ""})
    if report is not None and triage.revises:
        request_messages = change_messages([*messages, *_question_messages(present, question, former)])
        return {**as_change(state, question, chosen, run.usage), "messages": request_messages}
    triage = settled_triage(triage, prompt, context)
    if former and triage.rewritten and triage.complexity == "complex" and triage.intent not in DIRECT:
        evidence, shown = evidence_of(runtime), len(recalled)
        recalled = await recall(triage.question, former, [], evidence, filters_of(context), recalled, broad=True)
        triage.uses += [excerpt.id for excerpt in recalled[shown:]]
    locale = answer_locale(triage, context)
    refused = obeyed(context, triage.wishes).refused
    if triage.intent in DIRECT:
        run_ended(run.thread, run.usage, "direct")
    emit_message(runtime, "triage", "coordinator", "triage", triage.locale, data=triage.model_dump(mode="json"))
    limits = [
        *left_out(run, locale),
        *([limit_message(problem, locale)] if isinstance(problem, LimitReached) else []),
        *([say("question_by_rules", locale)] if isinstance(problem, UselessAnswer) else []),
        *([say("parts_not_read", locale, count=unread)] if (unread := _unread_parts(present)) else []),
        *(say("wish_refused", locale, wish=say(f"wish_{name}", locale)) for name in refused),
    ]
    fresh = _fresh_turn(question, triage, run.turn, today, limits, run.usage)
    fresh |= {"locale": locale, "choices": chosen, "notices": notices, **_from_earlier(former, triage, recalled)}
    said = [
        *_question_messages(present, question, former),
        *([AIMessage(triage.reply)] if triage.intent in DIRECT else []),
    ]
    return {**fresh, "messages": said}  # type: ignore[typeddict-item]  # values may come as Overwrite


def _question_messages(present: AnyMessage | None, question: str, former: Former | None) -> list[AnyMessage]:
    """Return the message of this turn if the thread lacks it, because it came as `question` or as a number."""
    if present is not None and chosen_question(present.text, former) == present.text:
        return []
    return [HumanMessage(question, id=present.id if present else None)]


async def _thread(
    run: Run, question: str, earlier: list[AnyMessage], former: Former | None, evidence: EvidenceStore
) -> tuple[list[Turn], list[Excerpt]]:
    """Return the part of the thread for the model: the conversation, if the question needs it, and matching evidence."""
    conversation = conversation_of(earlier, former)
    if former is None:
        return conversation, []
    alone = stands_alone(question, former, conversation)
    recalled = await recall(question, former, conversation, evidence, filters_of(run.context))
    return ([] if alone else conversation), recalled


def _answers_itself(context: RunContext) -> bool:
    """Tell whether the coordinator may write a short answer from known evidence: its model equals the reporter's.

    The reporter differs if it has its own model or prompt. This is checked once, before any model call; the models that
    the run names are validated here, since a replay calls none.
    """
    check_models_chosen(context)
    if context.output_style == "data" or context.prompts.get("reporter"):
        return False
    own, writer = (role_model(role, context).model_dump(include=_SAME) for role in ("coordinator", "reporter"))
    return own == writer


_SAME = {"provider", "model", "base_url", "extra", "sampling"}


def question_of(state: ResearchState) -> str:
    """Return the question of this turn: its message, or `question`.

    Raises:
        BadInput: there is no question, or the question is longer than `MAX_QUESTION` characters.
    """
    present = _present(state)
    question = (present.text if present is not None else state.get("question", "")).strip()
    if not question:
        raise BadInput(**told("question_no_text" if _unread_parts(present) else "question_empty"))
    if len(question) > MAX_QUESTION:
        raise BadInput(
            say("question_too_long", message_language(question), characters=len(question), limit=MAX_QUESTION)
        )
    return question


def _present(state: ResearchState) -> AnyMessage | None:
    """Return the last message if it is a person's, unless `question` has changed since the last turn: it replaces what an aborted turn left."""
    messages, triage, question = state.get("messages", []), state.get("triage"), state.get("question", "")
    last = messages[-1] if messages and messages[-1].type == "human" else None
    changed = triage is not None and question and question != triage.original
    return None if changed and last is not None and last.text.strip() != question.strip() else last


def _unread_parts(message: AnyMessage | None) -> int:
    parts = message.content if message is not None else []
    return sum(not isinstance(part, str) and part.get("type") != "text" for part in parts)


def settled_triage(triage: Triage, prompt: CoordinatorPrompt, context: RunContext) -> Triage:
    """Apply the run's choices to the answer: the locale, a scope only with a profile, at most one question back, a plan where one is chosen."""
    wanted, intent = context.locale, triage.intent
    if (intent == "out_of_scope" and context.profile is None) or (intent == "unclear" and prompt.asked_back):
        intent = "in_scope"
    known_tag = triage.locale.strip().replace("_", "-").partition("-")[0].lower() in LANGUAGES
    spoken = triage.locale.strip() if known_tag else message_language(prompt.question)
    locale = spoken if wanted == "auto" else wanted
    request, text = pasted_text(prompt.question, triage.wishes.pasted)
    followed = followed_wishes(settled_wishes(triage.wishes, prompt.question, triage.question), context.wishes.ignored)
    wishes = followed.model_copy(update={"text": text, "pages": [hit.url for hit in named_pages(request)]})
    question = _standing_alone(triage.question.strip(), prompt, request, wishes)
    known = [excerpt.id for excerpt in prompt.known]
    uses = [use for use in dict.fromkeys(triage.uses) if use in known] or known
    answered = triage.answered if known and intent not in DIRECT else "no"
    shaped = wishes.asks_form or wishes.words or wishes.language
    short = answered == "whole" and triage.complexity == "simple" and prompt.answers and not shaped
    planned = (context.review_plan and context.deep_research) or context.level.wide
    return triage.model_copy(
        update={
            "intent": intent,
            "locale": locale,
            "reply": _reply(triage, intent, locale, context.profile),
            "original": prompt.question,
            "wishes": wishes,
            "complexity": "complex" if planned else triage.complexity,
            "question": question,
            "rewritten": question != prompt.question,
            "answered": answered,
            "uses": uses if answered != "no" else [],
            "missing": triage.missing if answered == "part" else [],
            "answer": triage.answer if short and any(f"[{use}]" in triage.answer for use in uses) else "",
        }
    )


def _standing_alone(rewritten: str, prompt: CoordinatorPrompt, request: str, wishes: Wishes) -> str:
    """Return the rewritten question, or the request if a first turn's rewriting is empty or loses a name; with the pages that it names.

    Writing out an abbreviation does not lose it, nor does leaving out the words of a wish.
    """
    first = not (prompt.conversation or prompt.asked_back)
    folded = rewritten.casefold()
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", folded))
    wished = " ".join(wishes.said).casefold()
    lost = first and any(
        name.casefold() not in folded
        and name.casefold() not in wished
        and not (name.isupper() and name.casefold() in initials)
        for name in names_in(request)
    )
    question = request if lost or rewritten in {"", prompt.question} else rewritten
    return " ".join([question, *(page for page in wishes.pages if page not in question)])


def _reply(triage: Triage, intent: str, locale: str, profile: Profile | None) -> str:
    """Return the profile's reply for a topic or an intent, else the model's, else the default; a question back is the model's."""
    topic = profile.scope.topic(triage.category) if profile is not None else None
    if intent == "in_scope":
        return topic.reply if topic is not None else ""
    ready = getattr(profile.replies, intent, "") if profile is not None else ""
    if topic is not None and intent in {"edge_case", "out_of_scope"}:
        ready = topic.reply or ready
    return (triage.reply or ready if intent == "unclear" else ready or triage.reply) or say(intent, locale)


class _Clock(BaseModel):
    today: str


async def _today(run: Run) -> str:
    """Return the date on which the run began; a replay returns the recorded date."""

    async def read() -> _Clock:
        return _Clock(today=datetime.now(UTC).date().isoformat())

    return (await run.journal.once("clock", "today", {}, _Clock, read)).answer.today


def _from_earlier(former: Former | None, triage: Triage, recalled: list[Excerpt]) -> dict[str, object]:
    """Store the thread's evidence that answers the question as the result of a finished step."""
    excerpts = [excerpt for excerpt in recalled if excerpt.id in triage.uses]
    if former is None or not excerpts:
        return {"former": former}
    result = StepResult(step_id=RECALLED, status="done", excerpts=excerpts, missing_aspects=triage.missing, attempts=0)
    return {
        "former": former,
        "results": Overwrite({RECALLED: result}),
        "sources": Overwrite(quoted_sources(excerpts, former.sources)),
    }


def _fresh_turn(
    question: str, triage: Triage, turn: int, today: str, limits: list[str], usage: Usage
) -> dict[str, object]:
    return {
        "question": question,
        "turn": turn,
        "today": today,
        "triage": triage,
        "background": None,
        "plan": None,
        "plans": Overwrite([]),
        "outline": [],
        "plan_iterations": 0,
        "feedback": [],
        "steering": [],
        "review": "none",
        "results": Overwrite({}),
        "reflection": None,
        "reflections": Overwrite([]),
        "has_enough_context": False,
        "sources": Overwrite({}),
        "read": Overwrite({}),
        "limits": Overwrite(limits),
        "files": Overwrite(FilesRead()),
        "spent": False,
        "usage": Overwrite(usage),
        "report": None,
        "revision": None,
    }
