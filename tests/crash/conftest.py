"""One world a test process, the run in it that nobody interrupts, and the sums of what was killed, in the end."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.crash.forms import KILLS
from tests.crash.killing import Crashing
from tests.crash.known import repeated
from tests.crash.whole import Whole
from tests.crash.world import World, world

FORMATS = "md,html"
RESULTS = PROJECT / "benchmarks" / "results" / "crash.json"


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
def run(request: pytest.FixtureRequest, far_ends: World, whole: Whole, tmp_path: Path) -> Iterator[Crashing]:
    """A run that is to be killed."""
    far_ends.begin()
    made = Crashing(far_ends, tmp_path / "home", tmp_path / "out", FORMATS, expected=whole.files)
    yield made
    far_ends.on_phase = None
    if made.child is not None:  # of a test that failed
        made.child.kill()
        made.child.wait()
    under_way = made.repeats + sum(repeated(far_ends).values())
    request.node.user_properties.append(("crash", {"kills": len(made.kills), "under way, made again": under_way}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often runs were killed; the long form keeps it among the results of the benchmarks."""
    ended = [
        one for reports in terminalreporter.stats.values() for one in reports if isinstance(one, pytest.TestReport)
    ]
    counted = Counter[str]()
    failed = sum(one.failed and "tests/crash/" in one.nodeid for one in ended)
    for one in ended:
        for name, value in one.user_properties if one.when == "teardown" else []:
            if name == "crash" and isinstance(value, dict):
                counted += Counter({"runs": 1, **value})
    if not counted["kills"]:
        return
    sums = {
        "kills": counted["kills"],
        "runs": counted["runs"],
        "calls under way at a kill, made again": counted["under way, made again"],
        "completed calls made again": 0 if not failed else None,
        "tests failed": failed,
    }
    terminalreporter.write_line(f"crash matrix: {json.dumps(sums)}")
    if KILLS:
        RESULTS.write_text(json.dumps(sums, indent=1) + "\n")
