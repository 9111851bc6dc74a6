"""The state that every node shares, and how the updates of parallel steps merge into it.

Merging never depends on which worker finished first: results and sources are keyed, usage is added up. A new turn of a
thread starts over with `Overwrite`, which LangGraph applies instead of the reducer.

What grows with the steps is kept in `DeltaChannel`s: a checkpoint then holds what a node added and not the whole once more,
so that a run with twice the steps writes twice the bytes and not four times as many.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Annotated, Any, Literal, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel
from langgraph.graph.message import add_messages
from pydantic import Field
from typing_extensions import TypedDict

from schemas.background_investigator import Background
from schemas.conversation import Former
from schemas.coordinator import Triage
from schemas.evidence import QuotePlace, Source
from schemas.files_read import FilesRead, furthest
from schemas.outline import OutlineNode
from schemas.planner import Plan, Step
from schemas.reflector import Reflection
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.revision import Revision
from schemas.steering import Steering
from schemas.usage import Allowance, Usage
from schemas.wishes import Wishes

Value = TypeVar("Value")


def growing(merge: Callable[[Value, Value], Value]) -> "DeltaChannel[Value]":
    """Return a channel of which checkpoints hold only what was added; `merge` takes one addition in after the other."""

    def fold(old: Value, added: Sequence[Value]) -> Value:
        return reduce(merge, added, old)

    return DeltaChannel(fold)


def merge_messages(old: list[AnyMessage], new: list[AnyMessage]) -> list[AnyMessage]:
    """Append messages; one with the id of an earlier one replaces it."""
    merged: Any = add_messages(old, new)  # type: ignore[arg-type]  # it is declared for any likeness of a message
    return list(merged)


def as_plan(old: Plan | None, new: Plan | dict[str, Any] | None) -> Plan | None:
    """Take the newer plan; one that a person edited in a past state comes as plain data."""
    return Plan.model_validate(new) if isinstance(new, dict) else new


def merge_results(old: dict[str, StepResult], new: dict[str, StepResult]) -> dict[str, StepResult]:
    """Merge step results by step id; the newer result of a step replaces the older one."""
    return {**old, **new}


def merge_sources(old: dict[str, Source], new: dict[str, Source]) -> dict[str, Source]:
    """Merge sources by content hash; of several accounts of one text, the same account stays in any order of merging, with all addresses."""
    twice = {
        key: min(old[key], new[key], key=_account).with_addresses([*old[key].addresses, *new[key].addresses])
        for key in old.keys() & new.keys()
    }
    return dict(sorted({**old, **new, **twice}.items()))


def _account(source: Source) -> tuple[bool, bool, bool, str]:
    """Order accounts of one text: rather of this run than remembered, rather read than a snippet, an original than a copy; then by words."""
    return (
        bool(source.known_from),
        source.snippet_only,
        source.duplicate_of is not None,
        source.model_dump_json(exclude={"also_at"}),
    )


def latest(_: Value, new: Value) -> Value:
    """Take the last of several values; a change that failed leaves its request before that of the next one."""
    return new


def merge_read(old: dict[str, list[str]], new: dict[str, list[str]]) -> dict[str, list[str]]:
    """Add what further attempts of steps have read to what the earlier ones had."""
    return {**old, **{step: list(dict.fromkeys([*old.get(step, []), *read])) for step, read in new.items()}}


def merge_limits(old: list[str], new: list[str]) -> list[str]:
    """Keep each limit that was reached once, in the order in which they were reached: that of the steps, not of the clock."""
    return list(dict.fromkeys([*old, *new]))


Messages = Annotated[
    list[AnyMessage],
    Field(description="The conversation; its last message is the question, or asks for a change of the report."),
    growing(merge_messages),
]


class ResearchInput(TypedDict, total=False):
    """What starts a run: `messages` alone is enough, and so is `question`."""

    question: Annotated[str, Field(description="The question to research. Leave it empty to chat with messages.")]
    messages: Messages


class ResearchState(TypedDict, total=False):
    """Everything a run knows. Texts of sources are not here but in the evidence store."""

    messages: Messages
    question: str
    """As asked; the coordinator keeps it and puts its rewritten form into `triage`."""
    locale: str
    turn: int
    """LangGraph's step in which this turn of the thread began; with the thread it names the run's journal."""
    today: str
    """ISO date on which the run began; prompts show it."""
    choices: str
    """Hash under which the store keeps what this turn chose; empty where that is nothing."""
    former: Former | None
    """What earlier turns of the thread left; None in its first."""
    notices: list[str]
    """What was said before the search, in the user's language."""
    triage: Triage | None
    background: Background | None
    plan: Annotated[Plan | None, as_plan]
    """The plan being worked on; in a past state it may be edited, and the run goes on with what was edited."""
    plans: Annotated[list[Plan], growing(add)]
    """Every plan of this run as it was made, the present one last; one that replaces another comes with all as an `Overwrite`."""
    outline: list[OutlineNode]
    """Of the report: as the plans gave it, with the evidence that each node has; it grows with the evidence."""
    plan_iterations: int
    feedback: list[str]
    """What the person said of plans of this run."""
    steering: list[Steering]
    """What was said to the run while it went on, as far as it has been taken."""
    review: Literal["none", "wanted", "accepted", "edited"]
    """Where the review of the present plan stands."""
    results: Annotated[dict[str, StepResult], growing(merge_results)]
    reflection: Reflection | None
    """The latest one."""
    reflections: Annotated[list[Reflection], growing(add)]
    """Every reflection of this turn, in order, each with its reasoning."""
    has_enough_context: bool
    sources: Annotated[dict[str, Source], growing(merge_sources)]
    """By content hash."""
    read: Annotated[dict[str, list[str]], growing(merge_read)]
    """Content hashes of the sources that each step has read, in the order in which it found them, by step id."""
    limits: Annotated[list[str], growing(merge_limits)]
    """Limits that were reached, in the user's language."""
    files: Annotated[FilesRead, furthest]
    """How the files of the searched folders were read."""
    spent: bool
    """True once a limit left no room for further research."""
    usage: Annotated[Usage, growing(add)]
    report: Report | None
    revision: Annotated[Revision | None, latest]
    """What the report is to be changed to; None where it is to be written."""


class StepTask(TypedDict):
    """What `Send` hands to one worker: the step and everything of the state that it may look at."""

    step: Step
    steps: dict[str, Step]
    """The steps that it depends on."""
    question: str
    locale: str
    results: dict[str, StepResult]
    """Results of the steps it depends on."""
    sources: dict[str, Source]
    """Sources that those results quote."""
    quoted: list[QuotePlace]
    """What all other steps so far have quoted."""
    sources_left: int
    """Sources that it may still bring, about: its share of those that the run is to read."""
    outline: list[OutlineNode]
    """The outline of the report, without its evidence; empty where there is none."""
    turn: int
    wishes: Wishes
    """Of the question."""
    allowance: Allowance
    """What it may spend, and how long it may take."""
    previous: StepResult | None
    """Its own earlier attempt, if there is one."""
    feedback: str
    """The reflector's feedback on the earlier attempt; empty at the first."""


def plans_of(state: ResearchState) -> list[Plan]:
    """Return every plan of this run, the present one last and as it is now."""
    plan, plans = state["plan"], state["plans"]
    return [*plans[:-1], plan] if plan is not None and plans else plans


def research_question(state: ResearchState, *, reported: bool = False) -> str:
    """Return the question that is researched, as the coordinator completed it, and before that as it was asked, with users' messages."""
    triage = state["triage"]
    return with_messages(triage.question if triage is not None else state["question"], state, reported=reported)


def with_messages(question: str, state: ResearchState, *, reported: bool = False) -> str:
    """Return a question with the messages that users sent during the run; for the report only with those that a plan was made with."""
    messages = [message for message in state.get("steering") or [] if message.action == "message"]
    added = [message.text for message in messages if message.planned or not reported]
    return " — ".join([question, *added])
