"""A batch on a real server, through the real SDK client."""

import json
from pathlib import Path

import pytest

from leadline.batch.questions import BatchQuestion, read_batch, read_results, run_batch
from leadline.batch.runners import ServerRunner
from services.run.errors import ServerGone

QUESTIONS = ["Who designed the wire sounding machine?", "Why was tallow pressed into the lead?"]


async def test_a_batch_is_researched_by_a_server_and_each_question_once(server: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("\n".join(QUESTIONS))
    asked, results = read_batch(file), tmp_path / "results.jsonl"
    async with ServerRunner(server, tmp_path / "out", {}) as runner:
        first = await run_batch(asked, runner, results, 2)
    assert [one.status for one in first] == ["done", "done"]
    for one in first:
        assert one.folder is not None
        report = json.loads((Path(one.folder) / "report.json").read_text())
        assert report["markdown"] == (Path(one.folder) / "report.md").read_text()
    results.unlink()
    async with ServerRunner(server, tmp_path / "out", {}) as runner:
        again = await run_batch(asked, runner, results, 2)
    assert [one.run_id for one in again] == [one.run_id for one in first]
    assert [one.usage for one in again] == [one.usage for one in first]


async def test_a_server_that_is_not_there_stops_the_batch_with_its_address(tmp_path: Path) -> None:
    file, results = tmp_path / "questions.txt", tmp_path / "results.jsonl"
    file.write_text("\n".join(QUESTIONS))
    async with ServerRunner("http://127.0.0.1:9", tmp_path / "out", {}) as runner:
        with pytest.raises(ServerGone, match=r"http://127\.0\.0\.1:9 cannot be reached"):
            await run_batch(read_batch(file), runner, results, 1)
    assert [one.status for one in read_results(results).values()] == ["started"]


async def test_a_run_that_fails_on_the_server_says_why(server: str, tmp_path: Path) -> None:
    asked = BatchQuestion(id="1", question=QUESTIONS[0], docs=["/etc"])
    async with ServerRunner(server, tmp_path / "out", {}) as runner:
        [outcome] = await run_batch([asked], runner, tmp_path / "results.jsonl", 1)
    assert outcome.error == (
        "The folder /etc is not open to this server. Attach its files, take it out under “Document folders” in the settings, "
        "or ask whoever runs this server to open it."
    )
