"""One world a test process, the run in it that nobody interrupts, and the sums of what was killed, in the end."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.crash.forms import KILLS
from tests.crash.killing import Crashing
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
    far_ends.begin()
    made = Crashing(far_ends, tmp_path / "home", tmp_path / "out", FORMATS, expected=whole.files)
    yield made
    far_ends.on_phase = None
    if made.child is not None:  # of a test that failed
        made.child.kill()
        made.child.wait()
    made.tally.run(far_ends)
    request.node.user_properties.append(("crash", made.tally.plain()))


_ended: list[pytest.TestReport] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Say in the long form how far it has come, and remember what was killed."""
    if "tests/crash/" not in report.nodeid:
        return
    _ended.append(report)
    if KILLS and report.when == "teardown":
        name = report.nodeid.rpartition("::")[2]
        print(f"\n{datetime.now(UTC):%H:%M:%S} {name}: {_sums().get('kills', 0)} kills so far", flush=True)  # noqa: T201 - progress


def _sums() -> dict[str, int]:
    counted = Counter[str]()
    for one in _ended:
        for name, value in one.user_properties if one.when == "teardown" else []:
            if name == "crash" and isinstance(value, dict):
                counted.update(value)
    return dict(counted)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often runs were killed; the long form keeps it among the results of the benchmarks."""
    sums = _sums()
    if not sums.get("kills"):
        return
    sums["tests"] = sum(one.when == "call" for one in _ended)
    sums["tests failed"] = sum(one.failed for one in _ended)
    for name, count in sums.items():
        terminalreporter.write_line(f"crash matrix: {count:5} {name}")
    if KILLS:
        RESULTS.write_text(json.dumps(sums, indent=1) + "\n")
