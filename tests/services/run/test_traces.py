"""Traces: what a run does arrives at a collector as spans, run > node > call, when the standard variables ask for it."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from leadline import aresearch
from services.run import traces
from services.run.installation import install_command
from services.run.traces_sdk import provider
from tests.fakes.collector import Collector, collector
from tests.fakes.openai_server import OpenAIServer, error

QUESTION = "Where was the designer of the wire sounding machine born, asks QUESTIONMARKER?"
WITHOUT = "import sys; sys.modules['opentelemetry'] = None; sys.argv = ['leadline', *sys.argv[1:]]; from leadline.cli.app import main; main()"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collector() as serving:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", serving.address)
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
        traces.forget_traces()
        yield serving
        traces.forget_traces()


def spans_of(taken: Collector) -> list[Any]:
    """Decode what the collector took."""
    requests = [ExportTraceServiceRequest.FromString(body) for path, body in taken.posted if path == "/v1/traces"]
    return [
        span
        for request in requests
        for part in request.resource_spans
        for scope in part.scope_spans
        for span in scope.spans
    ]


def attributes_of(span: Any) -> dict[str, Any]:
    values = {attribute.key: attribute.value for attribute in span.attributes}
    return {name: getattr(value, value.WhichOneof("value")) for name, value in values.items()}


async def test_a_run_is_one_tree_of_spans(taken: Collector, docs: Path, endpoint: OpenAIServer) -> None:
    endpoint.script = {"planner": [error(429, "slow down", "rate", retry_after="0.01")]}
    report = await aresearch(QUESTION, docs=[docs], run_id="the-run")
    await asyncio.to_thread(provider().force_flush)
    spans = spans_of(taken)
    by_id = {span.span_id: span for span in spans}
    [root] = [span for span in spans if not span.parent_span_id]
    assert root.name == "invoke_agent leadline"
    assert len({span.trace_id for span in spans}) == 1
    nodes = [span for span in spans if span.parent_span_id == root.span_id]
    names = [span.name.split()[0] for span in nodes]
    assert names[:3] == ["coordinator", "background_investigator", "planner"]
    assert {"researcher", "reflector", "reporter"} <= set(names)
    calls = [span for span in spans if attributes_of(span).get("gen_ai.operation.name") == "chat"]
    assert len(calls) == report.usage.total.calls
    for call in calls:
        about = attributes_of(call)
        assert by_id[call.parent_span_id] in nodes
        assert (about["gen_ai.provider.name"], about["server.address"]) == ("openai", "127.0.0.1")
    total = sum(attributes_of(call)["gen_ai.usage.input_tokens"] for call in calls)
    assert total == report.usage.total.input_tokens == attributes_of(root)["gen_ai.usage.input_tokens"]
    [retried] = [call for call in calls if "leadline.retries" in attributes_of(call)]
    assert by_id[retried.parent_span_id].name == "planner"


async def test_no_text_and_no_secret_is_in_a_span(taken: Collector, docs: Path, endpoint: OpenAIServer) -> None:
    endpoint.script = {"coordinator": ["ANSWERMARKER"]}
    await aresearch(QUESTION, docs=[docs])
    await asyncio.to_thread(provider().force_flush)
    sent = b"".join(body for _, body in taken.posted)
    assert b"leadline" in sent
    for marker in (b"QUESTIONMARKER", b"ANSWERMARKER", b"Belfast", endpoint.key.encode()):
        assert marker not in sent


async def test_a_call_that_fails_says_what_kind_of_error_it_was(
    taken: Collector, docs: Path, endpoint: OpenAIServer
) -> None:
    endpoint.script = {"reporter": [error(401, "ANSWERMARKER", "no")]}
    with pytest.raises(Exception, match="key"):
        await aresearch(QUESTION, docs=[docs])
    await asyncio.to_thread(provider().force_flush)
    failed = [span for span in spans_of(taken) if span.status.code == 2]
    assert {attributes_of(span)["error.type"] for span in failed} == {"ModelError"}
    assert {span.name.split()[0] for span in failed} == {"chat", "reporter"}


@pytest.mark.parametrize(
    "variables",
    [{}, {"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_SDK_DISABLED": "true"}],
    ids=["nothing set", "no exporter", "disabled"],
)
async def test_nothing_is_sent_unless_it_is_asked_for(
    docs: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    with collector() as serving:
        if variables:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", serving.address)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        traces.forget_traces()
        await aresearch(QUESTION, docs=[docs], deep_research=False)
        await asyncio.to_thread(traces.forget_traces)  # which sends what is left
        assert not serving.posted


@pytest.mark.parametrize(("question", "said"), [("什么是测深机？", "安装命令")])
@pytest.mark.long
def test_a_missing_extra_is_named_with_the_command_and_the_run_goes_on(docs: Path, question: str, said: str) -> None:
    with collector() as serving:
        environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": serving.address}
        ran = subprocess.run(
            [sys.executable, "-c", WITHOUT, "research", question, "--docs", str(docs), "--quick"],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=100,
        )
    assert said in ran.stderr
    assert install_command("otel") in ran.stderr
    assert re.search("Written to|已写入", ran.stderr)


@pytest.mark.long
def test_the_command_sends_what_is_left_when_it_ends(docs: Path) -> None:
    with collector() as serving:
        environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": serving.address, "OTEL_SERVICE_NAME": "soundings"}
        subprocess.run(
            [sys.executable, "-m", "leadline.cli.app", "research", "What is tallow?", "--docs", str(docs), "--quick"],
            capture_output=True,
            check=False,
            env=environment,
            timeout=100,
        )
        assert "invoke_agent leadline" in {span.name for span in spans_of(serving)}
        assert b"soundings" in serving.posted[0][1]
