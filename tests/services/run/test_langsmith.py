"""LangSmith is told of a run when the user sets it, and of nothing otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.collector import collector

pytestmark = pytest.mark.long
QUESTION = "Where was the designer of the wire sounding machine born?"


def run(docs: Path, address: str, **variables: str) -> None:
    """Research with an environment that names LangSmith's address and a key; tracing is as the variables say."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    given = {"LANGSMITH_ENDPOINT": address, "LANGSMITH_API_KEY": "ls-key", **variables}
    subprocess.run(
        [sys.executable, "-m", "leadline.cli.app", "research", QUESTION, "--docs", str(docs), "--quick"],
        env={**kept, **given},
        check=True,
        capture_output=True,
        timeout=100,
    )


def test_a_run_is_sent_when_tracing_is_set(docs: Path) -> None:
    with collector() as serving:
        run(docs, serving.address, LANGSMITH_TRACING="true", LANGSMITH_PROJECT="soundings")
        sent = b"".join(body for _, body in serving.posted)
        assert b"coordinator" in sent
        assert b"soundings" in sent
        assert {headers.get("X-Api-Key") for headers in serving.headers} == {"ls-key"}


def test_a_collector_of_opentelemetry_gets_the_same_and_no_texts_where_they_are_hidden(docs: Path) -> None:
    with collector() as serving:
        hidden = {"LANGSMITH_HIDE_INPUTS": "true", "LANGSMITH_HIDE_OUTPUTS": "true"}
        otel = {"LANGSMITH_TRACING_MODE": "otel", "OTEL_EXPORTER_OTLP_ENDPOINT": serving.address}
        run(docs, serving.address, LANGSMITH_TRACING="true", **otel, **hidden)
        assert {path for path, _ in serving.posted} == {"/v1/traces"}
        sent = b"".join(body for _, body in serving.posted)
        assert b"coordinator" in sent
        assert QUESTION.encode() not in sent


def test_nothing_is_sent_when_it_is_not(docs: Path) -> None:
    with collector() as serving:
        run(docs, serving.address, LANGSMITH_TRACING="false")
        assert not serving.posted
        assert not serving.headers
