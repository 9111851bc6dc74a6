"""The record of a search service: where it is asked, with what, and what its answers mean. All that differs is data.

`services.toml` has those that Leadline knows; an operator's own file has the same form.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from schemas.clean_text import CleanLine, clean_address
from schemas.evidence import SourceCategory, StepKind
from schemas.options import SEARCH_WORDS, TimeRange
from services.run.errors import BadInput, reason_of
from services.run.ui_text import say, told
from services.search.web_services.answers import steps

PLACEHOLDERS = frozenset("query limit language contact key time_range since since_day only never".split())
"""What parameters, headers and the address can hold in braces; the docstring of `Service.parameters` says what each is."""
Form = Literal["markup", "inverted_index"]
"""How a text is written, if not plainly: with tags of HTML or JATS, or as OpenAlex does, the places of each word."""

BUILT_IN = Path(__file__).with_name("services.toml")
_WORDS = {"extra_forbidden": "services_no_field", "missing": "services_missing"}
"""Messages of errors that pydantic words less clearly."""
OWN_CLIENTS = ("tavily", "duckduckgo")
"""Searches with their own clients, which records cannot replace."""
LONGEST_FILE = 1_000_000
"""Maximum bytes of an operator's file."""


def placeholders(template: str) -> set[str]:
    """Return what stands in braces.

    Raises:
        ValueError: a brace is not closed.
    """
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def _path(path: str) -> str:
    for part in placeholders(path) or {path}:
        steps(part)
    return path


def _place(path: str) -> str:
    if path:
        steps(path)
    return path


def _condition(condition: str) -> str:
    steps(condition.removeprefix("!").partition("=")[0])
    return condition


def _template(text: str) -> str:
    if unknown := placeholders(text) - PLACEHOLDERS:
        raise ValueError(f"there is no placeholder {{{min(unknown)}}}; there are {', '.join(sorted(PLACEHOLDERS))}")
    return text


def _templates(value: Any) -> Any:
    if isinstance(value, str):
        _template(value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _templates(inner)
    return value


def _address(address: str) -> str:
    if address and (not clean_address(address) or placeholders(address) - {"language"}):
        raise ValueError(
            "this is not an address; write it like https://api.example.org, in which only {language} may be open"
        )
    return address.rstrip("/")


Template = Annotated[str, AfterValidator(_template)]
AnswerPath = Annotated[str, AfterValidator(_path)]
Paths = Annotated[
    tuple[AnswerPath, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    Field(max_length=8),
]
"""Where a field is: one path, or several of which the first that leads to something counts. A path in braces may stand in
a text around it: `https://doi.org/{doi}`."""
Place = Annotated[str, AfterValidator(_place)]
"""A path from an answer on, or nothing for the answer itself."""
Condition = Annotated[str, Field(pattern=r"^(?:[^=!]+=[^=]*|![^=!]+)$"), AfterValidator(_condition)]
"""`total=0`: a path leads to this value; `!query`: it leads nowhere."""
Setting = Annotated[str, Field(pattern=r"^(?:[A-Z][A-Z0-9_]{2,60})?$")]
"""Name of an environment variable."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fields(_Record):
    """Where each field of a result is, from the result on."""

    url: Paths = Field(min_length=1)
    title: Paths = Field(min_length=1)
    text: Paths = ()
    """The page's own text; with it there is no need to read the page."""
    abstract: Paths = ()
    """The abstract of a publication."""
    snippet: Paths = ()
    """A part of the page's text."""
    published: Paths = ()
    """A date, a year, or Crossref's lists of year, month and day."""
    venue: Paths = ()
    authors: Paths = ()
    """Names, or objects in which `author_name` is."""
    author_name: Paths = ("name",)
    citations: Paths = ()
    doi: Paths = ()
    licence: Paths = ()
    open_url: Paths = ()
    """Address of the whole text where it is open."""
    others: Paths = ()
    """Further pages on the same subject, such as the English article beside a Chinese one: objects in which `other_url` and
    `other_title` are. Each is a result right after this one, without a text, so that its page is read."""
    other_url: Paths = ("url",)
    other_title: Paths = ("title",)


class Words(_Record):
    """For services that want search terms: how the words of a query are put together, without stop words."""

    form: str = "{word}"
    between: str = " "
    most: int = Field(default=8, ge=1, le=50)
    """Words that are sent, the first ones: where all must occur, each more finds less."""


class Service(_Record):
    """One search service."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    """By which a run chooses it."""
    title: Annotated[CleanLine, Field(min_length=1, max_length=60)]
    """As messages name it."""
    terms: str = ""
    """Address of its documentation or terms of use."""
    address: Annotated[str, AfterValidator(_address)] = ""
    """Scheme and host, in which `{language}` may be open; empty where the operator must give it."""
    path: str = Field(default="", pattern=r"^(?:/[\w./~-]*)?$")
    """Added to the address, also to an operator's own."""
    address_setting: Setting = ""
    """Environment variable of an operator's own address."""
    key_setting: Setting = ""
    """Environment variable of the key."""
    key: Literal["none", "optional", "needed"] = "none"
    method: Literal["GET", "POST"] = "GET"
    headers: dict[str, Template] = Field(default_factory=dict)
    """A header of which a placeholder is empty is not sent; so keys and contacts go into one."""
    parameters: Annotated[dict[str, Any], AfterValidator(_templates)]
    """Of the address, or with POST the JSON object that is sent. One with an empty placeholder is left out. `{query}` is
    what is searched for, `{limit}` how many results, `{language}` `en` or `zh` or what `languages` says, `{contact}` the
    operator's e-mail address, `{key}` the key, `{time_range}` what `time_ranges` says, `{since}` the first day of the
    range as 2026-01-31 and `{since_day}` as 20260131, `{only}` and `{never}` (in JSON) the lists of domains."""
    max_results: int = Field(default=10, ge=1, le=200)
    """Results that it gives in one answer."""
    max_query: int = Field(default=400, ge=10, le=4_000)
    """Characters of a query that it takes."""
    words: Words | None = None
    """Without this a query is sent as it was written."""
    since_query: Template = ""
    """The query's form when a time range is asked for, where the service takes that as part of the query."""
    site_operators: bool = False
    """Whether it understands `site:` and `-site:` in a query."""
    languages: dict[Literal["en", "zh"], str] = Field(default_factory=dict)
    time_ranges: dict[TimeRange, str] = Field(default_factory=dict)
    answer: Literal["json", "atom"] = "json"
    results: Place = ""
    """Path to the results; empty where the answer is their list."""
    order: Place = ""
    """Path of a number in each result by which they are ordered, where the answer does not have them in order."""
    empty: tuple[Condition, ...] = ()
    """What is true of an answer that says by having no list of results that nothing was found."""
    error: Place = ""
    """Path at which an answer with status 200 says what went wrong."""
    reasons: Place = ""
    """Path at which an answer without results says why it has none."""
    errors: dict[Annotated[str, Field(pattern=r"^[1-5]\d\d$")], str] = Field(default_factory=dict)
    """What to tell a person at certain statuses, where the usual message would mislead."""
    fields: Fields
    forms: dict[Literal["title", "text", "abstract", "snippet"], Form] = Field(default_factory=dict)
    """Fields that are no plain text."""
    pause: float = Field(default=0.0, ge=0, le=60)
    """Seconds between the starts of two requests of this process."""
    pause_with_key: float | None = Field(default=None, ge=0, le=60)
    """Likewise with a key, where that is another."""
    kinds: tuple[StepKind, ...] = ("general",)
    """Steps that it is good for."""
    source_kind: SourceCategory = "general"
    """What its results are, whatever their addresses say; `general` leaves that to the addresses."""
    sends_contact: bool = False
    """Whether the service asks for an address of who is responsible; without this none is sent, in no header either."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not (self.address or self.address_setting):
            raise ValueError("there is neither an address nor an address_setting")
        if self.key != "none" and not self.key_setting:
            raise ValueError("key_setting is missing: name the environment variable of the key")
        if "{query}" not in str(self.parameters):
            raise ValueError("no parameter holds {query}")
        if self.answer == "atom" and "inverted_index" in self.forms.values():
            raise ValueError("an inverted index is JSON, and answer is atom")
        return self

    def missing(self, key: str | None, address: str | None) -> str:
        """Say which setting is missing before the service can be asked; empty where none is."""
        if self.key == "needed" and not key:
            return self.key_setting
        return "" if address or self.address else self.address_setting

    def pause_for(self, key: str | None) -> float:
        """Return the seconds between two requests."""
        return self.pause_with_key if key and self.pause_with_key is not None else self.pause


@cache
def services(own: Path | None = None) -> Mapping[str, Service]:
    """Return the services by name; records of the operator's file replace built-in ones of the same name. Blocking when called first.

    Raises:
        BadInput: the file cannot be read, or one of its records cannot be used.
    """
    return MappingProxyType({**read_services(BUILT_IN), **(read_services(own) if own else {})})


def read_services(file: Path) -> dict[str, Service]:
    """Read the records of a file: a table for each service, by its name. Blocking.

    Raises:
        BadInput: the file cannot be read, or a record cannot be used; the message names file, service and field.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(LONGEST_FILE + 1)
        if len(data) > LONGEST_FILE:
            raise BadInput(**told("services_long", file=file))
        tables = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise BadInput(**told("services_unread", file=file, reason=error.strerror)) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(**told("services_no_toml", file=file, reason=error)) from None
    return {name: _service(file, name, table) for name, table in tables.items()}


def _service(file: Path, name: str, table: Any) -> Service:
    if not isinstance(table, dict):
        raise BadInput(**told("services_no_table", file=file, name=name))
    if name in (*OWN_CLIENTS, *SEARCH_WORDS):
        raise BadInput(**told("services_taken", file=file, name=name))
    if "name" in table:
        raise BadInput(**told("services_name", file=file, name=name))
    try:
        return Service.model_validate({**table, "name": name})
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)
        # A misspelt field is unknown and also missing: the error of the unknown field is clearer.
        problem = next((entry for entry in problems if entry["type"] == "extra_forbidden"), problems[0])
        where = ".".join(str(part) for part in (name, *problem["loc"]))
        key = _WORDS.get(problem["type"])
        what = say(key) if key else reason_of(problem)
        raise BadInput(**told("services_invalid", file=file, where=where, reason=what)) from None
