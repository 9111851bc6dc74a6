"""Events from inside a node: model calls, rounds, searches and sources, emitted as they happen."""

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.events import CallProgress, ReadingProgress, Searched
from schemas.evidence import Source
from schemas.usage import CallUsage
from services.run.events import emit, emit_message
from services.run.ui_text import call_state, in_brackets, reading_text, say, search_title, task_title


def tell_call(runtime: Runtime[RunContext], node: str, step_id: str, role: str, used: CallUsage) -> None:
    """Emit the event of a model call."""
    title = f"{role}: {used.tokens:,} tokens, {used.seconds:.1f} s"
    emit(runtime, "call", node, title, {"role": role, "step": step_id, **used.model_dump(mode="json")})


def tell_progress(runtime: Runtime[RunContext], node: str, step_id: str, locale: str, progress: CallProgress) -> None:
    """Emit the progress event of a slow model call."""
    state = call_state(progress, locale)
    data = {**progress.model_dump(mode="json"), "step": step_id}
    task = task_title(progress.role, step_id, locale)
    emit_message(runtime, "call_progress", node, "call_progress", locale, data=data, task=task, state=state)


def tell_reading(runtime: Runtime[RunContext], node: str, locale: str, progress: ReadingProgress) -> None:
    """Emit the event of documents that are being read."""
    emit(runtime, "reading", node, reading_text(progress, locale), progress.model_dump(mode="json"))


def tell_searching(
    runtime: Runtime[RunContext], node: str, locale: str, queries: Sequence[str], names: Sequence[str]
) -> None:
    """Emit the event of a search that begins."""
    data = {"queries": list(queries), "names": list(dict.fromkeys(names))}
    where = say("searched_between", locale).join(search_title(name, locale) for name in data["names"])
    emit_message(runtime, "searching", node, "searching", locale, data=data, names=where, queries="; ".join(queries))


def tell_round(runtime: Runtime[RunContext], node: str, locale: str, step_id: str, data: dict[str, Any]) -> None:
    """Emit the event of a round of search."""
    searched = in_brackets(map(Searched.model_validate, data["searched"]), locale)
    values = {"number": data["round"], **{name: data[name] for name in ("excerpts", "sources")}, "searched": searched}
    emit_message(runtime, "round", node, "round_done", locale, data={"step": step_id, **data}, id=step_id, **values)


def tell_searched(
    runtime: Runtime[RunContext],
    node: str,
    step_id: str,
    locale: str,
    queries: Sequence[str],
    searched: Sequence[Searched],
) -> None:
    """Emit the event of a search in a step with tools."""
    data = {"step": step_id, "queries": list(queries), "searched": [search.model_dump() for search in searched]}
    values = {"id": step_id, "queries": "; ".join(queries), "searched": in_brackets(searched, locale)}
    emit_message(runtime, "searched", node, "step_searched", locale, data=data, **values)


def source_teller(runtime: Runtime[RunContext], node: str, step_id: str, locale: str) -> Callable[[Source], None]:
    """Return a function that emits the event of a step's source, once for each source."""
    sent: set[str] = set()

    def tell(source: Source) -> None:
        if source.content_hash not in sent:
            sent.add(source.content_hash)
            data = {"step": step_id, "url": source.url, "title": source.title}
            emit_message(runtime, "source", node, "source", locale, title=source.title, data=data)

    return tell
