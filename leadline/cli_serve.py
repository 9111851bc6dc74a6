"""Commands that serve other programs and people: an MCP server over stdin and stdout."""

import asyncio

import typer

from leadline.cli_examples import examples
from leadline.cli_options import SERVING

serving = typer.Typer()


@serving.command(epilog=examples("mcp"), rich_help_panel=SERVING)
def mcp() -> None:
    """Serve research, read_report and verify_report to MCP clients over stdin and stdout."""
    from leadline.mcp_server import serve

    asyncio.run(serve())
