"""Research for a change of a report: what it asks for and the evidence does not hold is searched once, as a further step of the plan."""

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
from services.text.revision_words import additions
from services.text.tokens import tokens
from services.turn.added_evidence import has_room, last_step, search_step

MAX_TOPICS = 4
"""Topics that one change has searched."""
MAX_SOURCES = 8
"""Sources that are quoted for it, about."""
LONGEST_TOPIC = 200


@dataclass(slots=True)
class RevisionResearch:
    """Searches once for what a change asks for, and keeps what it finds for the state."""

    run: Run
    state: ResearchState
    report: Report
    revision: Revision
    evidence: EvidenceStore
    tell: Callable[[str, str], None]
    """Tells whoever watches: a message's key, and what is searched for."""
    topics: list[str] = field(default_factory=list)
    """That were searched."""
    step: Step | None = None
    result: StepResult | None = None
    """What was found; None where it was nothing new."""
    sources: dict[str, Source] = field(default_factory=dict)
    limits: list[str] = field(default_factory=list)
    """Limits that were reached, in the report's language."""

    @property
    def found(self) -> list[Excerpt]:
        """Excerpts that were found."""
        return self.result.excerpts if self.result is not None else []

    def wanted(self, draft: str, known: Sequence[Excerpt]) -> list[str]:
        """Return the topics that the request plainly wants added and that no excerpt tells which the report does not cite yet."""
        unused = [set(tokens(excerpt.quote)) for excerpt in known if f"[{excerpt.id}]" not in draft]
        return [
            topic
            for topic in additions(self.revision.request)
            if not any(set(tokens(topic)) <= words for words in unused)
        ]

    async def search(self, topics: Sequence[str], known: Sequence[Excerpt]) -> None:
        """Search for topics, unless the change wants no research or has had its search.

        Args:
            topics: in words.
            known: excerpts that there are; what they quote is not new.
        """
        if not topics or self.topics or not self.revision.research:
            return
        locale = self.report.locale or self.state["locale"]
        self.topics = [" ".join(topic.split())[:LONGEST_TOPIC] for topic in topics][:MAX_TOPICS]
        named = "; ".join(self.topics)
        if not await self.run.journal.decided("rework", lambda: has_room(self.run), "revision"):
            self.limits.append(say("revision_no_room", locale, aspects=named))
            return
        self.tell("revision_researching", named)
        self.step = self._step()
        added = await search_step(
            self.run,
            self.step,
            self.evidence,
            question=self.step.title,
            locale=locale,
            known=known,
            most=MAX_SOURCES,
        )
        self.limits += added.limits
        self.result = added.result
        self.sources = dict(added.sources)

    def notes(self, text: str, locale: str) -> list[str]:
        """Say what was searched for a change, where its text cites something that was found."""
        cited = [excerpt for excerpt in self.found if f"[{excerpt.id}]" in text]
        if not cited:
            return []
        named, sources = "; ".join(self.topics), len({excerpt.content_hash for excerpt in cited})
        return [say("revision_researched", locale, aspects=named, quotes=len(cited), sources=sources)]

    def lacks(self, text: str, lacking: Sequence[str], locale: str) -> list[str]:
        """Say what a change's text lacks: what its author names, else all that was searched, where the text cites nothing of it."""
        if self.step is None:
            return [say("revision_lacks", locale, aspect=aspect) for aspect in lacking]
        named = lacking or ([] if self.notes(text, locale) else self.topics)
        return [say("revision_not_found", locale, aspects=aspect) for aspect in named]

    def update(self) -> ResearchState:
        """Return what was found as an update of the state: the result, its sources, and the step in the plan."""
        if self.step is None or self.result is None:
            return {}
        update: ResearchState = {"results": {self.step.id: self.result}, "sources": self.sources}
        plans = plans_of(self.state)
        plan = plans[-1] if plans else Plan(locale=self.report.locale, title=self.report.title)
        plan = plan.model_copy(update={"steps": [*plan.steps, self.step]})
        return {**update, "plan": plan} if plans else {**update, "plan": plan, "plans": [plan]}

    def _step(self) -> Step:
        title = "; ".join(self.topics)
        queries = [*self.topics, *(f"{topic} {self.report.title}" for topic in self.topics)]
        return Step(
            id=str(last_step(self.state) + 1),
            title=title,
            description=title,
            queries=list(dict.fromkeys(queries))[: 2 * MAX_TOPICS],
        )
