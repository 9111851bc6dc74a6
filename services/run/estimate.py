"""Estimates of what a run takes and of what its limits allow of it, shown before the run starts.

The figures come from the depth's level (`schemas/depth.py`): they are expectations, not limits. Costs come from the
price list.
"""

from langgraph.runtime import Runtime
from pydantic import BaseModel

from schemas.context import RunContext
from schemas.depth import Depth
from services.run.errors import SettingsError
from services.run.events import emit
from services.run.prices import price_of
from services.run.roles import OFFLINE, RoleModel, role_model
from services.run.ui_text import say

SHARES: dict[str, tuple[float, float]] = {
    "coordinator": (0.01, 0.01),
    "planner": (0.04, 0.08),
    "researcher": (0.40, 0.33),
    "reflector": (0.12, 0.10),
    "reporter": (0.23, 0.28),
    "verifier": (0.20, 0.20),
}
"""Shares of the roles in input and output tokens, as strong models were measured (November 2026); they matter if models differ in price."""
USUAL_TIME = 0.5
"""Share of a depth's maximum seconds below which most of its runs stay."""
BRIEF_WORDS = 300
"""Words of a brief report, as `prompts/reporter.md` asks for it at every depth but quick, which writes an answer."""
IN_CENTS = 0.095
"""US dollars from which a cost is shown in whole cents; the rounding error is then at most a twentieth."""


class Estimate(BaseModel):
    """What a run will take, about."""

    depth: Depth
    offline: bool
    """Whether no model is connected: nothing is charged then, and no tokens are sent."""
    input_tokens: int
    output_tokens: int
    seconds: int
    """At most."""
    sources: int
    words: tuple[int, int]
    """Fewest and most; zero: as few, or as many, as it takes."""
    cost: float | None
    """US dollars; None where a price is not known."""
    paid: float = 1.0
    """Share of what the depth takes that the limits allow."""
    limit: str = ""
    """The field of `RunContext` that allows least; empty where none falls short."""
    allowed: float = 0.0
    """Its value."""

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    @property
    def is_shown(self) -> bool:
        """Whether the estimate is shown without being asked for: for long runs, and for runs that a limit cuts."""
        return bool(self.limit) or self.depth in {"deep", "exhaustive"}


async def estimate(context: RunContext) -> Estimate:
    """Return the estimate of a run with these choices.

    Raises:
        SettingsError: the price file cannot be used.
    """
    level = context.level
    models = _models(context)
    share = context.max_step_num / level.steps
    words = context.words or (BRIEF_WORDS if context.length == "brief" and context.depth != "quick" else None)
    tokens_in, tokens_out = int(level.prompt_tokens * share), int(level.answer_tokens * share)
    made = Estimate(
        depth=context.depth,
        offline=bool(models) and all(model.provider == OFFLINE for model in models.values()),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        seconds=context.max_seconds,
        sources=max(1, int(level.sources * share)),
        words=(words, words) if words else level.words,
        cost=await _cost(models, tokens_in, tokens_out),
    )
    return _limited(made, context)


def _models(context: RunContext) -> dict[str, RoleModel]:
    """Return the models of the roles; none if one cannot be used, which the run itself reports."""
    try:
        return {role: role_model(role, context) for role in SHARES}
    except SettingsError:
        return {}


async def _cost(models: dict[str, RoleModel], tokens_in: int, tokens_out: int) -> float | None:
    if not models:
        return None
    cost = 0.0
    for role, model in models.items():
        guessed = model.provider == "openai" and not model.named and model.base_url is not None
        price = None if guessed else await price_of(model)
        if price is None:
            return None
        share_in, share_out = SHARES[role]
        cost += price.cost(round(tokens_in * share_in), round(tokens_out * share_out))
    return round(cost, 6)


def _limited(made: Estimate, context: RunContext) -> Estimate:
    """Add the tightest limit, if it allows less than the depth takes. Without a model a run takes seconds, costs nothing, and still counts tokens."""
    needed: dict[str, float | None] = {"max_tokens": made.tokens}
    if not made.offline:
        needed |= {"max_cost": made.cost, "max_seconds": context.level.seconds * USUAL_TIME}
    limits = {name: getattr(context, name) for name in needed}
    shares = {name: limits[name] / need for name, need in needed.items() if limits[name] is not None and need}
    if not shares:
        return made
    limit = min(shares, key=lambda name: shares[name])
    paid = shares[limit]
    if paid >= 1:
        return made
    return made.model_copy(update={"paid": round(paid, 4), "limit": limit, "allowed": limits[limit]})


def estimate_line(made: Estimate, locale: str) -> str:
    """Return the estimate in a line that names the depth."""
    return say("estimate", locale, depth=say(f"depth_{made.depth}", locale), figures=estimate_figures(made, locale))


def estimate_figures(made: Estimate, locale: str) -> str:
    """Return the estimates of tokens, money, time, sources and words, as far as there are any; of a run without a model, what it is."""
    if made.offline:
        return say("estimate_offline", locale)
    parts = [
        say("estimate_tokens", locale, tokens=f"{made.tokens:,}"),
        _money(made, locale),
        say("estimate_time", locale, time=_time(made.seconds, locale)),
        say("estimate_sources", locale, sources=made.sources),
        _words(made, locale),
    ]
    return say("estimate_joint", locale).join(part for part in parts if part)


def shortfall_line(made: Estimate, locale: str) -> str:
    """Return a line about what a limit does not suffice for; empty if all limits do."""
    if not made.limit:
        return ""
    allowed = {
        "max_tokens": say("short_tokens", locale, allowed=f"{made.allowed:,.0f}", all=f"{made.tokens:,}"),
        "max_cost": say("short_cost", locale, allowed=f"{made.allowed:.4f}", all=f"{made.cost or 0:.4f}"),
        "max_seconds": say("short_seconds", locale, allowed=_time(made.seconds, locale)),
    }[made.limit]
    sources = max(1, int(made.sources * made.paid))
    return say("short", locale, allowed=allowed, sources=sources, all=made.sources)


def _words(made: Estimate, locale: str) -> str:
    """Return the length of the report in words; empty if it is no longer than the answer."""
    low, high = made.words
    if not low:
        return ""
    if not high:
        return say("estimate_words_from", locale, low=f"{low:,}")
    if low == high:
        return say("estimate_words_about", locale, words=f"{low:,}")
    return say("estimate_words", locale, low=f"{low:,}", high=f"{high:,}")


def _money(made: Estimate, locale: str) -> str:
    if made.cost is None:
        return ""
    return say("estimate_cost", locale, cost=f"{made.cost:.2f}" if made.cost >= IN_CENTS else f"{made.cost:.4f}")


def _time(seconds: int, locale: str) -> str:
    if seconds < 120:
        return say("estimate_seconds", locale, count=seconds)
    return say("estimate_minutes", locale, count=round(seconds / 60))


async def emit_estimate(runtime: Runtime[RunContext], context: RunContext, node: str, locale: str) -> None:
    """Emit the event with the run's estimate and what its limits allow of it."""
    try:
        made = await estimate(context)
    except SettingsError:
        return  # an error of the price file, which is reported where the file is needed
    title = " ".join(filter(None, [estimate_line(made, locale), shortfall_line(made, locale)]))
    emit(runtime, "estimate", node, title, {**made.model_dump(mode="json"), "told": made.is_shown})
