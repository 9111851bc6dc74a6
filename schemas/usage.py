"""What a run used, by role; adds up over parallel steps."""

from pydantic import BaseModel, Field


class RoleUsage(BaseModel):
    """Model calls of one role."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Usage(BaseModel):
    """Calls, tokens and searches of a run, or of one node's part in it."""

    roles: dict[str, RoleUsage] = Field(default_factory=dict)
    searches: int = 0
    pages: int = 0
    code_runs: int = 0
    seconds: float = 0.0
    """Along the longest chain: of steps that ran side by side, the slowest counts."""

    def __add__(self, other: "Usage") -> "Usage":
        roles = {role: use.model_copy() for role, use in self.roles.items()}
        for role, use in other.roles.items():
            mine = roles.get(role, RoleUsage())
            roles[role] = RoleUsage(
                calls=mine.calls + use.calls,
                input_tokens=mine.input_tokens + use.input_tokens,
                output_tokens=mine.output_tokens + use.output_tokens,
            )
        return Usage(
            roles=dict(sorted(roles.items())),
            searches=self.searches + other.searches,
            pages=self.pages + other.pages,
            code_runs=self.code_runs + other.code_runs,
            seconds=self.seconds + other.seconds,
        )
