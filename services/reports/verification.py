"""Lets a model check a draft: a verifier judges what code neither found verbatim nor certainly unproved, then an editor mends the draft.

What is certain, code decides alone (`checking/claim_check.py`). A verdict counts only if its decisive words stand in a passage
that the statement cites.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, zip_longest

from schemas.document import Block
from schemas.evidence import Claim, Excerpt, Judged, Judgement, Source
from schemas.verifier import MAX_STATEMENTS, PassageView, StatementView, Verification, VerifierPrompt
from services.evidence.references import MOST_QUOTED
from services.models import ask
from services.models.token_limits import evidence_tokens
from services.reports.checking.checked_report import CheckedReport, Doubt, Statement
from services.reports.editing import edited
from services.reports.markdown import ReportInputs, check_draft
from services.reports.nearest import nearest, nearest_each, passages_of
from services.reports.section_evidence import TextOf, surroundings
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, StoreError
from services.run.scope import current_run
from services.run.ui_text import problem_text, say
from services.text.length import estimate
from services.text.passages import sentences
from services.text.quote_location import locate

MAX_TOKENS = 16_000
"""Estimated tokens of the statements and passages of one call, where the model's window has room for them."""
Shown = Mapping[Statement, Sequence[str]]
"""Ids of the passages by which statements are judged."""
NEAREST = 12
"""Passages of the sources by which a statement is judged once more that says what they do not tell, or what is still open; and most of those
that stand below a title or a lead without citations."""
MAX_NEAREST = 8_000
"""Estimated tokens of all such passages; the nearest of each statement come first."""
REPORT = "R1"
"""Id of a report's own statements, where they are the passage by which its opening is judged."""
WORDLESS = frozenset({"partly", "not_told", "no_claim", "absent"})
"""Verdicts that need no words of a passage."""


@dataclass(slots=True)
class Verified:
    """Results of a draft's check by a model."""

    judgements: dict[Statement, Judgement] = field(default_factory=dict)
    blocks: tuple[Block, ...] | None = None
    """The draft as the editor left it; None where it stands as it was written."""
    edited: bool = False
    """Whether an editor saw the draft, also where it changed nothing."""
    limits: list[str] = field(default_factory=list)
    """Parts that could not be checked, in the user's language."""
    new_excerpts: list[Excerpt] = field(default_factory=list)
    """New excerpts that contradict the draft's statements that the sources do not say something."""

    def draft(self, draft: ReportInputs) -> ReportInputs:
        """Return a draft with these results."""
        blocks = draft.blocks if self.blocks is None else self.blocks
        return replace(
            draft, judgements=self.judgements, blocks=blocks, excerpts=self.with_new_excerpts(draft.excerpts)
        )

    def with_new_excerpts(self, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        """Return excerpts with the new ones."""
        return [*{excerpt.id: excerpt for excerpt in [*excerpts, *self.new_excerpts]}.values()]


async def verify_draft(
    draft: ReportInputs,
    text_of: TextOf,
    *,
    tone: str = "",
    before: Verified | None = None,
    unused: Sequence[Excerpt] | None = None,
    unmet: Sequence[str] = (),
    only_mend: bool = False,
) -> Verified:
    """Let a verifier judge the statements of a draft and an editor mend it, and judge what the editor wrote.

    What was judged holds if a later call fails.

    Args:
        draft: the reporter's draft, with its sentences' likeness if computed.
        text_of: returns the texts around quotes.
        tone: tone of the report.
        before: results of the first pass, for a second one over what the editor left.
        unused: excerpts that the editor is to use; by default those of high relevance that the draft does not cite.
        unmet: what the draft lacks of what was asked for, in words.
        only_mend: whether the editor changes only what does not hold, and what `unmet` asks for.
    """
    judge = Judge({excerpt.id: excerpt for excerpt in draft.excerpts}, draft.sources, draft.locale, text_of)
    judge.judgements.update(before.judgements if before else {})
    judge.new_excerpts.extend(before.new_excerpts if before else [])
    verified = Verified(judge.judgements, before.blocks if before else None, new_excerpts=judge.new_excerpts)
    try:
        checked = await _judged(draft, verified, judge)
        former_claims = draft.former.citations if draft.former else []
        fallen = {id(claim): claim for claim in [*checked.failed, *checked.left_out]}
        objections = [claim for claim in fallen.values() if claim not in former_claims]
        now = verified.draft(draft)
        blocks = await edited(
            now, objections, judge.reasons, tone=tone, unused=unused, only_mend=only_mend, unmet=unmet
        )
        verified.edited = True
        if blocks is not None:
            verified.blocks = blocks
            await _judged(draft, verified, judge)
    except LimitReached as limit:
        verified.limits = [limit_message(limit, draft.locale), say("verified_by_code", draft.locale)]
    except ModelError as problem:
        verified.limits = [problem_text(problem, draft.locale), say("verified_by_code", draft.locale)]
    return verified


async def _judged(draft: ReportInputs, verified: Verified, judge: "Judge") -> CheckedReport:
    """Check a draft, let the verifier judge what is not judged yet, and return the check with its judgements."""
    checked = await asyncio.to_thread(check_draft, verified.draft(draft))
    fresh = {key: doubt for key, doubt in checked.undecided.items() if key not in verified.judgements}
    if all(doubt.heads for doubt in fresh.values()):
        return checked
    absent = {words for (words, _), judgement in verified.judgements.items() if judgement.verdict == "absent"}
    known = {key: Judgement(verdict="absent") for key, doubt in fresh.items() if doubt.uncited and key[0] in absent}
    verified.judgements.update(known)  # which excerpts stand beside such a statement changes nothing
    await judge.judged({key: doubt for key, doubt in fresh.items() if not doubt.sums_up and key not in known})
    checked = await asyncio.to_thread(check_draft, verified.draft(draft))
    summaries = {key: doubt for key, doubt in checked.undecided.items() if doubt.sums_up and key in fresh}
    if not summaries:
        return checked
    await judge.judged_by_report(summaries, checked.claims)
    return await asyncio.to_thread(check_draft, verified.draft(draft))


@dataclass(frozen=True)
class Judge:
    """Judges sentences by their cited passages, with a model."""

    excerpts: dict[str, Excerpt]
    sources: Mapping[str, Source]
    """Sources by content hash."""
    locale: str
    text_of: TextOf
    judgements: dict[Statement, Judgement] = field(default_factory=dict)
    """What it has judged so far, also where a call failed."""
    new_excerpts: list[Excerpt] = field(default_factory=list)
    """New excerpts that contradict a statement of absence; `excerpts` holds them, too."""
    open: set[Statement] = field(default_factory=set)
    """Supported statements that something is not settled yet."""
    reasons: dict[str, str] = field(default_factory=dict)
    """The model's reasons for its verdicts, by the words of the statements."""

    async def judged(self, statements: Mapping[Statement, Doubt]) -> dict[Statement, Judgement]:
        """Return the model's judgement of each statement; none if its decisive words are in no cited passage.

        A statement on what the sources do not tell, or on what is open, is judged by the nearest passages of all sources that were read, too;
        one on what is open by these and what it cites.

        Args:
            statements: the statements to judge, with what code suspects.

        Raises:
            LimitReached: the budget or the time left does not suffice for a call.
            ModelError: the endpoint failed, or no answer fits the schema.
        """
        shown = await asyncio.to_thread(lambda: {key: self._closest(key, doubt) for key, doubt in statements.items()})
        await self._round(shown, self.excerpts, statements)
        absent = [
            key
            for key in statements
            if key in self.judgements and (self.judgements[key].verdict == "absent" or key in self.open)
        ]
        if absent:
            passages = await passages_of(self.excerpts.values(), self.sources, self.text_of)
            nearest_ids = await self._nearest(absent, passages)
            again = {key: [*(key[1] if key in self.open else ()), *ids] for key, ids in nearest_ids.items()}
            await self._round(again, {**passages, **self.excerpts}, statements)
            for statement, ids in nearest_ids.items():
                if self.judgements[statement].verdict == "contradicted":
                    self._add_excerpt(self.judgements[statement].words, [passages[key] for key in ids])
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
        report = PassageView(id=REPORT, title="the report itself", quote="\n".join(shown))
        keys = list(summaries)
        for start in range(0, len(keys), MAX_STATEMENTS):
            batch = keys[start : start + MAX_STATEMENTS]
            await self._batch(batch, dict.fromkeys(batch, (REPORT,)), {REPORT: report}, summaries)
        return {key: self.judgements[key] for key in keys if key in self.judgements}

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
        """Return the ids of the passages that a statement cites; of the many below a title or a lead those that have most in common with it."""
        words, ids = statement
        if not doubt.uncited or len(ids) <= NEAREST:
            return ids
        closest = nearest(words, [self.excerpts[key] for key in ids], self.sources, NEAREST)
        return list(dict.fromkeys([*(excerpt.id for excerpt in closest), *ids]))[:NEAREST]

    async def _nearest(
        self, statements: Sequence[Statement], passages: Mapping[str, Excerpt]
    ) -> dict[Statement, list[str]]:
        """Return the ids of the passages that have most in common with each statement, as far as there is room for them.

        They come alternately from the sources that excerpts quote, which are on the report's subject, and from all: few words of a statement name its subject.
        """
        texts = [statement[0] for statement in statements]
        quoted = {excerpt.content_hash for excerpt in self.excerpts.values()}
        own = [passage for passage in passages.values() if passage.content_hash in quoted]
        ranked = [await nearest_each(texts, held, self.sources, NEAREST) for held in (own, [*passages.values()])]
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

    def _add_excerpt(self, words: str, passages: Sequence[Excerpt]) -> None:
        """Add an excerpt of the sentences with the decisive words, and of what follows them in the passage, unless another holds them.

        It belongs to a step, preferably to one that quotes the source.
        """
        for passage in passages:
            if (location := locate(words, passage.quote)) is None:
                continue
            spans = sentences(passage.quote)
            telling = [span for span in spans if span.start < location[1] and location[0] < span.end]
            start, end = passage.start + telling[0].start, passage.start + telling[-1].end
            ranked = sorted(self.excerpts.values(), key=lambda excerpt: excerpt.content_hash != passage.content_hash)
            same = [excerpt for excerpt in ranked if excerpt.content_hash == passage.content_hash]
            steps = [excerpt.id.partition("-")[0] for excerpt in ranked if excerpt.id.startswith("E")]
            if steps and not any(excerpt.start < end and start < excerpt.end for excerpt in same):
                number = 1 + max(
                    int(excerpt.id.partition("-")[2])
                    for excerpt in self.excerpts.values()
                    if excerpt.id.startswith(f"{steps[0]}-")
                )
                free = min((excerpt.start for excerpt in same if excerpt.start >= end), default=passage.end)
                room = min(free, start + MOST_QUOTED)
                end = max([end, *(stop for span in spans if (stop := passage.start + span.end) <= room)])
                quote = passage.quote[start - passage.start : end - passage.start]
                key = f"{steps[0]}-{number}"
                place = {"id": key, "quote": quote, "start": start, "end": end, "relevance": "high"}
                new = passage.model_copy(update=place)
                self.excerpts[new.id] = new
                self.new_excerpts.append(new)
            return

    async def _batch(
        self,
        batch: Sequence[Statement],
        shown: Shown,
        passages: Mapping[str, PassageView],
        doubts: Mapping[Statement, Doubt],
    ) -> None:
        held = dict.fromkeys(key for statement in batch for key in shown[statement])
        prompt = VerifierPrompt(
            locale=self.locale,
            passages=[passages[key] for key in held],
            statements=[
                StatementView(
                    number=number,
                    text=doubts[statement].row or statement[0],
                    cites=list(shown[statement]),
                    uncited=doubts[statement].uncited,
                    inferred=doubts[statement].inferred,
                    suspicion=doubts[statement].suspicion,
                    paragraph=doubts[statement].paragraph,
                )
                for number, statement in enumerate(batch, 1)
            ],
            inferences=any(doubts[statement].inferred for statement in batch),
        )
        answer = await ask("verifier", prompt, Verification)
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
            if verdict.verdict == "open":
                self.open.add(statement)
            found: Judged = "supported" if verdict.verdict == "open" else verdict.verdict
            self.judgements[statement] = Judgement(verdict=found, words=words)

    async def _passage(self, excerpt: Excerpt) -> PassageView:
        source = self.sources[excerpt.content_hash]
        try:
            text = await self.text_of(excerpt.content_hash)
        except StoreError:
            text = ""
        beside = await asyncio.to_thread(surroundings, text, excerpt.start, excerpt.end, 1)
        return PassageView(
            id=excerpt.id,
            title=source.title,
            name=source.card.name,
            published=source.published or "",
            about=source.card.about,
            section=excerpt.section,
            columns=excerpt.heads,
            before=text[beside.start : excerpt.start] if source.kind != "computation" else "",
            quote=excerpt.quote,
            after=text[excerpt.end : beside.end],
        )


def _batches(shown: Shown, passages: Mapping[str, PassageView], room: int) -> Iterator[list[Statement]]:
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


def _length(passage: PassageView) -> int:
    return estimate(f"{passage.before}{passage.quote}{passage.after}")


def _source_words(words: str, passages: Sequence[PassageView]) -> str:
    """Return words in the form of a passage or of its source's card; empty if none holds them."""
    for passage in passages if words else ():
        for text in (f"{passage.before}{passage.quote}{passage.after}", passage.title, passage.about, passage.section):
            if span := locate(words, text):
                return text[span[0] : span[1]]
    return ""
