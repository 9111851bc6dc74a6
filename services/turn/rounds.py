"""Rounds of search for one need: search, show passages, judge, and search again with the next queries.

The rounds end when nothing is missing, when two in a row bring nothing new, when enough sources are quoted, or when depth, budget or
time are used up.
"""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from schemas.events import Searched
from schemas.evidence import Excerpt, Passage, QuotePlace, Source, StepKind, root_of
from schemas.researcher import Findings, ResearcherPrompt, findings_schema
from services.evidence.references import ask_for_references, numbered, taken
from services.models import ask_by_rules
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, UselessAnswer
from services.run.evidence_store import EvidenceStore
from services.run.run_messages import ends_early
from services.run.scope import Run
from services.run.ui_text import say
from services.search.journaled import Search, gather_once
from services.text.passages import sentences
from services.turn.round_passages import RoundPassages

TOKENS_A_PASSAGE = 60
"""Tokens of a short passage, by which the number of passages to gather is estimated."""
MORE_ROUNDS = 3
"""Maximum factor on the number of rounds if a prompt has less room than the depth assumes."""
MOST_QUERIES = 6
"""Maximum queries of a later round: the model's, and what it misses in its own words, which often name the subject best."""
BARREN = 2
"""Consecutive rounds without new findings after which the search ends."""
SURE = 0.5
"""Confidence from which a finding without references is rejected: its quotes are missing."""
SPARE = 0.1
"""Share of a step's time that is reserved for the work after its rounds."""


@dataclass(slots=True)
class RoundsResult:
    """Results of all rounds."""

    finding: str = ""
    confidence: float = 0.0
    missing_aspects: list[str] = field(default_factory=list)
    excerpts: list[Excerpt] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    """Found sources, by content hash."""
    limits: list[str] = field(default_factory=list)
    """Reached limits, in the user's language."""
    trouble: list[str] = field(default_factory=list)
    """Failed searches, in the user's language."""
    shown: int = 0
    """Number of judged passages."""
    rounds: int = 0
    """Number of judged rounds."""


async def search_in_rounds(
    run: Run,
    need: ResearcherPrompt,
    evidence: EvidenceStore,
    step_id: str,
    max_sources: int,
    source_kind: StepKind = "general",
    quoted: Sequence[QuotePlace] = (),
) -> RoundsResult:
    """Search for a need in rounds, and collect the quotes that answer it, from about `max_sources`.

    Sources of a kind get a small bonus in the ranking; passages of which earlier steps have `quoted` half or more come after the others.

    Raises:
        LimitReached: the limits leave no room for the first round.
        LeadlineError: the first round failed.
    """
    rounds = _Rounds(run, need, evidence, step_id, max_sources, source_kind, quoted)
    going_on = await rounds.do_round()
    while going_on and rounds.left():
        going_on = await rounds.further()
    return rounds.gathered


@dataclass(slots=True)
class _Rounds:
    """State of the rounds so far."""

    run: Run
    need: ResearcherPrompt
    evidence: EvidenceStore
    step_id: str
    max_sources: int
    source_kind: StepKind
    quoted: Sequence[QuotePlace]
    gathered: RoundsResult = field(default_factory=RoundsResult)
    passages: RoundPassages = field(init=False)
    """Which passages were shown, and which wait."""
    read_on_requests: list[str] = field(default_factory=list)
    """Requests of the last round for the text around its passages."""
    searched_queries: set[str] = field(default_factory=set)
    """Queries that were searched."""
    followed: dict[str, list[str]] = field(default_factory=dict)
    """Addresses of followed links, by the page with the link."""
    next_queries: list[str] = field(default_factory=list)
    searched: list[Searched] = field(default_factory=list)
    """Results of each search of this round."""
    barren: int = 0
    longest: float = 0.0
    """Duration of the longest round in seconds."""
    tokens: int = 0
    """Tokens of the most expensive round."""

    def __post_init__(self) -> None:
        self.passages = RoundPassages(self.run, self.evidence, self.quoted)
        self.next_queries = [*self.need.queries, *([self.need.feedback] if self.need.feedback else [])]

    def left(self, done: int = 0) -> int:
        """Return the number of remaining rounds; a small window has more rounds with fewer passages."""
        level, room = self.run.context.level, self.passages.room
        smaller = min(MORE_ROUNDS, math.ceil(level.passage_tokens / room)) if room else 1
        return level.rounds * smaller - self.gathered.rounds - done

    async def further(self) -> bool:
        """Do another round if the limits allow it; return whether a further one may follow. Earlier findings stay."""
        run, number = self.run, self.gathered.rounds + 1
        if await ends_early(run, f"round-{self.step_id}-{number}"):
            self.gathered.limits.append(say("step_ended", self.need.locale, id=self.step_id))
            return False
        room = run.budget.room()
        paid_for = room is None or room > self.tokens
        roomy = paid_for and run.seconds_left * (1 - SPARE) > self.longest
        if not await run.journal.decided("round", lambda: roomy, f"{self.step_id}-{number}"):
            self._ended(self._time_limit() if paid_for else LimitReached("token_limit", run.context.max_tokens or 0))
            return False
        ran_out, before = f"{self.step_id}-{number}-time", deepcopy(self.gathered)
        try:
            return await run.in_time(run.seconds_left * (1 - SPARE), "round", ran_out, self.do_round)
        except TimeoutError:
            self.gathered = before
            self._ended(self._time_limit())
        except (LimitReached, ModelError) as reason:
            self._ended(reason)
        return False

    def _time_limit(self) -> LimitReached:
        return LimitReached("time_limit", self.run.context.max_seconds)

    def _ended(self, reason: LimitReached | ModelError) -> None:
        self.gathered.limits.append(limit_message(reason, self.need.locale))

    async def do_round(self) -> bool:
        """Do one round; return whether another may bring more."""
        started, spent = self.run.seconds, self.run.usage.total.tokens
        requested = await self.passages.read_on(self.read_on_requests, self.next_queries)
        passages = await self.passages.portion(requested, await self._search())
        if not passages:
            return False
        self.gathered.shown += len(passages)
        answer = await self._judged(passages)
        self.longest = max(self.longest, self.run.seconds - started)
        self.tokens = max(self.tokens, self.run.usage.total.tokens - spent)
        self.next_queries = [
            query for query in map(str.strip, answer.queries) if query.casefold() not in self.searched_queries
        ]
        self.read_on_requests = answer.read_on
        self._report(len(passages))
        wanting = bool(answer.missing_aspects or answer.queries) and self._quoted() < self.max_sources
        # the window takes less than the depth reads in one round
        small = self.passages.room < self.run.context.level.passage_tokens
        further = wanting and bool(self.next_queries or (self.passages.waiting and small))
        return (further or bool(self.read_on_requests)) and self.barren < BARREN

    def _quoted(self) -> int:
        return len({root_of(excerpt.content_hash, self.gathered.sources) for excerpt in self.gathered.excerpts})

    def _report(self, passages: int) -> None:
        data = {
            "round": self.gathered.rounds,
            "passages": passages,
            "excerpts": len(self.gathered.excerpts),
            "sources": self._quoted(),
            "queries": self.next_queries,
            "searched": [search.model_dump() for search in self.searched],
        }
        self.run.emit_round(self.step_id, data)

    async def _search(self) -> list[Passage]:
        missing = [
            aspect for aspect in self.gathered.missing_aspects if aspect.strip().casefold() not in self.searched_queries
        ]
        candidates = [*self.next_queries, *(missing if self.next_queries else [])]
        queries = list(dict.fromkeys(filter(None, map(str.strip, candidates))))
        queries = queries[: MOST_QUERIES if self.gathered.rounds else None]
        self.searched = []
        if not queries:
            return []
        self.searched_queries.update(query.casefold() for query in queries)
        max_passages = self.gathered.shown + self.run.context.level.passage_tokens // TOKENS_A_PASSAGE
        search = await gather_once(
            self.run,
            queries,
            self.evidence,
            max_passages,
            self.need.question,
            source_kind=self.source_kind,
            followed=self.followed,
        )
        for page, urls in search.followed.items():
            self.followed.setdefault(page, []).extend(urls)
        self._note(search)
        return search.passages

    def _note(self, search: Search) -> None:
        locale = self.need.locale
        known = self.gathered.sources
        again = {
            key: known[key].with_addresses(search.sources[key].addresses)
            for key in known.keys() & search.sources.keys()
        }
        self.gathered.sources = {**search.sources, **known, **again}
        self.searched = search.searched
        self.gathered.trouble += search.trouble(locale)
        self.gathered.limits += search.limits(self.run, locale)

    async def _judged(self, passages: list[Passage]) -> Findings:
        gathered, rounds_left = self.gathered, self.left(done=1)
        prompt = self.need.model_copy(
            update={
                "passages": numbered(passages),
                "contents": await self.passages.contents(passages) if rounds_left > 0 else {},
                "so_far": _sentences(gathered.finding),
                "missing": gathered.missing_aspects,
                "queries": (gathered.rounds and self.next_queries) or self.need.queries,
                "rounds_left": rounds_left,
                "wide": self.run.context.level.wide,
            }
        )
        answer = await answered(prompt, gathered.limits, self.step_id)
        new = taken(answer, prompt.passages, self.step_id, 1 + len(gathered.excerpts)).excerpts
        gathered.excerpts += new
        gathered.rounds += 1
        gathered.finding = _joined(prompt.so_far, answer)
        gathered.missing_aspects = answer.missing_aspects
        gathered.confidence = max(answer.confidence, gathered.confidence if not new else 0.0)
        self.barren = 0 if new else self.barren + 1
        return answer


def _sentences(finding: str) -> list[str]:
    return [finding[span.start : span.end] for span in sentences(finding)]


def _joined(so_far: Sequence[str], answer: Findings) -> str:
    """Add a round's finding to those of earlier rounds without what it withdraws, unless one says all of the other."""
    before = " ".join(sentence for place, sentence in enumerate(so_far, 1) if place not in answer.withdrawn)
    if not before or before in answer.finding:
        return answer.finding or before
    return before if answer.finding in before else f"{before} {answer.finding}"


async def answered(prompt: ResearcherPrompt, limits: list[str], step_id: str) -> Findings:
    """Let the model judge passages; without a usable answer, rules select the quotes, and `limits` gets a note."""
    try:
        answer = await ask_for_references(prompt)
        says_so = answer.finding and answer.confidence >= SURE and not prompt.so_far
        if taken(answer, prompt.passages).excerpts or not (answer.references or says_so):
            return answer
    except UselessAnswer:
        pass
    limits.append(say("quotes_by_rules", prompt.locale, step=step_id))
    return await ask_by_rules(prompt, findings_schema(prompt))
