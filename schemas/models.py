"""A run's choice of a model for each role."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Role = Literal["coordinator", "planner", "researcher", "coder", "reflector", "reporter", "verifier"]
ToolProtocol = Literal["auto", "native", "structured"]
StopWord = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_NAMED = 5
"""Parameters that one message names."""


class Sampling(BaseModel):
    """Parameters of a request that a run or a profile may choose: how a model samples, and how much it thinks.

    Nothing here says where a request goes or what it carries besides the question: addresses, keys, headers, clients,
    timeouts and whatever else an endpoint takes are the operator's, in `LEADLINE_EXTRA`.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=-1, le=100_000, description="-1 means all, if the endpoint supports it.")
    min_p: float | None = Field(default=None, ge=0, le=1)
    typical_p: float | None = Field(default=None, ge=0, le=1)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    repetition_penalty: float | None = Field(default=None, gt=0, le=10, description="The name in vLLM.")
    repeat_penalty: float | None = Field(default=None, gt=0, le=10, description="The name in llama.cpp and Ollama.")
    stop: StopWord | Annotated[list[StopWord], Field(max_length=8)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    enable_thinking: bool | None = None
    thinking_budget: int | None = Field(default=None, ge=-1, le=1_000_000, description="Tokens.")
    verbosity: Literal["low", "medium", "high"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _none_else(cls, value: Any) -> Any:
        """Name what is refused, and what there is."""
        foreign = [name for name in value if name not in cls.model_fields] if isinstance(value, dict) else []
        if foreign:
            named = ", ".join(str(name)[:40] for name in foreign[:_NAMED])
            more = ", …" if len(foreign) > _NAMED else ""
            msg = (
                f"{named}{more}: no run and no profile chooses that. They choose {', '.join(cls.model_fields)}; anything else "
                "is for the operator of Leadline to set (LEADLINE_EXTRA)"
            )
            raise ValueError(msg)
        return value


class ModelChoice(BaseModel):
    """What a run chooses for one role; what it leaves out comes from the environment, else from the defaults.

    A bare string is the model's name. A run chooses among the endpoints that the operator configured, by their names; addresses
    and keys are never chosen by a run.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    model: str | None = Field(
        default=None,
        max_length=200,
        pattern=r"^[^\s\x00-\x1f\x7f]*$",
        description="Name at the endpoint, or provider:name, such as anthropic:claude-sonnet-4-5, of a provider that is set up.",
    )
    endpoint: str | None = Field(
        default=None,
        max_length=40,
        pattern=r"^[A-Za-z0-9_]+$",
        description="Name of an endpoint that the operator configured with LEADLINE_BASE_URL_<NAME>, or default.",
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=16, le=1_000_000, description="Maximum tokens of an answer.")
    timeout: float | None = Field(default=None, gt=0, le=600, description="Maximum seconds of one whole call.")
    first_token_timeout: float | None = Field(
        default=None,
        gt=0,
        le=600,
        description="Seconds of silence before an answer begins, after which the call is repeated.",
    )
    token_timeout: float | None = Field(
        default=None, gt=0, le=600, description="Seconds of silence within an answer, after which the call is repeated."
    )
    context_window: int | None = Field(
        default=None, ge=1_000, le=10_000_000, description="Maximum tokens of prompt and answer together."
    )
    tool_protocol: ToolProtocol | None = None
    extra: Sampling = Field(
        default_factory=Sampling, description="Further parameters of the request, of those that a run may choose."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return {"model": value} if isinstance(value, str) else value
