"""Reads `.env`, whatever encoding an editor wrote it in."""

import codecs
from io import StringIO
from pathlib import Path

from dotenv import dotenv_values

from services.text.decoding import decode

FILE = Path(".env")
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file in UTF-16 begins, as Windows' shell writes it."""


def dotenv(file: Path = FILE, *, interpolate: bool = True) -> dict[str, str]:
    """Return the variables of a file that have a value; none if there is no such file.

    Raises:
        OSError: the file cannot be read.
    """
    text = dotenv_text(file)
    return {
        name: value for name, value in dotenv_values(stream=StringIO(text), interpolate=interpolate).items() if value
    }


def dotenv_text(file: Path = FILE) -> str:
    """Return the text of a file; empty if there is none.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        data = file.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return ""
    try:
        return decode(data).removeprefix("\ufeff")
    except ValueError:
        return data.decode("utf-8", "replace")
