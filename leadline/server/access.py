"""The server's access check: identifies the caller of every request, or refuses the request, before any route.

With tokens, the bearer of a token is admitted under its name, from any machine. Without tokens only this machine is
admitted: no other machines, and no pages of other sites in a local browser (which could reach the server by DNS
rebinding, or by blind POST requests).
"""

import ipaddress
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from leadline.server.accounts import Accounts, accounts
from schemas.scoped import scoped
from services.run.message_forms import on_a_page
from services.run.settings import settings
from services.run.users import LOCAL

STUDIO = frozenset(
    {"https://smith.langchain.com", "https://eu.smith.langchain.com", "https://aws.smith.langchain.com"}
    | {"https://apac.smith.langchain.com"}
)
OPEN = frozenset({"/", "/ok", "/ready", "/live", "/favicon.ico"})
"""Paths readable without a token: the page, and the server's health."""
OPEN_BELOW = ("/page/",)
"""Folders of public files, readable without a token: those of the web page."""
CLOSED = ("/internal", "/deploy")
"""The dev server's paths for tests and deployments, which check no permissions and show every thread."""
_FORWARDED = ("x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via")
_CALLER = "leadline.caller"
_admitted: ContextVar[str] = ContextVar("admitted", default="")


class Refused(Exception):
    """A refused request with its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of access."""

    accounts: Accounts = field(default_factory=Accounts)
    origins: frozenset[str] = STUDIO

    def caller(self, scope: Mapping[str, Any]) -> str:
        """Return the caller of a request: a user's name, or `local`.

        Raises:
            Refused: the caller has no access.
        """
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self.accounts:
            return self._by_token(headers)
        if not _from_here(scope, headers):
            raise Refused(
                401,
                "This server has no tokens, so it serves its own machine only. To use it from elsewhere, its operator sets "
                "LEADLINE_TOKENS=name:token (or LEADLINE_TOKENS_FILE) and starts it again; see docs/server.md.",
            )
        if not _is_here(_hostname(f"//{headers.get('host', 'localhost')}")):
            raise Refused(
                403, f"This server does not answer to the name {headers['host']!r}. Use 127.0.0.1 or localhost."
            )
        origin = headers.get("origin")
        if origin is not None and origin not in self.origins and not _is_here(_hostname(origin)):
            raise Refused(
                403,
                f"Pages of {origin} may not use this server. Its operator can add them to LEADLINE_ORIGINS, or set "
                "LEADLINE_TOKENS.",
            )
        return LOCAL

    def _by_token(self, headers: Mapping[str, str]) -> str:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        token = bearer.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        if not token:
            raise Refused(401, "This server requires a token. Send it as the header: Authorization: Bearer <token>.")
        name = self.accounts.name_of(token)
        if name is None:
            raise Refused(401, "This token is not valid here. Ask the operator of this server for one.")
        return name


def rules() -> Rules:
    """Return the access rules from the environment.

    Raises:
        SettingsError: the tokens cannot be used.
    """
    return Rules(accounts(), STUDIO | set(settings().leadline_origins))


def caller_of(scope: Mapping[str, Any]) -> str:
    """Return the caller of a request; empty for a request without one, such as the server's own."""
    return str(scope.get(_CALLER, ""))


def current_caller() -> str:
    """Return the caller of the current request.

    Raises:
        Refused: the request did not pass the access check.
    """
    if not _admitted.get():
        raise Refused(401, "This request did not pass the server's access check.")
    return _admitted.get()


class AccessCheck:
    """Admits a request, or answers it with 401 (token missing), 403 (forbidden site or name) or 404 (closed path)."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] not in {"http", "websocket"} or is_internal(scope):
            await self._app(scope, receive, send)
            return
        try:
            scope[_CALLER] = caller = self._admit(scope)
        except Refused as refused:
            await _refuse(refused, scope, receive, send)
            return
        with scoped(_admitted, caller), on_a_page():
            await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> str:
        path, method = scope["path"], scope.get("method", "")
        if self._rules.accounts:
            if any(path == closed or path.startswith(f"{closed}/") for closed in CLOSED):
                raise Refused(404, "Not Found")
            preflight = method == "OPTIONS" and any(
                name == b"access-control-request-method" for name, _ in scope["headers"]
            )
            read = method in {"GET", "HEAD"} and (path in OPEN or path.startswith(OPEN_BELOW))
            if preflight or read:
                return ""
        return self._rules.caller(scope)


async def _refuse(refused: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4000 + refused.status, "reason": str(refused)[:100]})
        return
    # pages of other sites may read that a token is missing, as they may read everything with a token
    headers = {"WWW-Authenticate": "Bearer", "Access-Control-Allow-Origin": "*"} if refused.status == 401 else {}
    await JSONResponse({"detail": str(refused)}, refused.status, headers)(scope, receive, send)


def is_internal(scope: Scope) -> bool:
    """Tell whether a request is the server's own."""
    root = scope.get("root_path", "")
    return bool(root == "/noauth" or root.startswith("/noauth/"))


def _from_here(scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """Tell whether a request comes from this machine without a proxy."""
    client, server = scope.get("client"), scope.get("server")
    addresses = bool(client and server and _is_loopback(client[0]) and _is_loopback(server[0]))
    return addresses and not any(name in headers for name in _FORWARDED)


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_here(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost") or _is_loopback(name)


def _is_loopback(address: str) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    return ip.is_loopback or (mapped is not None and bool(mapped.is_loopback))
