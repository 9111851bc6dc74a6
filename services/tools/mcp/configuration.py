"""The servers of a run: the operator's file (`LEADLINE_MCP`), which is trusted, and the run's own, which are not."""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, ValidationError

from schemas.context import RunContext
from schemas.mcp import McpServer, Transport
from services.run.dotenv_file import dotenv
from services.run.errors import BadInput, LeadlineError, SettingsError, reason_of
from services.run.secrecy import MASK, NAMED_SECRET, register_secrets, without_secrets
from services.run.settings import settings
from services.run.ui_text import say, told
from services.search.pages.addresses import HostAllowance, judged

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_NO_SECRETS = frozenset({"HOME", "USER", "LOGNAME", "PATH", "PWD", "LANG", "TZ", "TMPDIR", "SHELL"})
MIN_SECRET = 4
"""Minimum characters of a variable's value to be hidden in a server's output; shorter values would hide ordinary text."""


@dataclass(frozen=True, slots=True)
class Server:
    """The connection settings of one server."""

    name: str
    transport: Transport
    description: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    trusted: bool = False
    """Whether the operator named it; its address may then be private."""
    unset: str = ""
    """Name of a required variable that is not set."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that must not appear in the server's output."""

    @property
    def address(self) -> str:
        """Address without arguments, query and other parts that may hold a secret."""
        if self.command:
            return self.command
        parts = urlsplit(self.url)
        return self.without_secrets(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"[:200])

    def without_secrets(self, text: str) -> str:
        """Return a server's text without its own secrets, short ones included, and without those of anything else."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return without_secrets(text)


class _Entry(McpServer):
    """An entry of the operator's file. Fields of other programs that read the same file are left alone."""

    model_config = ConfigDict(extra="ignore")

    env: dict[str, str] = Field(default={})
    headers: dict[str, str] = Field(default={})
    disabled: bool = False


async def configured(context: RunContext) -> dict[str, Server]:
    """Return the servers of a run by name; the run's own entry replaces the operator's of the same name.

    Raises:
        SettingsError: the operator's file cannot be used; the message says where and why.
        BadInput: the run names a forbidden command or address.
    """
    file = settings().leadline_mcp
    own = {name: _of_the_run(name, entry) for name, entry in context.mcp_servers.items()}
    if file is None:
        return own
    return {**await asyncio.to_thread(_of_the_operator, file), **own}


def _of_the_run(name: str, entry: McpServer) -> Server:
    _check_name(name, BadInput, "mcp_servers")
    if entry.command:
        allowed = list(filter(None, map(str.strip, settings().leadline_mcp_commands.split(","))))
        if entry.command not in allowed:
            remedy = say("servers_allowed", commands=", ".join(allowed)) if allowed else say("servers_none_allowed")
            raise BadInput(**told("servers_command", name=name, command=entry.command, remedy=remedy))
    elif reason := judged(entry.url, HostAllowance.parse(settings().leadline_allow_private_hosts))[1]:
        raise BadInput(**told("servers_address", name=name, reason=reason))
    return _server(name, entry)


def _server(name: str, entry: McpServer) -> Server:
    return Server(
        name,
        entry.transport or "stdio",
        entry.description,
        command=entry.command,
        args=tuple(entry.args),
        url=entry.url,
    )


def _of_the_operator(file: Path) -> dict[str, Server]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(**told("servers_unread", file=file, reason=error.strerror)) from None
    except ValueError as error:
        raise SettingsError(**told("servers_no_json", file=file, reason=error)) from None
    servers = content.get("mcpServers") if isinstance(content, dict) else None
    if not isinstance(servers, dict):
        raise SettingsError(**told("servers_none", file=file))
    environment = {name: value for name, value in {**dotenv(), **os.environ}.items() if value}
    read = {}
    for name, raw in servers.items():
        _check_name(name, SettingsError, f"{file} (LEADLINE_MCP)")
        entry = _entry(file, name, raw)
        if not entry.disabled:
            read[name] = _filled(name, entry, environment)
    return read


def _entry(file: Path, name: str, raw: Any) -> _Entry:
    if isinstance(raw, dict) and "transport" not in raw and isinstance(raw.get("type"), str):
        raw = {**raw, "transport": raw["type"]}
    try:
        return _Entry.model_validate(raw)
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in (name, *problem["loc"]))
        raise SettingsError(**told("servers_invalid", file=file, where=where, reason=reason_of(problem))) from None


def _check_name(name: str, error: type[LeadlineError], where: str) -> None:
    if not name.strip() or len(name) > 64 or not name.isprintable():
        raise error(**told("servers_name", where=where, name=name[:80]))


def _filled(name: str, entry: _Entry, environment: Mapping[str, str]) -> Server:
    used: dict[str, str | None] = {}

    def fill(text: str) -> str:
        for variable in _VARIABLE.findall(text):
            used[variable] = environment.get(variable)
        return _VARIABLE.sub(lambda match: environment.get(match[1], ""), text)

    env = {key: fill(value) for key, value in entry.env.items()}
    headers = {key: fill(value) for key, value in entry.headers.items()}
    url = fill(entry.url)
    secrets = {value for variable, value in used.items() if value and variable not in _NO_SECRETS}
    named = [value for key, value in (*env.items(), *headers.items()) if NAMED_SECRET.search(key)]
    secrets |= {part for value in named for part in (value, value.rpartition(" ")[2])}  # also without the word `Bearer`
    register_secrets(
        [*secrets, *(value for value in (*env.values(), *headers.values(), *entry.args, url) if "://" in value)]
    )
    return replace(
        _server(name, entry),
        env=env,
        url=url,
        headers=headers,
        trusted=True,
        unset=next((variable for variable, value in used.items() if value is None), ""),
        secrets=tuple(sorted((secret for secret in secrets if len(secret) >= MIN_SECRET), key=len, reverse=True)),
    )
