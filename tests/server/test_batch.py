"""A batch on a real server, through the real SDK client."""

import json
from pathlib import Path

from leadline.batch import read_batch, run_batch
from leadline.runners import There

QUESTIONS = ["Who designed the wire sounding machine?", "Why was tallow pressed into the lead?"]


async def test_a_batch_is_researched_by_a_server_and_each_question_once(server: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("\n".join(QUESTIONS))
    asked, results = read_batch(file), tmp_path / "results.jsonl"
    async with There(server, tmp_path / "out", {}) as runner:
        first = await run_batch(asked, runner, results, 2)
    assert [one.status for one in first] == ["done", "done"]
    for one in first:
        assert one.folder is not None
        report = json.loads((Path(one.folder) / "report.json").read_text())
        assert report["markdown"] == (Path(one.folder) / "report.md").read_text()
    results.unlink()
    async with There(server, tmp_path / "out", {}) as runner:
        again = await run_batch(asked, runner, results, 2)
    assert [one.run_id for one in again] == [one.run_id for one in first]
    assert [one.usage for one in again] == [one.usage for one in first]


async def test_a_server_that_is_not_there_fails_each_question_with_its_address(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text(QUESTIONS[0])
    async with There("http://127.0.0.1:9", tmp_path / "out", {}) as runner:
        [outcome] = await run_batch(read_batch(file), runner, tmp_path / "results.jsonl", 1)
    assert outcome.status == "failed"
    assert "http://127.0.0.1:9 cannot be reached" in outcome.error
