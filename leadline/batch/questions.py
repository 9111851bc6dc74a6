"""A batch of questions, several at a time, here or on a server; a second start does not repeat finished ones.

Each question's state is a line of the results file, appended when it changes: `started` with the id of its run, then `done` or
`failed`. The latest line counts.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.evidence import Answered, Standing, Status, standing, status_counts
from schemas.regular_file import read_regular, read_regular_text
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.statuses import sure_claims
from services.run.errors import BadInput, LeadlineError, ServerGone, reason_of

MAX_BYTES = 20_000_000
"""Maximum bytes of a file of questions."""
MAX_RESULTS_BYTES = 200_000_000
"""Maximum bytes of a file of results."""


class BatchQuestion(BaseModel):
    """A line of a batch file: a question, and what its run chooses (fields of `schemas.context.RunContext`)."""

    model_config = ConfigDict(extra="allow")

    question: str
    id: str = ""
    """By which its result is found again; by default its line's number."""
    docs: list[str] = []

    @property
    def choices(self) -> dict[str, Any]:
        """Choices of the run."""
        return dict(self.model_extra or {})


class Outcome(BaseModel):
    """A line of the results file."""

    id: str
    question: str
    status: Literal["started", "done", "failed"]
    run_id: str = ""
    folder: str | None = None
    """Where the report's files are."""
    claims: int = 0
    verified: int = 0
    sure: int | None = None
    """Statements that are quoted or supported; None in results of earlier versions."""
    answered: Answered = ""
    """Whether the report answers the question; empty in results of earlier versions."""
    statuses: dict[Status, int] = {}
    """Statements by status, those that occur."""
    locale: str = ""
    """Of the report."""
    limits: list[str] = []
    usage: Usage | None = None
    error: str = ""

    @property
    def standing(self) -> Standing:
        """Whether it answers, and how many of its statements are quoted or supported."""
        return standing(self.claims, self.verified if self.sure is None else self.sure, self.answered)


class Runner(Protocol):
    """Runs the questions of a batch."""

    def new_id(self, question: BatchQuestion) -> str:
        """Return an id for the run of a question."""

    async def run(self, question: BatchQuestion, run_id: str, *, again: bool) -> Report:
        """Research a question; `again` means that its run was started before."""


OnOutcome = Callable[[Outcome], None]


def read_batch(file: Path) -> list[BatchQuestion]:
    """Read a batch file: one JSON object or one plain question per line.

    Raises:
        BadInput: the file is missing or empty, or a line cannot be used; the message names it.
    """
    try:
        lines = read_regular_text(file, MAX_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "it is no text in UTF-8")
        raise BadInput(f"The questions {file} cannot be read ({why}). Name another file.") from None
    questions = [_read(line.strip(), number, file) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise BadInput(f"The questions {file} are empty. Write a question a line, or a JSON object a line.")
    doubled = sorted({question.id for question in questions if sum(other.id == question.id for other in questions) > 1})
    if doubled:
        raise BadInput(f"{file}: the id {doubled[0]!r} stands on more than one line. Give each its own.")
    return questions


def _read(line: str, number: int, file: Path) -> BatchQuestion:
    try:
        fields = json.loads(line) if line.startswith("{") else {"question": line}
        question = BatchQuestion.model_validate({"id": str(number), **fields})
    except ValueError as error:
        problem = reason_of(error.errors()[0]) if isinstance(error, ValidationError) else str(error)
        raise BadInput(f'{file}, line {number}: {problem}. Write {{"question": "…"}} or a bare question.') from None
    if not question.question.strip():
        raise BadInput(f"{file}, line {number}: the question is empty.")
    return question


def read_results(file: Path) -> dict[str, Outcome]:
    """Return the latest line of each question, without a truncated last line.

    Raises:
        BadInput: the file cannot be read.
    """
    outcomes: dict[str, Outcome] = {}
    if file.exists():
        try:
            lines = read_regular(file, MAX_RESULTS_BYTES).decode("utf-8", "replace").splitlines()
        except OSError as error:
            raise BadInput(
                f"The results {file} cannot be read ({error.strerror}). Name another file with --results."
            ) from None
        for line in lines:
            try:
                outcome = Outcome.model_validate_json(line)
            except ValidationError:
                continue
            outcomes[outcome.id] = outcome
    return outcomes


async def run_batch(
    questions: Sequence[BatchQuestion], runner: Runner, results: Path, jobs: int, on_outcome: OnOutcome | None = None
) -> list[Outcome]:
    """Research every question without a result, and continue started ones.

    Args:
        questions: the questions to research.
        runner: researches the questions.
        results: file of results, which is read first and then appended to.
        jobs: number of parallel questions.
        on_outcome: called with each result, including existing ones.

    Returns:
        A result for each question, in their order.

    Raises:
        ServerGone: the researching server cannot be reached; the remaining questions are not tried.
    """
    known = await asyncio.to_thread(read_results, results)
    gate, writing = asyncio.Semaphore(jobs), asyncio.Lock()
    gone: list[ServerGone] = []

    async def keep(outcome: Outcome) -> None:
        async with writing:
            await asyncio.to_thread(append_line, results, outcome.model_dump_json())

    async def answer(question: BatchQuestion) -> Outcome:
        before = known.get(question.id)
        if before is not None and before.question != question.question:
            before = None
        if before is None or before.status != "done":
            async with gate:
                if gone:
                    raise gone[0]
                try:
                    before = await _research(question, before, runner, keep)
                except ServerGone as error:
                    gone.append(error)
                    raise
        if on_outcome is not None:
            on_outcome(before)
        return before

    tasks = [asyncio.create_task(answer(question)) for question in questions]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _research(
    question: BatchQuestion, before: Outcome | None, runner: Runner, keep: Callable[[Outcome], Any]
) -> Outcome:
    again = before is not None and bool(before.run_id)
    run_id = before.run_id if before is not None and again else runner.new_id(question)
    outcome = Outcome(id=question.id, question=question.question, status="started", run_id=run_id)
    await keep(outcome)
    try:
        report = await runner.run(question, run_id, again=again)
    except ServerGone:
        raise
    except LeadlineError as error:
        outcome = outcome.model_copy(update={"status": "failed", "error": str(error)})
    else:
        outcome = outcome.model_copy(
            update={
                "status": "done",
                "folder": report.folder,
                "claims": len(report.citations),
                "verified": sum(claim.verified for claim in report.citations),
                "sure": sure_claims(report.citations),
                "answered": report.answered,
                "statuses": status_counts(report.citations),
                "locale": report.locale,
                "limits": report.limits,
                "usage": report.usage,
            }
        )
    await keep(outcome)
    return outcome


def check_appendable(file: Path) -> None:
    """Check before any work that results can be stored.

    Raises:
        BadInput: the file cannot be written.
    """
    there = file.exists()
    if there and not file.is_file():  # opening a pipe would wait for its reader
        raise BadInput(f"The results {file} are no regular file. Name another file with --results.")
    try:
        file.open("ab").close()
    except OSError as error:
        raise BadInput(
            f"The results {file} cannot be written ({error.strerror}). Name another file with --results."
        ) from None
    if not there:
        file.unlink()


def append_line(file: Path, line: str) -> None:
    """Append a line, and end a truncated last line first."""
    with file.open("a+b") as stream:
        if stream.tell():
            stream.seek(-1, 2)
            line = line if stream.read(1) == b"\n" else f"\n{line}"
        stream.write(f"{line}\n".encode())
        stream.flush()
