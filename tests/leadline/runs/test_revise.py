"""Changing a report from Python, and a change that was interrupted."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.cli.stored_runs import show
from leadline.runs.actions import areplay, areport, aresume, aruns
from leadline.runs.revise import arevise, averify, aversions
from leadline.runs.store import open_home
from services.run.errors import BadInput, RevisionRefused
from services.run.settings import settings
from tests.fakes.editing import edits, titled, whole
from tests.fakes.openai_server import OpenAIServer, Scripted
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before

STORMS = "Storms closed the northern pier for some weeks of the winter."
QUESTION = "What closed the northern pier?"


@pytest.fixture
async def run(endpoint: OpenAIServer, tmp_path: Path) -> str:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "pier.md").write_text(f"# The pier\n\n{STORMS}\n")
    endpoint.script["reporter"] = [f"# Storms\n\n{STORMS} [B0-1]"]
    return (await aresearch(QUESTION, docs=[read_before(tmp_path / "papers")], depth="quick")).run_id


async def test_versions_are_kept_without_a_folder_too(endpoint: OpenAIServer, run: str) -> None:
    endpoint.script["reporter_editing"] = [titled("The pier")]
    report = await arevise(run, "Another title")
    assert (report.title, report.folder) == ("The pier", None)
    versions = await aversions(run)
    assert [(version.number, version.request, version.report.title) for version in versions] == [
        (1, "", "Storms"), (2, "Another title", "The pier"),
    ]  # fmt: skip
    assert {version.report.run_id for version in versions} == {run}
    assert versions[0].created == (await aruns())[0].created
    assert [not (await averify(run, number))[1].problems for number in (1, 2)] == [True, True]
    assert "reporter_editing" in report.prompts
    with pytest.raises(BadInput, match="no version 3"):
        await averify(run, 3)


async def interrupted(endpoint: OpenAIServer, request: str, at: str) -> None:
    """Ask for a change, and cancel it when a role is asked."""
    work = asyncio.create_task(arevise(None, request))

    def cancel(_: int, role: str, __: dict[str, Any]) -> None:
        if role == at:
            work.get_loop().call_soon_threadsafe(work.cancel)

    endpoint.fault = cancel
    with pytest.raises(asyncio.CancelledError):
        await work
    endpoint.fault = None
    [record] = await aruns()
    assert record.status == "interrupted"


async def test_a_report_whose_change_was_interrupted_is_read_followed_and_changed_otherwise(
    endpoint: OpenAIServer, run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await interrupted(endpoint, "Another title", "reporter_editing")
    await asyncio.to_thread(show, run)
    shown = capsys.readouterr()
    assert STORMS in shown.out
    assert "Versions" not in shown.out
    assert "This change is not made, the run is interrupted" in shown.err
    assert "Another title" in shown.err
    assert (await areport(out=tmp_path / "exported")).title == "Storms"
    assert (await areplay(run)).version == 1
    endpoint.script["reporter_editing"] = [titled("The pier")]
    changed = await arevise(run, "Name the pier")
    assert [version.request for version in await aversions(run)] == ["", "Name the pier"]
    assert (await areplay(run)).markdown == changed.markdown
    assert not (await averify(run, 2))[1].problems


async def test_a_change_that_was_interrupted_while_it_searched_asks_nothing_again(
    endpoint: OpenAIServer, run: str, tmp_path: Path
) -> None:
    costs = "The repair of the northern pier cost 40,000 crowns in 1922."
    (tmp_path / "papers" / "costs.md").write_text(f"# Costs\n\n{costs}\n")
    written: list[Scripted] = [edits(lacks=["What the repair cost"]), whole(f"# Costs\n\n{costs} [E1-1]")]
    endpoint.script["researcher"] = [quoting(costs)] * 2
    endpoint.script["reporter_editing"] = list(written)
    await interrupted(endpoint, "For the treasurer", "researcher")
    endpoint.script["reporter_editing"] = [*written[1:]]
    report = await aresume()
    assert "40,000 crowns" in report.markdown
    assert report.version == 2
    assert endpoint.roles.count("reporter_editing") == 2
    calls = len(endpoint.requests)
    assert (await areplay(run)).markdown == report.markdown
    assert len(endpoint.requests) == calls
    assert not (await averify(run, 2))[1].problems


async def test_a_change_keeps_its_limits_and_says_what_they_left_out(endpoint: OpenAIServer, run: str) -> None:
    async with open_home(settings().leadline_home) as home:
        record = await home.record(run)
        context = record.context.model_copy(update={"max_searches": 1})
        await home.save(record.model_copy(update={"context": context}))
    endpoint.script["reporter_editing"] = [edits(lacks=["The pier was sealed with tar"])]
    report = await arevise(run, "Add a section on tar")
    assert report.usage.searches <= 2
    assert any("not found" in limit or "searches" in limit for limit in report.limits)


async def test_a_refused_change_leaves_the_run_done_and_is_asked_anew(endpoint: OpenAIServer, run: str) -> None:
    unproven = whole("# Gulls\n\nSeven hundred gulls nested on a lighthouse in Norway.")
    useless = ["no JSON"] * 3
    nothing = (
        edits(),
        edits({"block": "B77", "action": "drop"}),
        edits({"block": "B1", "action": "replace", "text": ""}),
    )
    endpoint.script["reporter_editing"] = [*nothing, *useless, unproven, *useless, titled("The pier")]
    refusals = [("changed nothing", calls) for calls in (1, 2, 3)]
    refusals += [("no usable", 6), ("no statement that its citations support", 10)]
    for reason, asked in refusals:
        with pytest.raises(RevisionRefused, match=reason):
            await arevise(run, "Another title")
        async with open_home(settings().leadline_home) as home:
            record = await home.record(run)
            values = await home.values(record)
        assert record.status == "done"
        assert reason in values["revision"].refused
        assert values["messages"][-1].text == values["revision"].refused
        assert values["report"].title == "Storms"
        assert endpoint.roles.count("reporter_editing") == asked
    assert (await arevise(run, "Another title")).title == "The pier"
    replayed = await areplay(run)
    assert (replayed.title, replayed.version) == ("The pier", 2)
