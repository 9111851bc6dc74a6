"""Research for a change of a report: requested content without evidence is searched for once, as a further step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas.evidence import Excerpt, Source
from schemas.planner import Plan, Step
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.revision import Revision
from schemas.state import ResearchState, plans_of
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import say
from services.text.terms import content
from services.turn.added_evidence import has_room, last_step, search_step

MAX_TOPICS = 4
"""Maximum topics searched for one change."""
MAX_SOURCES = 8
"""Approximate maximum number of sources quoted for it."""
LONGEST_TOPIC = 200


@dataclass(slots=True)
class RevisionResearch:
    """Searches once for the content of a change, and keeps the findings for the state."""

    run: Run
    state: ResearchState
    report: Report
    revision: Revision
    evidence: EvidenceStore
    notify: Callable[[str, str], None]
    """Reports progress with a message key and the searched topic."""
    topics: list[str] = field(default_factory=list)
    """Searched topics."""
    step: Step | None = None
    result: StepResult | None = None
    """Result of the search; None if it brought nothing new."""
    sources: dict[str, Source] = field(default_factory=dict)
    limits: list[str] = field(default_factory=list)
    """Reached limits, in the report's language."""

    @property
    def new_excerpts(self) -> list[Excerpt]:
        """Excerpts that the search found."""
        return self.result.excerpts if self.result is not None else []

    @property
    def missing(self) -> list[str]:
        """What the search was to find and did not, as the researcher tells."""
        return self.result.missing_aspects if self.result is not None else []

    async def search(self, topics: Sequence[str], known: Sequence[Excerpt]) -> bool:
        """Search for topics, unless the change forbids research, and tell whether something was found."""
        if not self.revision.research:
            return False
        locale = self.report.locale or self.state["locale"]
        self.topics = [" ".join(topic.split())[:LONGEST_TOPIC] for topic in topics][:MAX_TOPICS]
        named = "; ".join(self.topics)
        if not await self.run.journal.decided("rework", lambda: has_room(self.run), "revision"):
            self.limits.append(say("revision_no_room", locale, aspects=named))
            return False
        self.notify("revision_researching", named)
        self.step = self._step()
        added = await search_step(
            self.run,
            self.step,
            self.evidence,
            question=self.report.question,
            locale=locale,
            known=known,
            max_sources=MAX_SOURCES,
        )
        self.limits += added.limits
        self.result = added.result
        self.sources = dict(added.sources)
        return bool(self.new_excerpts)

    def notes(self, text: str, locale: str) -> list[str]:
        """Return a note on the searched topics, if the text cites a found excerpt."""
        cited = [excerpt for excerpt in self.new_excerpts if f"[{excerpt.id}]" in text]
        if not cited:
            return []
        named, sources = "; ".join(self.topics), len({excerpt.content_hash for excerpt in cited})
        return [say("revision_researched", locale, aspects=named, quotes=len(cited), sources=sources)]

    def lacks(self, lacking: Sequence[str], locale: str, known: Sequence[Excerpt]) -> list[str]:
        """Return limits for the aspects that the editor lacks, except those of which an excerpt holds all words."""
        word_sets = [
            set(content(f"{self._title(excerpt)} {excerpt.quote}")) for excerpt in [*known, *self.new_excerpts]
        ]
        lacking = [aspect.rstrip(".。") for aspect in lacking if not _is_covered(aspect, word_sets)]
        key = "revision_lacks" if self.step is None else "revision_not_found"
        return [say(key, locale, aspects=aspect) for aspect in lacking]

    def update(self) -> ResearchState:
        """Return the findings as an update of the state: the result, its sources, and the step in the plan."""
        if self.step is None or self.result is None:
            return {}
        update: ResearchState = {"results": {self.step.id: self.result}, "sources": self.sources}
        plans = plans_of(self.state)
        plan = plans[-1] if plans else Plan(locale=self.report.locale, title=self.report.title)
        plan = plan.model_copy(update={"steps": [*plan.steps, self.step]})
        return {**update, "plan": plan} if plans else {**update, "plan": plan, "plans": [plan]}

    def _title(self, excerpt: Excerpt) -> str:
        source = self.state["sources"].get(excerpt.content_hash) or self.sources.get(excerpt.content_hash)
        return source.title if source else ""

    def _step(self) -> Step:
        queries = [*self.topics, *(f"{topic} {self.report.question}" for topic in self.topics)]
        return Step(
            id=str(last_step(self.state) + 1),
            title="; ".join(self.topics),
            description=self.revision.request,
            queries=list(dict.fromkeys(queries))[: 2 * MAX_TOPICS],
        )


def _is_covered(aspect: str, word_sets: Sequence[set[str]]) -> bool:
    """Tell whether one of the excerpts holds all words of an aspect."""
    wanted = set(content(aspect))
    return bool(wanted) and any(wanted <= words for words in word_sets)
