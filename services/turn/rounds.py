"""Rounds of search for one need: search, show passages, judge, and search again with the next queries.

Each round fills its room: by turns with what the last one asked to read on and with what its own queries found, then with what earlier
queries found and no round has shown, and last with what earlier steps have quoted. No passage is shown twice. The rounds end when nothing is missing, when two in a row bring nothing
new, when enough sources are quoted, or when depth, budget or time are used up.
"""

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple

from schemas.events import Searched
from schemas.evidence import Excerpt, Passage, QuotePlace, Source, StepKind, root_of
from schemas.researcher import MOST_READ_ON, Findings, ResearcherPrompt, findings_schema
from services.evidence.references import ask_for_references, numbered, taken
from services.models import ask_by_rules
from services.models.prompt_fit import passages_within
from services.models.token_limits import evidence_tokens
from services.run.budget import limit_message
from services.run.errors import JournalMiss, LimitReached, ModelError, UselessAnswer
from services.run.evidence_store import EvidenceStore
from services.run.run_messages import ends_early
from services.run.scope import Run
from services.run.ui_text import problem_text, say
from services.search.journaled import Search, gather_once
from services.search.pool import what_begins
from services.text.passages import TARGET, Span, sentences, split
from services.text.tokens import tokens

STRETCH = 3
"""Passages that one request brings, at most: about a section."""
_REQUEST = re.compile(r"(before)?\W{0,3}\b(P\d{1,3})\b(?::\s*+(.{2,100}))?", re.IGNORECASE)

MIN_PASSAGES = 4
"""Minimum passages shown in a round, if there are so many."""
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


async def read_on(requests: Sequence[str], shown: Mapping[str, Passage], evidence: EvidenceStore) -> list[Passage]:
    """Return the passages before or after shown passages, or of a section, the first that each request brings, then the second; unknown ids are ignored.

    Args:
        requests: `P3` for what follows passage P3, `before P3` for what stands before it, `P3: Drawbacks` for the section of its source
            whose heading has most words in common.
        shown: the passages by their ids.
        evidence: the stored texts.
    """
    brought: list[list[Passage]] = []
    for request in requests[:MOST_READ_ON]:
        named = _REQUEST.search(request)
        passage = shown.get(named[2].upper()) if named else None
        if named and passage is not None:
            text = await evidence.get_text(passage.content_hash)
            brought.append(await asyncio.to_thread(_beside, text, passage, named[3] or "", before=bool(named[1])))
    return [passage for turn in zip_longest(*brought) for passage in turn if passage]


def _beside(text: str, passage: Passage, heading: str, *, before: bool) -> list[Passage]:
    """Return the passages directly before or behind one, or below a heading, in the text's order. Blocking: texts may be long."""
    spans = split(text)
    if heading:
        spans = _section(spans, heading)[:STRETCH]
    elif before:
        spans = [span for span in spans if span.end <= passage.start][-STRETCH:]
    else:
        spans = [span for span in spans if span.start >= passage.end][:STRETCH]
    return [
        passage.model_copy(
            update={
                "start": span.start,
                "end": span.end,
                "text": text[span.start : span.end],
                **what_begins(text, span.start),
            }
        )
        for span in spans
    ]


def _section(spans: Sequence[Span], heading: str) -> list[Span]:
    """Return the passages of the section whose heading has most words in common with another, short ones joined; none where no heading has any."""
    wanted = set(tokens(heading))
    paths = {
        " > ".join(above[:depth])
        for span in spans
        for above in [span.heading.split(" > ")]
        for depth in range(1, 1 + len(above))
    }
    common = {path: len(wanted.intersection(tokens(path.rpartition(" > ")[2]))) for path in paths}
    best = min(common, key=lambda path: (-common[path], len(path), path), default="")
    if not common.get(best):
        return []
    joined: list[Span] = []
    for span in spans:
        if f"{span.heading} > ".startswith(f"{best} > "):
            if joined and span.end - joined[-1].start <= TARGET:
                joined[-1] = replace(joined[-1], end=span.end)
            else:
                joined.append(span)
    return joined


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


class Wanted(NamedTuple):
    """Number and kind of the wanted sources."""

    sources: int
    """Approximate number of sources to quote."""
    source_kind: StepKind = "general"
    """Kind of sources that get a small bonus in the ranking."""
    quoted: Sequence[QuotePlace] = ()
    """What earlier steps have quoted; passages of which it is half or more come after the others."""


async def search_in_rounds(
    run: Run, need: ResearcherPrompt, evidence: EvidenceStore, step_id: str, wanted: Wanted
) -> RoundsResult:
    """Search for a need in rounds, and collect the quotes that answer it.

    Args:
        run: the run with its depth, journal and budget.
        need: the need with its first queries; its passages are ignored.
        evidence: the store for texts.
        step_id: prefix of the excerpts' ids.
        wanted: number and kind of the sources.

    Raises:
        LimitReached: the limits leave no room for the first round.
        LeadlineError: the first round failed.
    """
    rounds = _Rounds(run, need, evidence, step_id, wanted)
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
    wanted: Wanted
    gathered: RoundsResult = field(default_factory=RoundsResult)
    waiting: list[Passage] = field(default_factory=list)
    """Found passages that were not shown yet, best first."""
    shown: dict[str, Passage] = field(default_factory=dict)
    """Passages that earlier rounds showed, by their ids."""
    read_on_requests: list[str] = field(default_factory=list)
    """Requests of the last round for the text around its passages."""
    searched_queries: set[str] = field(default_factory=set)
    """Queries that were searched."""
    followed: dict[str, list[str]] = field(default_factory=dict)
    """Addresses of followed links, by the page with the link."""
    next_queries: list[str] = field(default_factory=list)
    searched: list[Searched] = field(default_factory=list)
    """Results of each search of this round."""
    room: int = 0
    """Tokens available for passages in one prompt."""
    barren: int = 0
    longest: float = 0.0
    """Duration of the longest round in seconds."""
    tokens: int = 0
    """Tokens of the most expensive round."""

    def __post_init__(self) -> None:
        self.next_queries = [*self.need.queries, *([self.need.feedback] if self.need.feedback else [])]

    def left(self, done: int = 0) -> int:
        """Return the number of remaining rounds; a small window has more rounds with fewer passages.

        Args:
            done: number of rounds under way, which are not counted yet.
        """
        level = self.run.context.level
        smaller = min(MORE_ROUNDS, math.ceil(level.passage_tokens / self.room)) if self.room else 1
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
        """Record the limit that prevented further rounds."""
        self.gathered.limits.append(limit_message(limit, self.need.locale))

    async def do_round(self) -> bool:
        """Do one round; return whether another may bring more."""
        started, spent = self.run.seconds, self.run.usage.total.tokens
        passages = await self._portion(await self._read_on(), await self._search())
        if not passages:
            return False
        answer = await self._judged(passages)
        self.longest = max(self.longest, self.run.seconds - started)
        self.tokens = max(self.tokens, self.run.usage.total.tokens - spent)
        self.next_queries = [
            query for query in map(str.strip, answer.queries) if query.casefold() not in self.searched_queries
        ]
        self.read_on_requests = answer.read_on
        self._report(len(passages))
        wanting = bool(answer.missing_aspects or answer.queries) and self._quoted() < self.wanted.sources
        level = self.run.context.level
        small = self.room < level.passage_tokens  # the window takes less than the depth reads in one round
        further = wanting and bool(self.next_queries or (self.waiting and small))
        return (further or bool(self.read_on_requests)) and self.barren < BARREN

    def _quoted(self) -> int:
        """Return the number of quoted sources; copies of one text count once."""
        return len({root_of(excerpt.content_hash, self.gathered.sources) for excerpt in self.gathered.excerpts})

    def _report(self, passages: int) -> None:
        """Report the results of the round."""
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
        """Search the next queries, and return the passages that they find, best first."""
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
        max_passages = len(self.shown) + self.run.context.level.passage_tokens // TOKENS_A_PASSAGE
        search = await gather_once(
            self.run,
            queries,
            self.evidence,
            max_passages,
            self.need.question,
            source_kind=self.wanted.source_kind,
            followed=self.followed,
        )
        for page, urls in search.followed.items():
            self.followed.setdefault(page, []).extend(urls)
        self._note(search)
        return search.passages

    async def _read_on(self) -> list[Passage]:
        """Return the passages that the last round asked for."""
        if not self.read_on_requests:
            return []
        return await read_on(self.read_on_requests, self.shown, self.evidence)

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

    async def _portion(self, requested: Sequence[Passage], new: Sequence[Passage]) -> list[Passage]:
        """Return the passages of this round: as many as fit into one prompt, half as many after the first round; the others wait.

        Requested passages and the results of this round's queries, which ask for the missing aspects, take turns.
        """
        turns = [passage for pair in zip_longest(requested, new) for passage in pair if passage]
        unseen: list[Passage] = []
        for passage in sorted([*turns, *self.waiting], key=self._is_quoted):
            if not any(map(passage.lies_in, [*self.shown.values(), *unseen])):
                unseen.append(passage)
        self.room = await evidence_tokens(self.run, "researcher", self.run.context.level.passage_tokens)
        shown = passages_within(unseen, self.room // (2 if self.gathered.rounds else 1), MIN_PASSAGES)
        self.waiting = unseen[len(shown) :]
        shown.sort(key=lambda passage: passage not in requested)
        first = self.gathered.shown + 1
        self.gathered.shown += len(shown)
        portion = [passage.model_copy(update={"id": f"P{place}"}) for place, passage in enumerate(shown, first)]
        self.shown |= {passage.id: passage for passage in portion}
        return portion

    def _is_quoted(self, passage: Passage) -> bool:
        """Tell whether earlier steps quote half of a passage or more."""
        lengths = (
            min(passage.end, end) - max(passage.start, start)
            for content_hash, start, end in self.wanted.quoted
            if content_hash == passage.content_hash
        )
        return 2 * sum(length for length in lengths if length > 0) >= passage.end - passage.start

    async def _judged(self, passages: list[Passage]) -> Findings:
        gathered = self.gathered
        prompt = self.need.model_copy(
            update={
                "passages": numbered(passages),
                "so_far": _sentences(gathered.finding),
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
