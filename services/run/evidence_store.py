"""The content-addressed store: normalised texts and files by their SHA-256, in the run's store."""

import asyncio
import base64
import hashlib

from langgraph.store.base import BaseStore

from services.run.errors import StoreDamaged, StoreError, StoreUnwritable
from services.run.ui_text import say, told
from services.text.normal_form import normalise_text

_TEXTS = ("evidence", "texts")
_FILES = ("evidence", "files")
SHORT = 20_000
"""Maximum characters of a text, or bytes of a file, that are dealt with in the event loop; longer ones are in a thread."""


def content_hash(text: str) -> str:
    """Return the SHA-256 of a text's normalised form, as 64 hexadecimal digits."""
    return _hashed(text)[1]


def _hashed(text: str) -> tuple[str, str]:
    normal = normalise_text(text)
    return normal, hashlib.sha256(normal.encode()).hexdigest()


def file_hash(data: bytes) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _encoded(data: bytes) -> tuple[str, dict[str, str]]:
    return file_hash(data), {"base64": base64.b64encode(data).decode()}


def _check(actual: str, key: str) -> None:
    if actual != key:
        raise StoreDamaged(**told("store_entry_damaged", key=key[:12]))


class EvidenceStore:
    """Texts of sources and bytes of artifacts, written once under their hash."""

    def __init__(self, store: BaseStore) -> None:
        self.store = store

    async def put_text(self, text: str) -> str:
        """Store a text in its normalised form and return its hash; storing it again changes nothing.

        Raises:
            StoreUnwritable: the store cannot be written.
        """
        normal, key = await asyncio.to_thread(_hashed, text) if len(text) > SHORT else _hashed(text)
        stored = await self.store.aget(_TEXTS, key)
        if stored is None or stored.value.get("text") != normal:
            await self._put(_TEXTS, key, {"text": normal})
        return key

    async def get_text(self, key: str) -> str:
        """Return a stored text.

        Raises:
            StoreError: there is no text under this hash.
            StoreDamaged: it is not the text that was stored.
        """
        text = str((await self._get(_TEXTS, key)).get("text"))
        _check(await asyncio.to_thread(file_hash, text.encode("utf-8", "replace")), key)
        return text

    async def put_bytes(self, data: bytes) -> str:
        """Store a file and return its hash.

        Raises:
            StoreUnwritable: the store cannot be written.
        """
        key, content = await asyncio.to_thread(_encoded, data) if len(data) > SHORT else _encoded(data)
        stored = await self.store.aget(_FILES, key)
        if stored is None or stored.value != content:
            await self._put(_FILES, key, content)
        return key

    async def get_bytes(self, key: str) -> bytes:
        """Return a stored file.

        Raises:
            StoreError: there is no file under this hash.
            StoreDamaged: it is not the file that was stored.
        """
        try:
            data = base64.b64decode(str((await self._get(_FILES, key)).get("base64")), validate=True)
        except ValueError:
            data = b""
        _check(await asyncio.to_thread(file_hash, data), key)
        return data

    async def _put(self, namespace: tuple[str, ...], key: str, value: dict[str, str]) -> None:
        try:
            await self.store.aput(namespace, key, value, index=False)
        except Exception as error:
            raise StoreUnwritable(say("store_evidence"), error) from error

    async def _get(self, namespace: tuple[str, ...], key: str) -> dict[str, str]:
        item = await self.store.aget(namespace, key)
        if item is None:
            raise StoreError(**told("store_entry_missing", key=key[:12]))
        return item.value
