"""The command line. Progress goes to stderr, the report to stdout.

Exit codes: 0 done, 1 failed, 2 bad input, 3 nothing was found, 130 interrupted and resumable.
"""

import os
import sys
from importlib import import_module, metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from leadline.cli.install_offer import install_and_repeat
from leadline.cli.options import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED
from leadline.progress.terminal import echo
from services.run.errors import BadInput, LeadlineError, NotInstalled

EXIT_PIPE_CLOSED = 141
"""As a shell counts a program that SIGPIPE ended."""


COMMANDS = {
    "research": "research follow resume steer replay batch",
    "revise": "revise",
    "stored_runs": "runs show report refresh",
    "watch": "watch",
    "memory": "memory",
    "init": "init",
    "checks": "models doctor verify compare",
    "evaluate": "eval",
    "serve": "serve mcp",
}
"""The commands of each module beside this file, in the order in which the help shows them."""


class Commands(TyperGroup):
    """All commands, each loaded with its module when it is named, as Click's guide has it ("Lazily Loading Subcommands").

    What is wrong with an option is said without the words that pydantic, by which typer checks it, puts before it.
    """

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # as in `invoke`
        """Return the names of all commands."""
        return " ".join(COMMANDS.values()).split()

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # as in `invoke`
        """Return a command. A name that is none loads all of them, of which the most similar are suggested."""
        named = [module for module, names in COMMANDS.items() if cmd_name in names.split()]
        for module in named or COMMANDS:
            self.commands.update(get_group(import_module(f"leadline.cli.{module}").commands).commands)
        return self.commands.get(cmd_name)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # typer's own class of the context is private
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    name="leadline",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(is_asked: bool) -> None:
    if is_asked:
        echo(f"leadline {metadata.version('leadline')}")
        raise typer.Exit


@app.callback(
    epilog="[bold]Begin here[/bold]\n"
    "[dim]# Works at once: example documents, no key, no model[/dim]\n"
    '[green]leadline research "Who owned the schooner Lalla Rookh?"[/green]\n'
    "[dim]# Connect a model; then see what works[/dim]\n"
    "[green]leadline init[/green]\n"
    "[green]leadline doctor[/green]"
)
def leadline(
    _: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Deep research that proves what it says."""


def main() -> None:
    """Run the command line; errors that are meant for people are printed as one message."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that knows no Chinese shows question marks, not a traceback
    try:
        app()
    except NotInstalled as missing:
        echo(f"leadline: {missing}", err=True)
        sys.exit(install_and_repeat(missing) or EXIT_FAILED)
    except LeadlineError as error:
        echo(f"leadline: {error}", err=True)
        sys.exit(EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED)
    except KeyboardInterrupt:
        echo("\nleadline: Interrupted.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads; the last flush must not fail
        sys.exit(EXIT_PIPE_CLOSED)
    except Exception as error:
        if os.environ.get("LEADLINE_DEBUG"):
            raise
        echo(f"leadline: unexpected {type(error).__name__}: {error}. Set LEADLINE_DEBUG=1 to see where.", err=True)
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
