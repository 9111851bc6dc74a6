"""The Python API: `research(question)` and, inside an event loop, `await aresearch(question)`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Unpack, cast

from leadline.runs.actions import asteer
from leadline.runs.arguments import Choices, checked, load_profile, with_choices
from leadline.runs.execute import ChangeAsked, OnEvent, OnReview, carry_out, first_input
from leadline.runs.output import check_writable
from leadline.runs.revise import arevise
from leadline.runs.run_ids import checked_run_id, first_line, new_run_id
from leadline.runs.store import RunRecord, open_home
from nodes.coordinator import question_of
from schemas.reporter import Report
from services.reports.formats import check_formats
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput
from services.run.run_input import check_utf8
from services.run.scope import prompts_of
from services.run.settings import settings
from services.run.ui_text import say, speaking, told
from services.search.providers import allow_folders, check_search, with_full_paths
from services.text.tokens import message_language
from services.tools.mcp.configuration import configured
from services.turn.conversation import carried_context, chosen_question

Arguments = ParamSpec("Arguments")
Outcome = TypeVar("Outcome")


@with_choices
@checked
async def aresearch(
    question: str,
    *,
    docs: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    out: str | PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    on_review: OnReview | None = None,
    run_id: str | None = None,
    after: str | Report | None = None,
    **choices: Unpack[Choices],
) -> Report:
    """Research a question and return the report.

    Args:
        question: the question in any language; English and Chinese are supported best.
        docs: folders of documents to search, or one.
        out: folder for `<slug>/report.md` and `evidence.json`; None writes no files.
        on_event: called with each progress event.
        on_review: with `review_plan=True`, called with the plan; it returns the person's answer, such as `{"action": "accept"}`, or an
            awaitable of it. Without an answer the run waits, and `ReviewPending` is raised.
        run_id: id of the new run, to find it again; by default made from the time.
        after: a finished run, its report, or `"latest"`, that this question follows up. The conversation continues, its evidence is
            used before any search, and its choices apply unless chosen anew. A number stands for the recommended question with
            that number. A message that asks to change the report makes a new version of it, where the report is.
        choices: what the run chooses, named below; `profile` may be a file.

    Raises:
        LeadlineError: with a message that says what to do. The run stays resumable with `resume`.
    """
    check_utf8(question)
    options: dict[str, Any] = {**choices}
    if folders := [*_paths(docs), *_paths(options.get("documents", ()))]:
        options["documents"] = list(map(str, folders))
    elif after is not None:
        options.pop("documents", None)  # an empty list names none: the followed run's are searched
    if isinstance(options.get("profile"), str | PathLike):
        options["profile"] = await asyncio.to_thread(load_profile, Path(options["profile"]))
    chosen, before = options, (after.run_id if isinstance(after, Report) else after)
    if before == "":
        raise BadInput("`after` names no run: give the id of a run, or a report with its `run_id`.")
    if before is not None:
        before, question, options = await _following(before, question, options)
    question_of({"question": question})
    with speaking(message_language(question)):
        context = checked_choices(options, signature(aresearch).parameters)
        if out is not None:
            await asyncio.to_thread(check_formats, context.output_formats)
            await asyncio.to_thread(check_writable, Path(out))
        with prompts_of(context):
            allow_folders(context.documents)
            await asyncio.to_thread(check_search, context)
            context = await asyncio.to_thread(with_full_paths, context)
        await configured(context)
    record = RunRecord(
        id=new_run_id() if run_id is None else checked_run_id(run_id),
        question=question,
        out=None if out is None else str(await asyncio.to_thread(Path(out).absolute)),
        context=context,
        after=before,
    )
    try:
        async with open_home(settings().leadline_home) as home:
            await home.check_new(record)
            if on_event is not None:
                on_event(first_line(question, record.id))
            return await carry_out(home, record, await first_input(home, record), on_event, on_review)
    except ChangeAsked as change:
        if chosen:  # they would have no effect
            raise BadInput(say("revising_no_choices", message_language(question))) from None
        return await arevise(change.after, change.request, on_event=on_event)


def _paths(folders: object) -> list[object]:
    named = [*folders] if isinstance(folders, Iterable) and not isinstance(folders, str) else [folders]
    if not all(isinstance(folder, str | PathLike) for folder in named):
        raise BadInput("`documents` is a folder, or a list of folders.")
    return named


async def _following(before: str, question: str, options: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Return the id of the followed run, the question, and that run's choices with the options over them."""
    async with open_home(settings().leadline_home) as home:
        record = await home.record(before, finished=True)
        record.check_usable()
        values: Any = await home.values(record)
        former = carried_context(values)
    chosen = chosen_question(question, former)
    if chosen == question and question.strip().isdecimal():
        offered = len(former.follow_up_questions) if former else 0
        choice = say("follow_offered", count=offered) if offered else say("follow_words")
        raise BadInput(**told("follow_no_number", run=record.id, number=question.strip(), choice=choice))
    context = record.context
    former_choices = context.model_dump(include=context.own_choices(), exclude_unset=True)
    if options.get("deep_research") and context.depth == "quick":
        former_choices.pop("depth", None)
    return record.id, chosen, {**former_choices, **options}


def _blocking(work: Callable[Arguments, Coroutine[Any, Any, Outcome]]) -> Callable[Arguments, Outcome]:
    """Return a function with the same arguments that waits for the outcome.

    It works in a notebook too, where an event loop runs already: the work then has a thread and a loop of its own, and an
    interrupt of this thread cancels it.
    """

    @wraps(work)
    def wait(*arguments: Arguments.args, **options: Arguments.kwargs) -> Outcome:
        if not _has_loop():
            return asyncio.run(work(*arguments, **options))
        running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()

        async def worked() -> Outcome:
            running.set_result((asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())))
            return await work(*arguments, **options)

        with ThreadPoolExecutor(1, "leadline") as thread:
            done = thread.submit(lambda: asyncio.run(worked()))
            try:
                return done.result()
            except KeyboardInterrupt:
                loop, task = running.result()
                with suppress(RuntimeError):  # the work has ended meanwhile
                    loop.call_soon_threadsafe(task.cancel)
                raise

    wait.__name__ = wait.__qualname__ = work.__name__.removeprefix("a")
    return wait


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


research, steer = _blocking(aresearch), _blocking(asteer)
