"""The compiled graph with the descriptions of its nodes, and the clean-up when a run ends: it releases the thread."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from itertools import chain
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.errors import InvalidUpdateError
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import StateUpdate

from schemas.context import RunContext
from schemas.state import ResearchInput, ResearchState
from services.reports.report_draft import NOT_KEPT
from services.run.checked_choices import checked_choices
from services.run.choices import continues_turn, restored_choices
from services.run.errors import BadInput, LeadlineError
from services.run.message_forms import on_a_page
from services.run.private_paths import without_private
from services.run.run_input import check_begun, check_update, checked_input
from services.run.scope import memory
from services.run.secrecy import without_secrets
from services.run.thread_lock import give_free
from services.run.users import caller_in, claim_for_run


class Machine(CompiledStateGraph[ResearchState, RunContext, ResearchInput, ResearchState]):
    """The compiled graph; every run ends here: after its last node, at an interrupt, by an error, or by a cancellation."""

    @classmethod
    def of(cls, compiled: CompiledStateGraph[Any, Any, Any, Any]) -> Self:
        """Convert a compiled graph to this class."""
        return cls(**{name: value for name, value in vars(compiled).items() if name != "__orig_class__"})

    async def astream(self, input: Any, config: RunnableConfig | None = None, **choices: Any) -> AsyncIterator[Any]:  # noqa: A002 - the original's name for it
        """Run with the given choices; a run that continues a turn keeps the turn's choices, unless it changes them.

        Raises:
            BadInput: a choice or a field of the input is invalid.
        """
        named = (config or {}).get("configurable", {})
        with on_a_page(named):
            input = checked_input(input)  # noqa: A001 - likewise
            choices["context"] = await self._choices(input, config, choices.get("context"))
        if self.checkpointer is None:  # a server deletes the thread of such a run at its end
            config = {**(config or {}), "configurable": {**named, NOT_KEPT: True}}
        thread, run = str(named.get("thread_id") or ""), str(named.get("run_id") or "")
        if thread and (caller := caller_in(named)):
            await claim_for_run(self._own_store(), thread, caller)
        stream = cast("AsyncGenerator[Any, None]", super().astream(input, config, **choices))
        try:
            async with aclosing(stream) as parts:
                async for part in parts:
                    yield part
        except BaseException as error:
            public = without_private(str(error)) if isinstance(error, Exception) else ""
            if public and public != str(error):  # errors of the operating system also name files
                holds_secrets = without_secrets(str(error)) != str(
                    error
                )  # a server logs the cause, which may name files
                raise LeadlineError(f"{type(error).__name__}: {public}") from None if holds_secrets else error
            raise
        finally:
            await give_free(thread, run)

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Change the state, as servers do for their clients, too.

        Raises:
            InvalidUpdateError: a field has a wrong type.
        """
        try:
            for update in chain.from_iterable(supersteps):
                check_update(update.values)
        except BadInput as error:
            raise InvalidUpdateError(str(error)) from None
        return await super().abulk_update_state(config, supersteps)

    def _own_store(self) -> BaseStore:
        return self.store if self.store is not None else memory()

    async def _choices(self, run_input: Any, config: RunnableConfig | None, chosen: Any) -> Any:
        """Return the choices of a run as one object, whatever form they came in."""
        if continues_turn(run_input):
            state = None
            if config is not None and isinstance(self.checkpointer, BaseCheckpointSaver):
                place = {
                    name: value
                    for name, value in config.get("configurable", {}).items()
                    if name in ("thread_id", "checkpoint_id")
                }
                state = await self.aget_state({"configurable": place})
            check_begun(run_input, state)
            if state is not None:
                return await restored_choices(chosen, state, self._own_store())
        return checked_choices(dict(chosen)) if isinstance(chosen, Mapping) else chosen


class Builder(StateGraph[ResearchState, RunContext, ResearchInput, ResearchState]):
    """Builder of nodes and edges that compiles to a `Machine`."""

    def compile(self, *args: Any, **choices: Any) -> Machine:
        """Return the compiled graph."""
        return Machine.of(super().compile(*args, **choices))


def run_configuration() -> Mapping[str, object]:
    """Return the configuration of the current run; empty outside of runs."""
    try:
        return get_config().get("configurable", {})
    except RuntimeError:
        return {}


DESCRIPTIONS: dict[str, str] = {
    "coordinator": "reads the question: language, scope, simple or complex; answers greetings, asks for clarification, and starts changes of a finished report",
    "background_investigator": "searches for the question once, to inform the plan",
    "planner": "plans research and processing steps and outlines the report; a replan covers only what is missing",
    "human_feedback": "waits for your review of the plan, if you asked for one",
    "research_team": "starts every step that can run, in parallel",
    "researcher": "searches, ranks passages, selects the sentences to quote, and names gaps; repeats until the step is covered",
    "coder": "explores and computes by programs in a sandbox, or by tools",
    "reflector": "judges every step, finds weak topics, contradictions and gaps, and decides whether enough is known",
    "reporter": "writes the report, a long one section by section; code checks every statement, and a model as verifier judges the rest; what fails is rewritten, marked or left out",
}


def described(node: str) -> dict[str, Any]:
    """Return a node's metadata.

    The text is in a mapping by language because LangGraph's pictures show plain values in their boxes, and only in one
    language because the metadata is sent with every streamed token.
    """
    return {"description": {"en": DESCRIPTIONS[node]}}
