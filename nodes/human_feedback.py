"""Human feedback: a person accepts the plan, asks for changes, or submits another plan."""

from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite, interrupt

from schemas.context import RunContext
from schemas.human_feedback import PlanReview
from schemas.planner import Plan, PlanError, settle_plan
from schemas.state import ResearchState
from services.evidence.views import steps_by_id
from services.models.structured_output import explain
from services.run.choices import store_choices
from services.run.scope import choices, evidence_of
from services.run.ui_text import say
from services.run.wishes import answer_locale, followed_wishes
from services.turn.agent_inbox import from_inbox, inbox_request, plan_message
from services.turn.outline_evidence import evidence_in, placed
from services.turn.outline_growth import outline_of_review, without_evidence

ACCEPTED = "[ACCEPTED]"
EDIT_PLAN = "[EDIT_PLAN]"


async def human_feedback(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Wait for a review of the plan, and report the fault of an answer that cannot be used.

    The node re-runs from its top at every answer, so it does nothing but ask.
    """
    plan, locale, context = state["plan"], state["locale"], choices(runtime)
    problem, update = "", None
    while update is None:
        answer = interrupt(_request(plan, locale, problem))
        try:
            update = _update(read_review(answer, plan), state, context)
        except ValueError as error:
            problem = _explain(error, locale)
    # the answer may bring new choices, which hold from here on
    if (triage := state["triage"]) is not None and context.wishes.ignored:
        followed = followed_wishes(triage.wishes, context.wishes.ignored)
        triage = triage.model_copy(update={"wishes": followed})
        update |= {"triage": triage, "locale": answer_locale(triage, context)}
    return {**update, "choices": await store_choices(context, evidence_of(runtime))}


def read_review(answer: object, plan: Plan | None = None) -> PlanReview:
    """Parse an answer in any of its forms, words among them; `plan` is the plan that a chat client's edit changes.

    Raises:
        ValueError: the answer has none of these forms; the message says what is missing.
    """
    if isinstance(answer, str):
        text = answer.strip()
        if text.upper().startswith(ACCEPTED) or text.casefold() in {"accept", "accepted"}:
            return PlanReview(action="accept")
        words = text[len(EDIT_PLAN) :] if text.upper().startswith(EDIT_PLAN) else text
        answer = {"action": "edit", "feedback": words}
    if isinstance(answer, list) and len(answer) == 1:
        return read_review(answer[0], plan)
    review = PlanReview.model_validate(from_inbox(answer, plan))
    if review.action == "edit" and not review.feedback.strip():
        raise PlanError("review_no_words")
    if review.action == "replace" and review.plan is None:
        raise PlanError("review_no_plan")
    return review


def _request(plan: Plan | None, locale: str, problem: str) -> dict[str, object]:
    message, answers = say("review", locale), say("review_answers", locale)
    request: dict[str, object] = {
        "message": message,
        "answers": answers,
        "plan": plan.model_dump(mode="json") if plan else None,
    }
    if problem:
        request["problem"] = say("review_rejected", locale, reason=problem)
    if plan is not None:
        title = f"{request.get('problem', message)}"
        described = [title, say("review_chat", locale), plan._repr_markdown_(), answers]
        request |= inbox_request(plan, title, "\n\n".join(described))
    return request


def _update(review: PlanReview, state: ResearchState, context: RunContext) -> ResearchState:
    if review.action == "edit":
        return {"feedback": [*state["feedback"], review.feedback], "review": "edited"}
    if review.action == "accept" or review.plan is None:
        return {"review": "accepted", "messages": _settled_message(state["plan"], state) if state["plan"] else []}
    done = steps_by_id(state["plans"][:-1])
    finished = {*done, *state["results"]}
    plan = settle_plan(review.plan, first_id=len(done) + 1, finished=finished, max_steps=context.max_step_num)
    if context.level.nodes:
        plan = outline_of_review(plan, state.get("outline", []), state["locale"], first=not done)
    outline = placed(plan.outline, evidence_in(state))
    plan = plan.model_copy(update={"outline": without_evidence(outline)})
    plans: Any = Overwrite([*state["plans"][:-1], plan])
    return {
        "messages": _settled_message(plan, state),
        "plan": plan,
        "plans": plans,
        "outline": outline,
        "has_enough_context": plan.has_enough_context,
        "review": "accepted",
    }


def _settled_message(plan: Plan, state: ResearchState) -> list[AnyMessage]:
    return [plan_message(plan, state["turn"], len(state["plans"]))]


def _explain(error: ValueError, locale: str) -> str:
    return say(error.key, locale, **error.values) if isinstance(error, PlanError) else explain(error)
