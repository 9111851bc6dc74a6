"""Reads `.env`, whatever encoding an editor wrote it in."""

from io import StringIO
from pathlib import Path

from dotenv import dotenv_values

from services.text.decoding import decode

FILE = Path(".env")


def dotenv(file: Path = FILE, *, interpolate: bool = True) -> dict[str, str]:
    """Return the variables of a file that have a value; none if there is no such file.

    Raises:
        OSError: the file cannot be read.
    """
    values = dotenv_values(stream=StringIO(decoded(file)[0]), interpolate=interpolate)
    return {name: value for name, value in values.items() if value}


def decoded(file: Path = FILE) -> tuple[str, str]:
    """Return the text of a file, empty if there is none, and the encoding to write it in.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        data = file.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return "", "utf-8"
    try:
        text, encoding = decode(data)
    except ValueError:
        return data.decode("utf-8", "replace"), "utf-8"
    return text.removeprefix("\ufeff"), "utf-8" if encoding == "ascii" else encoding
