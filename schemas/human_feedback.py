"""A person's answer to a plan review."""

from typing import Literal

from pydantic import BaseModel, Field

from schemas.planner import Plan


class PlanReview(BaseModel):
    """Accept the plan, say what to change, or hand in another one."""

    action: Literal["accept", "edit", "replace"]
    feedback: str = Field(default="", description="With `edit`: what to change, in your own words.")
    plan: Plan | None = Field(default=None, description="With `replace`: the whole plan.")
