"""Processes that convert the user's files and profile their tables: one for each type, one file at a time."""

import asyncio
from pathlib import Path, PurePath
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter

from schemas.coder import TableView
from services.run.settings import settings
from services.sandbox.workers import Workers
from services.search.file_types import MAX_BYTES, NO_TEXT, PLAIN, Converted
from services.search.ocr import no_text_of_pdf

SECONDS_A_FILE = 60.0


class _Answer(Converted, total=False):
    """What the process answers to either job."""

    views: list[TableView]


_ANSWERS = TypeAdapter(_Answer)


class Converters:
    """Converts files; use as an async context manager, within one event loop. Nothing starts before the first file."""

    def __init__(self) -> None:
        self._plain = Workers("services.search.convert_plain", _ANSWERS)
        self._office = Workers("services.search.convert_office", _ANSWERS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._plain.__aexit__(kind, error, trace)
        await self._office.__aexit__(kind, error, trace)

    @property
    def problem(self) -> str:
        """Reason why the processes are not confined; empty if they are, or if none has started."""
        return self._plain.problem or self._office.problem

    async def convert(self, path: Path) -> Converted:
        """Convert one file; a failure is returned as `error`."""
        try:
            data = await asyncio.to_thread(_read, path)
        except OSError as error:
            return {"error": f"cannot be read ({error.strerror})"}
        return await self.convert_data(path.name, data)

    async def convert_data(self, name: str, data: bytes) -> Converted:
        """Convert the content of a file with this name; a failure is returned as `error`."""
        ocr = settings().leadline_ocr_seconds
        answer = await self._workers(name).run({"name": name, "ocr_seconds": ocr}, data, SECONDS_A_FILE + ocr)
        if answer and answer.get("error") == NO_TEXT and PurePath(name).suffix.lower() == ".pdf":
            return {"error": await asyncio.to_thread(no_text_of_pdf)}
        if answer is None or not ("error" in answer or {"text", "title", "published", "card"} <= set(answer)):
            return {"error": "could not be converted: the converter ended or took too long"}
        return answer

    async def tables(self, path: Path) -> list[TableView]:
        """Profile the tables of one file; an unreadable file has none."""
        try:
            data = await asyncio.to_thread(_read, path)
        except OSError:
            return []
        answer = await self._workers(path.name).run({"name": path.name, "tables": True}, data, SECONDS_A_FILE)
        return answer.get("views", []) if answer else []

    def _workers(self, name: str) -> Workers[_Answer]:
        return self._plain if PurePath(name).suffix.lower() in PLAIN else self._office


def _read(path: Path) -> bytes:
    """Read a file, up to one byte beyond its maximum size."""
    with path.resolve().open("rb") as file:
        return file.read(MAX_BYTES + 1)
