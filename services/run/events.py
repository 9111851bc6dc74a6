"""Progress events: typed events on the run's custom stream, titled in the user's language."""

from collections.abc import Mapping

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.events import Event, EventType
from services.run.ui_text import say
from services.text.sanitize import sanitize


def emit(
    runtime: Runtime[RunContext], kind: EventType, node: str, title: str, data: Mapping[str, object] | None = None
) -> None:
    """Emit one event. `title` is for people, `data` for programs."""
    runtime.stream_writer(
        Event(type=kind, node=node, title=title, data=sanitize(dict(data or {}))).model_dump(mode="json")
    )


def emit_message(
    runtime: Runtime[RunContext],
    kind: EventType,
    node: str,
    key: str,
    locale: str,
    /,
    *,
    data: Mapping[str, object] | None = None,
    **values: object,
) -> None:
    """Emit one event whose title is a message of `services/run/ui_text.py`."""
    emit(runtime, kind, node, say(key, locale, **values), data)
