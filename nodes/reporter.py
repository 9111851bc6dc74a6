"""Reporter: writes the report from the evidence, streaming; then code checks every citation and renders it."""

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.coordinator import Triage
from schemas.evidence import Excerpt
from schemas.reporter import ContradictionView, Report, ReporterPrompt
from schemas.state import ResearchState
from services.evidence.views import evidence_views, finding_views, steps_by_id
from services.messages import say
from services.metering import Meter
from services.models import is_offline, write
from services.progress import emit_message
from services.reports.markdown import Draft, finish_report
from services.runs import choices

FOLLOW_UP_MARK = "==="
"""The line that parts the report from the follow-up questions."""


async def reporter(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Write the report, or say honestly that nothing was found; no model writes from nothing."""
    context, locale = choices(runtime), state["locale"]
    excerpts = cited_evidence(state)
    text = ""
    with Meter() as meter:
        if excerpts:
            emit_message(runtime, "notice", "reporter", "writing", locale)
            text = await write("reporter", _prompt(state, context))
    body, _, questions = text.partition(f"\n{FOLLOW_UP_MARK}")
    report = finish_report(_draft(state, context, body, questions, excerpts), usage=state["usage"] + meter.usage)
    _announce(runtime, locale, report)
    return {
        "report": report,
        "messages": [AIMessage(report.markdown, name="reporter")],
        "usage": meter.usage,
    }


def cited_evidence(state: ResearchState) -> list[Excerpt]:
    """Return what the report may cite: the steps' excerpts, or the background's where no step has any."""
    found = [excerpt for one in sorted(state["results"], key=int) for excerpt in state["results"][one].excerpts]
    background = state["background"]
    return found or (background.excerpts if background else [])


def _prompt(state: ResearchState, context: RunContext) -> ReporterPrompt:
    triage, reflection, background = state["triage"], state["reflection"], state["background"]
    findings = finding_views(steps_by_id(state["plans"]), state["results"], state["sources"])
    researched = any(found.evidence for found in findings)
    fast = not state["plans"] and triage is not None and triage.complexity == "simple"
    return ReporterPrompt(
        question=triage.question if triage else state["question"],
        locale=state["locale"],
        today=state["today"],
        length="answer" if fast else context.length,
        tone=context.profile.tone if context.profile else "",
        findings=findings,
        background=[] if researched or background is None else evidence_views(background.excerpts, state["sources"]),
        contradictions=[ContradictionView(**one.model_dump()) for one in reflection.contradictions]
        if reflection
        else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
    )


def _note(triage: Triage | None, context: RunContext) -> str:
    """Return what the report must open with: an edge case's note and the profile's safety note."""
    edge = triage.reply if triage is not None and triage.intent == "edge_case" else ""
    safety = context.profile.safety_note if context.profile else ""
    return "\n".join(note for note in (edge, safety) if note)


def _draft(state: ResearchState, context: RunContext, body: str, questions: str, excerpts: list[Excerpt]) -> Draft:
    reflection, background, locale = state["reflection"], state["background"], state["locale"]
    asked = [line.strip(" -*•0123456789.、") for line in questions.strip("=\n ").splitlines()]
    return Draft(
        question=state["question"],
        locale=locale,
        title=state["plan"].title if state["plan"] else state["question"],
        markdown=body.strip(),
        excerpts=excerpts,
        sources=state["sources"],
        plans=state["plans"],
        results=[state["results"][one] for one in sorted(state["results"], key=int)],
        contradictions=reflection.contradictions if reflection else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
        limits=[*state["limits"], *(background.failures if background else [])],
        follow_up_questions=[line for line in asked if line][:3],
        unsupported=context.unsupported,
        notes=[say("offline", locale)] if is_offline() else [],
        opening=_note(state["triage"], context),
    )


def _announce(runtime: Runtime[RunContext], locale: str, report: Report) -> None:
    verified = sum(claim.verified for claim in report.citations)
    values = {"claims": len(report.citations), "verified": verified, "sources": sum(bool(s.id) for s in report.sources)}
    emit_message(runtime, "report", "reporter", "report", locale, data={"title": report.title, **values}, **values)
