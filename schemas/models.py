"""Which model plays which role, as a run may choose it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Role = Literal["coordinator", "planner", "researcher", "coder", "reflector", "reporter"]
ToolProtocol = Literal["auto", "native", "structured"]


class ModelChoice(BaseModel):
    """What a run chooses for one role; what it leaves out comes from the environment, else from the defaults.

    A bare string is the model's name. Endpoints and keys are never chosen by a run.
    """

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(
        default=None, description="Name at the endpoint, or provider:name, such as anthropic:claude-sonnet-4-5."
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=16, description="Most tokens an answer may have.")
    timeout: float | None = Field(default=None, gt=0, le=600, description="Seconds for one call, all of it.")
    first_token_timeout: float | None = Field(
        default=None,
        gt=0,
        le=600,
        description="Seconds of silence before an answer begins, then the call is tried anew.",
    )
    token_timeout: float | None = Field(
        default=None, gt=0, le=600, description="Seconds of silence amid an answer, then the call is tried anew."
    )
    context_window: int | None = Field(
        default=None, ge=1_000, description="Tokens that prompt and answer may have together."
    )
    tool_protocol: ToolProtocol | None = None
    extra: dict[str, Any] = Field(
        default_factory=dict, description="Further parameters of the request, passed on as they are."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return {"model": value} if isinstance(value, str) else value
