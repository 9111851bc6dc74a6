"""Commands that serve other programs and people: the page with the API, and an MCP server over stdin and stdout."""

import asyncio
from typing import Annotated

import typer

from leadline.cli.command_list import examples
from leadline.mcp.server import serve as over_stdio
from leadline.progress.terminal import echo
from leadline.server.launch import check_installed
from leadline.server.launch import serve as until_stopped
from schemas.context import RunContext
from services.run.errors import BadInput
from services.run.ui_text import say
from services.search.providers import check_search
from services.tools.mcp.configuration import configured

commands = typer.Typer()


@commands.command(epilog=examples("serve"))
def serve(
    port: Annotated[int, typer.Option(min=1, max=65_535, metavar="P", help="Port to listen on.")] = 2024,
    host: Annotated[
        str, typer.Option(metavar="H", help="Address to listen on; other machines need a token.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the page in a browser.")] = False,
) -> None:
    """Start the server with page and API, and open the page. Ctrl-C stops it; runs are kept in LEADLINE_HOME."""

    def ready(address: str) -> None:
        typer.echo(say("serve_at", address=address), err=True)
        if not no_open:
            typer.launch(address)

    check_installed()
    typer.echo(say("serve_starting"), err=True)
    if problem := problem_of_runs():
        echo(problem, err=True)
    raise typer.Exit(until_stopped(host, port, ready))


def problem_of_runs() -> str:
    """Return why runs with the environment's searches and folders would be refused; empty if they would not.

    Raises:
        SettingsError: the environment names a search that does not exist, or servers of tools that cannot be read.
    """
    asyncio.run(configured(RunContext()))
    try:
        check_search(RunContext())
    except BadInput as error:  # a folder may yet be filled, and a run may name others
        return str(error)
    return ""


@commands.command(epilog=examples("mcp"))
def mcp() -> None:
    """Serve research, read_report and verify_report to MCP clients over stdin and stdout."""
    asyncio.run(over_stdio())
