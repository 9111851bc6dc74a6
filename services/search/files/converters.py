"""Processes that convert the user's files, within limits of time and memory for each file."""

import asyncio
import errno
import os
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path, PurePath

from pydantic import TypeAdapter

from schemas.regular_file import read_regular
from services.run.installation import install_command, ocr_installed
from services.run.settings import settings
from services.sandbox.slots import Slots
from services.sandbox.workers import Workers
from services.search.files.file_types import BEYOND_LIMITS, CONVERTED, MAX_BYTES, NO_TEXT, TOO_LARGE, Converted

MEGABYTE = 1 << 20
OCR_START_SECONDS = 20.0
"""Maximum seconds for loading the models of OCR, and for the image under way when its time is over."""
CONVERSIONS = Slots(max(2, min(4, os.cpu_count() or 1)))
"""Conversions of PDF, Word, Excel and HTML files that run side by side in this process, over all researches."""
_OF_THE_FOLDER = {"readme", "index", "_index"}
"""Names of the file that stands for its folder, whose name it takes."""
PLAIN_CONVERSIONS = Slots(2)
"""Conversions of plain text files that run side by side; they never wait for the others."""


_ANSWERS = TypeAdapter(Converted)
_WHOLE = {"text", "title", "card"}
"""Fields that a converted file has in any case."""


class Converters(AbstractAsyncContextManager["Converters"]):
    """Converts files; use as an async context manager, within one event loop. Nothing starts before the first file."""

    def __init__(self) -> None:
        self.seconds = settings().leadline_file_seconds
        """Maximum seconds for one file, without the images of a PDF file."""
        memory = settings().leadline_file_memory * MEGABYTE
        self._plain = Workers("services.search.files.convert_plain", _ANSWERS, memory=memory)
        self._office = Workers("services.search.files.convert_office", _ANSWERS, memory=memory)
        self._images = Workers("services.search.files.convert_office", _ANSWERS)  # recognising images takes more memory

    async def __aexit__(self, *error: object) -> None:
        for workers in (self._plain, self._office, self._images):
            await workers.__aexit__(*error)

    @property
    def problem(self) -> str:
        """Reason why the processes are not confined; empty if they are, or if none has started."""
        return self._plain.problem or self._office.problem or self._images.problem

    async def convert(self, path: Path, seconds: float | None = None) -> Converted | None:
        """Convert one file, and cut it into passages; a first attempt may have less time than a file.

        Returns:
            The document, or the reason of a failure as `error`; None if a first attempt took too long.
        """
        try:
            data = await asyncio.to_thread(read_regular, path, MAX_BYTES)
        except OSError as error:
            return {"error": TOO_LARGE if error.errno == errno.EFBIG else "not_opened"}
        named_by_folder = path.suffix and path.stem.casefold() in _OF_THE_FOLDER
        name = f"{path.parent.name}{path.suffix}" if named_by_folder else path.name
        answer = await self._text(name, data, seconds or self.seconds, passages=True)
        if answer is None and seconds is not None:
            return None
        return await self._completed(name, data, answer)

    async def convert_data(self, name: str, data: bytes) -> Converted:
        """Convert the content of a file with this name; a failure is returned as `error`."""
        return await self._completed(name, data, await self._text(name, data, self.seconds))

    async def _text(self, name: str, data: bytes, seconds: float, *, passages: bool = False) -> Converted | None:
        """Convert the text of a file; None if the process died or took too long."""
        workers = self._office if PurePath(name).suffix.lower() in CONVERTED else self._plain
        answer = await workers.run({"name": name, "passages": passages}, data, seconds)
        return answer if answer and ("error" in answer or set(answer) >= _WHOLE) else None

    async def _completed(self, name: str, data: bytes, answer: Converted | None) -> Converted:
        """Return a conversion with its reason in words if it failed, and with the text of a PDF file's scanned pages."""
        if answer is None or answer.get("error") == BEYOND_LIMITS:
            return {"error": beyond_limits()}
        if PurePath(name).suffix.lower() != ".pdf" or answer.get("error", NO_TEXT) != NO_TEXT:
            return answer
        images = await self._images_of(name, data)
        if "error" in answer:
            return images or {"error": await asyncio.to_thread(_no_text_of_pdf)}
        if images:
            answer.pop("passages", None)
            answer["text"] = f"{answer['text']}\n\n{images['text']}"
        return answer

    async def _images_of(self, name: str, data: bytes) -> Converted | None:
        """Return the scanned pages of a PDF file as a document; None if there is no text in them, or no OCR."""
        seconds = settings().leadline_ocr_seconds
        if seconds <= 0 or not await asyncio.to_thread(ocr_installed):
            return None
        job = {"name": name, "images": True, "ocr_seconds": seconds}
        answer = await self._images.run(job, data, seconds + OCR_START_SECONDS)
        return answer if answer and set(answer) >= _WHOLE else None


def beyond_limits() -> str:
    """Return the reason that a file could not be converted within today's limits."""
    return f"{BEYOND_LIMITS}:{settings().leadline_file_seconds:g} seconds or {settings().leadline_file_memory} MB"


def left_today() -> str:
    """Return the reason that a slow file was left after others came to nothing. Unlike theirs, it holds for a day: the machine may have been busy."""
    return f"{beyond_limits()}, and was left on {datetime.now(UTC):%Y-%m-%d}"


def _no_text_of_pdf() -> str:
    """Return the reason why a PDF file holds no text, with advice if its pages may be images. Blocking."""
    return "no_text_in_images" if ocr_installed() else f"images_unread:{install_command('ocr')}"
