"""Lets a model check a draft: it judges sentences that code neither found verbatim nor refuted; failed ones are rewritten once.

Code keeps its veto on numbers and names (`checking/claim_check.py`). A verdict counts only if its decisive words stand in a
passage that the sentence cites.
"""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from schemas.evidence import Claim, Excerpt, Judgement, Source
from schemas.evidence_view import EvidenceView
from schemas.reporter_rewriting import MAX_SENTENCES, FailedSentence, ReporterRewritingPrompt, Rewriting
from schemas.verifier import MAX_STATEMENTS, PassageView, StatementView, Verification, VerifierPrompt
from services.evidence.views import evidence_views
from services.models import ask
from services.reports.markdown import Draft, check_draft
from services.reports.surroundings import TextOf
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, StoreError
from services.run.ui_text import problem_text, say
from services.text.passages import sentences
from services.text.quote_location import locate
from services.text.token_estimate import estimate

AROUND = 300
"""Characters of a source shown before and after a quote."""
MAX_TOKENS = 3_000
"""Estimated tokens of the statements and passages of one call; the same for all models, so that a replay makes the same calls."""
REWRITING = "reporter_rewriting"
"""Stem of the template for rewriting sentences."""

_CITATION = re.compile(r"\[[A-Z]\d{1,6}-\d{1,6}\]")

Statement = tuple[str, tuple[str, ...]]
"""A sentence with its cited excerpt ids."""


@dataclass(slots=True)
class Verified:
    """Results of a draft's check by a model."""

    judgements: dict[Statement, Judgement] = field(default_factory=dict)
    rewritten: dict[str, str] = field(default_factory=dict)
    """Replacements of failed sentences; empty if no part of the sentence can be supported."""
    limits: list[str] = field(default_factory=list)
    """Parts that could not be checked, in the user's language."""

    def draft(self, draft: Draft) -> Draft:
        """Return a draft with these results."""
        return replace(draft, judgements=self.judgements, rewritten=self.rewritten)


async def verify_draft(draft: Draft, text_of: TextOf, *, tone: str = "") -> Verified:
    """Let a model judge the sentences of a draft, rewrite failed ones, and judge these again.

    Args:
        draft: the reporter's draft, with its sentences' likeness if computed.
        text_of: returns the texts around quotes.
        tone: tone of the report.
    """
    verified = Verified()
    judge = Judge({excerpt.id: excerpt for excerpt in draft.excerpts}, draft.sources, draft.locale, text_of)
    try:
        checked = await asyncio.to_thread(check_draft, verified.draft(draft))
        asked = tuple(checked.undecided)
        verified.judgements |= await judge.judged(asked, checked.conclusions, checked.with_heads)
        if verified.judgements:
            checked = await asyncio.to_thread(check_draft, verified.draft(draft))
        failed = [claim for claim in checked.failed if claim.citations][:MAX_SENTENCES]
        if failed:
            verified.rewritten = await _written_anew(failed, checked.claims, draft, tone)
        if verified.rewritten:
            checked = await asyncio.to_thread(check_draft, verified.draft(draft))
            fresh = [statement for statement in checked.undecided if statement not in asked]
            verified.judgements |= await judge.judged(fresh, checked.conclusions, checked.with_heads)
    except LimitReached as limit:
        verified.limits = [limit_message(limit, draft.locale), say("verified_by_code", draft.locale)]
    except ModelError as problem:
        verified.limits = [problem_text(problem, draft.locale), say("verified_by_code", draft.locale)]
    return verified


@dataclass(frozen=True)
class Judge:
    """Judges sentences by their cited passages, with a model."""

    excerpts: Mapping[str, Excerpt]
    sources: Mapping[str, Source]
    """Sources by content hash."""
    locale: str
    text_of: TextOf

    async def judged(
        self,
        statements: Sequence[Statement],
        conclusions: Collection[Statement] = (),
        with_heads: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[Statement, Judgement]:
        """Return the model's judgement of each sentence; none if its decisive words are in no cited passage.

        Args:
            statements: the statements to judge.
            conclusions: those of them that are inferred from their citations.
            with_heads: table rows as shown, with the headings of their columns.

        Raises:
            LimitReached: the budget or the time left does not suffice for a call.
            ModelError: the endpoint failed, or no answer fits the schema.
        """
        ids = dict.fromkeys(key for _, cited in statements for key in cited)
        passages = {key: await self._passage(self.excerpts[key]) for key in ids}
        batches = self._batches(statements, passages)
        parts = await asyncio.gather(*(self._batch(batch, passages, conclusions, with_heads) for batch in batches))
        return {statement: judgement for part in parts for statement, judgement in part.items()}

    def _batches(
        self, statements: Sequence[Statement], passages: Mapping[str, PassageView]
    ) -> Iterator[list[Statement]]:
        """Split sentences into calls by their number and by the length of their citations."""
        batch: list[Statement] = []
        shown: set[str] = set()
        used = 0
        for statement in statements:
            text, cited = statement
            cost = estimate(text) + sum(_length(passages[key]) for key in cited if key not in shown)
            if batch and (len(batch) == MAX_STATEMENTS or used + cost > MAX_TOKENS):
                yield batch
                batch, shown, used = [], set(), 0
                cost = estimate(text) + sum(_length(passages[key]) for key in cited)
            batch.append(statement)
            shown.update(cited)
            used += cost
        if batch:
            yield batch

    async def _batch(
        self,
        batch: Sequence[Statement],
        passages: Mapping[str, PassageView],
        conclusions: Collection[Statement],
        with_heads: Mapping[str, str],
    ) -> dict[Statement, Judgement]:
        cited = dict.fromkeys(key for _, ids in batch for key in ids)
        prompt = VerifierPrompt(
            locale=self.locale,
            passages=[passages[key] for key in cited],
            statements=[
                StatementView(
                    number=number,
                    text=with_heads.get(text, text),
                    cites=list(ids),
                    inferred=(text, ids) in conclusions,
                )
                for number, (text, ids) in enumerate(batch, 1)
            ],
            inferences=any(statement in conclusions for statement in batch),
        )
        answer = await ask("verifier", prompt, Verification)
        judgements: dict[Statement, Judgement] = {}
        for verdict in answer.verdicts:
            if not 1 <= verdict.number <= len(batch):
                continue
            statement = batch[verdict.number - 1]
            words = _found(verdict.words, [passages[key] for key in statement[1]])
            if words or verdict.verdict == "not_told":
                judgement = Judgement(verdict=verdict.verdict, words=words)
                judgements.setdefault(statement, judgement)
        return judgements

    async def _passage(self, excerpt: Excerpt) -> PassageView:
        source = self.sources[excerpt.content_hash]
        try:
            text = await self.text_of(excerpt.content_hash)
        except StoreError:
            text = ""
        return PassageView(
            id=excerpt.id,
            title=source.title,
            published=source.published or "",
            before=text[max(0, excerpt.start - AROUND) : excerpt.start],
            quote=excerpt.quote,
            after=text[excerpt.end : excerpt.end + AROUND],
        )


def _length(passage: PassageView) -> int:
    return estimate(f"{passage.before}{passage.quote}{passage.after}")


def _found(words: str, passages: Sequence[PassageView]) -> str:
    """Return words in the form of a passage; empty if no passage holds them."""
    for passage in passages if words else ():
        text = f"{passage.before}{passage.quote}{passage.after}"
        if span := locate(words, text):
            return text[span[0] : span[1]]
    return ""


async def _written_anew(failed: Sequence[Claim], claims: Sequence[Claim], draft: Draft, tone: str) -> dict[str, str]:
    texts = ["", *(claim.text for claim in claims), ""]
    beside = {text: (texts[place - 1], texts[place + 1]) for place, text in enumerate(texts[1:-1], 1)}
    cited = {key for claim in failed for key in claim.citations}
    excerpts = [excerpt for excerpt in draft.excerpts if excerpt.id in cited]
    evidence: list[EvidenceView] = evidence_views(excerpts, draft.sources)
    prompt = ReporterRewritingPrompt(
        question=draft.question,
        locale=draft.locale,
        tone=tone,
        evidence=evidence,
        sentences=[
            FailedSentence(
                number=number,
                text=claim.text,
                reason=claim.reason,
                cites=claim.citations,
                before=beside.get(claim.text, ("", ""))[0],
                after=beside.get(claim.text, ("", ""))[1],
            )
            for number, claim in enumerate(failed, 1)
        ],
    )
    answer = await ask("reporter", prompt, Rewriting, template=REWRITING)
    return {
        failed[sentence.number - 1].text: _first_sentence(sentence.text.strip())
        for sentence in answer.sentences
        if 1 <= sentence.number <= len(failed)
    }


def _first_sentence(text: str) -> str:
    """Return a text's first sentence with all citations: a replacement is judged as one sentence."""
    parts = [text[span.start : span.end].strip() for span in sentences(text)]
    said = [part for part in parts if re.search(r"\w", _CITATION.sub("", part))]
    if len(said) < 2:
        return text
    cited = "".join(dict.fromkeys(found for found in _CITATION.findall(text) if found not in said[0]))
    return f"{said[0]} {cited}".rstrip()
