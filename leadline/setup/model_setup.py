"""Models: servers on this machine (Ollama, LM Studio, llama.cpp, vLLM, on their default ports of loopback), and the check of each role's model."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from rich.cells import cell_len, set_cell_size

from schemas.context import RunContext
from services.models import clients_open
from services.models.health_check import OnCheck, RoleCheck, check_models
from services.models.server_models import is_ollama, listed_models, writing_models
from services.run.installation import install_command, is_installed
from services.run.roles import OFFLINE
from services.run.ui_text import say

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
        some = ", ".join(name[:60] for name in self.models[:_SHOWN])
        further = len(self.models) - _SHOWN
        return say("names_further", names=some, count=further) if further > 0 else some or say("init_no_model")


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


async def checked_models(on_progress: OnCheck = lambda _, __: None) -> list[RoleCheck]:
    """Check the models of a run with the environment's settings; `on_progress` gets each model with its slow and repeated calls."""
    async with clients_open():
        return await check_models(RunContext(), on_progress)


def model_lines(checks: list[RoleCheck]) -> list[str]:
    """Return the table as aligned lines."""
    head = tuple(say("models_head").split("|"))
    rows = [head, *(_row(check) for check in checks)]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(head))]
    lines = [
        "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    if all(check.model == OFFLINE for check in checks):
        lines.append(f"\n{say('models_none')}")
    for name, parameters in {check.model: check.left_out for check in checks if check.left_out}.items():
        lines.append(f"\n{say('models_rejects', model=name, parameters=', '.join(parameters))}")
    for name, words in {check.model: check.misread for check in checks if check.misread}.items():
        lines.append(f"\n{say('models_misread', model=name, words=words)}")
    return lines


def _row(check: RoleCheck) -> tuple[str, ...]:
    price = say("doctor_unknown") if check.price is None else f"{check.price.input:g}, {check.price.output:g}"
    known = {True: say("models_yes"), False: say("models_no"), None: "-"}
    temperature = "-" if check.temperature is None else f"{check.temperature:g}"
    forms = (known[check.json_schema], known[check.tools])
    last = (say("models_failed"),) * 2 if check.problem else (say("models_unusable"),) * 2 if check.misread else forms
    return (check.role, check.model, check.endpoint, temperature, str(check.max_tokens), price, *last)
