"""Progress for whoever watches: typed events on the run's custom stream, titled in the user's language."""

from collections.abc import Mapping

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.events import Event, EventType
from services.messages import say
from services.sound import sound


def emit(
    runtime: Runtime[RunContext], kind: EventType, node: str, title: str, data: Mapping[str, object] | None = None
) -> None:
    """Send one event. `title` is what a person reads; `data` is for programs."""
    runtime.stream_writer(
        Event(type=kind, node=node, title=title, data=sound(dict(data or {}))).model_dump(mode="json")
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
    """Send one event whose title is a message of `services/messages.py`."""
    emit(runtime, kind, node, say(key, locale, **values), data)
