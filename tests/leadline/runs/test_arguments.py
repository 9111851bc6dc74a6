"""The arguments of `research` and `aresearch`: those of `RunContext`, named, typed and described."""

import asyncio
import inspect
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from leadline import aresearch, aresume, asteer, research
from leadline.runs.actions import areplay, areport, aruns
from leadline.runs.arguments import Choices
from leadline.runs.revise import arevise, aversions
from schemas.context import FOLLOW_DEPTH, RunContext
from schemas.events import Event
from schemas.reporter import Report
from services.run.errors import BadInput, ReviewPending
from tests.leadline.conftest import Leadline

OWN = ["question", "docs", "out", "on_event", "on_review", "run_id", "after"]
SEQUENCES = "documents include_domains exclude_domains prefer_kinds exclude_kinds output_formats wishes".split()
WIDER = {*FOLLOW_DEPTH, *SEQUENCES, "models", "mcp_servers", "prompts", "profile", "locale", "search"}
"""Fields that take more in Python than their own type, such as any sequence for a list, or a bare text for a checked one."""


def bare(annotation: Any) -> Any:
    """Return a type without its bounds."""
    parts = get_args(annotation)
    return {bare(part) for part in parts} if type(None) in parts else annotation


def test_the_choices_are_the_fields_of_the_context_with_their_types() -> None:
    types = get_type_hints(Choices)
    declared = get_type_hints(RunContext)
    assert list(types) == list(RunContext.model_fields)
    for name in types.keys() - WIDER:
        assert bare(types[name]) == bare(declared[name]), name


@pytest.mark.parametrize("function", [research, aresearch])
def test_every_choice_is_an_argument_with_a_description(function: Any) -> None:
    signature = inspect.signature(function)
    assert list(signature.parameters) == [*OWN, *RunContext.model_fields]
    assert [signature.parameters[name].default for name in ("max_results", "max_seconds")] == [10, None]
    for name, field in RunContext.model_fields.items():
        assert f"    {name}: {field.description}" in inspect.getdoc(function).splitlines()  # type: ignore[union-attr]  # it has one
    assert inspect.iscoroutinefunction(inspect.unwrap(function))
    assert function.__name__ == ("research" if function is research else "aresearch")


def test_python_and_the_command_say_the_same_in_their_own_words(leadline: Leadline) -> None:
    with pytest.raises(BadInput, match=r"Name an existing folder with `docs`\.$"):
        research("Why?", docs=["/nowhere"])
    told = leadline("research", "Why?", "--docs", "/nowhere").err
    assert told.endswith("The documents folder /nowhere does not exist. Name an existing folder with --docs.\n")


def test_a_choice_that_there_is_not_gets_a_suggestion() -> None:
    with pytest.raises(BadInput, match=r"There is no choice 'max_step'. Did you mean max_step_num\?"):
        research("Why?", max_step=3)  # type: ignore[call-arg]  # that is what is tested
    with pytest.raises(BadInput, match=r"There is no choice 'doc'. Did you mean docs\?"):
        research("Why?", doc="papers")  # type: ignore[call-arg]  # that is what is tested


QUESTION = "Where was the designer of the wire sounding machine born?"


async def _heard(_: object) -> None: ...


class _Hearing:
    async def __call__(self, _: object) -> None: ...


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"question": None}, "question cannot be None"),
        ({"question": b"Why?"}, "question cannot be used: Input should be a valid string"),
        ({"question": "Why? " * 5_000}, "question"),
        ({"docs": b"papers"}, "a list of folders"),
        ({"after": Report(title="", question="", markdown="")}, "`after` names no run"),
        ({"docs": None}, "docs cannot be None"),
        ({"docs": [""]}, "a folder of documents is empty"),
        ({"documents": 5}, "`documents` is a folder"),
        ({"after": 5}, "after cannot be 5"),
        ({"out": 5}, "out cannot be 5"),
        ({"on_event": 5}, "on_event cannot be 5"),
        ({"on_event": _heard}, "on_event cannot be used: a plain function"),
        ({"on_event": _Hearing()}, "on_event cannot be used: a plain function"),
        ({"on_review": 5}, "on_review cannot be 5"),
        *(({"run_id": wrong}, "run_id") for wrong in ("", "../evil", "-x", "latest", "x" * 400, "a\n", 5)),
    ],
)
async def test_an_argument_of_another_kind_is_refused_before_the_run(arguments: Any, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        await aresearch(**{"question": QUESTION, "search": "documents", **arguments})
    assert await aruns() == []


async def test_other_functions_refuse_arguments_of_another_kind_too() -> None:
    for wrong in (aresume(5), asteer(5), asteer("Shorter", skip=5), arevise(5), areplay(5), aversions(5)):  # type: ignore[arg-type]  # that is what is tested
        with pytest.raises(BadInput, match="cannot be 5"):
            await wrong
    for formats in ("html", ["exe"]):
        with pytest.raises(BadInput, match=f"formats cannot be .*{formats[0]}"):
            await areport("latest", formats)  # type: ignore[arg-type]  # that is what is tested


async def test_one_folder_needs_no_list(docs: Path) -> None:
    for folder in (docs, str(docs)):
        report = await aresearch(QUESTION, docs=folder, depth="quick")
        assert "Belfast" in report.markdown


async def test_an_id_names_one_run(docs: Path) -> None:
    await aresearch(QUESTION, docs=docs, depth="quick", run_id="mine")
    with pytest.raises(BadInput, match="There is a run mine already"):
        await aresearch("Why was tallow used?", docs=docs, run_id="mine")
    [record] = await aruns()
    assert (record.question, record.status) == (QUESTION, "done")
    await asyncio.sleep(1.1)  # a record's time is in seconds
    later = await aresearch("Why was tallow used?", docs=docs, depth="quick")
    assert [record.id for record in await aruns()] == [later.run_id, "mine"]


async def test_an_answer_to_a_review_that_cannot_be_used_ends_the_run_and_the_next_one_is_taken(docs: Path) -> None:
    answer = {"action": "replace", "plan": {"steps": []}}
    with pytest.raises(BadInput, match=r"That answer cannot be used: .*\n.*accept"):
        await aresearch(QUESTION, docs=docs, review_plan=True, on_review=lambda _: answer)
    report = await aresume(on_review=lambda _: {"action": "accept"})
    assert "Belfast" in report.markdown


async def test_a_change_that_every_plan_is_answered_with_ends_the_run_and_says_why(docs: Path) -> None:
    with pytest.raises(BadInput, match=r"changed by this answer already, which is given again\.\n.*accept"):
        await aresearch(QUESTION, docs=docs, review_plan=True, on_review=lambda _: "only his birthplace")
    report = await aresearch(QUESTION, docs=docs, review_plan=True, on_review=lambda _: "accept")
    assert "Belfast" in report.markdown


@pytest.mark.parametrize("answer", [object(), {"action": "edit", "feedback": "\ud800"}])
async def test_an_answer_to_a_review_that_cannot_be_kept_is_refused(docs: Path, answer: object) -> None:
    with pytest.raises(BadInput, match=r'Answer .*"accept"'):
        await aresearch(QUESTION, docs=docs, review_plan=True, on_review=lambda _: answer)


async def test_a_review_that_nobody_answers_says_how_to_go_on(docs: Path) -> None:
    with pytest.raises(ReviewPending, match=r"leadline\.aresume\('.*'\).*`on_review`") as pending:
        await aresearch(QUESTION, docs=docs, review_plan=True)
    [record] = await aruns()
    assert (record.id, record.status) == (pending.value.run_id, "waiting")


async def test_a_change_without_words_is_refused_in_the_language_of_the_question(docs: Path) -> None:
    with pytest.raises(ReviewPending):
        await aresearch("这条船有多长？", docs=docs, review_plan=True)
    with pytest.raises(BadInput, match="尚未完成，没有可修改的报告"):
        await arevise((await aruns())[0].id, shorter=True)


def test_the_first_event_names_the_run_and_is_printed_once(docs: Path, leadline: Leadline) -> None:
    events: list[Event] = []
    report = research(QUESTION, docs=docs, depth="quick", on_event=events.append)
    assert (events[0].type, events[0].data) == ("notice", {"run_id": report.run_id})
    ran = leadline("research", QUESTION, "--docs", docs, "--quick", "--events")
    assert [line for line in ran.err.splitlines() if QUESTION in line and '"notice"' in line] == ran.err.splitlines()[
        :1
    ]
