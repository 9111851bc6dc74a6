"""Small MCP servers, run as processes of their own: one that works, and some that do what servers do when they break.

    python -P tests/fakes/mcp_server.py KIND [TRANSPORT PORT]

This file imports nothing of Leadline: its process starts with an environment that knows nothing of it.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal


def noise() -> None:
    """Print what is no message, without end."""
    while True:
        sys.stdout.write("INFO starting up, please wait\n")
        sys.stdout.flush()
        time.sleep(0.001)


def silent() -> None:
    """Read and never answer, and stay when the input ends or a signal asks to go."""
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def crash() -> None:
    """End with an error at once, and a secret on stderr."""
    sys.stderr.write(f"cannot log in with {os.environ.get('SERVICE_TOKEN')}\n")
    sys.exit(3)


def server(kind: str, port: int) -> Any:
    """Return a server with the tools of a kind."""
    from mcp.server.fastmcp import FastMCP

    made = FastMCP(kind, host="127.0.0.1", port=port, log_level="ERROR")
    if kind == "empty":
        return made

    @made.tool()
    def say(words: str) -> str:
        """Say something back."""
        return f"{kind} says {words}"

    @made.tool()
    def process() -> str:
        """Return the number of this process."""
        return str(os.getpid())

    @made.tool()
    def environment() -> str:
        """Return the names and values of all variables."""
        return "\n".join(f"{name}={value}" for name, value in sorted(os.environ.items()))

    @made.tool()
    def find(q: str, limit: int = 5) -> str:
        """Find notes."""
        import json

        notes = [
            {"title": "Note on wire", "content": f"The wire sounding machine was designed by William Thomson. ({q})"}
        ]
        return json.dumps({"results": notes[:limit]})

    @made.tool()
    def count() -> str:
        """Leave a line in a file, and say how many there are, or what SAYS says."""
        with Path(os.environ["COUNTED"]).open("a+") as file:
            file.write("cast\n")
            file.seek(0)
            return os.environ.get("SAYS") or f"The pump counted {len(file.readlines())} casts in all."

    @made.tool()
    def huge(characters: int) -> str:
        """Return very much."""
        return "x" * characters

    @made.tool()
    def fail() -> str:
        """Fail."""
        raise ValueError(f"the pump is broken, said {os.environ.get('SERVICE_TOKEN')}")

    @made.tool()
    def odd(config: str, run_manager: str, runtime: str) -> str:
        """Take arguments whose names mean something to libraries."""
        return f"{config} {run_manager} {runtime}"

    @made.tool()
    def die() -> str:
        """End this process in the middle of the call, and leave a child of it behind."""
        subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, start_new_session=True)
        os._exit(1)

    @made.tool()
    async def hang() -> str:
        """Never answer."""
        import asyncio

        await asyncio.sleep(600)
        return ""

    return made


def main() -> None:
    """Serve."""
    kind = sys.argv[1]
    if kind in {"noise", "silent", "crash"}:
        {"noise": noise, "silent": silent, "crash": crash}[kind]()
        return
    transport: Literal["stdio", "streamable-http", "sse"] = "stdio"
    if len(sys.argv) > 2:
        transport = "sse" if sys.argv[2] == "sse" else "streamable-http"
    server(kind, int(sys.argv[3]) if len(sys.argv) > 3 else 0).run(transport)


if __name__ == "__main__":
    main()
