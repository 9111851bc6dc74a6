"""The reporter's text, written by a model, as one sentence an excerpt, or by rules, the draft built from it, and the report as a chat message."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage

from schemas.context import RunContext
from schemas.coordinator import Triage
from schemas.document import Block
from schemas.evidence import Contradiction, Excerpt, Source
from schemas.evidence_view import EvidenceView
from schemas.reporter import Report, ReporterPrompt
from schemas.reporter_sentences import MAX_EXCERPTS, PassageSentences, ReporterSentencesPrompt
from schemas.results import RECALLED
from schemas.state import ResearchState, plans_of, research_question, with_messages
from services.embedding.cross_lingual import Likeness
from services.evidence.citable_excerpts import stored_evidence
from services.evidence.computation import Program
from services.models import ask
from services.reports.checking.code_citations import CodeCitations
from services.reports.citation_forms import plain_citations
from services.reports.markdown import ReportInputs
from services.reports.verification import Verified
from services.run.evidence_store import EvidenceStore
from services.run.message_forms import run_configuration
from services.run.settings import settings
from services.run.ui_text import say
from services.run.wishes import wishes_of
from services.text.quotable import without_markup
from services.text.ranking import bm25
from services.text.tables import table_at
from services.text.tokens import tokens

FOLLOW_UP_MARK = "==="
"""The line between the report and the follow-up questions."""
NOT_KEPT = "thread_is_not_kept"
"""Key in the configuration of a run whose thread ends with it."""
_FILE = re.compile(r"\]\((?=(?:sources|artifacts)/)")
"""Start of a link to one of the report's own files, which are in its folder."""
SENTENCES = "reporter_sentences"
"""Stem of the template."""
_RELEVANCE = {"high": 2, "medium": 1}
_BRACKETS = re.compile(r"\[[^\[\]]{0,80}\]")


@dataclass(slots=True)
class Written:
    """A report's text from a model, or from rules in its place."""

    text: str = ""
    """As the model wrote it in one call; empty for other reports."""
    limits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blocks: tuple[Block, ...] = ()
    """The text without the follow-up questions, read once."""
    templates: tuple[str, ...] = ()
    """Templates of model calls besides the reporter's own."""
    rewritten: bool = False
    """Whether its writer wrote it anew from a first draft."""
    by_rules: bool = False
    """Whether rules wrote it; they see only the findings, not open questions."""
    contradictions: list[Contradiction] = field(default_factory=list)
    """Differing figures, where no reflection has looked for them."""
    follow_up_questions: list[str] = field(default_factory=list)
    """Follow-up questions besides those in the text."""
    likeness: Likeness | None = None
    """Similarity of its sentences to quotes in another language."""
    sections: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Excerpt ids of a section by its heading, if the report was written in sections."""
    citing: CodeCitations | None = None
    """Finds excerpts for sentences without citations."""
    former: Report | None = None
    """The report that it changes."""
    verified: Verified = field(default_factory=Verified)
    """Results of the check by a model."""
    programs: dict[str, Program] = field(default_factory=dict)
    """Programs behind its citable numbers, by the content hash of their source."""


_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.)、])(?!\d)")


def _note(triage: Triage | None, context: RunContext) -> str:
    """Return the notes at the report's top: of an edge case or a topic, and the profile's safety note."""
    note = triage.reply if triage is not None else ""
    safety = context.profile.safety_note if context.profile else ""
    return "\n".join(part for part in (note, safety) if part)


def draft_of(state: ResearchState, context: RunContext, written: Written, excerpts: list[Excerpt]) -> ReportInputs:
    """Build the draft of a report."""
    reflection, background, locale = state["reflection"], state["background"], state["locale"]
    _, _, questions = written.text.partition(f"\n{FOLLOW_UP_MARK}")
    follow_ups = [without_markup(_LIST_MARK.sub("", line).strip()) for line in questions.strip("=\n ").splitlines()]
    question = title_question(state)
    return ReportInputs(
        question=question,
        asked=with_messages(question, state, reported=True),
        locale=locale,
        title=state["plan"].title
        if state["plan"]
        else research_question(state, reported=True)
        if wishes_of(state["triage"]).said
        else question,
        blocks=written.blocks,
        excerpts=written.verified.with_new_excerpts(stored_evidence(state, excerpts)),
        sources=state["sources"],
        plans=plans_of(state),
        results=[state["results"][step_id] for step_id in sorted(state["results"], key=int) if step_id != RECALLED],
        reflections=state.get("reflections", []),
        contradictions=reflection.contradictions if reflection else written.contradictions,
        missing_aspects=reflection.missing_aspects if reflection else [],
        limits=[*state["limits"], *written.limits, *(background.failures if background else [])],
        follow_up_questions=list(
            dict.fromkeys(filter(None, [*follow_ups, *map(without_markup, written.follow_up_questions)]))
        )[:3],
        unsupported=context.unsupported,
        notes=written.notes,
        opening=_note(state["triage"], context),
        likeness=written.likeness,
        judgements=written.verified.judgements,
        citing=written.citing,
        by_rules=written.by_rules,
        enough=reflection is None or reflection.has_enough_context,
        programs=written.programs,
        former=written.former,
        wishes=context.wishes,
    )


def title_question(state: ResearchState) -> str:
    """Return the question for the report: a follow-up question in its completed form, else the original."""
    triage = state["triage"]
    completed = triage is not None and triage.rewritten and state.get("former")
    return triage.question if triage is not None and completed else state["question"]


def report_message(report: Report, thread: str) -> AIMessage:
    """Return a report as the assistant's message in its thread.

    Args:
        report: the report, with relative links to its files.
        thread: id of the thread; the server has its files under `/reports/<thread>/`.

    Returns:
        The report's Markdown; links to its files are absolute if the server's address is known, and keeps the thread.
    """
    address = "" if run_configuration().get(NOT_KEPT) else settings().address()
    text = _FILE.sub(f"]({address}/reports/{thread}/", report.markdown) if address and thread else report.markdown
    return AIMessage(text, name="reporter")


async def write_sentences(prompt: ReporterPrompt) -> str:
    """Ask for one sentence per excerpt, and return the report in Markdown, with a part for each finding.

    Args:
        prompt: the reporter's prompt; its most relevant excerpts are shown.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    parts = [(finding.title, finding.evidence) for finding in prompt.findings] + [("", prompt.background)]
    chosen = _most_relevant(prompt.question, [item for _, evidence in parts for item in evidence])
    variables = ReporterSentencesPrompt(
        **prompt.model_dump(include={"question", "locale", "tone"}),
        passages=chosen,
    )
    answer = await ask("reporter", variables, PassageSentences, template=SENTENCES)
    by_excerpt: dict[str, str] = {}
    for sentence in answer.sentences:
        if 1 <= sentence.number <= len(chosen) and (text := _bare(sentence.sentence)):
            by_excerpt.setdefault(chosen[sentence.number - 1].id, text)
    written_parts = [
        (title, [f"{by_excerpt[item.id]} [{item.id}]" for item in evidence if item.id in by_excerpt])
        for title, evidence in parts
    ]
    written_parts = [(title, sentences) for title, sentences in written_parts if sentences]
    if prompt.length == "answer":
        return " ".join(sentence for _, sentences in written_parts for sentence in sentences)
    return "\n\n".join(
        (f"## {title}\n\n" if title and len(written_parts) > 1 else "")
        + "\n".join(f"- {sentence}" for sentence in sentences)
        for title, sentences in written_parts
    )


def _most_relevant(question: str, evidence: list[EvidenceView]) -> list[EvidenceView]:
    """Return the excerpts most relevant to a question, in order; each quote once."""
    by_quote = {item.quote: item for item in reversed(evidence)}
    items = [item for item in evidence if by_quote[item.quote] is item]
    scores = bm25([tokens(item.quote) for item in items], tokens(question))
    ranked = sorted(range(len(items)), key=lambda place: (-_RELEVANCE.get(items[place].relevance, 0), -scores[place]))
    return [items[place] for place in sorted(ranked[:MAX_EXCERPTS])]


def _bare(sentence: str) -> str:
    """Return a sentence on one line, without its own citations."""
    return " ".join(_BRACKETS.sub("", plain_citations(sentence)).split())


async def rows_left_out(
    text: str, citable: Mapping[str, Excerpt], sources: Mapping[str, Source], evidence: EvidenceStore, locale: str
) -> list[str]:
    """Say of each table of which a text shows some rows how many of how many these are."""
    shown: dict[tuple[str, str], set[str]] = {}
    for excerpt in (excerpt for key, excerpt in citable.items() if f"[{key}]" in text):
        if table := table_at(await evidence.get_text(excerpt.content_hash), excerpt.end):
            rows = shown.setdefault((excerpt.content_hash, "\n".join(table)), set())
            rows.update(row for row in table if row in excerpt.quote)
    return [
        say("offline_rows", locale, title=sources[key].title, shown=len(rows), rows=count)
        for (key, table), rows in shown.items()
        if 0 < len(rows) < (count := len(table.split("\n")))
    ]
