"""What a node stands on while it runs: the run's choices, its stores, its journal, its budget and its usage.

`node_run` and `step_run` open one for a node; whatever the node calls finds it with `current_run`, also in tasks that are
started inside. The server builds the context from the schema's defaults and brings a store; a plain `invoke` brings neither,
and then the defaults and a store in memory serve.
"""

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, ValidationError

from schemas.context import RunContext
from schemas.state import ResearchState, StepTask
from schemas.usage import CallUsage, Usage
from services.budget import Budget, allowance_of
from services.claims import held
from services.errors import BadInput
from services.evidence.store import EvidenceStore
from services.journal import Journal, run_key


def choices(runtime: Runtime[RunContext]) -> RunContext:
    """Return what this run chose.

    Raises:
        BadInput: a choice is impossible.
    """
    given = runtime.context
    if given is None:
        return RunContext()
    if isinstance(given, RunContext):
        return given
    return checked_choices(given)


def checked_choices(given: dict[str, object]) -> RunContext:
    """Check choices that came as plain data.

    Raises:
        BadInput: a choice is impossible; the message names it and its bounds.
    """
    try:
        return RunContext.model_validate(given)
    except ValidationError as error:
        problem = error.errors()[0]
        field_name = ".".join(str(part) for part in problem["loc"])
        raise BadInput(
            f"{field_name} cannot be {problem['input']!r}: {problem['msg'].removeprefix('Value error, ')}."
        ) from None


def evidence_of(runtime: Runtime[RunContext]) -> EvidenceStore:
    """Return the store of this run's texts."""
    return EvidenceStore(runtime.store if runtime.store is not None else memory())


@cache
def memory() -> BaseStore:
    """Return the store of runs that bring none: one for the whole process, in memory."""
    return InMemoryStore()


@dataclass(slots=True)
class Run:
    """One node's part in a run."""

    context: RunContext = field(default_factory=RunContext)
    node: str = ""
    step_id: str = ""
    journal: Journal = field(default_factory=Journal)
    budget: Budget = field(default_factory=Budget)
    usage: Usage = field(default_factory=Usage)
    left_out: int = 0
    """Pieces of evidence that did not fit into a prompt."""
    _started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the node began."""
        return round(time.monotonic() - self._started, 3)

    @property
    def seconds_left(self) -> float:
        """Seconds that the node may still take."""
        return self.budget.allowance.seconds - self.seconds

    def count_call(self, role: str, used: CallUsage, *, fresh: bool) -> None:
        """Add a model call; one that the journal knew had not gone through this budget yet."""
        steps = {self.step_id: used} if self.step_id else {}
        self.usage = self.usage + Usage(total=used, roles={role: used}, steps=steps)
        if not fresh:
            self.budget.spend(used.tokens, used.cost or 0.0)

    def absorb(self, used: Usage, *, fresh: bool) -> None:
        """Add what a tool used; what the journal knew had not gone through this budget yet."""
        self.usage = self.usage + used
        if not fresh:
            self.budget.spend(used.total.tokens, used.total.cost or 0.0)
            self.budget.take_searches(used.searches)
            self.budget.take_pages(used.pages)

    def count(self, *, searches: int = 0, pages: int = 0, code_runs: int = 0, unisolated_runs: int = 0) -> None:
        """Add searches, page reads or code runs."""
        used = Usage(searches=searches, pages=pages, code_runs=code_runs, unisolated_runs=unisolated_runs)
        self.usage = self.usage + used


class _Elapsed(BaseModel):
    seconds: float


_current: ContextVar[Run | None] = ContextVar("run", default=None)


def current_run() -> Run:
    """Return the part of a run that this code works for; outside of any run one without limits and without a journal."""
    return _current.get() or Run()


@contextmanager
def counting() -> Iterator[Callable[[], Usage]]:
    """Count apart what is used inside the block; gives a function that returns it."""
    part = replace(current_run(), usage=Usage())
    token = _current.set(part)
    try:
        yield lambda: part.usage
    finally:
        _current.reset(token)


@asynccontextmanager
async def node_run(
    state: ResearchState, runtime: Runtime[RunContext], node: str, *, report: bool = False
) -> AsyncIterator[Run]:
    """Open a node's part in the run; `usage.seconds` is set when it closes.

    Args:
        state: whose usage is the account so far.
        runtime: the node's.
        node: its name.
        report: whether the report's share of the limits may be spent.
    """
    context = choices(runtime)
    budget = Budget(allowance_of(context, state.get("usage") or Usage(), report=report), context)
    async with _opened(Run(context, node, budget=budget), runtime, state.get("turn", _step())) as run:
        yield run


@asynccontextmanager
async def turn_run(runtime: Runtime[RunContext], node: str) -> AsyncIterator[tuple[Run, int]]:
    """Open the part of the node that begins a turn: nothing is spent yet. Gives the turn, too."""
    context, turn = choices(runtime), _step()
    async with _opened(
        Run(context, node, budget=Budget(allowance_of(context, Usage()), context)), runtime, turn
    ) as run:
        yield run, turn


@asynccontextmanager
async def step_run(task: StepTask, runtime: Runtime[RunContext], node: str) -> AsyncIterator[Run]:
    """Open a worker's part in the run, with the share of the limits that it was sent with."""
    context, step_id = choices(runtime), task["step"].id
    budget = Budget(task["allowance"], context)
    async with _opened(Run(context, node, step_id, budget=budget), runtime, task["turn"]) as run:
        yield run


@asynccontextmanager
async def _opened(run: Run, runtime: Runtime[RunContext], turn: int) -> AsyncIterator[Run]:
    run.journal = _journal(run, runtime, turn)
    token = _current.set(run)
    try:
        async with held(runtime):
            yield run

        async def elapsed() -> _Elapsed:
            return _Elapsed(seconds=run.seconds)

        known = await run.journal.once("seconds", run.node, {}, _Elapsed, elapsed)
        run.usage = run.usage.model_copy(update={"seconds": known.answer.seconds})
    except BaseException:
        _end_sessions(run)
        raise
    finally:
        _current.reset(token)


def _end_sessions(run: Run) -> None:
    """Close connections to tools when a node is cancelled or fails: no other node may come to close them.

    Where nobody has connected to a tool, the module that knows of connections is not even imported.
    """
    registry = sys.modules.get("services.tools.mcp.registry")
    if registry is not None:
        registry.end(run.journal.key)


def _journal(run: Run, runtime: Runtime[RunContext], turn: int) -> Journal:
    """Name the journal after thread and turn; without a thread nothing can be resumed, and nothing is kept."""
    place = f"{_step() - turn}:{run.node}{':' if run.step_id else ''}{run.step_id}"
    info = runtime.execution_info
    if info is None or info.thread_id is None or runtime.store is None:
        return Journal(place=place)
    return Journal(runtime.store, run_key(info.thread_id, turn), info.task_id, place)


def _step() -> int:
    return int(get_config()["metadata"]["langgraph_step"])
