"""The smallest prompts of each role, and what the offline model answers to them."""

from typing import TypeVar

from pydantic import BaseModel

from schemas.coordinator import CoordinatorPrompt, Triage, Turn
from schemas.evidence import Excerpt, Passage
from schemas.evidence_view import EvidenceView, FindingView
from schemas.planner import Plan, PlannerPrompt
from schemas.profile import Profile
from schemas.reflector import Reflection
from schemas.researcher import Findings, ResearcherPrompt
from services.evidence.references import numbered, taken
from services.models.offline import answer
from tests.services.models.conftest import PROMPT
from tests.services.models.test_ask import PLANNER, PROMPT_OF_REPORT

Answer = TypeVar("Answer", bound=BaseModel)


def locale_of(text: str) -> str:
    return "en-US" if text.isascii() else "zh-CN"


def ask(prompt: BaseModel, schema: type[Answer]) -> Answer:
    return schema.model_validate_json(answer(prompt))


def triage(question: str, *earlier: str, profile: Profile | None = None) -> Triage:
    turns = [Turn(role="user", text=text) for text in earlier]
    prompt = CoordinatorPrompt(question=question, conversation=turns, profile=profile, locale="auto")
    return ask(prompt, Triage)


def planner_prompt(question: str, **changes: object) -> PlannerPrompt:
    return PLANNER.model_copy(update={"question": question, "locale": locale_of(question), **changes})


def plan(question: str, **changes: object) -> Plan:
    return ask(planner_prompt(question, **changes), Plan)


def researcher_prompt(question: str, *texts: str) -> ResearcherPrompt:
    passages = [
        Passage(
            id=f"P{place}",
            content_hash=str(place),
            title=f"Source {place}",
            start=0,
            end=len(text),
            text=text,
        )
        for place, text in enumerate(texts, 1)
    ]
    return ResearcherPrompt(
        question=question,
        locale=locale_of(question),
        title=question,
        description=f"Find out: {question}",
        queries=[question],
        feedback="",
        findings=[],
        passages=numbered(passages),
    )


def extract(question: str, *texts: str) -> tuple[Findings, list[Excerpt]]:
    """Return the findings over some texts, and the excerpts that they name; the content hash of each is its text's number."""
    prompt = researcher_prompt(question, *texts)
    found = ask(prompt, Findings)
    return found, taken(found, prompt.passages).excerpts


def finding(
    *quotes: str, step: str = "1", status: str = "done", titles: tuple[str, ...] = (), attempts: int = 1
) -> FindingView:
    evidence = [
        EvidenceView(id=f"E{step}-{place}", title=titles[place - 1] if titles else f"Source {place}", quote=quote)
        for place, quote in enumerate(quotes, 1)
    ]
    return FindingView(
        step_id=step, title="A step", status=status, finding=" ".join(quotes[:1]), attempts=attempts, evidence=evidence
    )


def reflect(question: str, *findings: FindingView, plans: int = 1) -> Reflection:
    changes = {
        "question": question,
        "locale": locale_of(question),
        "findings": list(findings),
        "plan_iterations": plans,
    }
    return ask(PROMPT.model_copy(update=changes), Reflection)


def report(question: str, *findings: FindingView, length: str = "standard") -> str:
    changes = {"question": question, "locale": locale_of(question), "findings": list(findings), "length": length}
    return answer(PROMPT_OF_REPORT.model_copy(update=changes))
