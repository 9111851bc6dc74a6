"""A profile: what a deployment is about, and how it answers. Users write it as YAML."""

from pydantic import BaseModel, ConfigDict, Field


class Topic(BaseModel):
    """A topic of the scope, with words by which it is recognised."""

    model_config = ConfigDict(extra="forbid")

    topic: str
    keywords: list[str] = Field(default_factory=list)


class Scope(BaseModel):
    """What is answered, what is answered with a note, and what is not."""

    model_config = ConfigDict(extra="forbid")

    core: list[Topic] = Field(default_factory=list)
    edge: list[Topic] = Field(default_factory=list)
    outside: list[Topic] = Field(default_factory=list)


class Replies(BaseModel):
    """Ready answers for what is not researched; empty means the built-in ones."""

    model_config = ConfigDict(extra="forbid")

    greeting: str = ""
    out_of_scope: str = ""
    edge_case: str = ""
    unclear: str = ""


class Profile(BaseModel):
    """Everything a profile file may say."""

    model_config = ConfigDict(extra="forbid")

    name: str
    description: str = ""
    locale: str = "auto"
    documents: list[str] = Field(default_factory=list)
    """Folders, relative to the profile's file."""
    scope: Scope = Scope()
    replies: Replies = Replies()
    tone: str = ""
    safety_note: str = ""
