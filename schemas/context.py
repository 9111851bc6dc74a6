"""The choices of a run, declared once: for Studio's form, the command line, the MCP tool and `research()`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from schemas.clean_text import Name
from schemas.depth import LEVELS, Depth, Level
from schemas.mcp import McpServer
from schemas.models import ToolProtocol
from schemas.options import (
    CHOICES,
    LANGUAGES,
    LIMITS,
    OUTPUT,
    Domains,
    Flag,
    Folders,
    Formats,
    Kinds,
    Length,
    Locale,
    MaxCalls,
    MaxResults,
    Models,
    OutputFormat,
    SearchPlace,
    Style,
    TimeRange,
    Words,
)
from schemas.profile import Profile
from schemas.wishes import ChosenWishes

__all__ = ["LANGUAGES", "Locale", "OutputFormat", "RunContext"]


Stem = Literal[
    "coordinator",
    "planner",
    "researcher",
    "coder",
    "reflector",
    "reporter",
    "reporter_section",
    "reporter_joining",
    "reporter_wording",
    "reporter_editing",
    "reporter_sentences",
    "reporter_slides",
    "verifier",
]
"""Stem of a prompt template."""
STEMS: tuple[Stem, ...] = get_args(Stem)
Prompts = dict[Stem, Annotated[str, Field(max_length=20_000)]]


def _at(*nodes: str) -> dict[str, Any]:
    """Say at which nodes Studio shows a field."""
    return {"langgraph_nodes": list(nodes)}


FOLLOW_DEPTH = frozenset(["max_plan_iterations", "max_step_num", "max_seconds"])
"""Fields that follow from the depth where they are not chosen by themselves."""
_BY_DEPTH: dict[str, Any] = {"default": None}
"""Marks a field that follows from the depth: forms show it empty, so that the default of one level is no choice at another."""


def flat(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return choices with those of the object `advanced`, Studio's form of them, beside the others; the others prevail."""
    others = {name: value for name, value in choices.items() if name != "advanced"}
    return {**advanced, **others} if isinstance(advanced := choices.get("advanced"), Mapping) else dict(choices)


class RunContext(BaseModel):
    """Choices of one run. Everything has a default; secrets and endpoints are not here but in the environment."""

    model_config = ConfigDict(extra="forbid")

    depth: Annotated[
        Depth, Flag(metavar="DEPTH", panel=CHOICES, help="How deep: quick, standard, deep, exhaustive.", rare=False)
    ] = Field(
        default="standard",
        description="How deep the run goes. It sets plans, steps, rounds of search, sources, length and time, "
        "unless one of these is set separately.",
        json_schema_extra=_at("planner", "researcher", "reporter"),
    )
    deep_research: Annotated[
        bool, Flag("--quick", panel=CHOICES, help="Answer from one quick search, without a plan: --depth quick.")
    ] = Field(default=True, description="Plan and research in steps. Off: the depth is quick, whatever `depth` says.")
    review_plan: Annotated[
        bool, Flag("--review", panel=CHOICES, help="Show the plan first, and wait for your review.", rare=False)
    ] = Field(
        default=False,
        description="Pause after planning so that a person can review the plan.",
        json_schema_extra=_at("planner", "human_feedback"),
    )
    max_plan_iterations: Annotated[int, Flag("--max-plans", "N", CHOICES)] = Field(
        default=3,
        ge=1,
        le=10,
        description="Maximum plans of a run: the first one and its replans.",
        json_schema_extra=_at("planner", "reflector") | _BY_DEPTH,
    )
    max_step_num: Annotated[int, Flag("--max-steps", "N", CHOICES)] = Field(
        default=3,
        ge=1,
        le=20,
        description="Maximum steps of one plan.",
        json_schema_extra=_at("planner") | _BY_DEPTH,
    )
    max_step_attempts: int = Field(
        default=2,
        ge=1,
        le=5,
        description="Maximum attempts at a step: the first, and repeats with the reflector's feedback.",
        json_schema_extra=_at("reflector"),
    )
    locale: Annotated[Locale, Flag(metavar="L", panel=OUTPUT, help="Language: auto, en-US, zh-CN, …", rare=False)] = (
        Field(default="auto", description="Language of plan and report: auto (that of the question), en-US, zh-CN, …")
    )
    search: Annotated[
        SearchPlace | None,
        Flag(metavar="NAME", help="Where to search: documents, none, duckduckgo, arxiv, …", rare=False),
    ] = Field(
        default=None,
        description="Where to search: auto, documents, none, or names of web searches: joined by + they are used "
        "side by side, by | the next is used when one fails. Default: LEADLINE_SEARCH, else all that are available.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    documents: Annotated[
        Folders, Flag("--docs", "DIR", help="Folder of your own documents; repeatable.", rare=False)
    ] = Field(
        default=[],
        description="Folders of your own documents; a server allows those below LEADLINE_DOCS. "
        "@attachments adds the files attached to this thread.",
        json_schema_extra=_at("background_investigator", "researcher", "coder"),
    )
    include_domains: Domains = Field(
        default=[],
        description="Only sites that a web search may use; empty: all.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    exclude_domains: Domains = Field(
        default=[],
        description="Sites that a web search excludes.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    prefer_kinds: Annotated[Kinds, Flag(metavar="K,K,…", panel=CHOICES)] = Field(
        default=[],
        description="Kinds of web pages to prefer in searches: academic, news, code, official, reference, forum, company, "
        "personal.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    exclude_kinds: Annotated[Kinds, Flag(metavar="K,K,…", panel=CHOICES)] = Field(
        default=[],
        description="Kinds of web pages to exclude, even if preferred; the same kinds as above.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    time_range: TimeRange | None = Field(
        default=None,
        description="Maximum age of pages in web searches; by default any age.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    max_results: MaxResults = Field(
        default=10,
        description="Results per search.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    memory: Annotated[bool, Flag(panel=CHOICES)] = Field(
        default=False,
        description="Save the proven statements of the report with their quotes, for this user only, and search them before "
        "the web.",
        json_schema_extra=_at("background_investigator", "reporter"),
    )
    profile: Annotated[Profile | None, Flag(metavar="FILE", help="Profile (YAML): scope, replies, documents.")] = Field(
        default=None,
        title="Profile",
        description="Scope, replies and tone of a deployment; none by default.",
        json_schema_extra=_at("coordinator", "reporter"),
    )
    output_formats: Annotated[
        Formats,
        Flag("--format", "F,F,…", OUTPUT, help="Files: md, html, slides, pptx, pdf, …", rare=False),
    ] = Field(
        default=["md"],
        description="Formats of the report: md, html, slides, pptx, docx, pdf; and of its references: csl.",
        json_schema_extra=_at("reporter"),
    )
    length: Annotated[Length, Flag(metavar="LENGTH", panel=CHOICES)] = Field(
        default="standard",
        description="Length of the report. Full: sections are written in parallel, with everything that was found.",
        json_schema_extra=_at("reporter"),
    )
    words: Annotated[Words | None, Flag(metavar="N", panel=CHOICES)] = Field(
        default=None,
        description="Length of the report in words; by default from depth and length.",
        json_schema_extra=_at("reporter"),
    )
    wishes: Annotated[
        ChosenWishes,
        Flag("--wish", "NAME=VALUE", CHOICES, "Form, readers or dates: shape=table, after=2024; repeatable."),
    ] = Field(
        default=ChosenWishes(),
        title="Wishes",
        description="Form of the answer, which a question may also ask for: shape (table, list, json), columns, form, "
        "readers, after and before (dates of sources); ignored: requests in the question to ignore.",
        json_schema_extra=_at("coordinator", "researcher", "reporter"),
    )
    output_style: Annotated[Style, Flag("--style", "STYLE", panel=CHOICES)] = Field(
        default="report",
        description="Kind of result: a report from sources, or findings computed from your data.",
        json_schema_extra=_at("planner", "coder"),
    )
    unsupported: Literal["mark", "drop"] = Field(
        default="mark",
        description="Sentences that their citations do not support: mark or drop them.",
        json_schema_extra=_at("reporter"),
    )
    verify: Annotated[Literal["auto", "code", "model"], Flag(metavar="WHO", panel=CHOICES)] = Field(
        default="auto",
        description="Who checks sentences against what they cite: code only, or also a model. "
        "Auto: a model if one is connected; of quick answers only what code does not find proved.",
        json_schema_extra=_at("reporter"),
    )
    tool_protocol: ToolProtocol = Field(
        default="auto",
        description="How models call tools: native function calls, the structured JSON protocol, or auto: whichever works.",
        json_schema_extra=_at("researcher", "coder"),
    )
    max_tokens: Annotated[int | None, Flag(metavar="N", panel=LIMITS)] = Field(
        default=None,
        ge=500,
        le=10**12,
        description="Maximum input and output tokens of a run; by default no limit.",
    )
    max_cost: Annotated[
        float | None,
        Flag(metavar="USD", panel=LIMITS, help="Most that model calls may cost, in US dollars.", rare=False),
    ] = Field(
        default=None,
        gt=0,
        le=1e9,
        allow_inf_nan=False,
        description="Maximum cost of a run's model calls, in US dollars; by default no limit.",
    )
    max_seconds: Annotated[int, Flag(metavar="S", panel=LIMITS, help="Most seconds it may take.", rare=False)] = Field(
        default=900,
        ge=5,
        le=86_400,
        description="Maximum seconds of a run; a fifth of them is reserved for the report.",
        json_schema_extra=_BY_DEPTH,
    )
    max_searches: Annotated[MaxCalls | None, Flag(metavar="N", panel=LIMITS)] = Field(
        default=None,
        description="Maximum searches of a run; by default no limit.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    max_pages: Annotated[MaxCalls | None, Flag(metavar="N", panel=LIMITS)] = Field(
        default=None,
        description="Maximum web pages that a run reads; by default no limit.",
        json_schema_extra=_at("background_investigator", "researcher"),
    )
    models: Models = Field(
        default={}, description="Model and parameters by role; the key default applies to all roles."
    )
    mcp_servers: dict[Name, McpServer] = Field(
        default={},
        max_length=20,
        title="MCP servers",
        description="MCP servers by name: a command that the operator allows, or a public address. "
        "Servers that need secrets belong in the operator's own file (LEADLINE_MCP).",
        json_schema_extra=_at("planner", "researcher", "coder"),
    )
    prompts: Prompts = Field(
        default={},
        description="Your own prompts by template name, such as planner; keep their variables. "
        "Templates that are missing or empty are the built-in ones.",
    )

    @property
    def level(self) -> Level:
        """The limits of the depth."""
        return LEVELS[self.depth]

    @model_validator(mode="before")
    @classmethod
    def _read_forms(cls, fields: Any) -> Any:
        """Take the fields of `advanced`, the object of Studio's form; null leaves a field that follows from the depth unset."""
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in flat(fields).items() if value is not None or name not in FOLLOW_DEPTH}

    @field_validator("documents")
    @classmethod
    def _are_searched(cls, folders: list[str], info: ValidationInfo) -> list[str]:
        """Refuse folders where nothing is searched."""
        if folders and info.data.get("search") == "none":
            raise ValueError("the search is none; choose documents to search these folders alone")
        return folders

    @model_validator(mode="after")
    def _take_the_profiles_choices(self) -> Self:
        """Apply the options of the profile that the run does not set itself, and then the limits of the depth."""
        for name, value in self._profile_choices().items():
            if name not in self.model_fields_set:
                setattr(self, name, value)
        if not self.deep_research:
            self.depth = "quick"
        self.deep_research = self.depth != "quick"
        for name, value in self._choices_of_depth().items():
            if name not in self.model_fields_set:
                setattr(self, name, value)
                self.model_fields_set.discard(name)  # nobody chose it
        return self

    def own_choices(self) -> set[str]:
        """Return the fields that the run chooses itself: what differs from its profile and depth, and else from the defaults."""
        expected = {name: field.default for name, field in RunContext.model_fields.items()}
        expected |= self._choices_of_depth() | {"deep_research": self.deep_research} | self._profile_choices()
        return {name for name in self.model_fields_set if getattr(self, name) != expected[name]}

    def _choices_of_depth(self) -> dict[str, Any]:
        """Return what the depth says of fields that may be chosen by themselves."""
        level = self.level
        return {
            "max_plan_iterations": level.plans,
            "max_step_num": level.steps,
            "max_seconds": level.seconds,
        }

    def _profile_choices(self) -> dict[str, Any]:
        return self.profile.choices() if self.profile is not None else {}
