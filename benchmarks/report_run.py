"""The measured process of `report.py`: one question researched, answered in one call, its report checked with planted errors.

A step that is done is not done again: the run goes on where it stopped, and answers that the journal has are not asked for again.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.model_figures import journal_of, roles_of
from benchmarks.planted import BY_MODEL, Plant, Statement, by_code, by_model, chosen, copies_of, statements_of
from benchmarks.planted_check import checked, figures_of, neighbours_of, row_of
from benchmarks.report_files import read_rows, report_text, write_grading, write_rows
from benchmarks.report_files import statements_of as rows_of
from benchmarks.report_prompts import exchanges_kept, rendered, say
from leadline import aresearch
from leadline.runs.actions import aresume
from leadline.runs.store import Home, RunRecord, gatherings_of, open_home
from schemas.evidence import Excerpt, Passage, Source
from schemas.reporter import Report
from services.reports.rendering import to_draft
from services.run.settings import settings

COPIES = 3
"""Copies of a report at most among which errors are dealt out; each costs a whole check."""


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


async def planted(home: Home, record: RunRecord, report: Report, out: Path, wanted: int) -> dict[str, Any]:
    """Plant errors in the report, put it to the check, and write what became of them and of their neighbours."""
    values: Any = await home.values(record)
    draft = to_draft(report.document.body) if report.document else ""
    excerpts = {excerpt.id: excerpt for excerpt in report.excerpts}
    right = statements_of(draft, report.citations)
    made = by_code(right, excerpts, values["sources"])
    made |= await _by_model(record, right, excerpts, out, wanted)
    copies = copies_of(chosen(made, wanted), COPIES)
    checks = await asyncio.gather(*(checked(home, record, values, draft, copy) for copy in copies))
    rows = [row_of(plant, check) for check in checks for plant in check.plants]
    beside = [row for check in checks for row in neighbours_of(report, check)]
    rows = write_rows(out / "planted.jsonl", rows, ("kind", "planted"))
    write_rows(out / "neighbours.jsonl", [row for row in beside if row["end"] != "kept"], ("statement", "end"))
    limits = [limit for check in checks for limit in check.verified.limits]
    return {"copies": len(checks), "limits": limits, **figures_of(rows, beside, [check.usage for check in checks])}


async def _by_model(
    record: RunRecord, right: Sequence[Statement], excerpts: Mapping[str, Excerpt], out: Path, wanted: int
) -> dict[str, list[Plant]]:
    """Return the errors that the model writes, or wrote in an earlier measurement of the same report."""
    file = out / "changed_by_model.jsonl"
    if not file.exists():
        each = -(-wanted // len(BY_MODEL))
        made = await by_model(right, excerpts, record.context, each=each) if each else {}
        rows = [
            {"kind": plant.kind, "original": plant.statement.text, "changed": plant.changed}
            for plants in made.values()
            for plant in plants
        ]
        write_rows(file, rows, ("kind", "changed"))
    by_text = {statement.text: statement for statement in right}
    found: dict[str, list[Plant]] = {kind: [] for kind in BY_MODEL}
    for row in read_rows(file):
        if row["original"] in by_text:
            found[row["kind"]].append(Plant(row["kind"], by_text[row["original"]], row["changed"]))
    return found


async def answers(job: Mapping[str, Any]) -> dict[str, Any]:
    """Do every step that is not done yet, and return the figures."""
    out = Path(job["out"])
    with exchanges_kept(out / "prompts"):
        await researched(job)
        calls, _ = await journal_of(settings().leadline_home)
        async with open_home(settings().leadline_home) as home:
            record = next(iter(await home.records()))
            report: Report = (await home.values(record))["report"]
            alone = await one_call(home, record, report, out)
            write_rows(out / "statements.jsonl", rows_of(report, calls), ("statement", "status"))
            text = report_text(report)
            (out / "report.txt").write_text(text, "utf-8")
            write_grading(out, job, text, (out / "one_call.md").read_text("utf-8"))
            with exchanges_kept(out / "prompts_planted"):
                errors = await planted(home, record, report, out, job["planted"])
    return {"roles": roles_of(calls), "one_call": alone, "planted": errors, "excerpts": len(report.excerpts)}


def main() -> None:
    """Read a job from standard input and write its figures as the last line of standard output."""
    print(json.dumps(asyncio.run(answers(json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
