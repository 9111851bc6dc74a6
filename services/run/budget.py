"""Enforces a run's limits: a node reserves what a call may cost before the call, and settles it afterwards.

There is no shared ledger. The state's usage is the account; parallel steps get equal shares of the remainder when they
are sent. So limits hold whichever step is faster, in whichever process, and after a crash. 20 % of tokens, money and
seconds stay for the report.
"""

from dataclasses import dataclass, field

from schemas.context import RunContext
from schemas.usage import Allowance, Usage
from services.run.errors import LeadlineError, LimitReached, problem_text
from services.run.log import WARNING, log
from services.run.ui_text import say

REPORT_SHARE = 0.2
"""Share of tokens, money and seconds that is reserved for the report."""
MIN_TOKENS = 400
"""Minimum number of tokens that are worth a call."""
MIN_STEP_TOKENS = 2_000
"""Minimum tokens of a step's share, or of what its money buys: with less, fewer steps are sent at once."""
MIN_SECONDS = 1.0


@dataclass(slots=True)
class Reservation:
    """Tokens and money reserved for one call until it is settled."""

    input_tokens: int
    output_tokens: int
    """Maximum number of tokens that the call may write."""
    cost: float


@dataclass(slots=True)
class Budget:
    """Account of one node, limited by its allowance."""

    allowance: Allowance = field(default_factory=Allowance)
    limits: RunContext = field(default_factory=RunContext)
    """The run's choices; messages name their limits."""
    _tokens: int = 0
    _cost: float = 0.0
    _searches: int = 0
    _pages: int = 0

    def room(self) -> int | None:
        """Return the number of tokens left, or None if there is no limit."""
        return None if self.allowance.tokens is None else max(0, self.allowance.tokens - self._tokens)

    def suffices(self, tokens: int, token_cost: float) -> bool:
        """Tell whether so many tokens are left, and the money for them at `token_cost` dollars each."""
        room, money = self.room(), self.allowance.cost
        return (room is None or room > tokens) and (money is None or money - self._cost > tokens * token_cost)

    def affordable(
        self, tokens: int, writing: int, price: tuple[float, float] | None
    ) -> tuple[int, LimitReached | None]:
        """Return how many of these tokens a prompt may have beside an answer of `writing`, and the limit where these are fewer."""
        limit: LimitReached | None = None
        room = self.room()
        if room is not None and room - writing < tokens:
            tokens, limit = room - writing, LimitReached("token_limit", self.limits.max_tokens or 0)
        if price is not None and price[0] > 0 and self.allowance.cost is not None:
            paid_for = int((self.allowance.cost - self._cost - writing * price[1]) / price[0])
            if paid_for < tokens:
                tokens, limit = paid_for, LimitReached("cost_limit", self.limits.max_cost or 0)
        return tokens, limit

    def reserve(
        self, input_tokens: int, output_tokens: int, price: tuple[float, float] | None, *, min_output: int
    ) -> Reservation:
        """Reserve tokens and money for one call; its output is lowered to the remainder, but not below `min_output`.

        Args:
            input_tokens: estimate of the prompt.
            output_tokens: maximum number of tokens that the call should write.
            price: dollars per input and output token; None if unknown, then no money is reserved.
            min_output: tokens of output below which the call is not worth making.

        Raises:
            LimitReached: tokens or money do not suffice.
        """
        granted = output_tokens
        room = self.room()
        if room is not None:
            granted = min(granted, room - input_tokens)
        if granted < min(min_output, output_tokens):
            raise LimitReached("token_limit", self.limits.max_tokens or 0)
        cost = 0.0
        if price is not None and self.allowance.cost is not None:
            left = self.allowance.cost - self._cost - input_tokens * price[0]
            affordable = int(left / price[1]) if price[1] > 0 else (granted if left >= 0 else 0)
            granted = min(granted, affordable)
            if granted < min(min_output, output_tokens):
                raise LimitReached("cost_limit", self.limits.max_cost or 0)
            cost = input_tokens * price[0] + granted * price[1]
        self._tokens += input_tokens + granted
        self._cost += cost
        return Reservation(input_tokens, granted, cost)

    def settle(self, held: Reservation, tokens: int, cost: float) -> None:
        """Replace a reservation by the actual usage of its call."""
        self._tokens += tokens - held.input_tokens - held.output_tokens
        self._cost += cost - held.cost

    def spend(self, tokens: int, cost: float) -> None:
        """Book a call that an earlier attempt at this node has paid for."""
        self._tokens += tokens
        self._cost += cost

    def take_searches(self, count: int) -> int:
        """Reserve searches and return how many are granted.

        Raises:
            LimitReached: no searches are left.
        """
        granted = count if self.allowance.searches is None else min(count, self.allowance.searches - self._searches)
        if count and granted <= 0:
            raise LimitReached("search_limit", self.limits.max_searches or 0)
        self._searches += granted
        return granted

    def take_pages(self, count: int) -> int:
        """Reserve page reads and return how many are granted, possibly 0."""
        left = count if self.allowance.pages is None else self.allowance.pages - self._pages
        granted = max(0, min(count, left))
        self._pages += granted
        return granted


def allowance_of(context: RunContext, usage: Usage, *, report: bool = False) -> Allowance:
    """Return the remainder of a run's limits: without the report's share for research, with it for the report."""
    share = 1.0 if report else 1 - REPORT_SHARE
    spent = usage.total
    return Allowance(
        tokens=None if context.max_tokens is None else int(context.max_tokens * share) - spent.tokens,
        cost=None if context.max_cost is None else context.max_cost * share - (spent.cost or 0.0),
        searches=None if context.max_searches is None else context.max_searches - usage.searches,
        pages=None if context.max_pages is None else context.max_pages - usage.pages,
        seconds=max(MIN_SECONDS, context.max_seconds * share - usage.seconds),
    )


def shares(allowance: Allowance, steps: int, token_cost: float = 0.0) -> list[Allowance]:
    """Return an allowance for each parallel step to send now, between one and `steps`; the others wait for a useful share.

    Args:
        allowance: what all of them may use.
        steps: how many are ready.
        token_cost: mean cost of a token in dollars.
    """
    sent = steps
    if allowance.tokens is not None:
        sent = max(1, min(sent, allowance.tokens // MIN_STEP_TOKENS))
    if allowance.cost is not None and token_cost > 0:
        sent = max(1, min(sent, int(allowance.cost / (MIN_STEP_TOKENS * token_cost))))
    if allowance.searches is not None:
        sent = max(1, min(sent, allowance.searches or 1))
    return [
        allowance.model_copy(
            update={
                "tokens": None if allowance.tokens is None else allowance.tokens // sent,
                "cost": None if allowance.cost is None else allowance.cost / sent,
                "searches": None if allowance.searches is None else _part(allowance.searches, sent, place),
                "pages": None if allowance.pages is None else _part(allowance.pages, sent, place),
            }
        )
        for place in range(sent)
    ]


def _part(total: int, parts: int, place: int) -> int:
    """Divide a total without losing the remainder: the first parts get 1 more."""
    return max(0, total) // parts + (place < max(0, total) % parts)


def spent_limit(context: RunContext, usage: Usage) -> LimitReached | None:
    """Return the limit that ends research now, or None. It is reached when only the report's share of its amount is left."""
    left = allowance_of(context, usage)
    if usage.seconds >= context.max_seconds * (1 - REPORT_SHARE):
        return LimitReached("time_limit", context.max_seconds)
    if left.tokens is not None and left.tokens < MIN_TOKENS:
        return LimitReached("token_limit", context.max_tokens or 0)
    if left.cost is not None and left.cost <= 0:
        return LimitReached("cost_limit", context.max_cost or 0)
    return None


def limit_message(reason: LeadlineError, locale: str) -> str:
    """Return what ended some work, for a report's limits: a limit, which is logged, or a problem."""
    if not isinstance(reason, LimitReached):
        return problem_text(reason, locale)
    log("limit", WARNING, limit=reason.key, value=reason.limit)
    return say(reason.key, locale, limit=f"{reason.limit:g}")
