"""Lets a verifier judge statements by the passages that they cite, those on what is not told by all that was read, and an opening by its report.

A verdict counts only if its decisive words stand in a passage that the statement cites.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest

from schemas.evidence import Claim, Excerpt, Judged, Judgement, Source
from schemas.evidence_view import SurroundedView
from schemas.reporter_editing import Omitted
from schemas.verifier import MAX_STATEMENTS, StatementView, VerifierPrompt, verification_schema
from services.evidence.citable_excerpts import TextOf
from services.evidence.references import MOST_QUOTED
from services.evidence.views import evidence_views
from services.models import ask
from services.models.prompt_fit import evidence_tokens
from services.reports.checking.checked_report import Doubt, Statement
from services.reports.nearest import nearest, nearest_each, passages_of
from services.reports.section_evidence import surroundings
from services.run.errors import StoreError
from services.run.scope import current_run
from services.text.length import estimate
from services.text.passages import sentences
from services.text.quote_location import locate
from services.text.spans import Span

MAX_TOKENS = 16_000
"""Estimated tokens of the statements and passages of one call, where the model's window has room for them."""
Search = Callable[[Sequence[str]], Awaitable[Mapping[str, Source]]]
"""Searches the user's documents for statements: the sources of the passages found, whose texts are in the store, by content hash."""
MAX_QUERIES, LONGEST_QUERY = 12, 300
"""Statements of which each is searched, and characters of one."""
Shown = Mapping[Statement, Sequence[str]]
"""Ids of the passages by which statements are judged."""
NEAREST = 12
"""Passages of the sources by which a statement is judged once more that says what they do not tell, or what is still open; and most of those
that stand below a title or a lead without citations."""
MAX_NEAREST = 8_000
"""Estimated tokens of all such passages; the nearest of each statement come first."""
AROUND = 300
"""Characters beside words that a statement leaves out, of their sentence, which an editor sees."""
REPORT = "R1"
"""Id of a report's own statements, where they are the passage by which its opening is judged."""
WORDLESS = frozenset({"partly", "not_told", "no_claim", "absent"})
"""Verdicts that need no words of a passage."""


@dataclass(frozen=True)
class Judge:
    """Judges sentences by their cited passages, with a model."""

    excerpts: dict[str, Excerpt]
    sources: dict[str, Source]
    """Sources by content hash."""
    locale: str
    text_of: TextOf
    search: Search | None = None
    """Searches further documents for what is said to be told nowhere."""
    judgements: dict[Statement, Judgement] = field(default_factory=dict)
    """What it has judged so far, also where a call failed."""
    new_excerpts: list[Excerpt] = field(default_factory=list)
    """New excerpts that contradict a statement of absence; `excerpts` holds them, too."""
    new_sources: dict[str, Source] = field(default_factory=dict)
    """Sources of these that nothing had read before, by content hash."""
    open: set[Statement] = field(default_factory=set)
    """Supported statements that something is not settled yet."""
    sought: dict[Statement, str] = field(default_factory=dict)
    """What a source would say that tells what a statement calls untold, in the model's words."""
    reasons: dict[str, str] = field(default_factory=dict)
    """The model's reasons for its verdicts, by the words of the statements."""
    omitted: dict[str, Omitted] = field(default_factory=dict)
    """Words of the passages that narrow statements and that these do not have, by the words of the statements."""

    async def judged(self, statements: Mapping[Statement, Doubt]) -> dict[Statement, Judgement]:
        """Return the model's judgement of each statement; none if its decisive words are in no cited passage.

        A statement on what the sources do not tell, or on what is open, is judged by the nearest passages of all sources that were read, too;
        one on what is open by these and what it cites.

        Raises:
            LimitReached: the budget or the time left does not suffice for a call.
            ModelError: the endpoint failed, or no answer fits the schema.
        """
        shown = await asyncio.to_thread(lambda: {key: self._closest(key, doubt) for key, doubt in statements.items()})
        await self._round(shown, self.excerpts, statements)
        absent = [key for key in statements if self._says_absent(key) or key in self.open]
        await self._again_by_all(absent, statements)
        return {statement: self.judgements[statement] for statement in statements if statement in self.judgements}

    async def judged_by_report(
        self, summaries: Mapping[Statement, Doubt], claims: Sequence[Claim]
    ) -> dict[Statement, Judgement]:
        """Judge the title and sentences of the opening by the other verified claims of their report, as far as there is room for these.

        Raises:
            LimitReached: the budget or the time left does not suffice for a call.
            ModelError: the endpoint failed, or no answer fits the schema.
        """
        room = await evidence_tokens(current_run(), "verifier", MAX_TOKENS)
        texts = [claim.text for claim in claims if claim.verified and claim.cited_by != "report"]
        shown = [text for text, used in zip(texts, accumulate(map(estimate, texts)), strict=True) if used <= room]
        report = SurroundedView(id=REPORT, title="the report itself", quote="\n".join(shown))
        keys = list(summaries)
        for start in range(0, len(keys), MAX_STATEMENTS):
            batch = keys[start : start + MAX_STATEMENTS]
            await self._batch(batch, dict.fromkeys(batch, (REPORT,)), {REPORT: report}, summaries)
        await self._again_by_all([key for key in keys if self._says_absent(key)], summaries)
        return {key: self.judgements[key] for key in keys if key in self.judgements}

    def _says_absent(self, statement: Statement) -> bool:
        return statement in self.judgements and self.judgements[statement].verdict == "absent"

    async def _again_by_all(self, absent: Sequence[Statement], doubts: Mapping[Statement, Doubt]) -> None:
        """Judge statements on what is not told, or still open, by the nearest passages of all that was read and of what a search finds."""
        if not absent:
            return
        new = await self._looked_up(absent)
        passages = await passages_of(self.excerpts.values(), self.sources, self.text_of)
        nearest_ids = await self._nearest(absent, passages, new)
        again = {key: [*(key[1] if key in self.open else ()), *ids] for key, ids in nearest_ids.items()}
        await self._round(again, {**passages, **self.excerpts}, doubts)
        for statement, ids in nearest_ids.items():
            if self.judgements[statement].verdict == "contradicted":
                self._add_excerpt(self.judgements[statement].words, [passages[key] for key in ids], new)

    async def _round(self, shown: Shown, excerpts: Mapping[str, Excerpt], doubts: Mapping[Statement, Doubt]) -> None:
        """Judge statements by the passages with these ids, in batches side by side; what one of them judged holds if another fails."""
        cited = dict.fromkeys(key for ids in shown.values() for key in ids)
        passages = {key: await self._passage(excerpts[key]) for key in cited}
        room = await evidence_tokens(current_run(), "verifier", MAX_TOKENS)
        batches = [self._batch(batch, shown, passages, doubts) for batch in _batches(shown, passages, room)]
        for failure in await asyncio.gather(*batches, return_exceptions=True):
            if failure is not None:
                raise failure

    def _closest(self, statement: Statement, doubt: Doubt) -> Sequence[str]:
        """Return the ids of the passages that a statement cites; of the many below a title or a lead, or above code, those that have most in common with it."""
        words, ids = statement
        if not (doubt.uncited or doubt.heads) or len(ids) <= NEAREST:
            return ids
        closest = nearest(words, [self.excerpts[key] for key in ids], self.sources, NEAREST)
        return list(dict.fromkeys([*(excerpt.id for excerpt in closest), *ids]))[:NEAREST]

    async def _looked_up(self, statements: Sequence[Statement]) -> dict[str, Source]:
        """Search further documents for statements, and return those that nothing has read, by content hash."""
        told = [self.sought[statement] for statement in statements if self.sought.get(statement)]
        queries = [words[:LONGEST_QUERY] for words in [*told, *(words for words, _ in statements)]][:MAX_QUERIES]
        found = await self.search(queries) if self.search else {}
        new = {key: source for key, source in found.items() if key not in self.sources}
        self.sources.update(new)
        return new

    async def _nearest(
        self, statements: Sequence[Statement], passages: Mapping[str, Excerpt], new: Mapping[str, Source]
    ) -> dict[Statement, list[str]]:
        """Return the ids of the passages that have most in common with each statement, as far as there is room for them.

        They come by turns from the sources that excerpts quote, which are on the report's subject, from the new ones, and from all: few words
        of a statement name its subject.
        """
        texts = [f"{statement[0]} {self.sought.get(statement, '')}" for statement in statements]
        everything = [*passages.values()]
        quoted = {excerpt.content_hash for excerpt in self.excerpts.values()}
        groups = ([passage for passage in everything if passage.content_hash in hashes] for hashes in (quoted, new))
        ranked = [
            await nearest_each(texts, held, self.sources, NEAREST) for held in [*filter(None, groups), everything]
        ]
        best = [
            list({passage.id: passage for pair in zip_longest(*both) for passage in pair if passage}.values())[:NEAREST]
            for both in zip(*ranked, strict=True)
        ]
        shown: dict[Statement, list[str]] = {}
        room, held = MAX_NEAREST, set[str]()
        for rank in range(NEAREST):
            for statement, passages_by_rank in zip(statements, best, strict=True):
                passage = passages_by_rank[rank] if rank < len(passages_by_rank) else None
                if passage is None:
                    continue
                room -= 0 if passage.id in held else estimate(passage.quote)
                if room < 0:
                    return shown
                held.add(passage.id)
                shown.setdefault(statement, []).append(passage.id)
        return shown

    def _add_excerpt(self, words: str, passages: Sequence[Excerpt], sources: Mapping[str, Source]) -> None:
        """Add an excerpt of the sentences with the decisive words, and of what stands beside them in the passage, unless another holds them.

        It belongs to a step, preferably to one that quotes the source, or to the background search of a report without steps.
        """
        for passage in passages:
            if (location := locate(words, passage.quote)) is None:
                continue
            spans, telling = sentences(passage.quote), _telling(passage.quote, *location)
            start, end = passage.start + telling.start, passage.start + telling.end
            ranked = sorted(self.excerpts.values(), key=lambda excerpt: excerpt.content_hash != passage.content_hash)
            same = [excerpt for excerpt in ranked if excerpt.content_hash == passage.content_hash]
            found = sorted(ranked, key=lambda excerpt: not excerpt.id.startswith("E"))
            steps = [excerpt.id.partition("-")[0] for excerpt in found if excerpt.id.startswith(("E", "B"))]
            if steps and not any(excerpt.start < end and start < excerpt.end for excerpt in same):
                prefix = f"{steps[0]}-"
                number = 1 + max(int(key.removeprefix(prefix)) for key in self.excerpts if key.startswith(prefix))
                free = min((excerpt.start for excerpt in same if excerpt.start >= end), default=passage.end)
                room = min(free, start + MOST_QUOTED)
                end = max([end, *(stop for span in spans if (stop := passage.start + span.end) <= room)])
                held = max((excerpt.end for excerpt in same if excerpt.end <= start), default=passage.start)
                first = max(held, end - MOST_QUOTED)
                start = min([start, *(begin for span in spans if (begin := passage.start + span.start) >= first)])
                quote = passage.quote[start - passage.start : end - passage.start]
                key = f"{prefix}{number}"
                place = {"id": key, "quote": quote, "start": start, "end": end, "relevance": "high"}
                new = passage.model_copy(update=place)
                self.excerpts[new.id] = new
                self.new_excerpts.append(new)
                self.new_sources.update({key: sources[key] for key in [new.content_hash] if key in sources})
            return

    async def _batch(
        self,
        batch: Sequence[Statement],
        shown: Shown,
        passages: Mapping[str, SurroundedView],
        doubts: Mapping[Statement, Doubt],
    ) -> None:
        held = dict.fromkeys(key for statement in batch for key in shown[statement])
        views: list[StatementView] = []
        for number, statement in enumerate(batch, 1):
            doubt = doubts[statement]
            view = StatementView(
                number=number,
                text=doubt.row or statement[0],
                cites=list(shown[statement]),
                uncited=doubt.uncited,
                inferred=doubt.inferred,
                suspicion=doubt.suspicion,
                paragraph=doubt.paragraph,
            )
            views.append(view)
        prompt = VerifierPrompt(
            locale=self.locale,
            passages=_in_order([passages[key] for key in held]),
            statements=views,
            inferences=any(view.inferred for view in views),
        )
        answer = await ask("verifier", prompt, verification_schema(len(views)))
        decided: set[Statement] = set()
        for verdict in answer.verdicts:
            if not 1 <= verdict.number <= len(batch):
                continue
            statement = batch[verdict.number - 1]
            refuted = verdict.verdict == "contradicted"
            anywhere = refuted or doubts[statement].uncited
            words = _source_words(verdict.words, [passages[key] for key in (held if anywhere else shown[statement])])
            falls = refuted or (verdict.verdict == "partly" and statement in self.open)
            again = statement in self.judgements  # judged as absent or open, and now against all evidence
            if statement in decided or not (words or verdict.verdict in WORDLESS) or (again and not falls):
                continue
            decided.add(statement)
            self.reasons[statement[0]] = verdict.reason
            if place := _located(verdict.omitted, [passages[key] for key in held]):
                text, (start, end) = place
                around = _telling(text, start, end)
                sentence = text[max(around.start, start - AROUND) : min(around.end, end + AROUND)]
                self.omitted[statement[0]] = Omitted(statement=statement[0], words=text[start:end], sentence=sentence)
            if verdict.verdict == "open":
                self.open.add(statement)
            if verdict.verdict == "absent":
                self.sought[statement] = verdict.words
            found: Judged = "supported" if verdict.verdict == "open" else verdict.verdict
            self.judgements[statement] = Judgement(verdict=found, words=words)

    async def _passage(self, excerpt: Excerpt) -> SurroundedView:
        source = self.sources[excerpt.content_hash]
        try:
            text = await self.text_of(excerpt.content_hash)
        except StoreError:
            text = ""
        beside = await asyncio.to_thread(surroundings, text, excerpt.start, excerpt.end, 1)
        [view] = evidence_views([excerpt], self.sources)
        before = text[beside.start : excerpt.start] if source.kind != "computation" else ""
        after = text[excerpt.end : beside.end] if not excerpt.quote.startswith("|") else ""  # another row
        return SurroundedView(**view.model_dump(), before=before, after=after)


def _in_order(passages: Sequence[SurroundedView]) -> list[SurroundedView]:
    """Return passages source by source, in the order of its text, without what stands beside one and in another."""
    sources = list(dict.fromkeys(passage.content_hash for passage in passages))
    ordered = sorted(passages, key=lambda passage: (sources.index(passage.content_hash), passage.start))
    shown: list[SurroundedView] = []
    source, told = "", 0
    for passage, following in zip_longest(ordered, ordered[1:]):
        told = told if passage.content_hash == source else 0
        source, end = passage.content_hash, passage.start + len(passage.quote)
        near = following is not None and following.content_hash == source
        room = max(0, following.start - end) if near else len(passage.after)
        known = max(0, told - (passage.start - len(passage.before)))
        view = passage.model_copy(update={"before": passage.before[known:], "after": passage.after[:room]})
        shown.append(view)
        told = max(told, end + len(view.after))
    return shown


def _batches(shown: Shown, passages: Mapping[str, SurroundedView], room: int) -> Iterator[list[Statement]]:
    """Split sentences into calls by their number and by the length of their passages."""
    batch: list[Statement] = []
    held: set[str] = set()
    used = 0
    for statement, ids in shown.items():
        cost = estimate(statement[0]) + sum(_length(passages[key]) for key in ids if key not in held)
        if batch and (len(batch) == MAX_STATEMENTS or used + cost > room):
            yield batch
            batch, held, used = [], set(), 0
            cost = estimate(statement[0]) + sum(_length(passages[key]) for key in ids)
        batch.append(statement)
        held.update(ids)
        used += cost
    if batch:
        yield batch


def _length(passage: SurroundedView) -> int:
    return estimate(f"{passage.before}{passage.quote}{passage.after}")


def _source_words(words: str, passages: Sequence[SurroundedView]) -> str:
    """Return words in the form of a passage or of its source's card; empty if none holds them."""
    if (place := _located(words, passages)) is None:
        return ""
    text, (start, end) = place
    return text[start:end]


def _located(words: str, passages: Sequence[SurroundedView]) -> tuple[str, tuple[int, int]] | None:
    """Return the text of a passage or of its source's card that holds words, and their place in it; None if none holds them."""
    for passage in passages if words else ():
        whole = f"{passage.before}{passage.quote}{passage.after}"
        for text in (whole, passage.title, passage.published, passage.about, passage.section):
            if span := locate(words, text):
                return text, span
    return None


def _telling(text: str, start: int, end: int) -> Span:
    """Return the sentences of a text in which a stretch of it stands."""
    telling = [span for span in sentences(text) if span.start < end and start < span.end]
    return Span(telling[0].start, telling[-1].end) if telling else Span(start, end)
