"""What a model, or the rules in its place, wrote for a report, and the draft that is made of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from schemas.context import RunContext
from schemas.coordinator import Triage
from schemas.evidence import Excerpt
from schemas.results import RECALLED
from schemas.state import ResearchState, plans_of, research_question
from services.embedding.cross_lingual import Likeness
from services.evidence.citable_excerpts import kept_evidence
from services.evidence.programs import Program
from services.reports.checking.code_citations import CodeCitations
from services.reports.markdown import Draft
from services.reports.verification import Verified
from services.run.ui_text import say

FOLLOW_UP_MARK = "==="
"""The line that parts the report from the follow-up questions."""


@dataclass(slots=True)
class Written:
    """What a model, or the rules in its place, wrote."""

    text: str = ""
    limits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    templates: tuple[str, ...] = ()
    """Of the model calls that were made besides the reporter's own."""
    by_rules: bool = False
    """Whether rules wrote it, which see only what was found and not what else there is to ask."""
    asked: list[str] = field(default_factory=list)
    """Questions to ask next, besides those in the text."""
    likeness: Likeness | None = None
    """Of its sentences with quotes in another language."""
    sections: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Ids of the excerpts that a section was written from, by its heading, where it was written in sections."""
    citing: CodeCitations | None = None
    """Finds excerpts for sentences that cite nothing."""
    verified: Verified = field(default_factory=Verified)
    """What a model that checked it says."""
    programs: dict[str, Program] = field(default_factory=dict)
    """Behind the numbers that it may cite, by the content hash of their source."""


def _note(triage: Triage | None, context: RunContext) -> str:
    """Return what the report must open with: the note of an edge case or a topic, and the profile's safety note."""
    note = triage.reply if triage is not None else ""
    safety = context.profile.safety_note if context.profile else ""
    return "\n".join(part for part in (note, safety) if part)


def draft_of(state: ResearchState, context: RunContext, written: Written, excerpts: list[Excerpt]) -> Draft:
    """Return what a report is made of."""
    reflection, background, locale = state["reflection"], state["background"], state["locale"]
    body, _, questions = written.text.partition(f"\n{FOLLOW_UP_MARK}")
    asked = [line.strip(" -*•0123456789.、") for line in questions.strip("=\n ").splitlines()]
    question = title_question(state)
    return Draft(
        question=question,
        locale=locale,
        title=state["plan"].title if state["plan"] else question,
        markdown=body.strip(),
        excerpts=kept_evidence(state, excerpts),
        sources=state["sources"],
        plans=plans_of(state),
        results=[state["results"][step_id] for step_id in sorted(state["results"], key=int) if step_id != RECALLED],
        reflections=state.get("reflections", []),
        contradictions=reflection.contradictions if reflection else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
        limits=[*state["limits"], *written.limits, *(background.failures if background else [])],
        follow_up_questions=list(dict.fromkeys([*(line for line in asked if line), *written.asked]))[:3],
        unsupported=context.unsupported,
        citation_style=context.citation_style,
        notes=written.notes,
        opening=_note(state["triage"], context),
        likeness=written.likeness,
        judgements=written.verified.judgements,
        rewritten=written.verified.rewritten,
        citing=written.citing,
        by_rules=written.by_rules,
        enough=reflection is None or reflection.has_enough_context,
        programs=written.programs,
    )


def title_question(state: ResearchState) -> str:
    """Return the question as the report names it: one that leans on earlier turns as it was completed, else as asked."""
    triage = state["triage"]
    completed = triage is not None and triage.rewritten and state.get("former")
    return research_question(state) if completed else state["question"]


def reused_evidence(state: ResearchState) -> list[str]:
    """Say which evidence was not looked up for this question."""
    recalled = state["results"].get(RECALLED)
    if recalled is None:
        return []
    sources = {excerpt.content_hash for excerpt in recalled.excerpts}
    return [say("reused", state["locale"], quotes=len(recalled.excerpts), sources=len(sources))]
