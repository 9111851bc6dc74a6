"""The programs of a step: looks at the texts or tables of a folder, the program that computes, and its corrections.

A strong model explores a folder as an analyst with a shell does, by programs whose output it reads (ReAct, arxiv.org/abs/2210.03629, with
code as actions, arxiv.org/abs/2402.01030). A look is no evidence; the lines `QUOTE path: words` that it prints are looked up in the texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from mimetypes import guess_type

from schemas.coder import LOOKED, MOST_LINES, REMEMBERED, Code, CodeAttempt, CoderPrompt, Look, TableView, code_schema
from schemas.evidence import NO_INPUT, Artifact, Excerpt, Source
from schemas.results import StepResult
from schemas.state import StepTask
from services.evidence.computation import StoredLine, stated_lines
from services.models import ask
from services.models.answer_watch import progress_reported
from services.models.call_execution import LEAST_OUTPUT
from services.models.prompt_fit import evidence_tokens, passage_tokens
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError
from services.run.roles import DEFAULTS
from services.run.run_messages import ends_early
from services.run.scope import Run
from services.run.ui_text import say
from services.sandbox.journaled import CodeRun, run_once
from services.search.copied_words import copies_of, located_once
from services.search.gather import Gathered
from services.text.tracebacks import without_frames
from services.tools.workspace import Workspace
from services.turn.program_inputs import OUTPUT_SHOWN
from services.turn.rounds import SPARE
from services.turn.steps import Outcome

MAX_CODE_RUNS = 3
"""Maximum number of programs of one attempt besides looks at the data: the first and two corrections; and of programs that fail in a row."""
OF_TABLES = 3
"""Looks at texts for each one at tables, which are read more quickly."""
ROOM = 2
"""Calls, as long and as dear as the longest one so far, for which time and tokens are left before another look: itself and the last program."""


async def run_programs(run: Run, task: StepTask, prompt: CoderPrompt, workspace: Workspace) -> Outcome:
    """Let the model look at the data, write a program whose output is the finding, and correct it when it fails.

    What looks have quoted stays where limits, the model or its last program end the step.

    Raises:
        LimitReached: a limit was reached before anything was quoted.
    """
    wanted = max(LOOKED, run.context.level.passage_tokens)
    looked = await evidence_tokens(run, "coder", wanted)
    programs = _Programs(run, task, prompt, workspace, looked, _most_looked(prompt, looked))
    while programs.failures < MAX_CODE_RUNS:
        try:
            outcome = await programs.in_time()
        except (LimitReached, ModelError) as reason:
            if isinstance(reason, LimitReached) and not programs.quoted.passages:
                raise
            return programs.ended(limit_message(reason, task["locale"]))
        if outcome is not None:
            return outcome
    failed = (programs.attempts or programs.looks)[-1]
    return programs.ended(say("program_failed", task["locale"], reason=without_frames(failed.error)))


@dataclass(slots=True)
class _Programs:
    """State of the programs so far."""

    run: Run
    task: StepTask
    prompt: CoderPrompt
    workspace: Workspace
    looked: int
    """Tokens of what a look shows."""
    most_looked: int
    """Characters of what a look shows."""
    looks: list[Look] = field(default_factory=list)
    attempts: list[CodeAttempt] = field(default_factory=list)
    """Programs that were to compute, and failed."""
    quoted: Gathered = field(default_factory=Gathered)
    """What all programs quoted."""
    longest: float = 0.0
    """Duration of the longest call with its program in seconds."""
    tokens: int = 0
    """Tokens of the dearest one."""
    cost: float = 0.0
    """Dollars of it."""

    @property
    def failures(self) -> int:
        """Programs that have failed one after the other: looks since the last that told something, and all that were to compute."""
        return len(self.attempts) + sum(1 for _ in takewhile(lambda look: look.error, reversed(self.looks)))

    async def in_time(self) -> Outcome | None:
        """Do as `further`, within the time that is left.

        Raises:
            LimitReached: a limit was reached; what was quoted before is kept.
            ModelError: the call failed.
        """
        quoted, looks = self.quoted, [*self.looks]
        ran_out = f"program-{self.task['step'].id}-{len(looks) + len(self.attempts) + 1}-time"
        try:
            return await self.run.in_time(self.run.seconds_left * (1 - SPARE), "round", ran_out, self.further)
        except TimeoutError:
            self.quoted, self.looks = quoted, looks
            raise LimitReached("time_limit", self.run.context.max_seconds) from None

    async def further(self) -> Outcome | None:
        """Have one program written and run it; return the outcome, or None where another has to follow."""
        started, before = self.run.seconds, self.run.usage.total
        shown = {
            "attempts": self.attempts,
            "looks": _last_whole(self.looks),
            "looks_left": await self._looks_left(),
            "most_looked": self.most_looked,
        }
        seen = self.prompt.model_copy(update=shown)
        code = await ask("coder", seen, code_schema(seen))
        async with progress_reported(lambda: "running", "coder", 1, self.run.emit_progress):
            ran = await run_once(self.run, code.code, self.workspace.files, self.workspace.evidence)
        printed, copies = copies_of(ran.stdout)
        copied = await located_once(self.run, copies, self.workspace.evidence) if copies else Gathered()
        self.quoted = _joined(self.quoted, copied)
        self.longest = max(self.longest, self.run.seconds - started)
        spent = self.run.usage.total
        self.tokens = max(self.tokens, spent.tokens - before.tokens)
        self.cost = max(self.cost, (spent.cost or 0.0) - (before.cost or 0.0))
        failed = "" if ran.ok else ran.error  # else what it has is a warning
        error = failed or ("what it quotes stands in none of the texts" if copies and not copied.passages else "")
        if seen.looks_left and code.look:
            quotes = [f"{passage.title}: {passage.text[:REMEMBERED]}" for passage in copied.passages]
            output = _cut(printed, self.most_looked)
            error = error or ("" if output or quotes else "it printed nothing")
            self.looks.append(
                Look(
                    code=code.code if error else "",
                    output=output,
                    error=error[-OUTPUT_SHOWN:],
                    thought=code.thought,
                    quotes=quotes,
                    missed=copied.failures,
                )
            )
            self.prompt.tables = [_without_sample(table) for table in self.prompt.tables]
            self._report()
            return None
        if not error and (printed or self.quoted.passages):
            return await self._computed(code, ran, printed)
        error = error or "it printed no finding"
        self.attempts.append(CodeAttempt(code=code.code, output=ran.stdout[:OUTPUT_SHOWN], error=error[-OUTPUT_SHOWN:]))
        return None

    async def _looks_left(self) -> int:
        """Return how many looks may follow: none without data, after the first program that computes, or near a limit."""
        if self.attempts or not self.prompt.tables:
            return 0
        looks = self.run.context.level.looks
        left = (looks if self.prompt.has_jsonl else looks // OF_TABLES) - len(self.looks)
        if not self.looks or not left:
            return left
        name = f"look-{self.task['step'].id}-{len(self.looks) + 1}"
        further = self.tokens + self.looked  # the next prompt shows what the last look printed
        writing = int(DEFAULTS["coder"][1] * LEAST_OUTPUT)
        paid_for = self.run.budget.suffices(ROOM * further + writing, self.cost / max(1, self.tokens))
        roomy = paid_for and self.run.seconds_left > ROOM * self.longest
        if await ends_early(self.run, name):
            return 0
        return left if await self.run.journal.decided("round", lambda: roomy, name) else 0

    def _report(self) -> None:
        """Tell that a look has been done, as rounds of search do."""
        passages = self.quoted.passages
        counts = {
            "round": len(self.looks),
            "passages": 0,
            "excerpts": len(passages),
            "sources": len({passage.content_hash for passage in passages}),
        }
        self.run.emit_round(self.task["step"].id, {**counts, "queries": [], "searched": []})

    async def _computed(self, code: Code, ran: CodeRun, printed: str) -> Outcome:
        """Return what the last program printed as computed lines, and the quotes of all."""
        lines, sources = self._quotes(), dict(self.quoted.sources)
        if printed:
            self.workspace.known_texts += (item.text for item in self.quoted.passages)
            source, output = await self.workspace.add_computation(code.code, code.description, ran)
            lines = [*stated_lines(output)[:MOST_LINES], *lines]
            sources[source.content_hash] = source
        finding = "\n".join(filter(None, [code.finding, printed]))
        made = artifacts_of(self.task, ran.artifacts, code.description)
        return computed_outcome(self.task, finding, lines, sources, made)

    def ended(self, reason: str) -> Outcome:
        """Return what was quoted, after which nothing was computed for that reason; a failure where nothing was."""
        if not self.quoted.passages:
            return Outcome.failed(self.task["step"].id, reason)
        known = self.looks[-1].thought if self.looks else ""
        outcome = computed_outcome(self.task, known, self._quotes(), self.quoted.sources, [])
        outcome.limits.append(reason)
        return outcome

    def _quotes(self) -> list[StoredLine]:
        return [StoredLine(item.content_hash, item.text, item.start, item.end) for item in self.quoted.passages]


def _without_sample(table: TableView) -> TableView:
    """Return a table without its rows where these are texts, which a look has shown at length."""
    return table.model_copy(update={"sample": ""}) if table.holds_texts else table


def _last_whole(looks: Sequence[Look]) -> list[Look]:
    """Return looks, of all but the last one only what was known and quoted."""
    return [
        *(look.model_copy(update={"code": "", "output": "", "error": "", "missed": []}) for look in looks[:-1]),
        *looks[-1:],
    ]


def _cut(text: str, characters: int) -> str:
    """Return the beginning of a text, and say how much is missing."""
    over = len(text) - characters
    return f"{text[:characters]}\n… ({over} more characters)" if over > 0 else text


def _most_looked(prompt: CoderPrompt, tokens: int) -> int:
    """Return how many characters, to hundreds, of the texts have about so many tokens, by their samples; figures have two a token."""
    samples = "".join(table.sample for table in prompt.tables if table.holds_texts)
    return max(100, tokens * len(samples) // passage_tokens(samples) // 100 * 100) if samples else 2 * tokens


def _joined(first: Gathered, second: Gathered) -> Gathered:
    """Return the passages of both, each once, with their sources."""
    passages = {(item.content_hash, item.start, item.end): item for item in [*first.passages, *second.passages]}
    return Gathered(passages=[*passages.values()], sources={**first.sources, **second.sources})


def artifacts_of(task: StepTask, made: dict[str, str], description: str) -> list[Artifact]:
    """Return the files that a step's programs made, hashes by name, as artifacts of the report."""
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


def computed_outcome(
    task: StepTask, finding: str, lines: list[StoredLine], sources: dict[str, Source], artifacts: list[Artifact]
) -> Outcome:
    """Return a step's outcome: each line is an excerpt, and that a program takes in nothing is said before the finding."""
    step_id, locale = task["step"].id, task["locale"]
    quoted = {line.content_hash for line in lines}
    made_up = [source for key, source in sources.items() if key in quoted and source.without_input]
    limits: list[str] = []
    if made_up:
        numbers = (number for source in made_up for number in source.untraced or () if number != NO_INPUT)
        what = ", ".join(dict.fromkeys([say("no_input", locale), *numbers]))[:300]
        finding = f"{say('untraced', locale, what=what)}\n{finding}"
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
        confidence=0.0 if made_up else 1.0,
        artifacts=artifacts,
    )
    return Outcome(result, sources, limits)
