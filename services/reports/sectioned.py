"""Long reports: an outline, sections written side by side, each from its own evidence, then one call that joins them.

The wall time grows with the longest section and not with their sum. Sections stream in their order. Where a limit leaves no
room for a section, its quotes stand in its place; where none is left for joining, the sections are joined as they are.
"""

import asyncio
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from langchain_core.messages import AIMessageChunk
from langgraph.graph.message import push_message

from schemas.evidence_view import FindingView
from schemas.reporter import ReporterPrompt
from schemas.reporter_joining import Joining, ReporterJoiningPrompt, SectionText
from schemas.reporter_outline import Outline, ReporterOutlinePrompt
from schemas.reporter_section import ReporterSectionPrompt
from services.models import ask, write
from services.reports.checking.numbered_citations import read_citations
from services.reports.labels import labels_for
from services.reports.merge_sections import merge_sections, number_paragraphs
from services.reports.ordered_stream import InOrder
from services.reports.outline import evidence_for, outline_by_steps, settle_outline
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, UselessAnswer
from services.run.roles import DEFAULTS
from services.run.ui_text import problem_text, say

WORDS_A_STEP, MIN_WORDS = 700, 3_000
"""Words of a full report for each step that found something, and of the shortest one."""
TOKENS_A_WORD = 2.0
"""Room for a word with its citations and marks."""
TEMPLATES = ("reporter_outline", "reporter_section", "reporter_joining")
_HEADING = re.compile(r"\A#{1,2}[ ][^\n]*+\n++")


@dataclass(slots=True)
class LongText:
    """A long report as it was written."""

    markdown: str
    follow_up_questions: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    """Limits that were reached, in the user's language."""
    sections: dict[str, set[str]] = field(default_factory=dict)
    """Ids of the excerpts that a section was written from, by its heading."""


def words_of(prompt: ReporterPrompt, words: int | None) -> int:
    """Return how many words a report is to have: those that were asked for, else in proportion to what was found."""
    steps = sum(bool(finding.evidence) for finding in prompt.findings)
    return words or max(MIN_WORDS, WORDS_A_STEP * steps)


async def write_long(prompt: ReporterPrompt, words: int) -> LongText:
    """Write a long report.

    Args:
        prompt: all that the reporter knows.
        words: of the whole report.

    Raises:
        LimitReached: there is no room even for the outline.
        ModelError: the endpoint refused or failed before anything was written.
    """
    limits: list[str] = []
    prompt = _with_background(prompt)
    outline = await _outline(prompt, words, limits)
    stream = InOrder([f"\n\n## {section.title}\n\n" for section in outline.sections], _sender())
    share = max(150, words // len(outline.sections))
    texts = await asyncio.gather(
        *(_section(prompt, outline, place, share, stream, limits) for place in range(len(outline.sections)))
    )
    sections = number_paragraphs([(section.title, text) for section, text in zip(outline.sections, texts, strict=True)])
    joining = await _joining(prompt, outline, sections, limits)
    markdown = merge_sections(sections, joining, labels_for(prompt.locale))
    written_from: dict[str, set[str]] = {}
    for section in outline.sections:
        written_from.setdefault(" ".join(section.title.split()), set()).update(section.excerpt_ids)
    return LongText(markdown, joining.follow_up_questions[:3], list(dict.fromkeys(limits)), written_from)


def _with_background(prompt: ReporterPrompt) -> ReporterPrompt:
    """Show background evidence to the outline and the sections as they see all evidence: as a finding."""
    if not prompt.background:
        return prompt
    title = say("background_evidence", prompt.locale)
    finding = FindingView(step_id="background", title=title, status="done", evidence=prompt.background)
    return prompt.model_copy(update={"findings": [*prompt.findings, finding], "background": []})


async def _outline(prompt: ReporterPrompt, words: int, limits: list[str]) -> Outline:
    """Ask for an outline; where none comes that can be used, each step has its section."""
    variables = ReporterOutlinePrompt(
        **prompt.model_dump(include={"question", "locale", "today", "tone", "findings"}), words=words
    )
    check = partial(settle_outline, findings=prompt.findings)
    try:
        return await ask("reporter", variables, Outline, check, template="reporter_outline")
    except UselessAnswer:
        limits.append(say("outline_by_rules", prompt.locale))
        return outline_by_steps(prompt.question, prompt.findings)


async def _section(
    prompt: ReporterPrompt,
    outline: Outline,
    place: int,
    words: int,
    stream: InOrder,
    limits: list[str],
) -> str:
    """Write one section; where that cannot be done, quote its evidence."""
    section = outline.sections[place]
    findings = evidence_for(section, prompt.findings)
    excerpt_ids = set(section.excerpt_ids)
    variables = ReporterSectionPrompt(
        **prompt.model_dump(include={"question", "locale", "today", "tone"}),
        title=section.title,
        focus=section.focus,
        words=words,
        outline=[section.title for section in outline.sections],
        terms=outline.terms,
        findings=findings,
        contradictions=[
            contradiction for contradiction in prompt.contradictions if excerpt_ids & set(contradiction.excerpt_ids)
        ],
    )
    streamed: list[str] = []

    def on_token(token: str) -> None:
        streamed.append(token)
        stream.add(place, token)

    try:
        scale = max(1.0, words * TOKENS_A_WORD / DEFAULTS["reporter"][1])
        reply = await write("reporter", variables, scale=scale, template="reporter_section", on_token=on_token)
        shown = [item for finding in findings for item in finding.evidence]
        text = await asyncio.to_thread(
            read_citations, reply.text, shown, question=prompt.question, locale=prompt.locale
        )
        if reply.cut_off:
            limits.append(say("cut_off", prompt.locale))
    except (LimitReached, ModelError) as problem:
        limits.append(_in_words(problem, prompt.locale))
        limits.append(say("section_by_rules", prompt.locale, title=section.title))
        text = "\n\n".join(f"> {item.quote} [{item.id}]" for finding in findings for item in finding.evidence)
    if not streamed:
        stream.add(place, text)
    stream.end(place)
    return _HEADING.sub("", text.strip())


async def _joining(prompt: ReporterPrompt, outline: Outline, sections: list[SectionText], limits: list[str]) -> Joining:
    variables = ReporterJoiningPrompt(
        **prompt.model_dump(include={"question", "locale", "tone", "missing_aspects"}), sections=sections
    )
    try:
        return await ask("reporter", variables, Joining, template="reporter_joining")
    except (LimitReached, ModelError) as problem:
        limits.append(_in_words(problem, prompt.locale))
        limits.append(say("joined_by_rules", prompt.locale))
    first = next(
        (paragraph.text for section in sections for paragraph in section.paragraphs if "[E" in paragraph.text), ""
    )
    return Joining(title=outline.title, summary=first)


def _in_words(problem: LimitReached | ModelError, locale: str) -> str:
    return limit_message(problem, locale) if isinstance(problem, LimitReached) else problem_text(problem, locale)


def _sender() -> Callable[[str], None]:
    """Return what sends pieces of one message to `stream_mode="messages"`."""
    message_id = f"report-{uuid.uuid4()}"

    def send(piece: str) -> None:
        if piece:
            push_message(AIMessageChunk(content=piece, id=message_id, name="reporter"), state_key=None)

    return send
