"""What a run can choose: the form that Studio shows, the options of the command line, the arguments of `research()`."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.bounded import MAX_DOMAINS, MAX_FOLDERS, Domain, Folder, Name
from schemas.locale import LANGUAGES, Locale
from schemas.mcp import McpServer
from schemas.models import ModelChoice, Role, ToolProtocol
from schemas.profile import OutputFormat, Profile

__all__ = ["LANGUAGES", "Locale", "OutputFormat", "RunContext"]


STEMS: dict[str, str] = {
    "coordinator": "coordinator",
    "planner": "planner",
    "researcher": "researcher",
    "coder": "coder",
    "reflector": "reflector",
    "reporter": "reporter",
    "reporter_outline": "reporter",
    "reporter_section": "reporter",
    "reporter_joining": "reporter",
}
"""Stems of the templates, and the nodes that they belong to."""


def _prompt(stem: str, does: str) -> str:
    """Return the field of a prompt: Studio shows it at its node."""
    return Field(
        default="",
        max_length=20_000,
        description=f"The prompt by which the {STEMS[stem]} {does}. Its variables stay; empty: the built-in one.",
        json_schema_extra={"langgraph_nodes": [STEMS[stem]], "langgraph_type": "prompt"},
    )


def _at(*nodes: str) -> dict[str, Any]:
    """Say at which nodes Studio shows a field."""
    return {"langgraph_nodes": list(nodes)}


class RunContext(BaseModel):
    """Choices of one run. Everything has a default; secrets and endpoints are not here but in the environment."""

    model_config = ConfigDict(extra="forbid")

    deep_research: bool = Field(
        default=True, description="Plan and research in steps. Off: answer from one quick search."
    )
    review_plan: bool = Field(
        default=False,
        description="Pause after planning so that a person can review the plan.",
        json_schema_extra=_at("planner", "human_feedback"),
    )
    max_plan_iterations: int = Field(
        default=3,
        ge=1,
        le=10,
        description="How many plans a run may make: the first one and its replans.",
        json_schema_extra=_at("planner", "reflector"),
    )
    max_step_num: int = Field(
        default=3, ge=1, le=20, description="How many steps one plan may have.", json_schema_extra=_at("planner")
    )
    max_step_attempts: int = Field(
        default=2,
        ge=1,
        le=5,
        description="How often a step may be tried: once, and redone with the reflector's feedback.",
        json_schema_extra=_at("reflector"),
    )
    locale: Locale = Field(
        default="auto", description="Language of plan and report: auto (that of the question), en-US, zh-CN, …"
    )
    search: Literal["auto", "tavily", "duckduckgo", "documents", "none"] | None = Field(
        default=None,
        description="Where to search. Empty: as LEADLINE_SEARCH says, by default all that is there.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    documents: list[Folder] = Field(
        default=[],
        max_length=MAX_FOLDERS,
        description="Folders of the user's own documents; the server allows those below LEADLINE_DOCS. "
        "@attachments: the files that were attached to this thread, too.",
        json_schema_extra=_at("background_investigator", "researcher", "coder"),
    )
    include_domains: list[Domain] = Field(
        default=[],
        max_length=MAX_DOMAINS,
        description="Sites that a web search keeps to; empty: all.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    exclude_domains: list[Domain] = Field(
        default=[],
        max_length=MAX_DOMAINS,
        description="Sites that a web search leaves out.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    time_range: Literal["day", "week", "month", "year"] | None = Field(
        default=None,
        description="How recent a page must be that a web search finds. Empty: any age.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    max_results: int = Field(
        default=10,
        ge=1,
        le=20,
        description="Results that one search gives.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    profile: Profile | None = Field(
        default=None,
        title="Profile",
        description="Scope, replies and tone of a deployment; none by default.",
        json_schema_extra=_at("coordinator", "reporter"),
    )
    output_formats: list[OutputFormat] = Field(
        default=["md"],
        max_length=20,
        description="Files that are made of the report: md, html, slides, pptx, docx, pdf.",
        json_schema_extra=_at("reporter"),
    )
    length: Literal["brief", "standard", "full"] = Field(
        default="standard",
        description="Length of the report. Full: sections written side by side, as much as was found.",
        json_schema_extra=_at("reporter"),
    )
    words: int | None = Field(
        default=None,
        ge=50,
        le=50_000,
        description="Words that the report is to have. Empty: as the length says.",
        json_schema_extra=_at("reporter"),
    )
    output_style: Literal["report", "data"] = Field(
        default="report",
        description="What steps work towards: a report from sources, or findings computed from the user's data.",
        json_schema_extra=_at("planner", "coder"),
    )
    unsupported: Literal["mark", "drop"] = Field(
        default="mark",
        description="What happens to a sentence that its citations do not support.",
        json_schema_extra=_at("reporter"),
    )
    tool_protocol: ToolProtocol = Field(
        default="auto",
        description="How models call tools: by native function calls, by the structured JSON protocol, or as it works out.",
        json_schema_extra=_at("researcher", "coder"),
    )
    max_tokens: int | None = Field(
        default=None, ge=500, le=10**12, description="Tokens, in and out, that a run may use. Empty: no limit."
    )
    max_cost: float | None = Field(
        default=None,
        gt=0,
        le=1e9,
        allow_inf_nan=False,
        description="US dollars that a run's model calls may cost. Empty: no limit.",
    )
    max_seconds: int = Field(
        default=900,
        ge=5,
        le=86_400,
        description="Seconds that a run may take; a fifth of them is kept for the report.",
    )
    max_searches: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Searches that a run may make. Empty: no limit.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    max_pages: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Pages that a run may read. Empty: no limit.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    models: dict[Role | Literal["default"], ModelChoice] = Field(
        default={}, description="Model and parameters by role; default stands for all roles."
    )
    mcp_servers: dict[Name, McpServer] = Field(
        default={},
        max_length=20,
        title="MCP servers",
        description="Servers of tools (MCP) by name: a command that the operator allows, or a public address. "
        "Servers that need secrets are named in the operator's own file (LEADLINE_MCP).",
        json_schema_extra=_at("planner", "researcher", "coder"),
    )
    coordinator_prompt: str = _prompt("coordinator", "reads a question")
    planner_prompt: str = _prompt("planner", "plans")
    researcher_prompt: str = _prompt("researcher", "quotes what a step needs")
    coder_prompt: str = _prompt("coder", "computes")
    reflector_prompt: str = _prompt("reflector", "checks what was found")
    reporter_prompt: str = _prompt("reporter", "writes")
    reporter_outline_prompt: str = _prompt("reporter_outline", "outlines a long report")
    reporter_section_prompt: str = _prompt("reporter_section", "writes a section of a long report")
    reporter_joining_prompt: str = _prompt("reporter_joining", "joins the sections of a long report")

    @property
    def prompts(self) -> dict[str, str]:
        """The prompts that the run brings along, by the stem of the template."""
        return {stem: text for stem in STEMS if (text := getattr(self, f"{stem}_prompt"))}

    @model_validator(mode="after")
    def _as_the_profile_says(self) -> Self:
        """Take what the profile says where the run has left the default."""
        said = self.profile.choices() if self.profile is not None else {}
        for name, value in said.items():
            if getattr(self, name) == type(self).model_fields[name].default:
                setattr(self, name, value)
        return self
