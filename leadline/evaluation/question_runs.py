"""The runs of an evaluation: every question under every setting, several at a time; finished runs are not repeated.

A folder holds it all: `results.jsonl` (how each run ended), `settings.json` (the choices of the runs), and a folder of reports a
setting and question. A run's state is a line of `results.jsonl`, appended when it changes: `started` with the id of the run, then `done` or
`failed`. The latest line counts.
"""

import asyncio
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from leadline.api import aresearch
from leadline.evaluation.question_set import EvalQuestion
from leadline.evaluation.settings import Setting
from leadline.runs.actions import aresume
from leadline.runs.run_ids import new_run_id, shown_folder
from prompts import using
from schemas.regular_file import read_regular
from schemas.reporter import Report
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, LeadlineError
from services.run.roles import ROLES, role_model
from services.run.ui_text import say, told
from services.search.providers import allow_folders, check_search, providers_for

RESULTS, SETTINGS, REPORTS = "results.jsonl", "settings.json", "reports"
MAX_RESULTS_BYTES = 200_000_000
"""Maximum bytes of a file of results."""


class Outcome(BaseModel):
    """A line of the results: how the run of a question under a setting ended."""

    id: str
    """Of the question."""
    setting: str
    question: str
    status: Literal["started", "done", "failed"]
    run_id: str
    folder: str | None = None
    """Where the report's files are."""
    claims: int = 0
    verified: int = 0
    error: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Id of the question, and name of the setting."""
        return self.id, self.setting


OnOutcome = Callable[[Outcome], None]
"""Called for each finished run, including existing ones."""


async def run_settings(
    questions: Sequence[EvalQuestion],
    settings: Sequence[Setting],
    choices: Mapping[str, Any],
    place: Path,
    *,
    jobs: int = 1,
    on_outcome: OnOutcome | None = None,
) -> dict[tuple[str, str], Outcome]:
    """Run every question under every setting without a result, and continue started runs.

    Choices of a setting come before those of all runs. With more than one parallel run, their seconds are not comparable.
    Outcomes are by question's id and setting's name.

    Raises:
        BadInput: a choice or a folder cannot be used, or the folder holds an evaluation with other choices.
    """
    for setting in settings:
        for question in questions:
            allow_folders(checked_choices(_choices(question, setting, choices)).documents)
        context = checked_choices({**choices, **setting.choices})
        await asyncio.to_thread(check_search, context)
        await providers_for(context, reading_seconds=math.inf)  # indexed once for all runs
    await asyncio.to_thread(_check_same_choices, settings, choices, place)
    known = await asyncio.to_thread(read_results, place / RESULTS)
    gate, writing = asyncio.Semaphore(jobs), asyncio.Lock()

    async def keep(outcome: Outcome) -> Outcome:
        async with writing:
            await asyncio.to_thread(append_line, place / RESULTS, outcome.model_dump_json())
        return outcome

    async def ended(question: EvalQuestion, setting: Setting) -> Outcome:
        before = known.get((question.id, setting.name))
        if before is not None and before.question != question.question:
            before = None
        if before is not None and before.status == "done":
            outcome = before
        else:
            async with gate:
                run_id = new_run_id() if before is None else before.run_id
                started = Outcome(
                    id=question.id, setting=setting.name, question=question.question, status="started", run_id=run_id
                )
                await keep(started)
                try:
                    with using(setting.prompts):
                        report = await _report(
                            question.question,
                            run_id,
                            place / REPORTS / setting.folder / question.folder,
                            _choices(question, setting, choices),
                            again=before is not None,
                        )
                except LeadlineError as error:
                    outcome = await keep(started.model_copy(update={"status": "failed", "error": str(error)}))
                else:
                    outcome = await keep(_done(started, report))
        if on_outcome is not None:
            on_outcome(outcome)
        return outcome

    tasks = [asyncio.create_task(ended(question, setting)) for question in questions for setting in settings]
    try:
        return {outcome.key: outcome for outcome in await asyncio.gather(*tasks)}
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _report(question: str, run_id: str, out: Path, choices: Mapping[str, Any], *, again: bool) -> Report:
    if again:
        try:
            return await aresume(run_id, out=out)
        except BadInput:
            pass  # the earlier run was not recorded yet
    return await aresearch(question, out=out, run_id=run_id, **choices)


def _done(started: Outcome, report: Report) -> Outcome:
    return started.model_copy(
        update={
            "status": "done",
            "folder": report.folder and shown_folder(report.folder),
            "claims": len(report.citations),
            "verified": sum(claim.verified for claim in report.citations),
        }
    )


def _choices(question: EvalQuestion, setting: Setting, shared: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {**shared, **setting.choices}
    if question.language:
        chosen["locale"] = question.language
    if question.docs:
        chosen["documents"] = [*shared.get("documents", []), *question.docs]
    return chosen


def chosen_by(settings: Sequence[Setting], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that determine each setting's results: choices, models of the roles, prompts."""
    chosen: dict[str, Any] = {}
    for setting in settings:
        choices = {**shared, **setting.choices}
        context = checked_choices(choices)
        prompts = hashlib.sha256(json.dumps(setting.prompts.sources, sort_keys=True).encode()).hexdigest()[:16]
        chosen[setting.name] = {
            "choices": context.model_dump(mode="json", include=set(choices)),
            "models": {role: role_model(role, context).name for role in ROLES},
            "prompts": f"{setting.prompts.name} {prompts}",
        }
    return chosen


def _check_same_choices(settings: Sequence[Setting], shared: Mapping[str, Any], place: Path) -> None:
    """Store each setting's choices, and refuse to mix results of different choices under one name."""
    file, chosen = place / SETTINGS, chosen_by(settings, shared)
    try:
        place.mkdir(parents=True, exist_ok=True)
        before = json.loads(read_regular(file, MAX_RESULTS_BYTES)) if file.exists() else {}
        for name in chosen.keys() & before.keys():
            if different := [part for part in chosen[name] if chosen[name][part] != before[name].get(part)]:
                raise BadInput(
                    **told("eval_other_results", folder=place, setting=name, different=say("both").join(different))
                )
        file.write_text(json.dumps(before | chosen, indent=1, ensure_ascii=False), "utf-8")
    except (OSError, ValueError, AttributeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(**told("eval_file_unusable", file=file, reason=error)) from None


def read_results(file: Path) -> dict[tuple[str, str], Outcome]:
    """Return the latest line of each run, without a truncated last line.

    Raises:
        BadInput: the file cannot be read.
    """
    if not file.exists():
        return {}
    try:
        lines = read_regular(file, MAX_RESULTS_BYTES).decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise BadInput(**told("eval_file_unread", file=file, reason=error.strerror)) from None
    outcomes = []
    for line in lines:
        try:
            outcomes.append(Outcome.model_validate_json(line))
        except ValidationError:
            continue
    return {outcome.key: outcome for outcome in outcomes}


def append_line(file: Path, line: str) -> None:
    """Append a line, and end a truncated last line first."""
    with file.open("a+b") as stream:
        if stream.tell():
            stream.seek(-1, 2)
            line = line if stream.read(1) == b"\n" else f"\n{line}"
        stream.write(f"{line}\n".encode())
        stream.flush()
