"""Types of the options that a run and its profile share, and how the command line writes an option."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from schemas.clean_text import Domain, Folder
from schemas.evidence import NamedKind
from schemas.models import ModelChoice, Role

SEARCH_WORDS = ("auto", "documents", "none")
"""What says where to search without naming a search of the web."""
SearchPlace = Annotated[
    str,
    Field(
        max_length=400,
        examples=[
            *SEARCH_WORDS,
            *("tavily duckduckgo searxng brave exa serper wikipedia openalex crossref arxiv".split()),
            *("europepmc semanticscholar github github-code".split()),
        ],
    ),
]
"""One of these, or names of searches: with + between they are asked side by side, with | the next when one fails. Which there
are, an operator's file says, too; these are the built-in ones, for forms and completion."""
TimeRange = Literal["day", "week", "month", "year"]
DAYS: Mapping[TimeRange, int] = {"day": 1, "week": 7, "month": 31, "year": 366}
Length = Literal["brief", "standard", "full"]
Style = Literal["report", "data"]
OutputFormat = Literal["md", "html", "slides", "pptx", "docx", "pdf", "csl"]
MAX_DOMAINS = 200
MAX_FOLDERS = 100
Formats = Annotated[list[OutputFormat], Field(max_length=20)]
Folders = Annotated[list[Folder], Field(max_length=MAX_FOLDERS)]
Domains = Annotated[list[Domain], Field(max_length=MAX_DOMAINS)]
Kinds = Annotated[list[NamedKind], Field(max_length=20)]
"""Kinds of source, such as official or forum."""
Models = dict[Role | Literal["default"], ModelChoice]
"""Model and parameters by role; `default` stands for all roles."""
Words = Annotated[int, Field(ge=50, le=50_000)]
MaxResults = Annotated[int, Field(ge=1, le=20)]
MaxCalls = Annotated[int, Field(ge=0, le=1_000_000)]
"""Bound of searches, or of pages read, in a run."""

CHOICES, LIMITS, OUTPUT = "Research", "Limits", "Output"
"""Headings below which the help of the command line lists options."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Marks a field of `RunContext` as an option of the command line; type, default and help come from the field.

    The option of a truth value takes no value: it turns the default round.
    """

    name: str = ""
    """Of the option, where it is not that of the field."""
    metavar: str | None = None
    """What stands for the value in the help; by default its type."""
    panel: str | None = None
    help: str = ""
    """Where the field's description does not fit the option."""
    rare: bool = True
    """Whether `--help-all` alone shows it, and `--help` does not."""
