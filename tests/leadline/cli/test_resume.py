"""A run that was stopped in the middle goes on where it stopped, and comes to the same report."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline import aresearch, research
from leadline.runs.actions import aresume, aruns
from leadline.runs.store import open_home
from schemas.events import Event
from services.run.errors import BadInput
from services.run.settings import settings
from tests.leadline.conftest import Leadline

QUESTION = "Where was the designer of the wire sounding machine born?"


async def test_a_cancelled_run_resumes_to_the_same_report(docs: Path) -> None:
    async def cancelled(at: str) -> None:
        def stop(event: Event) -> None:
            if event.type == at:
                task.cancel()

        task = asyncio.ensure_future(aresearch(QUESTION, docs=[docs], on_event=stop))
        with pytest.raises(asyncio.CancelledError):
            await task

    whole = await aresearch(QUESTION, docs=[docs])
    for moment in ("triage", "plan", "step_finished"):
        await cancelled(moment)
        assert (await aruns())[0].status == "interrupted"
        assert (await aresume()).markdown == whole.markdown
        assert (await aruns())[0].status == "done"


async def test_a_run_that_chose_what_is_refused_today_is_listed_and_says_so(docs: Path) -> None:
    report = await aresearch(QUESTION, docs=[docs])
    async with open_home(settings().leadline_home) as home:
        record = await home.record(report.run_id)
        kept = record.model_dump(mode="json")
        kept["context"]["models"] = {"default": {"model": "x", "extra": {"base_url": "http://127.0.0.1:9"}}}
        await home.store.aput(("runs",), record.id, {**kept, "status": "interrupted"}, index=False)
    [listed] = await aruns()
    assert listed.question == QUESTION
    for again in (aresume(), aresearch("1", after=listed.id)):
        with pytest.raises(BadInput, match=r"an earlier version took.*models\.default\.extra cannot be used: base_url"):
            await again


def test_who_interrupts_a_run_can_resume_it(docs: Path, leadline: Leadline) -> None:
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # in the background of a script children inherit no handler
    child = subprocess.Popen(
        [sys.executable, "-u", "-m", "leadline.cli.app", "research", QUESTION, "--docs", str(docs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    assert child.stderr is not None
    for line in child.stderr:
        if "Step 1" in line:
            child.send_signal(signal.SIGINT)
            break
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "leadline resume" in err
    assert "Traceback" not in err
    resumed = leadline("resume")
    assert (resumed.code, "Belfast" in resumed.out) == (0, True)


def test_research_works_where_no_loop_runs_and_where_one_does(docs: Path) -> None:
    outside = research(QUESTION, docs=[docs])

    async def inside() -> str:
        return research(QUESTION, docs=[docs]).markdown

    assert asyncio.run(inside()) == outside.markdown


def test_an_interrupt_of_research_in_a_notebook_stops_the_run(docs: Path) -> None:
    events: list[str] = []

    def interrupt(event: Event) -> None:
        events.append(event.type)
        if event.type == "plan":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)  # the run does not overtake the signal

    async def cell() -> None:
        research(QUESTION, docs=[docs], on_event=interrupt)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, before)
        loop.close()
    assert asyncio.run(aruns())[0].status == "interrupted"
    assert "report" not in events
    assert "Belfast" in asyncio.run(aresume()).markdown
