"""A profile: what a deployment is about, and how it answers. Users write it as YAML.

What it says of search, models and formats holds for every run with it that does not choose otherwise.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.locale import Locale
from schemas.models import ModelChoice, Role

OutputFormat = Literal["md", "html", "slides", "pptx", "docx", "pdf"]


class Topic(BaseModel):
    """A topic of the scope, with words by which it is recognised."""

    model_config = ConfigDict(extra="forbid")

    topic: str
    keywords: list[str] = Field(default_factory=list)
    reply: str = ""
    """What is said of it: the note that its answers carry, or for a topic outside the scope the answer. Empty: the general one."""


class Scope(BaseModel):
    """What is answered, what is answered with a note, and what is not."""

    model_config = ConfigDict(extra="forbid")

    core: list[Topic] = Field(default_factory=list)
    edge: list[Topic] = Field(default_factory=list)
    outside: list[Topic] = Field(default_factory=list)

    def topic(self, name: str) -> Topic | None:
        """Return a topic by its name."""
        return next((one for one in [*self.core, *self.edge, *self.outside] if one.topic == name), None)


class Replies(BaseModel):
    """Ready answers for what is not researched; empty means the built-in ones."""

    model_config = ConfigDict(extra="forbid")

    greeting: str = ""
    out_of_scope: str = ""
    edge_case: str = ""
    unclear: str = ""


class SearchChoices(BaseModel):
    """Where and how much is searched; what is left out is as the run chooses."""

    model_config = ConfigDict(extra="forbid")

    provider: Literal["auto", "tavily", "duckduckgo", "documents", "none"] | None = None
    include_domains: list[str] = Field(default_factory=list)
    """Sites that a web search keeps to."""
    exclude_domains: list[str] = Field(default_factory=list)
    """Sites that it leaves out."""
    time_range: Literal["day", "week", "month", "year"] | None = None
    """How recent a page must be."""
    max_results: int | None = Field(default=None, ge=1, le=20)
    """Results of one search."""
    max_searches: int | None = Field(default=None, ge=0)
    max_pages: int | None = Field(default=None, ge=0)


class Profile(BaseModel):
    """Everything a profile file may say."""

    model_config = ConfigDict(extra="forbid")

    name: str
    description: str = ""
    locale: Locale = "auto"
    documents: list[str] = Field(default_factory=list)
    """Folders, relative to the profile's file; on a server, to a folder of `LEADLINE_DOCS` or to the examples."""
    scope: Scope = Scope.model_construct()  # without its validator, which is made when a profile is read
    replies: Replies = Replies.model_construct()
    tone: str = ""
    safety_note: str = ""
    """Stands above every report, a line each."""
    search: SearchChoices = SearchChoices.model_construct()
    models: dict[Role | Literal["default"], ModelChoice] = Field(default_factory=dict)
    """Model and parameters by role; `default` stands for all roles."""
    formats: list[OutputFormat] = Field(default_factory=list)
    """Files that are made of each report, Markdown aside."""
    style: Literal["report", "data"] | None = None
    """What steps work towards: a report from sources, or findings computed from the documents' tables."""
    length: Literal["brief", "standard", "full"] | None = None
    words: int | None = Field(default=None, ge=50, le=50_000)

    def choices(self) -> dict[str, Any]:
        """Return what a run with this profile chooses unless it chooses otherwise: fields of `RunContext`."""
        search = self.search
        said = {
            "locale": self.locale,
            "documents": self.documents,
            "search": search.provider,
            "include_domains": search.include_domains,
            "exclude_domains": search.exclude_domains,
            "time_range": search.time_range,
            "max_results": search.max_results,
            "max_searches": search.max_searches,
            "max_pages": search.max_pages,
            "models": self.models,
            "output_formats": list(dict.fromkeys(["md", *self.formats])) if self.formats else [],
            "output_style": self.style,
            "length": self.length,
            "words": self.words,
        }
        return {name: value for name, value in said.items() if value not in (None, [], {}, "auto")}
