"""The choices of a run as named, typed arguments in Python, and as YAML files that describe a deployment (profiles).

`RunContext` declares them; a test holds the list to it.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from schemas.context import FOLLOW_DEPTH, RunContext
from schemas.depth import Depth
from schemas.evidence import NamedKind
from schemas.mcp import McpServer
from schemas.models import ModelChoice, ToolProtocol
from schemas.options import Flag, Length, OutputFormat, Style, TimeRange
from schemas.profile import Profile
from schemas.regular_file import read_regular_text
from schemas.wishes import ChosenWishes
from services.run.errors import BadInput, reason_of, refused_value
from services.run.message_forms import register_arguments
from services.run.ui_text import say, told


class Choices(TypedDict, total=False):
    """Fields of `RunContext`; what is left out is as the depth, the profile or the default says."""

    depth: Depth
    deep_research: bool
    review_plan: bool
    max_plan_iterations: int | None
    max_step_num: int | None
    max_step_attempts: int
    locale: str
    search: str | None
    documents: str | PathLike[str] | Sequence[str | PathLike[str]]
    include_domains: Sequence[str]
    exclude_domains: Sequence[str]
    prefer_kinds: Sequence[NamedKind]
    exclude_kinds: Sequence[NamedKind]
    time_range: TimeRange | None
    max_results: int
    memory: bool
    profile: Profile | Mapping[str, Any] | str | PathLike[str] | None
    output_formats: Sequence[OutputFormat]
    length: Length
    words: int | None
    wishes: ChosenWishes | Mapping[str, Any]
    output_style: Style
    unsupported: Literal["mark", "drop"]
    verify: Literal["auto", "code", "model"]
    tool_protocol: ToolProtocol
    max_tokens: int | None
    max_cost: float | None
    max_seconds: int | None
    max_searches: int | None
    max_pages: int | None
    models: Mapping[str, ModelChoice | Mapping[str, Any] | str]
    mcp_servers: Mapping[str, McpServer | Mapping[str, Any]]
    prompts: Mapping[str, str]


register_arguments(
    {
        (mark.name or name.replace("_", "-")).removeprefix("--"): name
        for name, field in RunContext.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Flag) and mark.name != "--docs"
    }
)
Function = TypeVar("Function", bound=Callable[..., Any])


def checked(function: Function) -> Function:
    """Check the types of the arguments of an asynchronous function, except for choices, which `RunContext` checks.

    Raises:
        BadInput: an argument has another type than its annotation; the message names it.
    """
    types = get_type_hints(function, include_extras=True)
    adapters = {name: TypeAdapter[Any](types[name]) for name in types.keys() - {"choices", "return"}}
    signature = inspect.signature(function)

    @wraps(function)
    async def call(*arguments: Any, **options: Any) -> Any:
        for name, value in signature.bind(*arguments, **options).arguments.items():
            try:
                adapters[name].validate_python(value, strict=True) if name in adapters else None
            except ValidationError as error:
                raise refused_value(name, error.errors(include_url=False)[0]) from None
        return await function(*arguments, **options)

    return call  # type: ignore[return-value]  # it takes and returns the same


def with_choices(function: Function) -> Function:
    """Name the choices in the signature and the documentation of a function that takes them as `**choices`."""
    types, fields = get_type_hints(Choices), RunContext.model_fields
    signature = inspect.signature(function)
    *own, _ = signature.parameters.values()
    named = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if name in FOLLOW_DEPTH else fields[name].default,
            annotation=types[name],
        )
        for name in types
    ]
    function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]  # PEP 362; `help` and editors read it
    lines = [f"    {name}: {fields[name].description}" for name in types]
    function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Choices:", *lines])
    return function


MAX_BYTES = 1_000_000
"""Maximum bytes of a profile."""


def load_profile(file: Path) -> Profile:
    """Read a profile, with its documents' folders as paths from here.

    Raises:
        BadInput: the file is missing, is not YAML, or is not a valid profile; the message names the key.
    """
    try:
        text = read_regular_text(file, MAX_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", say("profile_no_utf8"))
        raise BadInput(**told("profile_unread", file=file, reason=why)) from None
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = say("profile_line", line=mark.line + 1) if mark else ""
        raise BadInput(
            **told("profile_no_yaml", file=file, line=line, reason=getattr(error, "problem", error))
        ) from None
    try:
        profile = Profile.model_validate(content)
    except ValidationError as error:
        raise BadInput(**told("profile_invalid", file=file, problem=_explained(error.errors()[0]))) from None
    folders = [file.parent / folder for folder in profile.documents]
    for place, folder in enumerate(folders):
        if not folder.is_dir():
            raise BadInput(**told("profile_no_folder", file=file, place=place, folder=folder))
    return profile.model_copy(update={"documents": [str(folder) for folder in folders]})


def _explained(problem: ErrorDetails) -> str:
    """Describe a validation error with its key, in pydantic's words where they are clear."""
    key = ".".join(str(part) for part in problem["loc"] if part != "[key]") or say("profile_whole")
    match problem["type"]:
        case "extra_forbidden":
            return say("profile_no_key", name=key)
        case "missing":
            return say("profile_missing", name=key)
    value, reason = problem["input"], reason_of(problem)
    if isinstance(value, dict):
        return say("value_unusable", name=key, reason=reason)
    return say("value_refused", name=key, value=repr(value)[:80], reason=reason)
