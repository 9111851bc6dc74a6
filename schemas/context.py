"""What a run can choose: the form that Studio shows, the options of the command line, the arguments of `research()`."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from schemas.mcp import McpServer
from schemas.models import ModelChoice, Role, ToolProtocol
from schemas.profile import Profile


def _locale(value: object) -> object:
    """Accept `auto` or a BCP 47 tag of a language and, optionally, script and region."""
    if not isinstance(value, str):
        return value
    tag = value.strip().replace("_", "-") or "auto"
    parts = tag.split("-")
    known = tag == "auto" or (
        parts[0].lower() in LANGUAGES and all(part.isalnum() and 2 <= len(part) <= 4 for part in parts[1:])
    )
    if not known:
        msg = f"unknown locale {value!r}: use auto, or a language tag such as en-US or zh-CN"
        raise ValueError(msg)
    return tag


LANGUAGES = frozenset(
    [
        "af",
        "ar",
        "bg",
        "bn",
        "ca",
        "cs",
        "cy",
        "da",
        "de",
        "el",
        "en",
        "es",
        "et",
        "eu",
        "fa",
        "fi",
        "fr",
        "ga",
        "gl",
        "gu",
        "he",
        "hi",
        "hr",
        "hu",
        "hy",
        "id",
        "is",
        "it",
        "ja",
        "ka",
        "kk",
        "km",
        "kn",
        "ko",
        "lo",
        "lt",
        "lv",
        "mk",
        "ml",
        "mn",
        "mr",
        "ms",
        "my",
        "nb",
        "ne",
        "nl",
        "no",
        "pa",
        "pl",
        "pt",
        "ro",
        "ru",
        "si",
        "sk",
        "sl",
        "sq",
        "sr",
        "sv",
        "sw",
        "ta",
        "te",
        "th",
        "tl",
        "tr",
        "uk",
        "ur",
        "uz",
        "vi",
        "yue",
        "zh",
        "zu",
    ]
)

Locale = Annotated[str, BeforeValidator(_locale)]


OutputFormat = Literal["md", "html", "slides", "pptx", "docx", "pdf"]


class RunContext(BaseModel):
    """Choices of one run. Everything has a default; secrets and endpoints are not here but in the environment."""

    model_config = ConfigDict(extra="forbid")

    deep_research: bool = Field(
        default=True, description="Plan and research in steps. Off: answer from one quick search."
    )
    review_plan: bool = Field(default=False, description="Pause after planning so that a person can review the plan.")
    max_plan_iterations: int = Field(
        default=3, ge=1, le=10, description="How many plans a run may make: the first one and its replans."
    )
    max_step_num: int = Field(default=3, ge=1, le=20, description="How many steps one plan may have.")
    max_step_attempts: int = Field(
        default=2,
        ge=1,
        le=5,
        description="How often a step may be tried: once, and redone with the reflector's feedback.",
    )
    locale: Locale = Field(
        default="auto", description="Language of plan and report: auto (that of the question), en-US, zh-CN, …"
    )
    search: Literal["auto", "tavily", "duckduckgo", "documents", "none"] | None = Field(
        default=None, description="Where to search. Empty: as LEADLINE_SEARCH says, by default all that is there."
    )
    documents: list[str] = Field(
        default=[],
        description="Folders of the user's own documents; the server allows those below LEADLINE_DOCS. "
        "@attachments: the files that were attached to this thread, too.",
    )
    include_domains: list[str] = Field(default=[], description="Sites that a web search keeps to; empty: all.")
    exclude_domains: list[str] = Field(default=[], description="Sites that a web search leaves out.")
    time_range: Literal["day", "week", "month", "year"] | None = Field(
        default=None, description="How recent a page must be that a web search finds. Empty: any age."
    )
    max_results: int = Field(default=10, ge=1, le=20, description="Results that one search gives.")
    profile: Profile | None = Field(
        default=None, description="Scope, replies and tone of a deployment; none by default."
    )
    output_formats: list[OutputFormat] = Field(
        default=["md"], description="Files that are made of the report: md, html, slides, pptx, docx, pdf."
    )
    length: Literal["brief", "standard", "full"] = Field(
        default="standard",
        description="Length of the report. Full: sections written side by side, as much as was found.",
    )
    words: int | None = Field(
        default=None, ge=50, le=50_000, description="Words that the report is to have. Empty: as the length says."
    )
    output_style: Literal["report", "data"] = Field(
        default="report",
        description="What steps work towards: a report from sources, or findings computed from the user's data.",
    )
    unsupported: Literal["mark", "drop"] = Field(
        default="mark", description="What happens to a sentence that its citations do not support."
    )
    tool_protocol: ToolProtocol = Field(
        default="auto",
        description="How models call tools: by native function calls, by the structured JSON protocol, or as it works out.",
    )
    max_tokens: int | None = Field(
        default=None, ge=500, description="Tokens, in and out, that a run may use. Empty: no limit."
    )
    max_cost: float | None = Field(
        default=None, gt=0, description="US dollars that a run's model calls may cost. Empty: no limit."
    )
    max_seconds: int = Field(
        default=900,
        ge=5,
        le=86_400,
        description="Seconds that a run may take; a fifth of them is kept for the report.",
    )
    max_searches: int | None = Field(default=None, ge=0, description="Searches that a run may make. Empty: no limit.")
    max_pages: int | None = Field(default=None, ge=0, description="Pages that a run may read. Empty: no limit.")
    models: dict[Role | Literal["default"], ModelChoice] = Field(
        default={}, description="Model and parameters by role; default stands for all roles."
    )
    mcp_servers: dict[str, McpServer] = Field(
        default={},
        description="Servers of tools (MCP) by name: a command that the operator allows, or a public address. "
        "Servers that need secrets are named in the operator's own file (LEADLINE_MCP).",
    )
