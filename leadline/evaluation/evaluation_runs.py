"""The runs of an evaluation: every question under every setting as a batch; finished runs are not repeated.

A folder holds it all: `results.jsonl` (how each run ended, see `leadline/batch/questions.py`), `seen.jsonl` (what can only be observed
while a run works: the sources in its prompts, its seconds), `settings.json` (the choices of the runs), and a folder of reports a setting.
"""

import asyncio
import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from leadline.batch.questions import MAX_RESULTS_BYTES, BatchQuestion, Outcome, append_line, run_batch
from leadline.batch.runners import LocalRunner
from leadline.evaluation.prompt_capture import prompts_shown, stands_in
from leadline.evaluation.question import EvalQuestion
from leadline.evaluation.settings import Setting
from leadline.runs.journals import gatherings
from leadline.runs.run_ids import new_run_id
from prompts import using
from schemas.regular_file import read_regular
from schemas.reporter import Report
from services.run.errors import BadInput
from services.run.roles import ROLES, role_model
from services.run.scope import checked_choices
from services.search.providers import allow_folders, check_search, providers_for

RESULTS, SEEN, SETTINGS = "results.jsonl", "seen.jsonl", "settings.json"
OF_JUDGE = "judge_"
"""Prefix of the names of a judge's prompts, which do not affect a run."""
BETWEEN = " @ "
"""Separator of a question's id and a setting's name in the id of their run."""

OnOutcome = Callable[[str, str, Outcome], None]
"""Called for each finished run with the question's id, the setting's name and the outcome."""


class Observation(BaseModel):
    """Observation of a run that worked from its beginning to its end in this process."""

    run_id: str
    seconds: float
    """By the clock on the wall."""
    read: list[str]
    """Content hashes of the sources of which a prompt showed a passage."""


def pair_id(question: EvalQuestion, setting: Setting) -> str:
    """Return the id of a question's run under a setting."""
    return f"{question.id}{BETWEEN}{setting.name}"


@dataclass(slots=True)
class SettingsRunner:
    """Researches questions under their settings, in this process."""

    settings: Sequence[Setting]
    choices: dict[str, Any]
    """Default choices of all runs."""
    place: Path
    """Folder of the evaluation."""
    reports: Path | None = None
    """Folder of the reports; None writes no files."""
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def new_id(self, question: BatchQuestion) -> str:
        """Return an id that sorts by time."""
        return new_run_id()

    async def run(self, question: BatchQuestion, run_id: str, *, again: bool) -> Report:
        """Research a question under its setting, or continue its run."""
        named = (setting for setting in self.settings if question.id.endswith(f"{BETWEEN}{setting.name}"))
        setting = max(named, key=lambda setting: len(setting.name))
        out = None if self.reports is None else self.reports / setting.folder
        began = time.monotonic()
        with using(setting.prompts), prompts_shown() as prompts:
            report = await LocalRunner(out, self.choices).run(question, run_id, again=again)
            if not again and not report.direct:
                gathered = await gatherings(run_id)
                texts = await asyncio.to_thread(prompts.texts)
                read = {passage.content_hash for passage in gathered.passages if stands_in(passage.text, texts)}
                observation = Observation(run_id=run_id, seconds=round(time.monotonic() - began, 3), read=sorted(read))
                async with self._writing:
                    await asyncio.to_thread(append_line, self.place / SEEN, observation.model_dump_json())
        return report


async def run_settings(
    questions: Sequence[EvalQuestion],
    runner: SettingsRunner,
    jobs: int = 1,
    on_outcome: OnOutcome | None = None,
) -> dict[tuple[str, str], Outcome]:
    """Run every question under every setting without a result, and continue started runs.

    Args:
        questions: the questions.
        runner: runs the questions and stores the results.
        jobs: number of parallel runs; with more than one, their seconds are not comparable.
        on_outcome: called after each run, and for existing results.

    Returns:
        The outcome of each run, by question's id and setting's name.

    Raises:
        BadInput: a choice or a folder cannot be used, or the folder holds an evaluation with other choices.
    """
    pairs = {
        pair_id(question, setting): (question.id, setting.name) for question in questions for setting in runner.settings
    }
    asked = [
        BatchQuestion(
            id=pair_id(question, setting),
            question=question.question,
            docs=question.docs,
            **_own_choices(question, setting, runner.choices),
        )
        for question in questions
        for setting in runner.settings
    ]
    for batch_question in asked:
        context = checked_choices({**runner.choices, **batch_question.choices})
        allow_folders([*context.documents, *batch_question.docs])
    for setting in runner.settings:
        context = checked_choices({**runner.choices, **setting.choices})
        await asyncio.to_thread(check_search, context)
        await providers_for(context, reading_seconds=math.inf)  # indexed once for all runs
    await asyncio.to_thread(_check_same_choices, runner)

    def ended(outcome: Outcome) -> None:
        if on_outcome is not None:
            on_outcome(*pairs[outcome.id], outcome)

    outcomes = await run_batch(asked, runner, runner.place / RESULTS, jobs, ended)
    return {pairs[outcome.id]: outcome for outcome in outcomes}


def _own_choices(question: EvalQuestion, setting: Setting, shared: dict[str, Any]) -> dict[str, Any]:
    chosen = dict(setting.choices)
    if question.language:
        chosen["locale"] = question.language
    if question.docs:
        chosen["documents"] = [*shared.get("documents", []), *question.docs]
    hosts = dict.fromkeys(filter(None, map(_host, question.excluded)))
    if hosts:
        chosen["exclude_domains"] = [*dict.fromkeys([*shared.get("exclude_domains", []), *hosts])]
    return chosen


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def chosen_by(runner: SettingsRunner) -> dict[str, Any]:
    """Return the inputs that determine each setting's results: choices, models of the roles, prompts."""
    chosen: dict[str, Any] = {}
    for setting in runner.settings:
        choices = {**runner.choices, **setting.choices}
        context = checked_choices(choices)
        sources = {name: text for name, text in setting.prompts.sources.items() if not name.startswith(OF_JUDGE)}
        prompts = hashlib.sha256(json.dumps(sources, sort_keys=True).encode()).hexdigest()[:16]
        chosen[setting.name] = {
            "choices": context.model_dump(mode="json", include=set(choices)),
            "models": {role: role_model(role, context).name for role in ROLES},
            "prompts": f"{setting.prompts.name} {prompts}",
        }
    return chosen


def _check_same_choices(runner: SettingsRunner) -> None:
    """Store each setting's choices, and refuse to mix results of different choices under one name."""
    file, chosen = runner.place / SETTINGS, chosen_by(runner)
    try:
        runner.place.mkdir(parents=True, exist_ok=True)
        before = json.loads(read_regular(file, MAX_RESULTS_BYTES)) if file.exists() else {}
        for name in chosen.keys() & before.keys():
            if different := [part for part in chosen[name] if chosen[name][part] != before[name].get(part)]:
                raise BadInput(
                    f"The folder {runner.place} holds results of the setting {name!r} with other {' and '.join(different)}. Name "
                    "another folder with --out, or ask as before."
                )
        file.write_text(json.dumps(before | chosen, indent=1, ensure_ascii=False), "utf-8")
    except (OSError, ValueError, AttributeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"The file {file} cannot be used ({error}). Name another folder with --out.") from None


def read_observations(place: Path) -> dict[str, Observation]:
    """Return the observations of runs by id, without a truncated last line."""
    file, observations = place / SEEN, dict[str, Observation]()
    if not file.exists():
        return observations
    try:
        lines = read_regular(file, MAX_RESULTS_BYTES).decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise BadInput(f"The file {file} cannot be read ({error.strerror}). Name another folder with --out.") from None
    for line in lines:
        try:
            observation = Observation.model_validate_json(line)
        except ValidationError:
            continue
        observations[observation.run_id] = observation
    return observations
