"""The process that converts the user's files and profiles their tables, one file after another."""

import asyncio
from pathlib import Path

from pydantic import TypeAdapter

from schemas.coder import TableView
from services.sandbox.workers import Workers
from services.search.file_types import MAX_BYTES, Converted

SECONDS_A_FILE = 60.0


class _Answer(Converted, total=False):
    """What the process answers to either job."""

    views: list[TableView]


class Converters(Workers[_Answer]):
    """Converts files; use as an async context manager, within one event loop. Nothing starts before the first file."""

    def __init__(self) -> None:
        super().__init__("services.search.convert", TypeAdapter(_Answer))

    async def convert(self, path: Path) -> Converted:
        """Convert one file; what goes wrong is returned as `error`."""
        try:
            data = await asyncio.to_thread(_read, path)
        except OSError as error:
            return {"error": f"cannot be read ({error.strerror})"}
        return await self.convert_data(path.name, data)

    async def convert_data(self, name: str, data: bytes) -> Converted:
        """Convert what is in a file of this name; what goes wrong is returned as `error`."""
        answer = await self.run({"name": name}, data, SECONDS_A_FILE)
        if answer is None or not ("error" in answer or {"text", "title", "published"} <= set(answer)):
            return {"error": "could not be converted: the converter ended or took too long"}
        return answer

    async def tables(self, path: Path) -> list[TableView]:
        """Profile the tables of one file; one that cannot be read has none."""
        try:
            data = await asyncio.to_thread(_read, path)
        except OSError:
            return []
        answer = await self.run({"name": path.name, "tables": True}, data, SECONDS_A_FILE)
        return answer.get("views", []) if answer else []


def _read(path: Path) -> bytes:
    """Read a file, and of one that is too large only as much as shows that."""
    with path.resolve().open("rb") as file:
        return file.read(MAX_BYTES + 1)
