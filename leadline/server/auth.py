"""Ownership on the server: threads, runs and their data belong to the user who made them.

`langgraph.json` names this file. Without tokens there is one user, this machine's, and everything is theirs. With tokens
everyone sees their own and nothing else; what is not named here is refused.
"""

import asyncio
from contextlib import suppress
from contextvars import Context
from typing import Any

from langgraph_sdk import Auth, get_client
from langgraph_sdk.errors import NotFoundError
from langsmith.utils import tracing_is_enabled

from graph.context import COMMON
from leadline.server.access import Refused, rules
from leadline.server.thread_owners import OWNER, claim_thread
from services.run.users import LOCAL

auth = Auth()
RULES = rules()
"""Read when the server starts, so that invalid tokens prevent the start."""

Filter = Any
"""A filter of metadata, or None; the SDK's own type lacks `$or`, which the server supports."""

_SHARED = {"created_by": "system"}
"""Metadata of the server's own objects: the graph's assistant."""


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Name the user behind a request."""
    try:
        name = RULES.caller(scope)
    except Refused as refused:
        raise Auth.exceptions.HTTPException(refused.status, str(refused)) from None
    return {"identity": name, "display_name": name, "is_authenticated": True}


@auth.on
async def nothing_else(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Refuse what has no rule below, such as crons."""
    return _unrestricted(ctx)


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Filter:
    """Mark what is made or changed as the user's, and find nothing else; runs are their thread's."""
    if ctx.action == "create_run" and not tracing_is_enabled():
        # Of a run with feedback keys the server asks LangSmith for addresses, whether or not runs are traced
        (value.get("kwargs") or {}).pop("feedback_keys", None)
    if ctx.action == "create_run":
        arguments = value.get("kwargs") or {}
        named = (arguments.get("config") or {}).get("configurable") or {}
        if named.get("__context_provided__"):  # a configuration holds other keys, too
            for name in _gather_choices(arguments.get("context")):
                named.pop(name, None)
            await asyncio.create_task(_keep_advanced(arguments["context"], value["assistant_id"]), context=Context())
    if ctx.action in {"create", "create_run"} and value.get("thread_id"):
        await _claim(ctx, value)
    if _unrestricted(ctx):
        return None
    if ctx.action in {"create", "update", "create_run"}:
        _mark(ctx, value)
    return _own(ctx)


def _gather_choices(chosen: Any) -> set[str]:
    """Move choices that Studio's form does not hold into `advanced`, and return their names.

    The server would drop them, and the run refuses unknown ones.
    """
    beside = chosen.keys() - {*COMMON, "advanced"} if isinstance(chosen, dict) else set()
    if not beside or not isinstance(advanced := chosen.get("advanced", {}), dict):
        return set()
    chosen["advanced"] = advanced | {name: chosen.pop(name) for name in beside}
    return beside


async def _keep_advanced(chosen: dict[str, Any], assistant: object) -> None:
    """Add the advanced choices of a run's assistant that the run does not make itself: the server would drop them all for one."""
    if not isinstance(advanced := chosen.get("advanced"), dict):
        return
    with suppress(NotFoundError):  # which the server says itself
        async with get_client() as client:
            own: Any = (await client.assistants.get(str(assistant))).get("context") or {}
        if isinstance(of_assistant := own.get("advanced"), dict):
            chosen["advanced"] = of_assistant | advanced


async def _claim(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Claim a thread id for the user: an id that another user has had is refused, whether or not its thread exists."""
    creates = ctx.action == "create" or value.get("if_not_exists") == "create"
    claim = claim_thread(str(value["thread_id"]), ctx.user.identity, creates=creates, everything=_unrestricted(ctx))
    # In a context without the request's user: the store's rules would take it to the user's own part of the store
    if not await asyncio.create_task(claim, context=Context()):
        status, why = (
            (409, "cannot be used. Choose another id, or none") if ctx.action == "create" else (404, "not found")
        )
        raise Auth.exceptions.HTTPException(status, f"Thread with ID {value['thread_id']} {why}.")


@auth.on.assistants
async def own_assistants(ctx: Auth.types.AuthContext, value: Any) -> Filter:
    """Let everyone use the graph's own assistant, and make and change their own."""
    if ctx.action in {"create", "update"}:
        _gather_choices(value.get("context"))
    if _unrestricted(ctx):
        return None
    if ctx.action in {"create", "update"}:
        metadata = _mark(ctx, value)
        metadata["created_by"] = "user"
    if ctx.action in {"read", "search"}:
        return {"$or": [_own(ctx), _SHARED]}
    return _own(ctx)


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Give everyone a part of the store; evidence and journals are not reached through it."""
    if not _unrestricted(ctx):
        value["namespace"] = ("users", ctx.user.identity, *(value.get("namespace") or ()))


def _unrestricted(ctx: Auth.types.AuthContext) -> bool:
    return not RULES.accounts and ctx.user.identity == LOCAL


def _own(ctx: Auth.types.AuthContext) -> dict[str, Any]:
    return {OWNER: ctx.user.identity}


def _mark(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Write the owner into the server's own dictionary, replacing a client's value."""
    if value.get("metadata") is None:
        value["metadata"] = {}
    metadata: dict[str, Any] = value["metadata"]
    metadata[OWNER] = ctx.user.identity
    return metadata


def may_read(thread: Any, caller: str) -> bool:
    """Tell whether a thread belongs to a caller, for routes outside of the server's rules."""
    return not RULES.accounts or (thread.get("metadata") or {}).get(OWNER) == caller
