"""Model servers on this machine: Ollama, LM Studio, llama.cpp and vLLM, found on their default ports of loopback."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from services.models.server_models import is_ollama, listed_models, writing_models
from services.run.installation import install_command, is_installed

OLLAMA, LM_STUDIO, LLAMA_CPP, VLLM = "Ollama", "LM Studio", "llama.cpp", "vLLM"
PORTS = {OLLAMA: 11434, LM_STUDIO: 1234, LLAMA_CPP: 8080, VLLM: 8000}
"""Default ports of the servers."""
SECONDS = 1.0
"""Timeout in seconds of one answer: a server on loopback answers at once, or does not exist."""
_LOOPBACK = frozenset({"", "127.0.0.1", "localhost", "0.0.0.0", "::", "::1"})  # noqa: S104 - as OLLAMA_HOST names it for a server
_SHOWN = 4
"""Maximum models named in a line."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server."""

    title: str
    base_url: str
    models: list[str]
    """Models that write text, in the server's order."""

    def names(self) -> str:
        """Return the names of some of its models."""
        more = f" and {len(self.models) - _SHOWN} more" if len(self.models) > _SHOWN else ""
        return f"{', '.join(name[:60] for name in self.models[:_SHOWN])}{more}" if self.models else "no model yet"


async def local_servers(ports: Mapping[str, int] | None = None) -> list[LocalServer]:
    """Return the running servers, each with its models; by default on the usual ports, or those in the servers' own variables."""
    places = (usual_ports() if ports is None else ports).items()
    servers = await asyncio.gather(*(_server_at(title, port) for title, port in places))
    return [server for server in servers if server is not None]


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
    """Return the ports to check; `OLLAMA_HOST` and `LLAMA_ARG_PORT` may change them, but no other host is asked."""
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
    """Return the command that installs a server's missing client package; empty if it is installed. Blocking."""
    return install_command("ollama") if title == OLLAMA and not is_installed("langchain_ollama") else ""
