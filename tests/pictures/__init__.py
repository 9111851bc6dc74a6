"""The pictures of the README and the guides: tests make them of the real thing, and `make pictures` keeps what they make."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PIL import Image
from PIL.PngImagePlugin import PngInfo

KEPT = os.environ.get("LEADLINE_PICTURES")
"""The folder where pictures are kept; without it they are only made."""
MADE: set[str] = set()
"""The names of all pictures that tests make."""
Test = TypeVar("Test", bound=Callable[..., object])


def makes(name: str) -> Callable[[Test], Test]:
    """Say which picture a test makes."""
    MADE.add(name)
    return lambda test: test


def keep(picture: Path, words: str = "") -> None:
    """Keep a picture by its name, where pictures are to be kept.

    It gets few enough colours that a repository bears it, and carries the words that it shows: by them a test sees that
    it has become old.
    """
    assert picture.name in MADE
    if not KEPT:
        return
    if picture.suffix == ".png":
        about = PngInfo()
        about.add_itxt("Description", words)
        with Image.open(picture) as drawn:
            few = drawn.convert("RGB").quantize(192, dither=Image.Dither.NONE)
            few.save(Path(KEPT) / picture.name, optimize=True, pnginfo=about)
    else:
        shutil.copy(picture, KEPT)
