"""OpenTelemetry traces, enabled by the standard variables: spans for run, node and call, with the names of `gen_ai`.

They are sent when `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_TRACES_EXPORTER` is set, and
the extra `otel` is installed. Nothing is imported otherwise. The trace of a run has the run's own key as its id, so that nodes
belong together in whichever process they run, before a crash and after it.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from services.run.installation import install_command
from services.run.secrecy import without_secrets_in

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_ATTRIBUTES = {
    "role": "leadline.role",
    "provider": "gen_ai.provider.name",
    "model": "gen_ai.request.model",
    "answered_by": "gen_ai.response.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "tokens_in": "gen_ai.usage.input_tokens",
    "tokens_out": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
    "finish": "gen_ai.response.finish_reasons",
    "host": "server.address",
}
"""Span attributes of log fields; other fields keep their names below `leadline.`."""
_PLAIN = (bool, int, float, str, list)
_OPERATIONS = {"model": "chat", "tool": "execute_tool", "embedding": "embeddings"}


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """Description of a span."""

    name: str
    attributes: dict[str, Any] = field(default_factory=dict)
    client: bool = False
    """True for a call to something outside."""
    key: str = ""
    """Key of the run whose root span is the parent; empty for a child of the current span."""

    @classmethod
    def call(cls, kind: str, what: str | None) -> "TraceSpan":
        """Describe the span of a call."""
        operation = _OPERATIONS.get(kind)
        about = {"leadline.call": kind, **({"gen_ai.operation.name": operation} if operation else {})}
        if kind == "tool":
            about["gen_ai.tool.name"] = what or ""
        return cls(" ".join(filter(None, [operation or kind, what])), about, client=kind not in {"tool", "code"})

    @classmethod
    def node(cls, node: str, step: str, thread: str, key: str) -> "TraceSpan":
        """Describe the span of a node."""
        about = {"leadline.node": node, "gen_ai.conversation.id": thread, **({"leadline.step": step} if step else {})}
        return cls(f"{node} {step}".strip(), about, key=key)


def tracing_wanted() -> bool:
    """Tell whether the environment enables traces."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or os.environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    return any(os.environ.get(name) for name in (*_ENDPOINTS, "OTEL_TRACES_EXPORTER"))


@cache
def missing_packages() -> str:
    """Return how to install missing packages if traces are enabled, else an empty text."""
    if not tracing_wanted():
        return ""
    try:
        _tracer()
    except ImportError as error:
        if ".exporter.otlp.proto.grpc" in str(error.name):
            return f"{sys.executable} -m pip install opentelemetry-exporter-otlp-proto-grpc"
        return install_command("otel")
    return ""


@contextmanager
def span(about: TraceSpan, fields: Mapping[str, object]) -> Iterator[None]:
    """Trace the block in a span.

    Args:
        about: description of the span.
        fields: its attributes, read at the end.
    """
    if not tracing_wanted() or missing_packages():
        yield
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    kind = SpanKind.CLIENT if about.client else SpanKind.INTERNAL
    with _tracer().start_as_current_span(
        about.name,
        context=_parent(about.key) if about.key else None,
        kind=kind,
        attributes=about.attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(Status(StatusCode.ERROR))
            raise
        finally:
            current.set_attributes(_attributes(fields))


def trace_run(thread: str, key: str, seconds: float, fields: Mapping[str, object]) -> None:
    """Create the span of a whole run, when it has ended.

    Args:
        thread: id of the run's thread.
        key: key of the run; without it there is no span.
        seconds: duration of the run.
        fields: attributes of the span.
    """
    if not key or not tracing_wanted() or missing_packages():
        return
    from opentelemetry.context import Context

    from services.run.traces_sdk import ids

    ended = time.time_ns()
    with ids(int(key, 16), _root(key)):
        root = _tracer().start_span("invoke_agent leadline", context=Context(), start_time=ended - int(seconds * 1e9))
    root.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "leadline"})
    root.set_attribute("gen_ai.conversation.id", thread)
    root.set_attributes(_attributes(fields))
    root.end(ended)


def forget_traces() -> None:
    """Read the environment again at the next span; for tests that change it."""
    if _tracer.cache_info().currsize:
        from services.run.traces_sdk import provider

        provider().shutdown()
        provider.cache_clear()
    _tracer.cache_clear()
    missing_packages.cache_clear()


@cache
def _tracer() -> "Tracer":
    from services.run.traces_sdk import provider

    return provider().get_tracer("leadline")


def _root(key: str) -> int:
    """Return the id of the run's root span: a part of its key that is not zero."""
    return int(key[16:], 16) or 1


def _parent(key: str) -> Any:
    from opentelemetry.context import Context
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    place = SpanContext(int(key, 16), _root(key), is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(place), Context())


def _attributes(fields: Mapping[str, object]) -> dict[str, Any]:
    """Convert log fields to span attributes, which are plain values or lists of strings."""
    attributes: dict[str, Any] = {}
    for name, value in fields.items():
        if value is not None:
            plain = [str(item) for item in value] if isinstance(value, list | tuple) else value
            public = without_secrets_in(plain if isinstance(plain, _PLAIN) else str(plain))
            attributes[_ATTRIBUTES.get(name, f"leadline.{name}")] = public
    return attributes
