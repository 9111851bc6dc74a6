"""`leadline doctor --models` and `leadline init` call a model as a run does: what an endpoint refuses, a run does without."""

import json
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.fakes.openai_server import OpenAIServer, error
from tests.leadline.conftest import Leadline

STUBBORN = {"temperature", "max_tokens", "response_format", "tools", "stream_options"}


def test_an_endpoint_that_a_run_can_use_is_set_up_checked_and_used(
    anew: Leadline, endpoint: OpenAIServer, docs: Path
) -> None:
    endpoint.refuses = STUBBORN
    endpoint.only_streams = True
    anew("init", "--endpoint", endpoint.base_url, "--model", "m-1", code=0)
    assert dotenv_values(".env")["LEADLINE_MODEL"] == "m-1"
    table = anew("doctor", "--models", code=0)
    assert f"ok      model: m-1 at {endpoint.base_url}\n" in anew("doctor").out
    assert (
        f"m-1 rejects {', '.join(sorted(STUBBORN - {'response_format', 'tools'}))}; runs leave them out." in table.out
    )
    report = anew("research", "Who designed the wire sounding machine?", "--docs", docs, "--quick", code=0)
    assert "William Thomson" in report.out


@pytest.mark.parametrize("parameter", ["stream_options", "stream"])
def test_a_parameter_that_is_refused_is_named_and_no_problem(
    leadline: Leadline, endpoint: OpenAIServer, parameter: str
) -> None:
    endpoint.refuses = {parameter} - {"stream"}
    if parameter == "stream":
        endpoint.fault = lambda _, __, body: (
            error(400, "stream is not supported with this model", "unsupported", "stream") if body["stream"] else None
        )
    ran = leadline("doctor", "--models", "--json")
    first = json.loads(ran.out)[0]
    assert (ran.code, first["problem"], first["left_out"]) == (0, "", [parameter])
    assert (first["json_schema"], first["tools"]) == (True, True)
    assert len(endpoint.requests) == 2


def test_a_model_that_answers_something_else_is_told(leadline: Leadline, endpoint: OpenAIServer) -> None:
    endpoint.fault = lambda *_: "lkjsdf 23 %% not json <<>>"
    ran = leadline("doctor", "--models")
    assert "Name a more capable model" in ran.out
    assert ran.out.count("lkjsdf") == 1
    assert "unusable" in ran.out
    assert "yes" not in ran.out


def test_a_slow_and_repeated_test_is_not_silent(
    leadline: Leadline, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_MAX_RETRIES", "1")
    monkeypatch.setenv("LEADLINE_MODEL", "m-1")
    endpoint.fault = lambda *_: error(503, "busy", "server_error")
    ran = leadline("doctor", "--models")
    assert ran.err.startswith(". Testing the models\n. m-1: asking the model again")


def test_a_server_that_breaks_down_over_schema_and_tools_at_once_is_asked_for_each_alone(
    leadline: Leadline, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_MAX_RETRIES", "0")
    endpoint.fault = lambda _, __, body: (
        error(500, "cannot use both", "server_error") if {"response_format", "tools"} <= body.keys() else None
    )
    ran = leadline("doctor", "--models", "--json")
    first = json.loads(ran.out)[0]
    assert (ran.code, first["json_schema"], first["tools"]) == (0, True, True)


def test_an_endpoint_that_takes_nothing_at_all_is_refused_with_its_words(
    leadline: Leadline, endpoint: OpenAIServer
) -> None:
    endpoint.refuses = {"messages"}
    ran = leadline("init", "--endpoint", endpoint.base_url, "--model", "m-1", code=1)
    assert "'messages' is not supported" in ran.err
    assert not Path(".env").exists()
