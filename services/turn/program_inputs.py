"""What the programs of a step can read: tables, the texts of folders, findings and files of earlier steps; and the prompt that describes it."""

import json

from schemas.coder import CoderPrompt, ProgramView
from schemas.state import StepTask
from services.check.numbers import proving
from services.evidence.computation import program_of
from services.evidence.views import overview
from services.run.scope import Run
from services.search.journaled import TableFiles, table_files_once
from services.text.numbers import quantities
from services.tools.workspace import Workspace

MAX_TABLES = 5
OUTPUT_SHOWN = 2_000
"""Maximum characters of an earlier output or error that the model sees again."""


async def lay_out(run: Run, task: StepTask, workspace: Workspace, *, all_texts: bool = False) -> CoderPrompt:
    """Put the step's tables, and the findings and files of earlier steps, into the work folder.

    Args:
        run: the run.
        task: the step.
        workspace: gets the files and the texts whose numbers a program may use.
        all_texts: whether the texts of all folders are wanted, and no table; else those that the step names, and the tables nearest to it.

    Returns:
        The prompt that describes them.
    """
    for result in task["results"].values():
        await workspace.add_files({artifact.name: artifact.content_hash for artifact in result.artifacts})
    text = f"{task['question']} {task['step'].title} {task['step'].description}"
    found = {source.url for source in task["sources"].values()}
    tables = await table_files_once(run, text, workspace.evidence, 0 if all_texts else MAX_TABLES, found)
    sources = task["sources"]
    quoted = [
        excerpt.model_copy(update={"quote": proving(excerpt.quote, sources.get(excerpt.content_hash), typed=False)})
        for result in task["results"].values()
        for excerpt in result.excerpts
    ]
    excerpts = [excerpt.model_dump(mode="json") for excerpt in quoted]
    without_input = {key for key, source in sources.items() if source.without_input}
    tainted = [
        result
        for result in task["results"].values()
        if any(excerpt.content_hash in without_input for excerpt in result.excerpts)
    ]
    findings = {step_id: result.finding for step_id, result in task["results"].items() if result not in tainted}
    cited = {excerpt.content_hash: sources.get(excerpt.content_hash) for excerpt in quoted}
    cards = [source.card.evidence for source in cited.values() if source]
    about = [view.text for view in tables.about]
    workspace.known_texts = [task["question"], *(excerpt.quote for excerpt in quoted), *cards, *about]
    workspace.made = {artifact.name.rpartition("/")[2] for result in tainted for artifact in result.artifacts}
    workspace.files |= tables.files
    workspace.tables = tables.rows
    workspace.files["excerpts.json"] = json.dumps(excerpts, ensure_ascii=False).encode()
    workspace.files["findings.json"] = json.dumps(findings, ensure_ascii=False).encode()
    return await _prompt(run, task, tables, workspace)


async def _prompt(run: Run, task: StepTask, tables: TableFiles, workspace: Workspace) -> CoderPrompt:
    step = task["step"]
    return CoderPrompt(
        question=task["question"],
        locale=task["locale"],
        title=step.title,
        description=step.description,
        feedback=task["feedback"],
        findings=overview(
            task["steps"],
            task["results"],
            task["sources"],
            shows=lambda _, item: bool(quantities(item.quote)),
            room=run.context.level.evidence_tokens,
        ),
        tables=tables.views,
        about_tables=tables.about,
        files=[name for name in workspace.files if name not in tables.files],
        programs=await _programs(task, workspace),
        attempts=[],
    )


async def _programs(task: StepTask, workspace: Workspace) -> list[ProgramView]:
    """Return the programs that computed what the step works on, and that of its earlier attempt with what it printed."""
    step, previous = task["step"], task["previous"]
    made = {key: result for key, result in task["results"].items() if task["steps"][key].step_type == "processing"}
    made |= {step.id: previous} if previous else {}
    views: dict[str, ProgramView] = {}
    for step_id, result in made.items():
        for content_hash in dict.fromkeys(excerpt.content_hash for excerpt in result.excerpts):
            program = program_of(await workspace.evidence.get_text(content_hash))
            if program is not None:
                printed = program.output if step_id == step.id else ""
                views[content_hash] = ProgramView(step_id=step_id, code=program.code, output=printed[:OUTPUT_SHOWN])
    return list(views.values())
