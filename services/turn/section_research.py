"""Research for a report that is being written: for one of its sections, and for its first draft as a whole."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.evidence import Excerpt, Source, quoted_sources
from schemas.evidence_view import FindingView
from schemas.outline import Section
from schemas.planner import Step
from schemas.reporter import ReporterPrompt
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask
from services.evidence.citable_excerpts import placed
from services.evidence.views import evidence_views, in_order
from services.reports.sectioned_report import NewEvidence
from services.reports.whole_passages import beside_quotes
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import say
from services.text.tokens import tokens
from services.tools.workspace import Workspace
from services.turn.added_evidence import (
    AddedEvidence,
    besides,
    has_room,
    last_step,
    new_excerpts,
    search_step,
    with_excerpts,
)
from services.turn.program_inputs import lay_out
from services.turn.programs import run_programs
from services.turn.steering import wants_report

MOST_QUERIES = 4
MOST_SOURCES = 12
"""Approximate maximum number of sources found for one section."""
LONGEST_QUERY = 300
_CITATION = re.compile(r"\[([A-Z]\d{1,9}-\d{1,9})\]")


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
    notify: Callable[[str, str], None]
    """Reports progress with a message key and the title of the section."""
    limits: list[str] = field(default_factory=list)
    """Reached limits, in the user's language."""
    tries: int = 0
    steps: list[Step] = field(default_factory=list)
    results: dict[str, StepResult] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    nodes: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the found excerpts, by their node."""
    beside: dict[str, Excerpt] = field(default_factory=dict)
    """What stands beside excerpts in their passages and may be cited, by id."""
    shown: set[str] = field(default_factory=set)
    """Ids of the excerpts that the writer has seen."""

    @property
    def citable(self) -> dict[str, Excerpt]:
        """All excerpts by id: those that were found, and what stands beside them."""
        return {excerpt.id: excerpt for excerpt in self._found} | self.beside

    @property
    def _found(self) -> list[Excerpt]:
        return [*self.excerpts, *(excerpt for result in self.results.values() for excerpt in result.excerpts)]

    async def __call__(self, section: Section) -> NewEvidence | None:
        """Search for the missing content of a section, and return new evidence; None if research has ended or limits leave no room."""
        if self._ended:
            return None
        if not await self._room():
            self.limits.append(say("section_not_researched", self.prompt.locale, title=section.title))
            return None
        self.notify("section_researched", section.title)
        new = await self._search(self._step(section), self._found)
        if new is None:
            self.notify("section_unchanged", section.title)
            return None
        if section.node:
            self.nodes.setdefault(section.node, []).extend(excerpt.id for excerpt in new.excerpts)
        self.notify("section_rewritten", section.title)
        return new

    async def look_up(self, draft: str, statements: Sequence[str]) -> NewEvidence | None:
        """Hold a draft against all texts of the user's folders, or search for what it lacks, and return what its writer has not seen.

        Args:
            draft: with its citations.
            statements: what it lacks, told as a source would.

        Returns:
            None where nothing is found, research has ended or limits leave no room.
        """
        if self._ended or not await self._room():
            return None
        title = say("lacking", self.prompt.locale)
        self.notify("draft_lacks", title)
        wanted = "\n".join(f"- {statement}" for statement in statements)
        description = say("lacking_wanted", self.prompt.locale, statements=wanted) if statements else title
        step = Step(id=self._next_step, title=title, description=description, queries=list(statements))
        known = [excerpt for excerpt in self._found if excerpt.id in self.shown]
        added = await self._read_texts(step, draft, known)
        if added is None:
            return await self._search(step, known) if statements else None
        return self._taken(step.model_copy(update={"step_type": "processing"}), added)

    async def _read_texts(self, step: Step, draft: str, known: Sequence[Excerpt]) -> AddedEvidence | None:
        """Let programs hold a draft against all texts; None where these are no file for programs."""
        task = StepTask(
            step=step,
            steps={},
            question=self.prompt.question,
            locale=self.prompt.locale,
            results={},
            sources={},
            quoted=[],
            sources_left=MOST_SOURCES,
            outline=[],
            turn=self.state["turn"],
            wishes=self.run.wishes,
            allowance=self.run.budget.allowance,
            previous=None,
            feedback="",
        )
        workspace = Workspace(self.evidence)
        prompt = await lay_out(self.run, task, workspace, all_texts=True)
        if not prompt.tables:
            return None
        prompt.draft = _naming_documents(draft, self.citable, {**self.state["sources"], **self.sources})

        async def work() -> AddedEvidence:
            outcome = await run_programs(self.run, task, prompt, workspace)
            new = await placed(new_excerpts(outcome.result.excerpts, known), self.evidence)
            result = outcome.result.model_copy(update={"excerpts": new})
            done = result if result.status == "done" else None
            return AddedEvidence(done, quoted_sources(new, outcome.sources), [*outcome.limits, result.error])

        return await besides(self.run, self.prompt.locale, work)

    async def whole_passages(self, findings: Sequence[FindingView]) -> list[FindingView]:
        """Show what stands beside the excerpts of findings in their passages as further excerpts; each source stands in the first finding that quotes it."""
        shown = {item.id for finding in findings for item in finding.evidence}
        known, sources = self.citable, {**self.state["sources"], **self.sources}
        quotes = [excerpt for key, excerpt in known.items() if key in shown and key.startswith("E")]
        self.shown |= shown | {item.id for item in self.prompt.background}
        beside = await beside_quotes(quotes, [*known.values()], self.shown, sources, self.evidence.get_text)
        further = await placed(beside, self.evidence)
        self.shown |= {excerpt.id for excerpt in further}
        self.beside |= {excerpt.id: excerpt for excerpt in further if excerpt.id not in known}
        items = [item for finding in findings for item in finding.evidence] + evidence_views(further, sources)
        first = {item.content_hash: finding.step_id for finding in reversed(findings) for item in finding.evidence}
        return [
            finding.model_copy(
                update={"evidence": in_order([item for item in items if first[item.content_hash] == finding.step_id])}
            )
            for finding in findings
        ]

    def add(self, excerpts: Iterable[Excerpt]) -> None:
        """Add excerpts to the results of their steps."""
        self.results |= with_excerpts({**self.state["results"], **self.results}, excerpts)

    @property
    def _ended(self) -> bool:
        return self.state["plan"] is None or wants_report(self.state)

    async def _room(self) -> bool:
        self.tries += 1
        return await has_room(self.run, str(self.tries))

    @property
    def _next_step(self) -> str:
        return str(last_step(self.state) + self.tries)

    async def _search(self, step: Step, known: Sequence[Excerpt]) -> NewEvidence | None:
        added = await search_step(
            self.run,
            step,
            self.evidence,
            question=self.prompt.question,
            locale=self.prompt.locale,
            known=known,
            max_sources=MOST_SOURCES,
        )
        return self._taken(step, added)

    def _taken(self, step: Step, added: AddedEvidence) -> NewEvidence | None:
        """Keep what a further step found for the state."""
        self.limits += filter(None, added.limits)
        if added.result is None:
            return None
        self.steps.append(step)
        self.results[step.id] = added.result
        self.sources |= added.sources
        new = added.result.excerpts
        return NewEvidence(new, evidence_views(new, added.sources), added.sources)

    def latest(self, added: NewEvidence) -> FindingView:
        """Show what the last further step found; what a reader of all texts says of a draft is its finding."""
        step = self.steps[-1]
        result = self.results[step.id]
        return FindingView(
            step_id=step.id,
            title=step.title,
            status="done",
            finding=result.finding if step.step_type == "processing" else "",
            confidence=result.confidence,
            evidence=added.views,
        )

    def update(self) -> ResearchState:
        """Return the findings as an update of the state: results, sources, steps in the plan, and excerpts at their nodes."""
        plan = self.state["plan"]
        if not self.results:
            return {}
        outline = [
            node.model_copy(update={"excerpt_ids": [*node.excerpt_ids, *self.nodes.get(node.id, [])]})
            for node in self.state.get("outline", [])
        ]
        return {
            "plan": plan and plan.model_copy(update={"steps": [*plan.steps, *self.steps]}),
            "results": self.results,
            "sources": self.sources,
            "outline": outline,
        }

    def _step(self, section: Section) -> Step:
        aims = [section.wanted, *(f"{part.title}: {part.wanted}".rstrip(": ") for part in section.parts)]
        return Step(
            id=self._next_step,
            title=section.title,
            description=" ".join(filter(None, aims)),
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


def _naming_documents(draft: str, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]) -> str:
    """Return a draft whose citations name the documents of their excerpts by path, where they have some."""

    def named(match: re.Match[str]) -> str:
        excerpt = excerpts.get(match[1])
        source = sources.get(excerpt.content_hash) if excerpt is not None else None
        return f"[{source.url}]" if source is not None and source.kind == "document" else match[0]

    return _CITATION.sub(named, draft)
