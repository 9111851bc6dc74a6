"""A profile: what a deployment is about, and how it answers. Users write it as YAML.

What it says of search, models and formats holds for every run with it that does not choose otherwise.
"""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.clean_text import Line, Name, Paragraph
from schemas.depth import Depth
from schemas.options import (
    Domains,
    Folders,
    Formats,
    Kinds,
    Length,
    Locale,
    MaxCalls,
    MaxResults,
    Models,
    SearchPlace,
    Style,
    TimeRange,
    Words,
)

MAX_TOPICS = 200
"""Of one list of the scope."""
MAX_PROFILE = 200_000
"""Characters of a whole profile: each run's first prompt holds most of it."""


class Topic(BaseModel):
    """A topic of the scope, with words by which it is recognised."""

    model_config = ConfigDict(extra="forbid")

    topic: Line
    keywords: list[Name] = Field(default_factory=list, max_length=200)
    reply: Paragraph = ""
    """What is said of it: the note that its answers carry, or for a topic outside the scope the answer. Empty: the general one."""


class Scope(BaseModel):
    """What is answered, what is answered with a note, and what is not."""

    model_config = ConfigDict(extra="forbid")

    core: list[Topic] = Field(default_factory=list, max_length=MAX_TOPICS)
    edge: list[Topic] = Field(default_factory=list, max_length=MAX_TOPICS)
    outside: list[Topic] = Field(default_factory=list, max_length=MAX_TOPICS)

    def topic(self, name: str) -> Topic | None:
        """Return a topic by its name."""
        return next((topic for topic in [*self.core, *self.edge, *self.outside] if topic.topic == name), None)


class Replies(BaseModel):
    """Ready answers for what is not researched; empty means the built-in ones."""

    model_config = ConfigDict(extra="forbid")

    greeting: Paragraph = ""
    out_of_scope: Paragraph = ""
    edge_case: Paragraph = ""
    unclear: Paragraph = ""


class SearchChoices(BaseModel):
    """Where and how much is searched; what is left out is as the run chooses."""

    model_config = ConfigDict(extra="forbid")

    provider: SearchPlace | None = None
    include_domains: Domains = []
    exclude_domains: Domains = []
    prefer_kinds: Kinds = []
    exclude_kinds: Kinds = []
    time_range: TimeRange | None = None
    max_results: MaxResults | None = None
    max_searches: MaxCalls | None = None
    max_pages: MaxCalls | None = None


class Profile(BaseModel):
    """Everything a profile file may say."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    description: Paragraph = ""
    locale: Locale = "auto"
    documents: Folders = []
    """Folders, relative to the profile's file; on a server, to a folder of `LEADLINE_DOCS` or to the examples."""
    scope: Scope = Scope.model_construct()  # without its validator, which is made when a profile is read
    replies: Replies = Replies.model_construct()
    tone: Paragraph = ""
    safety_note: Paragraph = ""
    """Stands above every report, a line each."""
    search: SearchChoices = SearchChoices.model_construct()
    models: Models = {}
    formats: Formats = []
    """Files that are made of each report, Markdown aside."""
    style: Style | None = None
    """What steps work towards: a report from sources, or findings computed from the documents' tables."""
    depth: Depth | None = None
    length: Length | None = None
    words: Words | None = None

    @model_validator(mode="after")
    def _not_too_long(self) -> Self:
        size = len(self.model_dump_json())
        if size > MAX_PROFILE:
            msg = f"the whole profile has {size:,} characters; the limit is {MAX_PROFILE:,}"
            raise ValueError(msg)
        return self

    def choices(self) -> dict[str, Any]:
        """Return what a run with this profile chooses unless it chooses otherwise: fields of `RunContext`."""
        choices = {
            "locale": self.locale,
            "documents": self.documents,
            "search": self.search.provider,
            **self.search.model_dump(exclude={"provider"}),
            "models": self.models,
            "output_formats": list(dict.fromkeys(["md", *self.formats])) if self.formats else [],
            "output_style": self.style,
            "depth": self.depth,
            "length": self.length,
            "words": self.words,
        }
        return {name: value for name, value in choices.items() if value not in (None, [], {}, "auto")}
