"""Research for a section of a report that is being written, as a further step of the plan."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas.evidence import Excerpt, Source
from schemas.planner import Step
from schemas.reporter import ReporterPrompt
from schemas.results import StepResult
from schemas.sections import Section
from schemas.state import ResearchState
from services.evidence.table_heads import with_places
from services.evidence.views import evidence_views
from services.reports.sectioned_report import NewEvidence
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import say
from services.text.tokens import tokens
from services.turn.added_evidence import has_room, last_step, search_step

MOST_QUERIES = 4
MOST_SOURCES = 12
"""Approximate maximum number of sources found for one section."""
LONGEST_QUERY = 300


@dataclass(slots=True)
class SectionResearch:
    """Researches sections, and keeps the findings for the state."""

    run: Run
    state: ResearchState
    prompt: ReporterPrompt
    """The reporter's prompt."""
    evidence: EvidenceStore
    excerpts: Sequence[Excerpt]
    """All citable excerpts."""
    tell: Callable[[str, str], None]
    """Reports progress with a message key and the title of the section."""
    limits: list[str] = field(default_factory=list)
    """Reached limits, in the user's language."""
    tries: int = 0
    steps: list[Step] = field(default_factory=list)
    results: dict[str, StepResult] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    placed: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the found excerpts, by their node."""

    async def __call__(self, section: Section) -> NewEvidence | None:
        """Search for the missing content of a section, and return new evidence; None if limits leave no room."""
        if self.state["plan"] is None:
            return None
        if not await self._room():
            self.limits.append(say("section_not_researched", self.prompt.locale, title=section.title))
            return None
        self.tell("section_researched", section.title)
        new = await self._search(self._step(section))
        if new is None:
            self.tell("section_unchanged", section.title)
            return None
        if section.node:
            self.placed.setdefault(section.node, []).extend(excerpt.id for excerpt in new.excerpts)
        self.tell("section_rewritten", section.title)
        return new

    async def look_up(self, statements: Sequence[str]) -> NewEvidence | None:
        """Search for what a draft lacks, told as a source would; None where nothing new is found or limits leave no room."""
        if not statements or self.state["plan"] is None or not await self._room():
            return None
        title = say("lacking", self.prompt.locale)
        self.tell("draft_lacks", title)
        return await self._search(
            Step(id=self._next_step, title=title, description=" ".join(statements), queries=list(statements))
        )

    async def _room(self) -> bool:
        self.tries += 1
        return await self.run.journal.decided("rework", lambda: has_room(self.run), str(self.tries))

    @property
    def _next_step(self) -> str:
        return str(last_step(self.state) + self.tries)

    async def _search(self, step: Step) -> NewEvidence | None:
        added = await search_step(
            self.run,
            step,
            self.evidence,
            question=self.prompt.question,
            locale=self.prompt.locale,
            known=[*self.excerpts, *(excerpt for result in self.results.values() for excerpt in result.excerpts)],
            most=MOST_SOURCES,
        )
        self.limits += added.limits
        if added.result is None:
            return None
        found = ResearchState(results={step.id: added.result}, background=None)
        result = (await with_places(found, self.evidence))["results"][step.id]
        new = result.excerpts
        self.steps.append(step)
        self.results[step.id] = result
        self.sources |= added.sources
        return NewEvidence(new, evidence_views(new, added.sources), added.sources)

    def update(self) -> ResearchState:
        """Return the findings as an update of the state: results, sources, steps in the plan, and excerpts at their nodes."""
        plan = self.state["plan"]
        if plan is None or not self.steps:
            return {}
        outline = [
            node.model_copy(update={"excerpt_ids": [*node.excerpt_ids, *self.placed.get(node.id, [])]})
            for node in self.state.get("outline", [])
        ]
        return {
            "plan": plan.model_copy(update={"steps": [*plan.steps, *self.steps]}),
            "results": self.results,
            "sources": self.sources,
            "outline": outline,
        }

    def _step(self, section: Section) -> Step:
        told = [section.wanted, *(f"{part.title}: {part.wanted}".rstrip(": ") for part in section.parts)]
        return Step(
            id=self._next_step,
            title=section.title,
            description=" ".join(filter(None, told)),
            nodes=[section.node] if section.node else [],
            queries=self._queries(section),
        )

    def _queries(self, section: Section) -> list[str]:
        """Return the queries: the section's content, and aspects that its steps or the question were found to lack."""
        own = set(section.all_ids)
        lacking = [
            aspect
            for finding in self.prompt.findings
            if own.intersection(item.id for item in finding.evidence)
            for aspect in finding.missing_aspects
        ]
        about = set(tokens(f"{section.title} {section.wanted}"))
        lacking += [aspect for aspect in self.prompt.missing_aspects if about & set(tokens(aspect))]
        parts = [f"{part.title} {part.wanted}" for part in section.parts]
        queries = [f"{section.title} {section.wanted}", *lacking, *parts]
        cut = (" ".join(query.split())[:LONGEST_QUERY] for query in queries)
        return list(dict.fromkeys(filter(None, cut)))[:MOST_QUERIES]
