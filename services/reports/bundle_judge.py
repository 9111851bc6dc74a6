"""Lets a model judge a stored report: whether the cited passages support each sentence that is not a quotation."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from schemas.context import RunContext
from schemas.evidence import PASSED, Claim, Judgement, Source
from services.models.local_endpoint import settled
from services.reports.bundle_files import read_bundle, source_text
from services.reports.checking.bundle_check import is_verbatim
from services.reports.checking.checked_report import Doubt, Statement
from services.reports.judge import Judge
from services.run.errors import BundleError, SettingsError, StoreError
from services.run.roles import OFFLINE, role_model
from services.run.ui_text import say


@dataclass(slots=True)
class BundleJudgement:
    """A model's judgement of a report."""

    model: str
    locale: str = ""
    """Locale of the report."""
    sentence_count: int = 0
    """Number of judged sentences."""
    judged: dict[int, tuple[Claim, Judgement]] = field(default_factory=dict)
    """Claims with their verdicts, by number, from 1."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of sentences for each verdict."""
        return dict(Counter(judgement.verdict for _, judgement in self.judged.values()))

    @property
    def doubted(self) -> dict[int, tuple[Claim, Judgement]]:
        """Sentences that are verified, but that the model does not find supported."""
        judged = self.judged.items()
        return {number: both for number, both in judged if both[0].verified and both[1].verdict not in PASSED}


async def judge_bundle(folder: Path, context: RunContext) -> BundleJudgement:
    """Let the verifier that a context names judge every sentence of a stored report that is not a verbatim quote.

    Raises:
        BundleError: the bundle cannot be read.
        SettingsError: no model is connected.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    model = await settled(role_model("verifier", context))
    if model.model == OFFLINE:
        raise SettingsError(say("verify_no_model"))
    _, content, _ = read_bundle(folder)
    sources: dict[str, Source] = {source.content_hash: source for source in content.sources}
    excerpts = {excerpt.id: excerpt for excerpt in content.excerpts if excerpt.content_hash in sources}

    async def text_of(content_hash: str) -> str:
        try:
            return source_text(folder, sources[content_hash]).decode("utf-8", "replace")
        except BundleError as problem:
            raise StoreError(str(problem)) from None

    statements: dict[int, Statement] = {}
    cited: dict[Statement, Doubt] = {}
    summaries: dict[Statement, Doubt] = {}
    for number, claim in enumerate(content.claims, 1):
        statement = (claim.text, tuple(claim.citations))
        if claim.cited_by == "report":
            summaries[statement] = Doubt(uncited=True, sums_up=True)
        elif claim.citations and excerpts.keys() >= set(claim.citations) and not is_verbatim(claim, excerpts):
            cited[statement] = Doubt(inferred=claim.status == "inferred")
        else:
            continue
        statements[number] = statement
    judge = Judge(excerpts, sources, "en-US", text_of)
    judgements = await judge.judged(cited)
    if summaries:
        judgements |= await judge.judged_by_report(summaries, content.claims)
    judged = {
        number: (content.claims[number - 1], judgements[statement])
        for number, statement in statements.items()
        if statement in judgements
    }
    return BundleJudgement(model.name, content.locale, len(statements), judged)
