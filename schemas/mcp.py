"""Servers of tools that speak MCP, as a run may name them, and what a planner is shown of them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from schemas.clean_text import Line

Transport = Literal["stdio", "http", "sse"]

_SPELLINGS = {"streamable_http": "http", "streamable-http": "http", "streamablehttp": "http", "streamable": "http"}


def _transport(value: Any) -> Any:
    return _SPELLINGS.get(value.lower(), value.lower()) if isinstance(value, str) else value


class McpServer(BaseModel):
    """One server: a program that is started (`command`, `args`), or an address (`url`)."""

    model_config = ConfigDict(extra="forbid")

    command: Line = Field(default="", description="Program to start; the operator must allow it by name.")
    args: list[Line] = Field(default=[], max_length=100, description="Its arguments.")
    url: Line = Field(default="", description="Address of a running server.")
    transport: Annotated[Transport | None, BeforeValidator(_transport)] = Field(
        default=None, description="stdio, http (streamable) or sse. Empty: stdio for a command, http for an address."
    )
    description: Line = Field(default="", description="Purpose of the server in one sentence, for the planner.")

    @model_validator(mode="after")
    def _command_or_url(self) -> "McpServer":
        if bool(self.command) == bool(self.url):
            msg = "give either a command or a url"
            raise ValueError(msg)
        if self.transport is None:
            self.transport = "stdio" if self.command else "http"
        if (self.transport == "stdio") != bool(self.command):
            msg = f"transport {self.transport} goes with a {'command' if self.transport == 'stdio' else 'url'}"
            raise ValueError(msg)
        return self


class ToolView(BaseModel):
    """A server of tools as the planner sees it."""

    name: str
    description: str
