"""One world a test process, and the run in it that nobody interrupts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.killing import Crashing
from tests.crash.whole import Whole
from tests.crash.world import World, world

FORMATS = "md,html"


@pytest.fixture(scope="session")
def far_ends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture(scope="session")
def whole(far_ends: World, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A run that nobody interrupts."""
    place = tmp_path_factory.mktemp("whole")
    return Whole.of(Crashing(far_ends, place / "home", place / "out", FORMATS))


@pytest.fixture
def run(far_ends: World, whole: Whole, tmp_path: Path) -> Crashing:
    """A run that is to be killed."""
    far_ends.begin()
    return Crashing(far_ends, tmp_path / "home", tmp_path / "out", FORMATS, expected=whole.files)
