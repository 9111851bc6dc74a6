"""The span exporter with OpenTelemetry's SDK; imported only if traces are enabled."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

_GRPC = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"
_given: ContextVar[tuple[int, int] | None] = ContextVar("given", default=None)


@contextmanager
def ids(trace: int, span: int) -> Iterator[None]:
    """Set the ids of the next span."""
    token = _given.set((trace, span))
    try:
        yield
    finally:
        _given.reset(token)


class _Ids(RandomIdGenerator):
    """Generates random ids, except for a span whose ids are set."""

    def generate_span_id(self) -> int:
        given = _given.get()
        return given[1] if given else super().generate_span_id()

    def generate_trace_id(self) -> int:
        given = _given.get()
        return given[0] if given else super().generate_trace_id()


@cache
def provider() -> TracerProvider:
    """Return the tracer provider, configured by the standard variables; it flushes its spans when the process ends."""
    given = f"{os.environ.get('OTEL_SERVICE_NAME', '')}{os.environ.get('OTEL_RESOURCE_ATTRIBUTES', '')}"
    named = {} if os.environ.get("OTEL_SERVICE_NAME") or "service.name" in given else {"service.name": "leadline"}
    made = TracerProvider(resource=Resource.create(named), id_generator=_Ids())
    made.add_span_processor(BatchSpanProcessor(_exporter()))
    return made


def _exporter() -> SpanExporter:
    """Return the span exporter.

    Raises:
        ImportError: the exporter is not installed.
    """
    if os.environ.get("OTEL_TRACES_EXPORTER") == "console":
        return ConsoleSpanExporter()
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    if protocol == "grpc":
        exporter: type[SpanExporter] = importlib.import_module(_GRPC).OTLPSpanExporter
        return exporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()
