"""The measured process of `report.py`: one question researched, and answered in one call.

A step that is done is not done again: the run goes on where it stopped, and answers that the journal has are not asked for again.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.model_figures import journal_of, roles_of
from benchmarks.report_files import report_text, statements_of, write_grading, write_rows
from benchmarks.report_prompts import exchanges_kept, rendered, say
from leadline import aresearch
from leadline.runs.actions import aresume
from leadline.runs.store import Home, RunRecord, gatherings_of, open_home
from schemas.evidence import Excerpt, Passage, Source
from schemas.reporter import Report
from services.run.settings import settings


async def researched(job: Mapping[str, Any]) -> None:
    """Research the question unless its home has a finished run of it."""
    async with open_home(settings().leadline_home) as home:
        record = next(iter(await home.records()), None)
    if record is None:
        choices = {"locale": job["locale"], "depth": job["depth"], "max_seconds": job["seconds"], **job["choices"]}
        await aresearch(job["question"], docs=[job["folder"]], search="documents", out=job["out"], **choices)
    elif record.status != "done":
        await aresume(record.id)


async def one_call(home: Home, record: RunRecord, report: Report, out: Path) -> dict[str, int]:
    """Let the same model answer in one call from the passages that the run quoted from; kept as `one_call.md`."""
    file, figures = out / "one_call.md", out / "one_call.json"
    if not figures.exists():
        found = await gatherings_of(home, record.id)
        views = passages_of(report.excerpts, found.passages, {source.content_hash: source for source in report.sources})
        asked = rendered("one_call", question=report.question, locale=report.locale, passages=views)
        said = await say(asked, record.context)
        file.write_text(said.text, "utf-8")
        counts = {"passages": len(views), "prompt_tokens": said.prompt_tokens, "output_tokens": said.output_tokens}
        figures.write_text(json.dumps(counts) + "\n", "utf-8")
    counted: dict[str, int] = json.loads(figures.read_text("utf-8"))
    return counted


def passages_of(
    excerpts: Sequence[Excerpt], passages: Sequence[Passage], sources: Mapping[str, Source]
) -> list[dict[str, Any]]:
    """Return the passages that hold excerpts, each once, by source and place; an excerpt that none holds stands for itself."""
    shown: dict[tuple[str, int, int], str] = {}
    for excerpt in excerpts:
        around = [passage for passage in passages if excerpt.lies_in(passage)]
        held = max(around, key=lambda passage: len(passage.text), default=None)
        if held is None:
            shown[excerpt.place] = excerpt.quote
        else:
            shown[held.content_hash, held.start, held.end] = held.text
    return [
        {"number": number, "title": sources[key].title, "about": sources[key].card.about, "text": text}
        for number, ((key, _, _), text) in enumerate(sorted(shown.items()), 1)
    ]


async def answers(job: Mapping[str, Any]) -> dict[str, Any]:
    """Do every step that is not done yet, and return the figures."""
    out = Path(job["out"])
    with exchanges_kept(out / "prompts"):
        await researched(job)
        calls = await journal_of(settings().leadline_home)
        async with open_home(settings().leadline_home) as home:
            record = next(iter(await home.records()))
            report: Report = (await home.values(record))["report"]
            alone = await one_call(home, record, report, out)
            write_rows(out / "statements.jsonl", statements_of(report, calls), ("statement", "status"))
            text = report_text(report)
            (out / "report.txt").write_text(text, "utf-8")
            write_grading(out, job, text, (out / "one_call.md").read_text("utf-8"))
    return {"roles": roles_of(calls), "one_call": alone, "excerpts": len(report.excerpts)}


def main() -> None:
    """Read a job from standard input and write its figures as the last line of standard output."""
    print(json.dumps(asyncio.run(answers(json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
