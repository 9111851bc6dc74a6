"""Coder: one processing step, by executed programs or tools; every number of its finding comes from a run."""

import json
from mimetypes import guess_type

from langgraph.runtime import Runtime

from schemas.coder import LOOKED, MOST_LINES, CodeAttempt, CoderPrompt, ProgramView, TableView, code_schema
from schemas.context import RunContext
from schemas.evidence import NO_INPUT, Artifact, Excerpt, Passage, Source
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask
from services.check.numbers import proving
from services.evidence.citable_excerpts import placed
from services.evidence.computation import StoredLine, lines_holding, lines_of, program_of, stated_lines, trace
from services.evidence.views import overview
from services.models import ask
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, current_run, evidence_of
from services.run.ui_text import say
from services.sandbox.journaled import run_once
from services.search.copied_words import copies_of, located_once
from services.search.gather import Gathered
from services.search.journaled import table_files_once
from services.text.numbers import quantities
from services.tools.databases.query import schema_views
from services.tools.loop import Worked, use_tools
from services.tools.tool_set import QUERY, tool_set, works_with_tools
from services.tools.workspace import Workspace
from services.turn.steps import Outcome, attempt

MAX_CODE_RUNS = 3
"""Maximum number of programs of one attempt: the first and two corrections, besides a look at the texts."""
MAX_TABLES = 5
OUTPUT_SHOWN = 2_000
"""Maximum characters of an earlier output that the model sees again."""


async def coder(state: StepTask, runtime: Runtime[RunContext]) -> ResearchState:
    """Compute over the user's tables and earlier findings, and correct failing programs."""

    async def work() -> Outcome:
        run, workspace = current_run(), Workspace(evidence_of(runtime))
        views = await _lay_out(run, state, workspace)
        with_tools = await works_with_tools(run, state["step"])
        outcome = await (_with_tools if with_tools else _with_programs)(run, state, views, workspace)
        outcome.result.excerpts = await placed(outcome.result.excerpts, workspace.evidence)
        if state["previous"] and not with_tools:
            outcome.result.excerpts += await _quotes_of_texts(state["previous"], workspace.evidence)
        return outcome

    return await attempt(state, "coder", runtime, work)


async def _lay_out(run: Run, task: StepTask, workspace: Workspace) -> list[TableView]:
    """Put the step's tables, and the findings and files of earlier steps, into the work folder."""
    for result in task["results"].values():
        await workspace.add_files({artifact.name: artifact.content_hash for artifact in result.artifacts})
    untraced = {source_hash: source.untraced for source_hash, source in task["sources"].items() if source.untraced}
    text = f"{task['question']} {task['step'].title} {task['step'].description}"
    found = {source.url for source in task["sources"].values()}
    views, files = await table_files_once(run, text, workspace.evidence, MAX_TABLES, found)
    quoted = [
        excerpt.model_copy(update={"quote": proving(excerpt.quote, untraced.get(excerpt.content_hash))})
        for result in task["results"].values()
        for excerpt in result.excerpts
    ]
    excerpts = [excerpt.model_dump(mode="json") for excerpt in quoted]
    tainted = [
        result
        for result in task["results"].values()
        if any(excerpt.content_hash in untraced for excerpt in result.excerpts)
    ]
    findings = {step_id: result.finding for step_id, result in task["results"].items() if result not in tainted}
    cited = {excerpt.content_hash: task["sources"].get(excerpt.content_hash) for excerpt in quoted}
    cards = [source.card.evidence for source in cited.values() if source]
    workspace.known_texts = [task["question"], *(excerpt.quote for excerpt in quoted), *cards]
    workspace.made = {artifact.name.rpartition("/")[2] for result in tainted for artifact in result.artifacts}
    workspace.files |= files
    workspace.files["excerpts.json"] = json.dumps(excerpts, ensure_ascii=False).encode()
    workspace.files["findings.json"] = json.dumps(findings, ensure_ascii=False).encode()
    return views


async def _with_programs(run: Run, task: StepTask, views: list[TableView], workspace: Workspace) -> Outcome:
    """Let the model write a program whose output is the finding, and correct it when it fails."""
    prompt = await _prompt(run, task, views, workspace)
    attempts: list[CodeAttempt] = []
    left = MAX_CODE_RUNS
    while left:
        may_look = prompt.has_jsonl and not attempts
        seen = prompt.model_copy(update={"attempts": attempts, "may_look": may_look})
        code = await ask("coder", seen, code_schema(seen))
        ran = await run_once(run, code.code, workspace.files, workspace.evidence)
        if may_look and code.look:
            attempts.append(
                CodeAttempt(code=code.code, output=ran.stdout[:LOOKED], error=(ran.error or "")[-OUTPUT_SHOWN:])
            )
            continue
        left -= 1
        finding, copies = copies_of(ran.stdout)
        copied = await located_once(run, copies, workspace.evidence) if ran.ok and copies else Gathered()
        if ran.ok and finding and bool(copies) == bool(copied.passages):
            source, output = await workspace.add_computation(code.code, code.description, ran)
            quotes = [
                StoredLine(passage.content_hash, passage.text, passage.start, passage.end)
                for passage in copied.passages
            ]
            lines = [*stated_lines(output)[:MOST_LINES], *quotes]
            made = _artifacts(task, ran.artifacts, code.description)
            return _outcome(task, finding, lines, {source.content_hash: source, **copied.sources}, made)
        error = ran.error or ("what it quotes stands in none of the texts" if finding else "it printed no finding")
        attempts.append(CodeAttempt(code=code.code, output=ran.stdout[:OUTPUT_SHOWN], error=error[-OUTPUT_SHOWN:]))
    return Outcome(
        StepResult(
            step_id=task["step"].id,
            status="failed",
            error=say("program_failed", task["locale"], reason=attempts[-1].error),
        )
    )


async def _with_tools(run: Run, task: StepTask, views: list[TableView], workspace: Workspace) -> Outcome:
    """Let the model work with tools; its finding keeps only what tools returned."""
    offered = await tool_set(run, task, workspace)
    queries_databases = any(tool.name == QUERY for tool in offered.tools)
    databases = await schema_views(run) if queries_databases else []
    prompt = await _prompt(run, task, views, workspace)
    prompt = prompt.model_copy(update={"with_tools": True, "databases": databases})
    worked = await use_tools("coder", prompt, offered.tools, workspace)
    passages, sources = workspace.passages, workspace.sources
    if not passages:
        return Outcome(_nothing(task, worked), limits=offered.notices)
    known = [_as_passage(excerpt) for result in task["results"].values() for excerpt in result.excerpts]
    traced = trace(worked.text if worked.finished else "", [*known, *passages], task["question"])
    finding, lines = traced.finding, traced.lines
    if not finding or not any(line.content_hash in sources for line in lines):
        lines = lines_of(passages[-1])[:MOST_LINES]
        finding = "\n".join(line.text for line in lines)
    taken = [literal for line in lines for literal in workspace.literals.get(line.content_hash, ())]
    own = {line.content_hash for line in lines}
    returned = [passage for passage in passages if passage.content_hash not in own and workspace.proven(passage)]
    lines = list(dict.fromkeys([*lines, *lines_holding(taken, returned, workspace.known_texts)]))
    artifacts = [
        artifact
        for made in worked.calls
        if made.result.output is not None and not made.result.failed
        for artifact in made.result.output.artifacts.items()
    ]
    quoted = {line.content_hash for line in lines}
    cited = {source_hash: source for source_hash, source in sources.items() if source_hash in quoted}
    outcome = _outcome(task, finding, lines, cited, _artifacts(task, dict(artifacts), task["step"].title))
    outcome.result.confidence = min(outcome.result.confidence, 1.0 if not traced.dropped else 0.6)
    outcome.limits += offered.notices
    return outcome


def _nothing(task: StepTask, worked: Worked) -> StepResult:
    errors = [made.result.text for made in worked.calls if made.result.failed]
    locale = task["locale"]
    last = errors[-1][-OUTPUT_SHOWN:] if errors else ""
    error = say("tool_call_failed", locale, reason=last) if last else say("no_tool_result", locale)
    return StepResult(step_id=task["step"].id, status="failed", error=error)


async def _prompt(run: Run, task: StepTask, tables: list[TableView], workspace: Workspace) -> CoderPrompt:
    step, own = task["step"], {table.file for table in tables}
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
        tables=tables,
        files=[name for name in workspace.files if name not in own],
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


async def _quotes_of_texts(result: StepResult, evidence: EvidenceStore) -> list[Excerpt]:
    """Return of what a program found the quotes of texts, which hold whatever else was wrong with it."""
    texts = {key: await evidence.get_text(key) for key in {excerpt.content_hash for excerpt in result.excerpts}}
    return [excerpt for excerpt in result.excerpts if program_of(texts[excerpt.content_hash]) is None]


def _as_passage(excerpt: Excerpt) -> Passage:
    return Passage(
        id="", content_hash=excerpt.content_hash, title="", start=excerpt.start, end=excerpt.end, text=excerpt.quote
    )


def _artifacts(task: StepTask, made: dict[str, str], description: str) -> list[Artifact]:
    return [
        Artifact(
            id=f"A{task['step'].id}-{place}",
            name=name,
            description=description,
            media_type=guess_type(name)[0] or "application/octet-stream",
            content_hash=content_hash,
        )
        for place, (name, content_hash) in enumerate(sorted(made.items()), 1)
    ]


def _outcome(
    task: StepTask, finding: str, lines: list[StoredLine], sources: dict[str, Source], artifacts: list[Artifact]
) -> Outcome:
    step_id, locale = task["step"].id, task["locale"]
    quoted = {line.content_hash for line in lines}
    untraced = [origin for key, source in sources.items() if key in quoted for origin in source.untraced or []]
    limits: list[str] = []
    if untraced:
        what = ", ".join(
            say("no_input", locale) if origin == NO_INPUT else origin for origin in dict.fromkeys(untraced)
        )[:300]
        key = "untraced" if NO_INPUT in untraced else "untraced_numbers"
        finding = f"{say(key, locale, what=what)}\n{finding}"
        limits = [say("untraced_step", locale, id=step_id, what=what)]
    excerpts = [
        Excerpt(
            id=f"E{step_id}-{place}",
            content_hash=line.content_hash,
            quote=line.text,
            start=line.start,
            end=line.end,
            relevance="high",
        )
        for place, line in enumerate(lines, 1)
    ]
    result = StepResult(
        step_id=step_id,
        status="done",
        finding=finding,
        excerpts=excerpts,
        confidence=0.0 if NO_INPUT in untraced else 0.6 if untraced else 1.0,
        artifacts=artifacts,
    )
    return Outcome(result, sources, limits)
