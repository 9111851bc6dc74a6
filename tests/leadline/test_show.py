"""`leadline show`: the timeline of a run, in the terminal and as a page."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from leadline import research
from leadline.timeline import Timeline
from services.journal import Entry
from tests.leadline.conftest import Leadline

QUESTION = "Where was the designer of the wire sounding machine <b>born</b>?"


def entry(kind: str, at: str, seconds: float, **more: object) -> Entry:
    about = {"kind": kind, "name": kind, "place": "1:x", "request": "", "occurrence": 0, "at": at, "seconds": seconds}
    return Entry.model_validate({**about, **more})


def test_calls_stand_in_the_order_in_which_they_began() -> None:
    timeline = Timeline.of(
        [
            entry("model", "2026-01-01T00:00:10+00:00", 4),
            entry("search", "2026-01-01T00:00:09+00:00", 7, error=("SearchError", "down")),
            entry("clock", "2026-01-01T00:00:01+00:00", 0),
        ]
    )
    assert [(one.kind, one.start, one.end, one.failed) for one in timeline.spans] == [
        ("search", 0.0, 7.0, "SearchError"),
        ("model", 4.0, 8.0, ""),
    ]
    assert timeline.seconds == 8.0
    assert timeline.by_kind() == [("search", 1, 7.0), ("model", 1, 4.0)]


def test_a_runs_calls_are_listed_with_their_places(docs: Path, leadline: Leadline) -> None:
    report = research(QUESTION, docs=[docs])
    ran = leadline("show", report.run_id)
    assert ran.code == 0
    for place in ("0:coordinator", "researcher:1", "reporter"):
        assert place in ran.out
    assert "model:" in ran.out


def test_the_page_holds_what_was_asked_as_text(docs: Path, leadline: Leadline, tmp_path: Path) -> None:
    research(QUESTION, docs=[docs])
    ran = leadline("show", "--html", tmp_path / "run.html")
    assert ran.code == 0
    assert not ran.out
    page = (tmp_path / "run.html").read_text("utf-8")
    assert "&lt;b&gt;born" in page
    assert "<script" not in page
    assert page.count('class="bar') > 5


def test_a_run_that_there_is_not_is_bad_input(leadline: Leadline) -> None:
    assert leadline("show").code == 2
    assert "no run yet" in leadline("show").err
    assert leadline("show", "no-such-run").code == 2


def test_a_second_process_on_one_run_is_refused(docs: Path, leadline: Leadline) -> None:
    command = [sys.executable, "-u", "-m", "leadline.cli", "research", QUESTION, "--docs", str(docs)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    assert child.stderr is not None
    for line in child.stderr:
        if "Understanding" in line:
            child.send_signal(signal.SIGSTOP)
            break
    try:
        ran = leadline("resume")
        assert ran.code == 2
        assert "Another process works on run" in ran.err
    finally:
        child.kill()
        child.communicate(timeout=30)
    assert leadline("resume").code == 0
