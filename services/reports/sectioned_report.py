"""Writes a report in sections in parallel, researches the weakest again, and joins them by one call.

The wall time grows with the longest section and not with their sum. Sections stream in their order. Where a limit leaves no
room for a section, its quotes stand in its place; where none is left for joining, the sections are joined as they are.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessageChunk
from langgraph.graph.message import push_message

from schemas.evidence import Claim, Excerpt, Source
from schemas.evidence_view import EvidenceView
from schemas.outline import Section
from schemas.reporter import ReporterPrompt
from schemas.reporter_joining import Joining, ReporterJoiningPrompt
from services.evidence.citable_excerpts import TextOf
from services.models import ask
from services.models.prompt_fit import evidence_tokens
from services.reports.document import cited_in
from services.reports.labels import labels_for
from services.reports.markdown import ReportInputs, check_draft
from services.reports.markdown_blocks import read_draft
from services.reports.merge_sections import WrittenSection, merge_sections, number_paragraphs, shown_sections
from services.reports.rendering import to_draft
from services.reports.report_draft import Written
from services.reports.section_evidence import surroundings_of
from services.reports.section_writer import (
    TEMPLATE,
    Portion,
    SectionEvidence,
    SectionWriter,
    evidence_of_prompt,
    portions_of,
)
from services.reports.statuses import sure_claims
from services.reports.wishes import Length, shared_out
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError
from services.run.scope import Run
from services.run.ui_text import say
from services.text.length import words_in

TEMPLATES = (TEMPLATE, "reporter_joining")


class InOrder:
    """Passes on pieces of the current text at once, and holds pieces of later texts until the earlier ones have ended."""

    def __init__(self, openings: list[str], send: Callable[[str], None]) -> None:
        """Take the opening of each text, and the receiver of pieces."""
        self._held: list[list[str]] = [[opening] for opening in openings]
        self._ended = [False] * len(openings)
        self._turn = 0
        self._send = send
        self._flush()

    def add(self, place: int, piece: str) -> None:
        """Add a piece of a text."""
        self._held[place].append(piece)
        self._flush()

    def end(self, place: int) -> None:
        """Mark a text as ended."""
        self._ended[place] = True
        self._flush()

    def _flush(self) -> None:
        while self._turn < len(self._held):
            for piece in self._held[self._turn]:
                self._send(piece)
            self._held[self._turn].clear()
            if not self._ended[self._turn]:
                return
            self._turn += 1


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """New evidence from a search for a section."""

    excerpts: list[Excerpt] = field(default_factory=list)
    views: list[EvidenceView] = field(default_factory=list)
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Sources by content hash."""


Research = Callable[[Section], Awaitable[NewEvidence | None]]
"""Searches for more evidence on a section; None if there is no room."""


def weakest(sections: Sequence[Section], claims: Sequence[Claim], done: Collection[int] = ()) -> int | None:
    """Return the index of the weakest section of a report with these claims that was not researched again, or None.

    That is the one with fewest supported sentences that cite its excerpts, for each of its aspects: the section as a whole, if it has its
    own excerpts, and each of its parts; of equal ones the one with fewest excerpts.
    """

    def strength(place: int) -> tuple[float, int]:
        section = sections[place]
        ids, aspects = set(section.all_ids), len(section.parts) + bool(section.excerpt_ids)
        return sure_claims(claim for claim in claims if ids.intersection(claim.citations)) / max(1, aspects), len(ids)

    return min((place for place in range(len(sections)) if place not in done), key=strength, default=None)


@dataclass(slots=True)
class SectionedReport:
    """State of one report in sections."""

    run: Run
    prompt: ReporterPrompt
    """The reporter's prompt; its outline names the sections."""
    length: Length
    excerpts: Mapping[str, Excerpt]
    """All citable excerpts by id."""
    sources: Mapping[str, Source]
    """Sources by content hash."""
    text_of: TextOf
    research: Research
    """Searches for more evidence on a section."""
    writer: SectionWriter = field(init=False)
    evidence: SectionEvidence = field(init=False)
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = SectionWriter(self.prompt, list(self.prompt.outline))
        self.evidence = evidence_of_prompt(self.prompt, self.excerpts)

    async def write(self) -> Written:
        """Write the report.

        Raises:
            LimitReached: the limits leave no room for any section.
        """
        sections = self.writer.sections
        self.evidence.around = await surroundings_of(self.evidence.excerpts.values(), self.sources, self.text_of)
        await self._write_sections()
        await self._rework()
        titles = [section.title for section in sections]
        paragraphs = number_paragraphs([*zip(titles, self.texts, strict=True)], self.evidence.excerpts)
        joining = await self._joining(paragraphs)
        written_from: dict[str, set[str]] = {}
        for section in sections:
            ids = [*section.all_ids, *section.shared_ids]
            written_from.setdefault(" ".join(section.title.split()), set()).update(ids)
        return Written(
            limits=list(dict.fromkeys(self.writer.limits)),
            blocks=merge_sections(paragraphs, joining, labels_for(self.prompt.locale), self.evidence.excerpts),
            templates=TEMPLATES,
            follow_up_questions=joining.follow_up_questions[:3],
            sections=written_from,
        )

    async def _write_sections(self) -> None:
        """Write all sections in parallel, then those for which the others left no room in the budget."""
        portions = await self._portions()
        titles = [section.title for section in self.writer.sections]
        openings = ["\n\n" if portion.place > 1 else f"\n\n## {titles[portion.number - 1]}\n\n" for portion in portions]
        stream = InOrder(openings, _sender())
        alone = len(portions) == 1
        texts = await asyncio.gather(
            *(self._streamed(portion, place, stream, alone=alone) for place, portion in enumerate(portions))
        )
        for place, portion in enumerate(portions):
            if texts[place] is None:
                texts[place] = await self._streamed(portion, place, stream, alone=True)
        if len(self.writer.by_limit) == len(portions):
            raise self.writer.by_limit[0]
        joined: dict[int, list[str]] = {}
        for portion, text in zip(portions, texts, strict=True):
            joined.setdefault(portion.number, []).append(text or "")
        self.texts = ["\n\n".join(joined[number]) for number in sorted(joined)]

    async def _portions(self) -> list[Portion]:
        sections = self.writer.sections
        room = await evidence_tokens(self.run, "reporter", self.run.context.level.passage_tokens)
        weights = [self.evidence.words(section) for section in sections]
        words, fewest = shared_out(self.length.words, weights), shared_out(self.length.fewest, weights)
        portions: list[Portion] = []
        for place, section in enumerate(sections):
            shared = self.evidence.shared(section, self.prompt.contradictions, room)
            portions += portions_of(place + 1, self.evidence.of(section), room, words[place], fewest[place], shared)
        return portions

    async def _streamed(self, portion: Portion, place: int, stream: InOrder, *, alone: bool) -> str | None:
        """Write a portion; None if others reserve the room that it needs."""
        text = await self.writer.portion(portion, lambda piece: stream.add(place, piece), alone=alone)
        if text is not None:
            stream.end(place)
        return text

    async def _rework(self) -> None:
        """Research and rewrite the weakest section, as often as the depth permits; without new evidence it stays."""
        done: set[int] = set()
        for _ in range(self.run.context.level.reworked):
            place = weakest(self.writer.sections, await asyncio.to_thread(self._claims), done)
            if place is None:
                return
            done.add(place)
            new = await self.research(self.writer.sections[place])
            if new is not None and new.excerpts:
                await self._write_anew(place, new)

    def _claims(self) -> list[Claim]:
        excerpts = self.evidence.excerpts
        blocks = read_draft("\n\n".join(self.texts), excerpts)
        draft = ReportInputs(self.prompt.question, self.prompt.locale, "", blocks, [*excerpts.values()], self.sources)
        return check_draft(draft).claims

    async def _write_anew(self, place: int, new: NewEvidence) -> None:
        section = self.writer.sections[place]
        before = self.evidence.words(section)
        ids = [*section.excerpt_ids, *(excerpt.id for excerpt in new.excerpts)]
        section = self.writer.sections[place] = section.model_copy(update={"excerpt_ids": ids})
        self.evidence.views |= {view.id: view for view in new.views}
        self.evidence.excerpts |= {excerpt.id: excerpt for excerpt in new.excerpts}
        self.evidence.around |= await surroundings_of(new.excerpts, new.sources, self.text_of)
        self.sources = {**self.sources, **new.sources}
        room = await evidence_tokens(self.run, "reporter", self.run.context.level.passage_tokens)
        grown = self.evidence.words(section) / max(1, before)
        words = round(max(words_in(self.texts[place]), self.length.words / len(self.writer.sections)) * min(2.0, grown))
        fewest = min(words, self.length.fewest // len(self.writer.sections))
        shared = self.evidence.shared(section, self.prompt.contradictions, room)
        portions = portions_of(place + 1, self.evidence.of(section), room, words, fewest, shared)
        try:
            texts = [await self.writer.written(portion, lambda piece: None) for portion in portions]
        except (LimitReached, ModelError) as problem:
            self.writer.limits.append(limit_message(problem, self.prompt.locale))
        else:
            self.texts[place] = "\n\n".join(texts)

    async def _joining(self, sections: list[WrittenSection]) -> Joining:
        prompt, limits = self.prompt, self.writer.limits
        variables = ReporterJoiningPrompt(
            **prompt.model_dump(include={"question", "locale", "tone", "wishes", "missing_aspects"}),
            sections=shown_sections(sections),
        )
        try:
            return await ask("reporter", variables, Joining, template="reporter_joining")
        except (LimitReached, ModelError) as problem:
            limits.append(limit_message(problem, prompt.locale))
            limits.append(say("joined_by_rules", prompt.locale))
        blocks = (block for section in sections for block in section.paragraphs.values())
        return Joining(title="", summary=next((to_draft([block]) for block in blocks if cited_in([block])), ""))


def _sender() -> Callable[[str], None]:
    message_id = f"report-{uuid.uuid4()}"

    def send(piece: str) -> None:
        if piece:
            push_message(AIMessageChunk(content=piece, id=message_id, name="reporter"), state_key=None)

    return send
