"""The run scope: choices, stores, journal, budget and usage that a node can reach.

`node_run` and `step_run` open one for a node; whatever the node calls finds it with `current_run`, also in tasks that are
started inside. The server builds the context from the schema's defaults and brings a store; a plain `invoke` brings neither,
and then the defaults and a store in memory serve.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel

from prompts import PromptError, using
from prompts.overrides import with_texts
from schemas.context import RunContext
from schemas.events import CallProgress, EventType, ReadingProgress, Searched, ToolSearch
from schemas.evidence import Source
from schemas.files_read import FilesRead
from schemas.later_rooms import later_if_loaded
from schemas.scoped import scoped
from schemas.state import ResearchState, StepTask
from schemas.usage import CallUsage, Usage
from schemas.wishes import Wishes
from services.run.budget import Budget, allowance_of
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, JournalMiss
from services.run.events import emit, emit_message
from services.run.evidence_store import EvidenceStore
from services.run.journal import Journal, run_key
from services.run.log import watch_node
from services.run.roles import OFFLINE, role_model
from services.run.thread_lock import hold_thread
from services.run.ui_text import call_state, in_brackets, reading_text, say, search_title, task_title
from services.run.wishes import obeyed, wishes_of

Result = TypeVar("Result")


def choices(runtime: Runtime[RunContext]) -> RunContext:
    """Return the choices of this run.

    Raises:
        BadInput: a choice is invalid.
    """
    context = runtime.context or RunContext()
    return context if isinstance(context, RunContext) else checked_choices(context)


def evidence_of(runtime: Runtime[RunContext]) -> EvidenceStore:
    """Return the evidence store of this run."""
    return EvidenceStore(runtime.store if runtime.store is not None else memory())


@cache
def memory() -> BaseStore:
    """Return the store for runs without their own: a single one for the whole process, in memory."""
    return InMemoryStore()


@contextmanager
def prompts_of(context: RunContext) -> Iterator[None]:
    """Use the prompts that a run brings along while the block runs.

    Raises:
        BadInput: a prompt cannot be used; the message says why.
    """
    if not context.prompts:
        yield
        return

    try:
        with using(with_texts(context.prompts)):
            yield
    except PromptError as error:  # it cannot be compiled, or its rendering is too large
        raise BadInput(str(error)) from None


@dataclass(slots=True)
class Run:
    """The run scope of one node: its journal, budget, usage and events."""

    context: RunContext = field(default_factory=RunContext)
    node: str = ""
    step_id: str = ""
    thread: str = ""
    """Id of the run's thread; empty if there is none."""
    turn: int = 0
    """Step of the graph with which the turn of the conversation began."""
    locale: str = ""
    """Locale of the user, as far as it is known."""
    wishes: Wishes = field(default_factory=Wishes)
    """Of the question; `context` obeys them already."""
    journal: Journal = field(default_factory=Journal)
    budget: Budget = field(default_factory=Budget)
    usage: Usage = field(default_factory=Usage)
    embedding: CallUsage = field(default_factory=CallUsage)
    """Usage of an embedding endpoint that is not booked to a search yet."""
    tool_searches: list[ToolSearch] = field(default_factory=list)
    """Searches that tools reported, stored in the journal to report them again."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Numbers of pieces of evidence that did not fit into a prompt, by the key of the message that says why."""
    files: FilesRead = field(default_factory=FilesRead)
    """How the files of the folders were read that the node searched."""
    runtime: Runtime[RunContext] | None = None
    """Takes the events of the node; None where nobody listens."""
    read: list[str] = field(default_factory=list)
    """Content hashes of the sources that the step has read, in the order in which it found them."""
    _started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the node began."""
        return round(time.monotonic() - self._started, 3)

    @property
    def seconds_left(self) -> float:
        """Seconds that the node may still take."""
        return self.budget.allowance.seconds - self.seconds

    async def in_time(self, seconds: float, kind: str, what: str, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do work that may take so many seconds; a replay, which takes no time and may come further, ends where the run did.

        `kind` and `what` name it in the journal.

        Raises:
            TimeoutError: its time ran out.
        """
        try:
            async with asyncio.timeout(seconds):
                done = await work()
            if not self.journal.marked(kind, what):
                return done
        except TimeoutError:
            await self.journal.mark(kind, what)
        except JournalMiss:
            if not self.journal.marked(kind, what):
                raise
        raise TimeoutError

    async def by_rules(self, role: str) -> bool:
        """Tell whether no model is connected for a role."""
        return await self.journal.decided("rules", lambda: role_model(role, self.context).model == OFFLINE)

    def count_call(self, role: str, used: CallUsage, *, fresh: bool) -> None:
        """Add a model call; if the journal knew its answer, the call is also booked to the budget."""
        steps = {self.step_id: used} if self.step_id else {}
        self.usage = self.usage + Usage(total=used, roles={role: used}, steps=steps)
        if self.runtime is not None:
            key, task = "call_used" if used.tokens else "call_free", task_title(role, self.step_id, self.locale)
            title = say(key, self.locale, task=task, tokens=f"{used.tokens:,}", seconds=f"{used.seconds:.1f}")
            data = {"role": role, "step": self.step_id, **used.model_dump(mode="json")}
            emit(self.runtime, "call", self.node, title, data)
        if not fresh:
            self.budget.spend(used.tokens, used.cost or 0.0)

    def take_embedding(self) -> CallUsage:
        """Return the embedding usage since the last search, to be booked to that search."""
        used, self.embedding = self.embedding, CallUsage()
        return used

    def has_searched(self, queries: Sequence[str], searched: Sequence[Searched]) -> None:
        """Report the results of a search by a step with tools; the rounds of such a step are tool calls."""
        if searched:
            self.tool_searches.append(ToolSearch(queries=list(queries), searched=list(searched)))
        if searched and self.step_id:
            data = {
                "step": self.step_id,
                "queries": list(queries),
                "searched": [search.model_dump() for search in searched],
            }
            values = {"queries": "; ".join(queries), "searched": in_brackets(searched, self.locale)}
            self._emit("searched", "step_searched", data, id=self.step_id, **values)

    def absorb(self, used: Usage, *, fresh: bool) -> None:
        """Add a tool's usage; if the journal knew it, it is also booked to the budget."""
        self.usage = self.usage + used
        if not fresh:
            self.budget.spend(used.total.tokens, used.total.cost or 0.0)
            self.budget.take_searches(used.searches)
            self.budget.take_pages(used.pages)

    def count(self, *, searches: int = 0, pages: int = 0, code_runs: int = 0, unisolated_runs: int = 0) -> None:
        """Add searches, page reads or code runs."""
        used = Usage(searches=searches, pages=pages, code_runs=code_runs, unisolated_runs=unisolated_runs)
        self.usage = self.usage + used

    def emit_progress(self, progress: CallProgress) -> None:
        """Emit the progress of a slow model call."""
        data = {**progress.model_dump(mode="json"), "step": self.step_id}
        task = task_title(progress.role, self.step_id, self.locale)
        self._emit("call_progress", "call_progress", data, task=task, state=call_state(progress, self.locale))

    def emit_reading(self, progress: ReadingProgress) -> None:
        """Emit the event of documents that are being read."""
        if self.runtime is not None:
            title = reading_text(progress, self.locale)
            emit(self.runtime, "reading", self.node, title, progress.model_dump(mode="json"))

    def emit_searching(self, queries: Sequence[str], names: Sequence[str]) -> None:
        """Emit the event of a search that begins in a node without steps."""
        if not self.step_id:
            data = {"queries": list(queries), "names": list(dict.fromkeys(names))}
            where = say("searched_between", self.locale).join(
                search_title(name, self.locale) for name in dict.fromkeys(names)
            )
            self._emit("searching", "searching", data, names=where, queries="; ".join(queries))

    def emit_round(self, step_id: str, data: dict[str, Any]) -> None:
        """Emit the event of a judged round of search."""
        searched = in_brackets(map(Searched.model_validate, data["searched"]), self.locale)
        values = {"number": data["round"], "excerpts": data["excerpts"], "sources": data["sources"]}
        self._emit("round", "round_done", {"step": step_id, **data}, id=step_id, searched=searched, **values)

    def emit_source(self, source: Source) -> None:
        """Emit the event of a step's source, once for each source."""
        if self.step_id and source.content_hash not in self.read:
            self.read.append(source.content_hash)
            data = {"step": self.step_id, "url": source.url, "title": source.title}
            self._emit("source", "source", data, title=source.title)

    def _emit(self, kind: EventType, key: str, data: Mapping[str, object], **values: object) -> None:
        if self.runtime is not None:
            emit_message(self.runtime, kind, self.node, key, self.locale, data=data, **values)


class _Elapsed(BaseModel):
    seconds: float


_current: ContextVar[Run | None] = ContextVar("run", default=None)


def working_for(run: Run) -> AbstractContextManager[Run | None]:
    """Use another run scope inside the block, not opened by a node: that of a judge, with its own journal and budget."""
    return scoped(_current, run)


def current_run() -> Run:
    """Return the run scope of the running code; outside of runs, a scope without limits and journal."""
    return _current.get() or Run()


@contextmanager
def counting() -> Iterator[Callable[[], Usage]]:
    """Count the usage inside the block separately; yields a function that returns it."""
    part = replace(current_run(), usage=Usage(), embedding=CallUsage(), tool_searches=[])
    with working_for(part):
        yield lambda: part.usage


@asynccontextmanager
async def node_run(
    state: ResearchState, runtime: Runtime[RunContext], node: str, *, report: bool = False
) -> AsyncIterator[Run]:
    """Open a node's run scope; `usage.seconds` is set when it closes.

    The usage of the state is the account so far; with `report` the report's share of the limits may be spent, too.
    """
    wishes = wishes_of(state.get("triage"))
    context = obeyed(choices(runtime), wishes).context
    budget = Budget(allowance_of(context, state.get("usage") or Usage(), report=report), context)
    opened = Run(context, node, locale=state.get("locale", ""), wishes=wishes, budget=budget)
    async with _opened(opened, runtime, state.get("turn", _step())) as run:
        yield run


@asynccontextmanager
async def step_run(task: StepTask, runtime: Runtime[RunContext], node: str) -> AsyncIterator[Run]:
    """Open a worker's run scope, with the share of the limits that it was sent with."""
    wishes, step_id = task.get("wishes", Wishes()), task["step"].id
    context = obeyed(choices(runtime), wishes).context
    budget, before = Budget(task["allowance"], context), task["previous"].attempts if task["previous"] else 0
    opened = Run(context, node, step_id, locale=task["locale"], wishes=wishes, budget=budget)
    async with _opened(opened, runtime, task["turn"], before) as run:
        yield run


@asynccontextmanager
async def _opened(run: Run, runtime: Runtime[RunContext], turn: int, attempts: int = 0) -> AsyncIterator[Run]:
    run.thread, run.turn, run.runtime = _thread(runtime), turn, runtime
    run.journal = _journal(run, runtime, turn, attempts)
    token = _current.set(run)
    try:
        if run.context.prompts:
            with suppress(PromptError):  # `prompts_of` reports the error
                await asyncio.to_thread(with_texts, run.context.prompts)  # compiles them once, off the event loop
        with prompts_of(run.context), watch_node(run.node, run.step_id, run.thread):
            async with hold_thread(runtime):
                yield run
            run.journal.check_stored()

            async def elapsed() -> _Elapsed:
                return _Elapsed(seconds=run.seconds)

            run.journal.branch_key = ""  # the duration is the step's own
            known = await run.journal.once("seconds", run.node, {}, _Elapsed, elapsed)
            run.usage = run.usage.model_copy(update={"seconds": known.answer.seconds})
    except BaseException:
        if end := later_if_loaded("end_sessions"):  # connections to tools: no later node may come to close them
            end(run.journal.key)
        raise
    finally:
        _current.reset(token)


def _thread(runtime: Runtime[RunContext]) -> str:
    info = runtime.execution_info
    return "" if info is None else info.thread_id or ""


def _journal(run: Run, runtime: Runtime[RunContext], turn: int, attempts: int) -> Journal:
    """Return the journal of a thread's turn; without a thread a run cannot be resumed, and nothing is stored."""
    place = f"{_step() - turn}:{run.node}{':' if run.step_id else ''}{run.step_id}"
    info = runtime.execution_info
    if info is None or info.thread_id is None or runtime.store is None:
        return Journal(place=place)
    branch_key = f"{run.node}:{run.step_id}:{attempts}"
    return Journal(runtime.store, run_key(info.thread_id, turn), info.task_id, place, branch_key=branch_key)


def boundary_journal(state: ResearchState, runtime: Runtime[RunContext], node: str) -> Journal:
    """Return the journal of a node for its work outside of its run scope."""
    return _journal(Run(node=node), runtime, state["turn"], 0)


def _step() -> int:
    return int(get_config()["metadata"]["langgraph_step"])
