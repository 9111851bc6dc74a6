"""Human feedback: a person accepts the plan, says what to change, or hands in another one."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import ValidationError

from schemas.context import RunContext
from schemas.human_feedback import PlanReview
from schemas.planner import Plan, settle_plan
from schemas.state import ResearchState
from services.claims import let_go
from services.evidence.views import steps_by_id
from services.messages import say
from services.runs import choices

ACCEPTED = "[ACCEPTED]"
EDIT_PLAN = "[EDIT_PLAN]"


async def human_feedback(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Wait for a review of the plan, and say what is wrong with an answer that cannot be used.

    The node re-runs from its top at every answer, so it does nothing but ask; meanwhile the thread is free.
    """
    plan, locale = state["plan"], state["locale"]
    earlier = state["plans"][:-1]
    problem = ""
    await let_go(runtime)
    while True:
        answer = interrupt(_request(plan, locale, problem))
        try:
            review = read_review(answer)
            if review.action == "replace" and review.plan is not None:
                return _accepted(_replaced(review.plan, earlier, choices(runtime)), earlier)
        except ValueError as error:
            problem = _explain(error)
            continue
        if review.action == "edit":
            return {"feedback": [*state["feedback"], review.feedback], "review": "edited"}
        return {"review": "accepted"}


def read_review(answer: object) -> PlanReview:
    """Read an answer in any of its forms.

    Raises:
        ValueError: it is none of them; the message says what is missing.
    """
    if isinstance(answer, str):
        text = answer.strip()
        if text.upper().startswith(ACCEPTED):
            return PlanReview(action="accept")
        if text.upper().startswith(EDIT_PLAN):
            answer = {"action": "edit", "feedback": text[len(EDIT_PLAN) :].strip()}
        else:
            raise ValueError(f"it is neither {ACCEPTED} nor {EDIT_PLAN}")
    if isinstance(answer, list) and len(answer) == 1:
        return read_review(answer[0])
    review = PlanReview.model_validate(answer)
    if review.action == "edit" and not review.feedback.strip():
        raise ValueError("feedback is empty: say what to change")
    if review.action == "replace" and review.plan is None:
        raise ValueError("plan is missing")
    return review


def _request(plan: Plan | None, locale: str, problem: str) -> dict[str, object]:
    request: dict[str, object] = {
        "message": say("review", locale),
        "answers": say("review_answers", locale),
        "plan": plan.model_dump(mode="json") if plan else None,
    }
    if problem:
        request["problem"] = say("review_rejected", locale, reason=problem)
    return request


def _replaced(plan: Plan, earlier: list[Plan], context: RunContext) -> Plan:
    done = steps_by_id(earlier)
    return settle_plan(plan, first_id=len(done) + 1, finished=done, max_steps=context.max_step_num)


def _accepted(plan: Plan, earlier: list[Plan]) -> ResearchState:
    return {
        "plan": plan,
        "plans": [*earlier, plan],
        "has_enough_context": plan.has_enough_context,
        "review": "accepted",
    }


def _explain(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'answer'}: {item['msg']}" for item in error.errors()[:3])
    return str(error)
