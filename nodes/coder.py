"""Coder: one processing step, as code that is really run; what it prints is the finding."""

import json

from langgraph.runtime import Runtime

from schemas.coder import Code, CodeAttempt, CoderPrompt, TableView
from schemas.context import RunContext
from schemas.evidence import Artifact, Excerpt
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask
from services.evidence.computation import Computation
from services.evidence.views import finding_views
from services.models import ask
from services.runs import current_run, evidence_of
from services.sandbox.recorded import run_once
from services.search.recorded import table_files_once
from services.steps import Outcome, attempt

MAX_CODE_RUNS = 3
"""Programs that one attempt may write: the first and two corrections."""
MAX_TABLES = 5
OUTPUT_SHOWN = 2_000
"""Characters of an earlier output that the model sees again."""


async def coder(state: StepTask, runtime: Runtime[RunContext]) -> ResearchState:
    """Write code over the user's tables and earlier findings, run it in the sandbox, and correct it when it fails."""

    async def work() -> Outcome:
        run, evidence = current_run(), evidence_of(runtime)
        views, files = await table_files_once(
            run, f"{state['question']} {state['step'].description}", evidence, MAX_TABLES
        )
        files["excerpts.json"] = _excerpts_file(state)
        attempts: list[CodeAttempt] = []
        for _ in range(MAX_CODE_RUNS):
            code = await ask("coder", _prompt(state, views, attempts), Code)
            ran = await run_once(run, code.code, files, evidence)
            if ran.ok and ran.stdout.strip():
                computation = Computation(
                    code=code.code,
                    description=code.description,
                    output=ran.stdout,
                    files=files,
                    at=ran.at,
                    isolated=ran.mode == "isolated",
                )
                return await _outcome(state, runtime, computation, ran.artifacts)
            error = ran.error or "it printed nothing"
            attempts.append(CodeAttempt(code=code.code, output=ran.stdout[:OUTPUT_SHOWN], error=error[-OUTPUT_SHOWN:]))
        return Outcome(StepResult(step_id=state["step"].id, status="failed", error=attempts[-1].error))

    return await attempt(state, "coder", runtime, work)


def _prompt(task: StepTask, tables: list[TableView], attempts: list[CodeAttempt]) -> CoderPrompt:
    step = task["step"]
    return CoderPrompt(
        question=task["question"],
        locale=task["locale"],
        title=step.title,
        description=step.description,
        feedback=task["feedback"],
        findings=finding_views(task["steps"], task["results"], task["sources"]),
        tables=tables,
        attempts=attempts,
    )


def _excerpts_file(task: StepTask) -> bytes:
    excerpts = [excerpt.model_dump(mode="json") for result in task["results"].values() for excerpt in result.excerpts]
    return json.dumps(excerpts, ensure_ascii=False).encode()


async def _outcome(
    task: StepTask, runtime: Runtime[RunContext], computation: Computation, made: dict[str, str]
) -> Outcome:
    evidence, step_id = evidence_of(runtime), task["step"].id
    source, lines = await computation.store(evidence)
    excerpts = [
        Excerpt(
            id=f"E{step_id}-{place}", source_id=source.content_hash, quote=quote, start=start, end=end, relevance="high"
        )
        for place, (quote, start, end) in enumerate(lines, 1)
    ]
    artifacts = [
        Artifact(
            id=f"A{step_id}-{place}",
            name=name,
            description=computation.description,
            content_hash=content_hash,
        )
        for place, (name, content_hash) in enumerate(sorted(made.items()), 1)
    ]
    result = StepResult(
        step_id=step_id,
        status="done",
        finding=computation.output.strip(),
        excerpts=excerpts,
        confidence=1.0,
        artifacts=artifacts,
    )
    return Outcome(result, {source.content_hash: source})
