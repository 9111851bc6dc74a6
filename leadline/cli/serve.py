"""Commands that serve other programs and people: the page with the API, and an MCP server over stdin and stdout."""

import asyncio
from typing import Annotated

import typer

from leadline.cli.examples import examples
from leadline.mcp.server import serve as over_stdio
from leadline.progress.terminal import echo
from leadline.server.launch import problem_of_runs
from leadline.server.launch import serve as until_stopped

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
        typer.echo(f"Leadline is at {address} (the API, too). Stop it with Ctrl-C.", err=True)
        if not no_open:
            typer.launch(address)

    typer.echo("Starting …", err=True)
    if problem := problem_of_runs():
        echo(problem, err=True)
    raise typer.Exit(until_stopped(host, port, ready))


@commands.command(epilog=examples("mcp"))
def mcp() -> None:
    """Serve research, read_report and verify_report to MCP clients over stdin and stdout."""
    asyncio.run(over_stdio())
