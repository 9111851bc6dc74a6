"""The command line. Progress goes to stderr, the report to stdout.

Exit codes: 0 done, 1 failed, 2 bad input, 3 nothing was found, 130 interrupted and resumable.
"""

import atexit
import gc
import os
import re
import sys
from difflib import get_close_matches
from importlib import import_module, metadata
from inspect import cleandoc
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from leadline.cli import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_PIPE_CLOSED
from leadline.cli.command_list import COMMANDS, MOVED
from leadline.progress.terminal import as_typed, echo, lead_nowhere, program
from services.run.errors import BadInput, LeadlineError
from services.run.message_forms import on_the_command_line
from services.run.private_paths import without_private
from services.run.ui_text import say, told


class Commands(TyperGroup):
    """All commands; the module of a command is imported when the command is named ("Lazily Loading Subcommands" in Click's guide).

    Messages about invalid options omit the prefix of pydantic, which typer validates with.
    """

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        """List the commands without loading any."""
        super().__init__(*arguments, **attributes)
        self.commands = {
            name: TyperCommand(name, help=listed.summary, rich_help_panel=listed.heading)
            for name, listed in COMMANDS.items()
        }

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]  # as in `invoke`
        """Load the named command.

        Raises:
            BadInput: the command has another name now, or resembles none and may be a question.
        """
        if args[0] in MOVED and not ctx.resilient_parsing:
            raise BadInput(**told("command_moved", command=args[0], moved=MOVED[args[0]]))
        if not (ctx.resilient_parsing or get_close_matches(args[0], self.commands)):
            question = " ".join(takewhile(lambda word: not word.startswith("-"), args))
            raise BadInput(**told("command_unknown", question=question))
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and loaded(str(name)), rest

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]  # as in `invoke`
        """Return the options of the program itself."""
        return _without_value_of_flags(super().get_params(ctx))

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # typer's own class of the context is private
        """Run the named command."""
        ctx.info_name = program()
        try:
            with on_the_command_line():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise
        except BrokenPipeError:  # typer would end with 1
            for stream in (sys.stdout, sys.stderr):
                lead_nowhere(stream)
            sys.exit(EXIT_PIPE_CLOSED)


def loaded(name: str) -> Any:
    """Return a command with its module loaded; the paragraphs of its help are as wide as the terminal, not as the docstring."""
    module = import_module(f"leadline.cli.{COMMANDS[name].module}")
    command = get_group(module.commands).commands[name]
    for each in (command, *getattr(command, "commands", {}).values()):
        each.help = _LINE_BREAK.sub(" ", cleandoc(each.help or ""))
        _without_value_of_flags(each.get_params(typer.Context(each, **_CONTEXT)))
    return command


def _without_value_of_flags(params: list[Any]) -> list[Any]:
    """Let the help show flags, `--help` among them, without the value that they do not take."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


_CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


app = typer.Typer(
    name="leadline",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=_CONTEXT,
)


def _version(is_asked: bool) -> None:
    if is_asked:
        echo(f"leadline {metadata.version('leadline')}")
        raise typer.Exit


@app.callback(
    epilog=as_typed(
        "[bold]Begin here[/bold]\n"
        "[dim]# Works at once: example documents, no key, no model[/dim]\n"
        '[green]leadline research "Who owned the schooner Lalla Rookh?"[/green]\n'
        "[dim]# Connect a model; then see what works[/dim]\n"
        "[green]leadline init[/green]\n"
        "[green]leadline doctor[/green]"
    )
)
def leadline(
    _: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Deep research whose every statement can be checked."""


_GARBAGE = (30_000, 50, 1_000)
"""Python's 700, 10 and 10 cost a command a fifth of its time, as most of what imports make stays."""


_STREAMS = {"stdin": "surrogateescape", "stdout": "replace", "stderr": "replace"}
"""What Python does with bytes that are no UTF-8, as in arguments, and in a terminal without Chinese: question marks instead of a traceback."""


def main() -> None:
    """Run the command line; errors for people are printed as a single message."""
    gc.set_threshold(*_GARBAGE)
    atexit.register(
        gc.freeze
    )  # what the process holds at its end goes with it: the interpreter would look through it for most of a second
    for name, errors in _STREAMS.items():
        if getattr(sys, name) is None:  # closed, as by `>&-`
            setattr(sys, name, Path(os.devnull).open("r+"))  # noqa: SIM115 - as long as the process
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)
    try:
        app()
    except LeadlineError as error:
        echo(f"leadline: {error}", err=True)
        sys.exit(EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED)
    except KeyboardInterrupt:
        echo(f"\nleadline: {say('interrupted_now')}", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        if os.environ.get("LEADLINE_DEBUG"):
            raise
        problem = say("unexpected", error=type(error).__name__, message=without_private(str(error)))
        echo(f"leadline: {problem}", err=True)
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
