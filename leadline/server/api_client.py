"""Clients of this server's own API and store, LangGraph's or Aegra's, from inside the process."""

import sys
from typing import Any, Literal, cast

import httpx
from fastapi import Request
from langgraph.store.base import BaseStore, Item
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from langgraph_sdk.schema import Item as StoreItem

_ASKED_WITH = ("authorization", "x-api-key", "cookie")
"""Headers that identify the caller."""


def api_of(request: Request) -> LangGraphClient:
    """Return a client of the server's API with the credentials of a request."""
    if not on_aegra():
        return get_client()
    headers = {name: value for name, value in request.headers.items() if name in _ASKED_WITH}
    # The call passes the access check inside the process: as this machine if there are no tokens
    transport = httpx.ASGITransport(app=request.app)
    return LangGraphClient(httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers))


def store_of(client: LangGraphClient) -> BaseStore:
    """Return the store that runs write to.

    Aegra shows clients only what lies below their own name in it, so there it is asked directly.
    """
    return aegra_store() if on_aegra() else cast("BaseStore", _ApiStore(client))


def aegra_store() -> BaseStore:
    """Return Aegra's store."""
    from aegra_api.core.database import db_manager

    return cast("BaseStore", db_manager.get_store())


def on_aegra() -> bool:
    """Tell whether this process belongs to Aegra."""
    return "aegra_api.main" in sys.modules


class _ApiStore:
    """Reads and writes the server's store through its API."""

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client

    async def aget(self, namespace: tuple[str, ...], key: str) -> Item | None:
        """Return an item, or None."""
        try:
            stored_item = await self._client.store.get_item(namespace, key=key)
        except NotFoundError:
            return None
        if not stored_item:
            return None
        return _item(stored_item, namespace)

    async def asearch(self, namespace: tuple[str, ...], /, *, limit: int = 10, offset: int = 0) -> list[Item]:
        """Return the items of a namespace."""
        page = await self._client.store.search_items(namespace, limit=limit, offset=offset)
        return [_item(item, namespace) for item in page["items"]]

    async def aput(self, namespace: tuple[str, ...], key: str, value: dict[str, Any], index: Literal[False]) -> None:
        """Write an item without an index for semantic search."""
        await self._client.store.put_item(namespace, key=key, value=value, index=index)

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete an item, if it exists."""
        await self._client.store.delete_item(namespace, key=key)


def _item(stored_item: StoreItem, namespace: tuple[str, ...]) -> Item:
    return Item(
        value=stored_item["value"],
        key=stored_item["key"],
        namespace=namespace,
        created_at=stored_item["created_at"],
        updated_at=stored_item["updated_at"],
    )
