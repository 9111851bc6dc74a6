"""The pictures: every one that is referred to is there and made by a test, and no other is kept."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.pictures import MADE

IMAGES = PROJECT / "docs" / "images"
MAKERS = ["tests.pictures.test_pictures", "tests.server.test_chat_client"]
WIDEST, LARGEST = 2000, 200_000
"""Points across, and bytes: a README loads on a phone, too."""


def test_every_picture_is_made_by_a_test_and_shown_somewhere() -> None:
    for maker in MAKERS:
        importlib.import_module(maker)
    target = re.search(r"^pictures:.*\n(.*)", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert target
    assert all(maker.replace(".test_pictures", "").replace(".", "/") in target[1] for maker in MAKERS)
    texts = [place.read_text("utf-8") for place in (PROJECT / "README.md", *(PROJECT / "docs").glob("*.md"))]
    shown = {name for text in texts for name in re.findall(r"images/([\w.-]+)", text)}
    assert shown == MADE == {one.name for one in IMAGES.iterdir()}


@pytest.mark.parametrize("picture", sorted(IMAGES.iterdir()), ids=lambda one: one.name)
def test_a_picture_is_small_and_fetches_nothing(picture: Path) -> None:
    content = picture.read_bytes()
    assert len(content) < LARGEST
    if picture.suffix == ".png":
        assert content.startswith(b"\x89PNG")
        assert 900 <= int.from_bytes(content[16:20], "big") <= WIDEST
    else:
        assert set(re.findall(rb"https?://[\w.]+", content)) <= {b"http://www.w3.org", b"https://www.textualize.io"}


def test_the_page_in_the_picture_has_the_nodes_of_the_graph() -> None:
    """The words that `page.png` shows are those of the page now: its picture carries them."""
    from PIL import Image

    from graph.machine import DESCRIPTIONS
    from leadline.server.page import WORDS

    words = tomllib.loads(WORDS.read_text("utf-8"))["words"]
    labels = [words[f"node_{node}"]["en"] for node in DESCRIPTIONS]
    with Image.open(IMAGES / "page.png") as drawn:
        shown = str(drawn.info.get("Description", ""))
    assert all(label in shown for label in labels), "make pictures"
