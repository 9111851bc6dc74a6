"""Deletes the data of a thread outside of its state (attachments, versions, journals, messages) before the server deletes the thread."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fastapi import Request
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError
from langgraph_sdk.schema import RunStatus
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leadline.server.access import caller_of
from leadline.server.api_client import api_of, on_aegra, store_of
from leadline.server.auth import may_read
from leadline.server.thread_owners import mark_deleted
from leadline.server.threads import question_states
from services.run.choices import turn_at
from services.turn.thread_data import delete_thread_data

_PAGE = 100


class ThreadDeletion:
    """Middleware behind the access check: recognises the requests that delete threads of the caller's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        caller = caller_of(scope)
        if scope["type"] == "http" and caller:
            request = Request(scope, receive)
            if scope["method"] == "POST" and scope["path"] == "/threads/prune":
                body = await request.body()
                receive = _replayed(body, receive)
                await _delete_all(api_of(request), _pruned(body), caller)
            elif scope["method"] == "DELETE":
                client = api_of(request)
                await _delete_all(client, await _named(client, request, caller), caller)
        await self._app(scope, receive, send)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives a body that was read already, and then what comes after it."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again


def _pruned(body: bytes) -> Sequence[str]:
    """Return the ids of the threads that a request wants deleted; the server refuses what cannot be read."""
    try:
        request = json.loads(body)
        deletes = request.get("strategy", "delete") == "delete"
        return [str(thread) for thread in request.get("thread_ids", [])] if deletes else []
    except (ValueError, AttributeError, TypeError):
        return []


async def _named(client: LangGraphClient, request: Request, caller: str) -> Sequence[str]:
    """Return the id of the thread in a path, or those of all threads of an assistant that goes with its threads."""
    kind, _, name = request.url.path.strip("/").partition("/")
    if kind == "threads" and "/" not in name:
        return [name]
    if kind != "assistants" or request.query_params.get("delete_threads", "").lower() != "true" or on_aegra():
        return []
    try:
        if not may_read(await client.assistants.get(name), caller):
            return []
        named: list[str] = []
        while page := await client.threads.search(metadata={"assistant_id": name}, limit=_PAGE, offset=len(named)):
            named.extend(str(thread["thread_id"]) for thread in page)
    except APIStatusError:
        return []
    return named


async def _delete_all(client: LangGraphClient, named: Sequence[str], caller: str) -> None:
    """Delete the data of threads outside of their states, unless one of them is not the caller's: then the server deletes none."""
    own: list[Any] = []
    for thread_id in named:
        try:
            thread = await client.threads.get(thread_id)
        except APIStatusError:
            continue
        if may_read(thread, caller):
            own.append(thread)
    for thread in own:
        await _delete(client, str(thread["thread_id"]), caller)


async def _delete(client: LangGraphClient, thread: str, caller: str) -> None:
    if not on_aegra():  # which stops them itself
        await _stop_runs(client, thread)
    store, turns = store_of(client), await _turns(client, thread)
    await mark_deleted(store, thread, caller)
    await delete_thread_data(store, thread, turns)


async def _stop_runs(client: LangGraphClient, thread: str) -> None:
    """Stop a thread's runs, those that wait before the one that goes on, and wait for its end."""
    statuses: tuple[RunStatus, ...] = ("pending", "running")
    for status in statuses:
        for run in await client.runs.list(thread, limit=_PAGE, status=status):
            with suppress(APIStatusError):  # it has just ended
                await client.runs.cancel(thread, run["run_id"], wait=status == "running")


async def _turns(client: LangGraphClient, thread: str) -> set[int]:
    """Return the turns of a thread; none if it has had no run."""
    try:
        latest: Any = await client.threads.get_state(thread)
        states = [latest, *await question_states(client, thread)]
    except APIStatusError:  # Aegra has no state of a thread without runs
        return set()
    begun = [state for state in states if isinstance(state["values"], dict) and state["values"]]
    return {turn_at(state["next"], state["values"], state["metadata"] or {}) for state in begun}
