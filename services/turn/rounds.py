"""Rounds of search for one need: search, show what is new, judge, and search again with the queries that the judgement names.

The rounds end when nothing is missing, when two in a row bring nothing new, when as many sources are quoted as are wanted,
or when the depth, the budget or the time has none left.
What an earlier round was shown is not shown again.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.events import Searched
from schemas.evidence import Excerpt, Passage, Source, StepKind
from schemas.researcher import Findings, ResearcherPrompt, findings_schema
from services.evidence.references import ask_for_references, numbered, taken
from services.models.fallback import ask_by_rules
from services.models.portions import evidence_tokens
from services.models.prompt_fit import passages_within
from services.run.budget import limit_message
from services.run.errors import JournalMiss, LimitReached, ModelError, UselessAnswer
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.steering import told_to_end
from services.run.ui_text import problem_text, say
from services.search.journaled import Search, gather_once
from services.text.duplicates import root_of

MIN_PASSAGES = 4
"""Passages that a round is shown at least, if there are so many."""
TOKENS_A_PASSAGE = 60
"""Tokens of a short passage: so many more are gathered than there may be room for."""
MORE_ROUNDS = 3
"""By how much the rounds grow at most where a prompt has room for less than the depth would have it."""
BARREN = 2
"""Rounds in a row that bring nothing new, after which there are no more."""
SURE = 0.5
"""Confidence from which a finding without any reference is no answer: its quotes are missing."""
SPARE = 0.1
"""Share of a step's time that is kept for what follows its rounds."""


@dataclass(slots=True)
class Gathered:
    """What the rounds came to."""

    finding: str = ""
    confidence: float = 0.0
    missing_aspects: list[str] = field(default_factory=list)
    excerpts: list[Excerpt] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    """Those that were found, by content hash."""
    limits: list[str] = field(default_factory=list)
    """Limits that were reached, in the user's language."""
    trouble: list[str] = field(default_factory=list)
    """Searches that failed, in the user's language."""
    shown: int = 0
    """Passages that were judged."""
    rounds: int = 0
    """Rounds that were judged."""


class Wanted(NamedTuple):
    """Sources that are wanted."""

    sources: int
    """About as many are to be quoted."""
    source_kind: StepKind = "general"
    """Those of this kind come up a little."""


async def search_in_rounds(
    run: Run, need: ResearcherPrompt, evidence: EvidenceStore, step_id: str, wanted: Wanted
) -> Gathered:
    """Search for what a need describes, and take what answers it.

    Args:
        run: whose depth, journal and budget count.
        need: what is looked for, with the queries to begin with; its passages are not used.
        evidence: where texts are put.
        step_id: begins the ids of the excerpts.
        wanted: how many sources, and of which kind.

    Raises:
        LimitReached: there is no room for the first round.
        LeadlineError: the first round failed.
    """
    rounds = _Rounds(run, need, evidence, step_id, wanted)
    going_on = await rounds.do_round()
    while going_on and rounds.left():
        going_on = await rounds.further()
    return rounds.gathered


@dataclass(slots=True)
class _Rounds:
    """The rounds so far."""

    run: Run
    need: ResearcherPrompt
    evidence: EvidenceStore
    step_id: str
    wanted: Wanted
    gathered: Gathered = field(default_factory=Gathered)
    waiting: list[Passage] = field(default_factory=list)
    """Found and not shown yet, best first."""
    met: set[tuple[str, int]] = field(default_factory=set)
    """Source and start of all passages that were found."""
    asked: set[str] = field(default_factory=set)
    """Queries that were searched."""
    followed: dict[str, list[str]] = field(default_factory=dict)
    """Addresses to which links have led, by the page with the link."""
    next_queries: list[str] = field(default_factory=list)
    searched: list[Searched] = field(default_factory=list)
    """What each search brought to this round."""
    room: int = 0
    """Tokens that the passages of one prompt have."""
    barren: int = 0
    longest: float = 0.0
    """Seconds of the longest round."""
    tokens: int = 0
    """Of the round that used most."""

    def __post_init__(self) -> None:
        self.next_queries = [*self.need.queries, *([self.need.feedback] if self.need.feedback else [])]

    def left(self, done: int = 0) -> int:
        """Return how many rounds may follow; where the window is small there are more of them, with less in each.

        Args:
            done: rounds under way, which are not counted yet.
        """
        level = self.run.context.level
        smaller = min(MORE_ROUNDS, math.ceil(level.passage_tokens / self.room)) if self.room else 1
        return level.rounds * smaller - self.gathered.rounds - done

    async def further(self) -> bool:
        """Do another round if there is room for it; return whether one more may follow. What was found by then stays."""
        run, number = self.run, self.gathered.rounds + 1
        if await told_to_end(run, f"round-{self.step_id}-{number}"):
            self.gathered.limits.append(say("step_ended", self.need.locale, id=self.step_id))
            return False
        room = run.budget.room()
        paid_for = room is None or room > self.tokens
        roomy = paid_for and run.seconds_left * (1 - SPARE) > self.longest
        if not await run.journal.decided("round", lambda: roomy, f"{self.step_id}-{number}"):
            self._reached(self._time_limit() if paid_for else LimitReached("token_limit", run.context.max_tokens or 0))
            return False
        ran_out = f"{self.step_id}-{number}-time"
        try:
            async with asyncio.timeout(run.seconds_left * (1 - SPARE)):
                return await self.do_round()
        except TimeoutError:
            await run.journal.mark("round", ran_out)
            self._reached(self._time_limit())
        except JournalMiss:
            if not run.journal.marked("round", ran_out):
                raise
            self._reached(self._time_limit())
        except LimitReached as limit:
            self._reached(limit)
        except ModelError as problem:
            self.gathered.limits.append(problem_text(problem, self.need.locale))
        return False

    def _time_limit(self) -> LimitReached:
        return LimitReached("time_limit", self.run.context.max_seconds)

    def _reached(self, limit: LimitReached) -> None:
        """Say which limit has left rounds out."""
        self.gathered.limits.append(limit_message(limit, self.need.locale))

    async def do_round(self) -> bool:
        """Do one round; return whether another may bring more."""
        started, spent = self.run.seconds, self.run.usage.total.tokens
        new = await self._search()
        passages = await self._portion(new)
        if not passages:
            return False
        answer = await self._judged(passages)
        self.longest = max(self.longest, self.run.seconds - started)
        self.tokens = max(self.tokens, self.run.usage.total.tokens - spent)
        self.next_queries = [query for query in map(str.strip, answer.queries) if query.casefold() not in self.asked]
        self._tell(len(passages))
        wanting = bool(answer.missing_aspects or answer.queries) and self._quoted() < self.wanted.sources
        return wanting and self.barren < BARREN and bool(self.next_queries or self.waiting)

    def _quoted(self) -> int:
        """Return how many sources are quoted; copies of one text count once."""
        return len({root_of(excerpt.content_hash, self.gathered.sources) for excerpt in self.gathered.excerpts})

    def _tell(self, passages: int) -> None:
        """Tell the run's watchers what the round brought."""
        data = {
            "round": self.gathered.rounds,
            "passages": passages,
            "excerpts": len(self.gathered.excerpts),
            "sources": self._quoted(),
            "queries": self.next_queries,
            "searched": [search.model_dump() for search in self.searched],
        }
        self.run.tell_round(self.step_id, data)

    async def _search(self) -> list[Passage]:
        """Search the next queries, and return what no earlier round has found."""
        queries = list(dict.fromkeys(filter(None, map(str.strip, self.next_queries))))
        self.searched = []
        if not queries:
            return []
        self.asked.update(query.casefold() for query in queries)
        most = len(self.met) + self.run.context.level.passage_tokens // TOKENS_A_PASSAGE
        found = await gather_once(
            self.run,
            queries,
            self.evidence,
            most,
            self.need.question,
            source_kind=self.wanted.source_kind,
            followed=self.followed,
        )
        for page, urls in found.followed.items():
            self.followed.setdefault(page, []).extend(urls)
        self._note(found)
        new = [passage for passage in found.passages if (passage.content_hash, passage.start) not in self.met]
        self.met.update((passage.content_hash, passage.start) for passage in new)
        return new

    def _note(self, found: Search) -> None:
        locale = self.need.locale
        known = self.gathered.sources
        again = {
            key: known[key].found_also(found.sources[key].addresses) for key in known.keys() & found.sources.keys()
        }
        self.gathered.sources = {**found.sources, **known, **again}
        self.searched = found.searched
        self.gathered.trouble += found.trouble(locale)
        self.gathered.limits += found.limits(self.run, locale)

    async def _portion(self, new: Sequence[Passage]) -> list[Passage]:
        """Return a passage for each source that is still wanted, as far as one prompt has room; the others wait.

        Those just found come first: their queries name what is missing. Each query has room for two.
        """
        candidates = [*new, *self.waiting]
        self.room = await evidence_tokens(self.run, "researcher", self.run.context.level.passage_tokens)
        most = max(MIN_PASSAGES, 2 * len(self.next_queries), self.wanted.sources - self._quoted())
        shown = passages_within(candidates[:most], self.room, MIN_PASSAGES)
        self.waiting = candidates[len(shown) :]
        first = self.gathered.shown + 1
        self.gathered.shown += len(shown)
        return [passage.model_copy(update={"id": f"P{place}"}) for place, passage in enumerate(shown, first)]

    async def _judged(self, passages: list[Passage]) -> Findings:
        gathered = self.gathered
        prompt = self.need.model_copy(
            update={
                "passages": numbered(passages),
                "so_far": gathered.finding,
                "missing": gathered.missing_aspects,
                "queries": (gathered.rounds and self.next_queries) or self.need.queries,
                "rounds_left": self.left(done=1),
                "wide": self.run.context.level.wide,
            }
        )
        answer = await answered(prompt, gathered.limits, self.step_id)
        new = taken(answer, prompt.passages, self.step_id, 1 + len(gathered.excerpts)).excerpts
        gathered.excerpts += new
        gathered.rounds += 1
        gathered.finding = answer.finding or gathered.finding
        gathered.missing_aspects = answer.missing_aspects
        gathered.confidence = max(answer.confidence, gathered.confidence if not new else 0.0)
        self.barren = 0 if new else self.barren + 1
        return answer


async def answered(prompt: ResearcherPrompt, limits: list[str], step_id: str) -> Findings:
    """Let the model judge passages; where it gives no answer that can be used, rules choose what is quoted, which `limits` then say."""
    try:
        answer = await ask_for_references(prompt)
        says_so = answer.finding and answer.confidence >= SURE and not prompt.so_far
        if taken(answer, prompt.passages).excerpts or not (answer.references or says_so):
            return answer
    except UselessAnswer:
        pass
    limits.append(say("quotes_by_rules", prompt.locale, step=step_id))
    return await ask_by_rules(prompt, findings_schema(prompt))
