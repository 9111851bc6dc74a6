"""Command options: those of the fields of `RunContext`, which declares the choices of a run, and those shared by several commands."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from leadline.runs.arguments import load_profile
from leadline.runs.run_ids import complete_run_id
from schemas.context import FOLLOW_DEPTH, RunContext
from schemas.options import OUTPUT, Flag
from schemas.wishes import ChosenWishes
from services.reports.formats import chosen_formats

LISTS = ("prefer_kinds", "exclude_kinds")
"""Fields written as comma-separated names."""


def _parts(text: str) -> list[str]:
    return list(dict.fromkeys(filter(None, (part.strip().lower() for part in text.split(",")))))


def _wishes(wishes: Iterable[str]) -> dict[str, Any]:
    """Read `name=value` pairs; the values of lists have commas between."""
    read: dict[str, Any] = {}
    for name, _, value in (wish.partition("=") for wish in wishes):
        field = ChosenWishes.model_fields.get(name)
        listed = field is not None and field.default_factory is list
        read[name] = [part.strip() for part in value.split(",")] if listed else value.strip()
    return read


FLAGS = {
    name: next(mark for mark in field.metadata if isinstance(mark, Flag))
    for name, field in RunContext.model_fields.items()
    if any(isinstance(mark, Flag) for mark in field.metadata)
}
"""Fields of `RunContext` that are command line options."""
_TYPES: dict[str, Any] = {
    "search": str,
    "documents": list[Path],
    "profile": Path,
    "output_formats": str,
    "wishes": list[str],
    **dict.fromkeys(LISTS, str),
}
"""Types of options whose form differs from the field's."""
_READERS: dict[str, Callable[[Any], Any]] = {
    "documents": lambda folders: [str(folder) for folder in folders],
    "profile": load_profile,
    "output_formats": chosen_formats,
    "wishes": _wishes,
    **dict.fromkeys(LISTS, _parts),
}


def option(name: str, *, show_default: bool = True, hide_rare: bool = False) -> Any:
    """Return the option of a field of `RunContext`; with `hide_rare`, `--help` does not show one that few need."""
    field, flag = RunContext.model_fields[name], FLAGS[name]
    return typer.Option(
        flag.name or f"--{name.replace('_', '-')}",
        metavar=flag.metavar,
        help=flag.help or _described(field),
        rich_help_panel=flag.panel,
        hidden=hide_rare and flag.rare,
        show_default=show_default and ("by depth" if name in FOLLOW_DEPTH else field.annotation is not bool),
    )


def _show_all(context: typer.Context, requested: bool) -> None:
    if requested:
        for parameter in context.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]  # options have it; the command is made anew for each call
        typer.echo(context.get_help())
        raise typer.Exit


_HELP_ALL = typer.Option("--help-all", help="Show all options.", is_eager=True, callback=_show_all, show_default=False)


def _described(field: FieldInfo) -> str:
    taken = ""
    if get_origin(field.annotation) is Literal:
        taken = f" One of {', '.join(get_args(field.annotation))}."
    elif field.annotation is int:
        bounds = {key: getattr(mark, key) for mark in field.metadata for key in ("ge", "le") if hasattr(mark, key)}
        taken = f" From {bounds['ge']:,} to {bounds['le']:,}."
    return f"{field.description}{taken}"


def takes_choices(*names: str, show_default: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add an option for each of these fields to a command; its parameter `options` gets the options on the command line."""

    def add_options(command: Callable[..., None]) -> Callable[..., None]:
        parameters = [_parameter("context", typer.Context)]
        for parameter in inspect.signature(command).parameters.values():
            if parameter.name == "options":
                parameters += [_option_parameter(name, show_default=show_default) for name in names]
                parameters.append(_parameter("help_all", Annotated[bool, _HELP_ALL], default=False))
            else:
                parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))

        @wraps(command)
        def run(context: typer.Context, **values: Any) -> None:
            chosen = {name: values.pop(name) for name in names}
            values.pop("help_all")
            command(**values, options={name: chosen[name] for name in names if _is_given(context, name)})

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # PEP 362; typer reads it
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return add_options


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _option_parameter(name: str, *, show_default: bool) -> inspect.Parameter:
    field = RunContext.model_fields[name]
    default: Any = None if name in _TYPES else field.default
    if name == "output_formats":
        default = ",".join(field.default)
    elif field.annotation is bool:
        default = False
    value_type: Any = _TYPES.get(name, field.annotation)
    marked = Annotated[value_type, option(name, show_default=show_default, hide_rare=True)]
    return _parameter(name, marked, default)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def choices_of(options: dict[str, Any]) -> dict[str, Any]:
    """Convert options to fields of `RunContext`.

    Raises:
        BadInput: a profile cannot be read, or a format does not exist.
    """
    choices: dict[str, Any] = {}
    for name, value in options.items():
        field = RunContext.model_fields[name]
        if field.annotation is bool:
            choices[name] = not field.default
        else:
            choices[name] = _READERS[name](value) if name in _READERS else value
    return choices


def _run(described: str) -> Any:
    return typer.Argument(
        metavar="RUN",
        help=f"Id of the run, its beginning, or the folder of its report; by default the {described}.",
        autocompletion=complete_run_id,
        show_default=False,
    )


LatestRun = Annotated[str | None, _run("latest")]
UnfinishedRun = Annotated[str | None, _run("latest unfinished one")]
FinishedRun = Annotated[str | None, _run("latest finished one")]
Version = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Version of its report: 1 is the original, and each change adds one."),
]
Docs = Annotated[list[Path] | None, option("documents")]
Formats = Annotated[str, option("output_formats")]
Out = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", help="Write the report below this folder.", rich_help_panel=OUTPUT),
]
OtherOut = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write the report below this folder, instead of its own.")
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the report as a JSON object.", rich_help_panel=OUTPUT),
]
Events = Annotated[
    bool,
    typer.Option("--events", help="Print progress on stderr as JSON lines.", rich_help_panel=OUTPUT),
]
