"""Further searches while a report is being written, within the budget that is not reserved for writing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from schemas.evidence import Excerpt, Source, quoted_sources
from schemas.evidence_view import FindingView
from schemas.outline import Section
from schemas.planner import Step
from schemas.reporter import ReporterPrompt
from schemas.researcher import ResearcherPrompt
from schemas.results import StepResult
from schemas.state import ResearchState, plans_of
from schemas.usage import Allowance
from services.evidence.citable_excerpts import placed
from services.evidence.views import evidence_views, in_order, steps_by_id
from services.reports.judge import Search
from services.reports.sectioned_report import NewEvidence
from services.reports.whole_passages import beside_quotes
from services.run.budget import REPORT_SHARE, limit_message
from services.run.errors import JournalMiss, LeadlineError, LimitReached, StoreDamaged, StoreUnwritable, problem_text
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import say
from services.search.journaled import gather_once
from services.text.tokens import tokens
from services.turn.rounds import Wanted, search_in_rounds
from services.turn.steering import wants_report

_PASSING_ON = (JournalMiss, StoreDamaged, StoreUnwritable)
"""Errors that end the whole run."""

MOST_QUERIES = 4
MOST_SOURCES = 12
"""Approximate maximum number of sources found for one section."""
SOURCES_EACH = 8
"""Sources that are looked at for a statement which says that something is not told."""
LONGEST_QUERY = 300


@dataclass(frozen=True, slots=True)
class AddedEvidence:
    """Result of a further step."""

    result: StepResult | None
    """None if the step found nothing new."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Sources of its excerpts, by hash."""
    limits: Sequence[str] = ()
    """Reached limits and failed searches, in the user's language."""


async def search_step(
    run: Run,
    step: Step,
    evidence: EvidenceStore,
    *,
    question: str,
    locale: str,
    known: Sequence[Excerpt],
    max_sources: int,
) -> AddedEvidence:
    """Search for a step without using the report's share of the limits; an error of the step alone becomes a limit.

    Raises:
        JournalMiss: the recording of a replay does not hold the search.
        StoreDamaged: the store holds what was never written.
        StoreUnwritable: the disk is full.
    """
    need = ResearcherPrompt(
        question=question,
        locale=locale,
        title=step.title,
        description=step.description,
        queries=step.queries,
        feedback="",
        findings=[],
        passages=[],
    )
    try:
        with besides_the_report(run):
            quoted = [excerpt.place for excerpt in known]
            gathered = await search_in_rounds(run, need, evidence, step.id, Wanted(max_sources, quoted=quoted))
    except _PASSING_ON:
        raise
    except LimitReached as limit:
        return AddedEvidence(None, limits=[limit_message(limit, locale)])
    except LeadlineError as problem:
        return AddedEvidence(None, limits=[problem_text(problem, locale)])
    limits = [*gathered.limits, *gathered.trouble]
    new = await placed(new_excerpts(gathered.excerpts, known), evidence)
    if not new:
        return AddedEvidence(None, limits=limits)
    result = StepResult(
        step_id=step.id,
        status="done",
        finding=gathered.finding,
        excerpts=new,
        confidence=gathered.confidence,
        missing_aspects=gathered.missing_aspects,
    )
    return AddedEvidence(result, quoted_sources(new, gathered.sources), limits)


def document_search(run: Run, evidence: EvidenceStore) -> Search:
    """Return a search of the user's documents that finds the sources of the passages nearest to each statement; nothing where a limit is reached.

    Each statement is searched alone: searched together, the sixth source of one, which told it, fell behind those of the others.
    """

    async def search(statements: Sequence[str]) -> Mapping[str, Source]:
        try:
            with besides_the_report(run):
                found = [
                    await gather_once(run, [statement], evidence, SOURCES_EACH, where="documents")
                    for statement in statements
                ]
        except LimitReached:
            return {}
        return {key: source for gathered in found for key, source in gathered.sources.items()}

    return search


def has_room(run: Run) -> bool:
    """Tell whether tokens, money and time are left beyond the report's share."""
    left = _without_the_reports_share(run)
    room = run.budget.room()
    tokens_left = room is None or room > REPORT_SHARE * (run.context.max_tokens or 0)
    return tokens_left and left.seconds > run.seconds and (left.cost is None or left.cost > 0)


@contextmanager
def besides_the_report(run: Run) -> Iterator[None]:
    """Reserve the report's share of the limits while the block runs."""
    held = run.budget.allowance
    run.budget.allowance = _without_the_reports_share(run)
    try:
        yield
    finally:
        run.budget.allowance = held


def _without_the_reports_share(run: Run) -> Allowance:
    context, allowance = run.context, run.budget.allowance
    tokens_kept, cost_kept = REPORT_SHARE * (context.max_tokens or 0), REPORT_SHARE * (context.max_cost or 0.0)
    return allowance.model_copy(
        update={
            "tokens": None if allowance.tokens is None else int(allowance.tokens - tokens_kept),
            "cost": None if allowance.cost is None else allowance.cost - cost_kept,
            "seconds": allowance.seconds - REPORT_SHARE * context.max_seconds,
        }
    )


def last_step(state: ResearchState) -> int:
    """Return the highest number of a step in all plans; 0 if there are no steps."""
    numbers = [int(step_id) for step_id in (*steps_by_id(plans_of(state)), *state["results"]) if step_id.isdecimal()]
    return max(numbers, default=0)


def new_excerpts(excerpts: Sequence[Excerpt], known: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the excerpts whose quote no known excerpt holds."""
    quotes = {" ".join(excerpt.quote.split()) for excerpt in known}
    return [
        excerpt
        for excerpt in excerpts
        if " ".join(excerpt.quote.split()) not in quotes and not any(map(excerpt.lies_in, known))
    ]


def with_excerpts(results: Mapping[str, StepResult], new: Iterable[Excerpt]) -> dict[str, StepResult]:
    """Return the results of those steps whose ids begin those of new excerpts, with these."""
    changed: dict[str, StepResult] = {}
    for excerpt in new:
        step_id = excerpt.id.partition("-")[0].removeprefix("E")
        if (result := changed.get(step_id) or results.get(step_id)) is not None:
            changed[step_id] = result.model_copy(update={"excerpts": [*result.excerpts, excerpt]})
    return changed


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

    async def look_up(self, statements: Sequence[str]) -> NewEvidence | None:
        """Search for what a draft lacks, told as a source would, and return what its writer has not seen.

        Returns:
            None where nothing is found, research has ended or limits leave no room.
        """
        if not statements or self._ended or not await self._room():
            return None
        title = say("lacking", self.prompt.locale)
        self.notify("draft_lacks", title)
        wanted = "\n".join(f"- {statement}" for statement in statements)
        description = say("lacking_wanted", self.prompt.locale, statements=wanted)
        return await self._search(
            Step(id=self._next_step, title=title, description=description, queries=list(statements)),
            [excerpt for excerpt in self._found if excerpt.id in self.shown],
        )

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
        return await self.run.journal.decided("rework", lambda: has_room(self.run), str(self.tries))

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
        self.limits += added.limits
        if added.result is None:
            return None
        self.steps.append(step)
        self.results[step.id] = added.result
        self.sources |= added.sources
        new = added.result.excerpts
        return NewEvidence(new, evidence_views(new, added.sources), added.sources)

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
