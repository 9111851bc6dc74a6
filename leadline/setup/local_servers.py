"""Servers of models that run on this machine: Ollama, LM Studio and llama.cpp, found on their usual ports of loopback."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from services.models.server_models import is_ollama, listed_models, writing_models
from services.run.installation import install_command, is_installed

OLLAMA, LM_STUDIO, LLAMA_CPP = "Ollama", "LM Studio", "llama.cpp"
PORTS = {OLLAMA: 11434, LM_STUDIO: 1234, LLAMA_CPP: 8080}
"""Where they listen unless they are told otherwise."""
SECONDS = 1.0
"""For one answer: a server on loopback answers at once, or is not there."""
_LOOPBACK = frozenset({"", "127.0.0.1", "localhost", "0.0.0.0", "::", "::1"})  # noqa: S104 - as OLLAMA_HOST names it for a server
_SHOWN = 4
"""Models that a line names."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answers."""

    title: str
    base_url: str
    models: list[str]
    """Those that write text, in the server's order."""

    def names(self) -> str:
        """Return the names of a few of its models."""
        more = f" and {len(self.models) - _SHOWN} more" if len(self.models) > _SHOWN else ""
        return f"{', '.join(name[:60] for name in self.models[:_SHOWN])}{more}" if self.models else "no model yet"


async def local_servers(ports: Mapping[str, int] | None = None) -> list[LocalServer]:
    """Return the servers that answer, each with its models.

    Args:
        ports: by the server's name; without any the usual ports, or those that the servers' own variables name.
    """
    asked = (usual_ports() if ports is None else ports).items()
    found = await asyncio.gather(*(_server_at(title, port) for title, port in asked))
    return [server for server in found if server is not None]


async def _server_at(title: str, port: int) -> LocalServer | None:
    base_url = base_url_at(port)
    if title == OLLAMA and not await is_ollama(base_url, None, SECONDS):
        return None
    models = await listed_models(base_url, None, SECONDS)
    if not models and title != OLLAMA:
        return None
    return LocalServer(title, base_url, writing_models(models))


def base_url_at(port: int) -> str:
    """Return the OpenAI-compatible address of a server on this machine."""
    return f"http://127.0.0.1:{port}/v1"


def usual_ports() -> dict[str, int]:
    """Return the ports to look at; `OLLAMA_HOST` and `LLAMA_ARG_PORT` may name others, but no other host is asked."""
    ports = dict(PORTS)
    host = os.environ.get("OLLAMA_HOST", "").strip()
    try:
        address = urlsplit(host if "://" in host else f"//{host}")
        if (address.hostname or "") in _LOOPBACK:
            ports[OLLAMA] = address.port or ports[OLLAMA]
    except ValueError:
        pass
    own = os.environ.get("LLAMA_ARG_PORT", "").strip()
    if own.isdecimal() and 0 < int(own[:6]) < 65_536:
        ports[LLAMA_CPP] = int(own[:6])
    return ports


def package_missing(title: str) -> str:
    """Return the command that installs what a server is spoken to with, where it is missing; empty where all is there. Blocking."""
    return install_command("ollama") if title == OLLAMA and not is_installed("langchain_ollama") else ""
