"""The usage of a run, by role and by step, and its remaining budget."""

from pydantic import BaseModel, Field


class CallUsage(BaseModel):
    """Model calls of one role or one step, as the endpoint counted them."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input tokens that the endpoint took from its cache."""
    seconds: float = 0.0
    """Of the calls themselves; side by side they add up to more than the run took."""
    cost: float | None = 0.0
    """US dollars; None where the price of a model is not known."""
    abandoned: int = 0
    """Requests that were given up, or broke off, while the model was at work."""
    abandoned_tokens: int = 0
    """About how many tokens a provider may charge for those; they are in no other number here."""

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "CallUsage") -> "CallUsage":
        unknown = self.cost is None or other.cost is None
        return CallUsage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            seconds=round(self.seconds + other.seconds, 3),
            abandoned=self.abandoned + other.abandoned,
            abandoned_tokens=self.abandoned_tokens + other.abandoned_tokens,
            cost=None if unknown else round((self.cost or 0.0) + (other.cost or 0.0), 9),
        )


class Usage(BaseModel):
    """Calls, tokens, money and searches of a run, or of one node's part in it."""

    total: CallUsage = CallUsage()
    roles: dict[str, CallUsage] = Field(default_factory=dict)
    """The same calls by role; they sum to `total`."""
    steps: dict[str, CallUsage] = Field(default_factory=dict)
    """The calls of each step of the plans, by step id."""
    searches: int = 0
    pages: int = 0
    code_runs: int = 0
    unisolated_runs: int = 0
    """Those of the code runs that LEADLINE_SANDBOX=unsafe let run without isolation."""
    seconds: float = 0.0
    """Along the longest chain: of steps that ran side by side, the slowest counts."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            total=self.total + other.total,
            roles=_merged(self.roles, other.roles),
            steps=_merged(self.steps, other.steps),
            searches=self.searches + other.searches,
            pages=self.pages + other.pages,
            code_runs=self.code_runs + other.code_runs,
            unisolated_runs=self.unisolated_runs + other.unisolated_runs,
            seconds=round(self.seconds + other.seconds, 3),
        )


def _merged(mine: dict[str, CallUsage], theirs: dict[str, CallUsage]) -> dict[str, CallUsage]:
    names = sorted({*mine, *theirs})
    return {name: mine.get(name, CallUsage()) + theirs.get(name, CallUsage()) for name in names}


class Allowance(BaseModel):
    """What a node may spend; None stands for no limit. Steps that run side by side get a share each."""

    tokens: int | None = None
    cost: float | None = None
    """US dollars."""
    searches: int | None = None
    pages: int | None = None
    seconds: float = 900.0
