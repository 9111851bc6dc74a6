"""A run from its beginning, or from where it stopped, to its report: alone in its process, its record kept true."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from leadline.alone import alone
from leadline.home import Home, RunRecord
from leadline.output import report_folder, write_report
from leadline.review import ReviewPending
from leadline.warmup import getting_ready
from schemas.events import Event
from schemas.reporter import Report
from services.conversation import carried
from services.errors import BadInput
from services.journal import run_key
from services.log import ERROR, WARNING, log
from services.models import clients_open
from services.models.prices import price_of
from services.models.roles import role_model
from services.search.providers import providers_for, searches_documents
from services.search.tokens import has_cjk
from services.settings import settings

OnEvent = Callable[[Event], None]
OnReview = Callable[[dict[str, Any]], Awaitable[object]]


async def written(home: Home, record: RunRecord, report: Report) -> Report:
    """Write a report's files, where the run has a folder for them."""
    report = report.model_copy(update={"run_id": record.id})
    if record.out is None or report.direct:
        return report
    folder = await asyncio.to_thread(report_folder, report.question, Path(record.out), record.folder)
    files = await write_report(report, folder, home.evidence, record.context.output_formats)
    return report.model_copy(update={"folder": str(folder), "files": files})


async def _where_to_write(home: Home, record: RunRecord, report: Report) -> RunRecord:
    """Write down which folder the report goes to, before anything is there: a run that is killed now finds it again."""
    if record.out is None or report.direct:
        return record
    folder = await asyncio.to_thread(report_folder, report.question, Path(record.out), record.folder)
    record = record.model_copy(update={"folder": str(folder)})
    await home.save(record)
    return record


def config_of(record: RunRecord) -> RunnableConfig:
    """Return what names a run's thread."""
    return {"configurable": {"thread_id": record.id}}


async def first_input(home: Home, record: RunRecord) -> Any:
    """Return what a run's thread begins with: its question, and the conversation that it goes on with.

    Raises:
        BadInput: the run that it follows is gone, or was never finished.
    """
    if record.after is None:
        return {"question": record.question}
    before = await home.record(record.after)
    values = (await home.graph.aget_state(config_of(before))).values
    if before.status != "done" or "triage" not in values:
        raise BadInput(f"Run {before.id} is not finished. Go on with: leadline resume {before.id}")
    said = [*values["messages"], HumanMessage(record.question)]
    return Command(update={"messages": said, "former": carried(values)}, goto="coordinator")  # type: ignore[arg-type]  # the values are the state


async def carry_out(
    home: Home, record: RunRecord, given: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    """Run to the end, keeping the record true whatever happens on the way.

    Raises:
        BadInput: another process works on this run, or its choices are refused today.
    """
    record.check_usable()
    with alone(settings().leadline_home, record.id):
        async with clients_open():
            return await _kept_true(home, record, given, on_event, on_review)


async def _kept_true(
    home: Home, record: RunRecord, given: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    record = record.model_copy(update={"status": "running", "error": ""})
    await home.save(record)
    if given is None:
        log("run_resumed", run=record.id)
    try:
        try:
            report = await _stream(home, record, given, on_event, on_review)
        finally:
            await _close_tools(home, record)
        record = await _where_to_write(home, record, report)
        report = await written(home, record, report)
    except asyncio.CancelledError:
        log("run_interrupted", WARNING, run=record.id)
        await home.save(record.model_copy(update={"status": "interrupted"}))
        raise
    except ReviewPending:
        await home.save(record.model_copy(update={"status": "waiting"}))
        raise
    except Exception as error:
        log("run_failed", ERROR, run=record.id, error=type(error).__name__)
        await home.save(record.model_copy(update={"status": "failed", "error": str(error)}))
        raise
    await home.save(record.model_copy(update={"status": "done", "folder": report.folder}))
    return report


async def _close_tools(home: Home, record: RunRecord) -> None:
    """Close what is still connected to servers of tools: a run that was cancelled did not come to it."""
    from services.tools.mcp.registry import close

    values = (await home.graph.aget_state(config_of(record))).values
    if "turn" in values:
        await close(run_key(record.id, values["turn"]))


async def _load_model(record: RunRecord) -> None:
    """Load what compares meanings, which takes longer than anything else that a search needs."""
    if await asyncio.to_thread(searches_documents, record.context):
        from services.search.embeddings import load_ahead

        await load_ahead()


async def _look_up_price(record: RunRecord) -> None:
    """Look up what the first answer of a model is priced by."""
    await price_of(role_model("coordinator", record.context))


async def _open_search(record: RunRecord, on_event: OnEvent | None) -> None:
    """Open what the run searches before it is searched, and tell what is not searched."""
    providers = await providers_for(record.context)
    if on_event is not None:
        for notice in providers.notices("zh" if has_cjk(record.question) else "en"):
            on_event(Event(type="notice", node="", title=notice))
    for documents in providers.documents:
        await documents.warm_up()


async def _sweep() -> None:
    """Remove what the programs of runs that were killed have left."""
    from services.sandbox.leftovers import sweep

    await asyncio.to_thread(sweep)


async def _stream(
    home: Home, record: RunRecord, given: Any, on_event: OnEvent | None, on_review: OnReview | None
) -> Report:
    ahead = (
        partial(_look_up_price, record),
        partial(_load_model, record),
        partial(_open_search, record, on_event),
        _sweep,
    )
    async with getting_ready(*ahead) as warm_up:
        config: RunnableConfig = {**config_of(record), "callbacks": [warm_up]}
        while True:
            async for event in home.graph.astream(
                given, config, context=record.context, stream_mode="custom", durability="sync"
            ):
                if on_event is not None:
                    on_event(Event.model_validate(event))
            state = await home.graph.aget_state(config)
            if not state.interrupts:
                return report_of(state.values)
            answer = None if on_review is None else await on_review(state.interrupts[0].value)
            if answer is None:
                raise ReviewPending(record.id)
            record.reviews.append(answer)
            await home.save(record)
            given = Command(resume=answer)


def report_of(values: dict[str, Any]) -> Report:
    """Return the report, or the direct answer where no research was due."""
    report: Report | None = values.get("report")
    if report is not None:
        return report
    triage = values["triage"]
    return Report(
        title="",
        question=values["question"],
        markdown=triage.reply,
        usage=values["usage"],
        direct=True,
        asks_back=triage.intent == "unclear",
    )
