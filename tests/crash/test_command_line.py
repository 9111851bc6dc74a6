"""`kill -9` of the command at every boundary and at random moments; each time it is gone on with, to the same report."""

import random

import pytest

from tests.crash.forms import A_TEST, KILLS, long_form
from tests.crash.killing import Crashing
from tests.crash.moments import Moment, Moments, file_moments, phases
from tests.crash.whole import Whole, check
from tests.crash.world import Phase

SOME_CALLS = ("coordinator", "page /machine", "researcher with tools", "researcher with results", "reporter")
SOME = (
    {(label, "half") for label in SOME_CALLS} | {("code", "asked")} | file_moments(["evidence.json"], "made", "named")
)


@pytest.mark.timeout(900)
def test_killed_in_the_middle_of_each_call(run: Crashing, whole: Whole) -> None:
    moments = Moments(phases("half") if KILLS else set(SOME))
    printed = run.until_the_report(moments)
    check(run, whole, printed)
    assert not moments.named


@long_form
@pytest.mark.timeout(900)
def test_killed_at_each_file_of_the_report(run: Crashing, whole: Whole) -> None:
    printed = run.until_the_report(Moments(file_moments(whole.files, "made", "written", "named")))
    check(run, whole, printed)


@long_form
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("phase", ["asked", "answered"])
def test_killed_before_and_after_each_call(run: Crashing, whole: Whole, phase: Phase) -> None:
    moments = Moments(phases(phase))
    printed = run.until_the_report(moments)
    check(run, whole, printed)
    assert not moments.named


@long_form
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize(
    "every",
    [
        ("checkpoints.sqlite-wal", "written"),
        ("store.sqlite-journal", "made"),
        ("store.sqlite-journal", "gone"),
        ("store.sqlite", "written"),
    ],
    ids=["at a checkpoint", "before an answer is kept", "after it is kept", "while it is kept"],
)
def test_killed_at_writes_to_the_databases(run: Crashing, whole: Whole, every: Moment) -> None:
    """The first life ends at its first such write, the second at its second, and so on: together they meet every part of a run."""
    check(run, whole, run.until_the_report(Moments(every=every)))
    assert len(run.kills) >= 5


@long_form
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("seed", range(-(-KILLS // A_TEST)))
def test_killed_at_random_moments(run: Crashing, whole: Whole, seed: int) -> None:
    moments = Moments(lots=A_TEST, longest=whole.seconds, chance=random.Random(seed))  # noqa: S311 - for repeating a failure
    while moments.lots:
        printed = run.until_the_report(moments)
        check(run, whole, printed)
        if moments.lots:
            run.another()
