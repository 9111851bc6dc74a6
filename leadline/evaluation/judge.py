"""A judge: a model, chosen separately from the run's, that judges reports. Only usable answers count.

Every call is journaled under the judge's name, so that an evaluation that is started again pays for none twice, and goes through one
budget. An answer that cannot be used, words that the report does not have and a limit that is reached are no judgement.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from leadline.runs.store import Home
from schemas.context import RunContext
from schemas.evidence import Claim, Judgement
from schemas.judge_criteria import MAX_CRITERIA, CriterionView, JudgeCriteriaPrompt, judgement_on
from schemas.judge_dimensions import (
    DIMENSIONS,
    Dimension,
    DimensionCriterion,
    DimensionScore,
    DimensionScores,
    JudgeDimensionsPrompt,
)
from schemas.judge_pair import Better, JudgePairPrompt, PairJudgement
from schemas.judge_scores import CriterionScore, JudgeScoresPrompt, scores_by
from schemas.reporter import Report
from schemas.usage import Allowance, CallUsage
from services.models import ask
from services.models.endpoint_memory import learned
from services.models.output_room import window_of
from services.reports.verification import Judge as ClaimJudge
from services.run.budget import Budget
from services.run.errors import BadInput, LimitReached, ModelError
from services.run.journal import Journal, run_key
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run, checked_choices, working_for
from services.text.quote_location import locate
from services.text.token_estimate import estimate

ROLE = "verifier"
"""The role whose settings a judge has: endpoint, temperature, maximum tokens. Its model is chosen separately."""
TEMPLATES = ("judge_criteria", "judge_pair", "judge_dimensions", "judge_scores", "verifier")
MAX_REPORT = 60_000
"""Maximum characters of a report shown to a judge."""
KEPT_FREE = 5_000
"""Tokens of a judge's window reserved for answer, instructions, question and criteria."""
LEAST_SHOWN = 1_000
"""Minimum tokens of a report shown to a judge, even with a small window."""
MAX_SHOWN = 40
"""Maximum criteria shown to a judge with a pair of reports, or with a reference."""

Answer = TypeVar("Answer")


def judge_context(model: str, max_tokens: int | None = None, max_cost: float | None = None) -> RunContext:
    """Return the choices of a judge's calls.

    Args:
        model: name of the model, as for `--model`.
        max_tokens: maximum tokens of all its calls, including earlier starts; None for no limit.
        max_cost: maximum cost of all its calls in US dollars; None for no limit.

    Raises:
        BadInput: the name is not a language model's, or a limit is invalid.
        SettingsError: its endpoint is not set up.
    """
    context = checked_choices({"models": {ROLE: model}, "max_tokens": max_tokens, "max_cost": max_cost})
    if not model.strip() or role_model(ROLE, context).model == OFFLINE:
        raise BadInput("A judge is a language model. Name one with --judge, such as --judge gpt-4.1.")
    return context


@dataclass(slots=True)
class JudgedCriterion:
    """A judge's verdict on whether a report meets a criterion."""

    met: bool | None = None
    """None without a judgement."""
    sentence: str = ""
    """The deciding sentence of the report."""
    reason: str = ""


@dataclass(slots=True)
class Judge:
    """A judging model with counts of its calls and failures."""

    context: RunContext
    home: Home
    asked: int = 0
    no_judgement: int = 0
    used: CallUsage = field(default_factory=CallUsage)
    shortened: int = 0
    """Number of reports of which only the beginning was shown."""
    problem: str = ""
    """Reason of the latest failed judgement."""
    _budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        allowance = Allowance(tokens=self.context.max_tokens, cost=self.context.max_cost)
        self._budget = Budget(allowance, self.context)

    @property
    def model(self) -> str:
        """Name of the model."""
        return role_model(ROLE, self.context).name

    async def criteria(self, what: str, question: str, report: str, criteria: Sequence[str]) -> list[JudgedCriterion]:
        """Ask for each criterion whether a report meets it, and by which sentence.

        Args:
            what: name of the report, for the journal.
            question: question of the report.
            report: text of the report.
            criteria: texts of the criteria.
        """
        report = self._shown(report)
        judged: list[JudgedCriterion] = []
        for start in range(0, len(criteria), MAX_CRITERIA):
            batch = criteria[start : start + MAX_CRITERIA]
            views = [CriterionView(number=number, text=text) for number, text in enumerate(batch, 1)]
            prompt = JudgeCriteriaPrompt(question=question, report=report, criteria=views)
            answer = await self._answer(
                f"{what} criteria {start}",
                partial(ask, ROLE, prompt, judgement_on(len(batch)), template="judge_criteria"),
            )
            of_batch = [JudgedCriterion() for _ in batch]
            for verdict in reversed(answer.verdicts if answer is not None else []):  # the first verdict counts
                if 1 <= verdict.number <= len(batch):
                    span = locate(verdict.sentence, report) if verdict.met and verdict.sentence else None
                    sentence = report[span[0] : span[1]] if span is not None else ""
                    met = None if verdict.met and not sentence else verdict.met
                    of_batch[verdict.number - 1] = JudgedCriterion(met, sentence, verdict.reason)
            judged += of_batch
        self._count(len(judged), sum(criterion.met is None for criterion in judged))
        return judged

    async def claims(self, what: str, report: Report) -> list[tuple[Claim, Judgement | None]]:
        """Ask for each cited claim that is not a quotation whether the text of its sources supports it."""
        excerpts = {excerpt.id: excerpt for excerpt in report.excerpts}
        sources = {source.content_hash: source for source in report.sources}
        claims = [
            claim
            for claim in report.citations
            if claim.status != "quoted"
            and claim.citations
            and all(key in excerpts and excerpts[key].content_hash in sources for key in claim.citations)
        ]
        statements = {(claim.text, tuple(claim.citations)): claim for claim in claims}
        conclusions = {key for key, claim in statements.items() if claim.status == "inferred"}
        judge = ClaimJudge(excerpts, sources, "en-US", self.home.evidence.get_text)
        answers = (
            await self._answer(f"{what} claims", partial(judge.judged, list(statements), conclusions=conclusions)) or {}
        )
        judged = [(claim, answers.get(statement)) for statement, claim in statements.items()]
        self._count(len(judged), sum(judgement is None for _, judgement in judged))
        return judged

    async def pair(self, what: str, question: str, criteria: Sequence[str], first: str, second: str) -> Better | None:
        """Ask which of two reports is better, in both orders; if the order decides, neither is."""
        orders: list[Better | None] = []
        shown = self._shown(first, 2), self._shown(second, 2)
        for order, reports in (("in order", shown), ("turned", shown[::-1])):
            prompt = JudgePairPrompt(
                question=question, criteria=list(criteria[:MAX_SHOWN]), first=reports[0], second=reports[1]
            )
            answer = await self._answer(
                f"{what} pair {order}", partial(ask, ROLE, prompt, PairJudgement, template="judge_pair")
            )
            orders.append(None if answer is None else answer.better)
        straight, turned = orders
        self._count(1, straight is None or turned is None)
        if straight is None or turned is None:
            return None
        opposite: dict[Better, Better] = {"first": "second", "second": "first", "neither": "neither"}
        return straight if straight == opposite[turned] else "neither"

    async def dimensions(
        self, what: str, question: str, criteria: Sequence[DimensionCriterion], report: str, reference: str
    ) -> dict[Dimension, DimensionScore] | None:
        """Ask for the scores of a report and a reference in each dimension; None without a usable answer for all four."""
        prompt = JudgeDimensionsPrompt(
            question=question,
            criteria=list(criteria[:MAX_SHOWN]),
            first=self._shown(report, 2),
            second=self._shown(reference, 2),
        )
        answer = await self._answer(
            f"{what} dimensions", partial(ask, ROLE, prompt, DimensionScores, _whole, template="judge_dimensions")
        )
        self._count(1, answer is None)
        return None if answer is None else {score.dimension: score for score in reversed(answer.scores)}

    async def scores(
        self, what: str, question: str, criteria: Mapping[Dimension, Sequence[str]], report: str, reference: str
    ) -> dict[Dimension, list[CriterionScore | None]]:
        """Ask for the scores of a report and a reference by criterion, one call per dimension; None without a judgement.

        Args:
            what: name of the report, for the journal.
            question: question of both texts.
            criteria: texts of the criteria by dimension.
            report: text of the report.
            reference: text of the reference.
        """
        first, second = self._shown(report, 2), self._shown(reference, 2)
        return {
            dimension: await self._scores(f"{what} {dimension}", question, dimension, texts, first, second)
            for dimension, texts in criteria.items()
        }

    async def _scores(
        self, what: str, question: str, dimension: Dimension, criteria: Sequence[str], first: str, second: str
    ) -> list[CriterionScore | None]:
        scored: list[CriterionScore | None] = []
        for start in range(0, len(criteria), MAX_CRITERIA):
            batch = criteria[start : start + MAX_CRITERIA]
            views = [CriterionView(number=number, text=text) for number, text in enumerate(batch, 1)]
            prompt = JudgeScoresPrompt(
                question=question, dimension=dimension, criteria=views, first=first, second=second
            )
            answer = await self._answer(
                f"{what} scores {start}", partial(ask, ROLE, prompt, scores_by(len(batch)), template="judge_scores")
            )
            by_number = {score.number: score for score in reversed(answer.scores if answer is not None else [])}
            scored += [by_number.get(view.number) for view in views]
        self._count(len(scored), scored.count(None))
        return scored

    def _shown(self, report: str, reports: int = 1) -> str:
        """Return the beginning of a report that fits the judge's window together with so many reports."""
        model = role_model(ROLE, self.context)
        room = max(LEAST_SHOWN, (window_of(model, learned(model)) - KEPT_FREE) // reports)
        text = report[:MAX_REPORT]
        while (length := estimate(text)) > room:
            text = text[: int(len(text) * room / length)]
        self.shortened += len(text) < len(report)
        return text

    def _count(self, asked: int, silent: int) -> None:
        self.asked += asked
        self.no_judgement += silent

    async def _answer(self, what: str, call: Callable[[], Awaitable[Answer]]) -> Answer | None:
        """Make calls with the judge's journal and budget; None if they fail."""
        task = hashlib.sha256(what.encode()).hexdigest()[:32]
        journal = Journal(self.home.store, run_key(f"judge {self.model}", 0), task, "judge")
        with working_for(Run(self.context, "judge", budget=self._budget, journal=journal)) as run:
            try:
                return await call()
            except (LimitReached, ModelError, ValueError) as error:
                self.problem = str(error)
                return None
            finally:
                self.used = self.used + run.usage.total


def _whole(scores: DimensionScores) -> DimensionScores:
    missing = [name for name in DIMENSIONS if name not in {score.dimension for score in scores.scores}]
    if missing:
        msg = f"scores: there is none for {', '.join(missing)}"
        raise ValueError(msg)
    return scores
