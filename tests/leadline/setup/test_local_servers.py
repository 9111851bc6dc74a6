"""Servers of models on this machine are found by what they answer, on their usual ports of loopback alone."""

import re

import pytest

from leadline.setup.env_file import PROVIDERS
from leadline.setup.model_setup import (
    LLAMA_CPP,
    LM_STUDIO,
    OLLAMA,
    PORTS,
    VLLM,
    LocalServer,
    local_servers,
    usual_ports,
)
from services.models.endpoint import forget_endpoints
from tests.conftest import PROJECT
from tests.fakes.http import Reply, Request, serving
from tests.fakes.ollama_server import ollama_server


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


@pytest.fixture(autouse=True)
def forgotten() -> None:
    """Forget what other servers said of themselves."""
    forget_endpoints()


async def test_each_server_is_found_with_the_models_that_write_text() -> None:
    def answer(request: Request) -> Reply:
        names = ["qwen2.5-7b-instruct", "text-embedding-nomic"]
        listed = {"data": [{"id": name} for name in names]}
        return Reply(200, listed) if request.path == "/v1/models" else Reply(404, {})

    with ollama_server() as ollama, serving(answer) as studio:
        found = await local_servers(
            {OLLAMA: port_of(ollama.base_url), LM_STUDIO: port_of(studio), LLAMA_CPP: 9, VLLM: port_of(studio)}
        )
    assert found == [
        LocalServer(OLLAMA, f"{ollama.base_url}/v1", [ollama.model]),
        LocalServer(LM_STUDIO, f"{studio}/v1", ["qwen2.5-7b-instruct"]),
        LocalServer(VLLM, f"{studio}/v1", ["qwen2.5-7b-instruct"]),
    ]


async def test_something_else_on_a_usual_port_is_no_server_of_models() -> None:
    def answer(_: Request) -> Reply:
        return Reply(200, "<html>Jenkins</html>")

    with serving(answer) as address:
        port = port_of(address)
        assert await local_servers({OLLAMA: port, LM_STUDIO: port, LLAMA_CPP: port}) == []


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("", 11434), ("127.0.0.1:11500", 11500), ("http://localhost:11500/", 11500), ("0.0.0.0", 11434),
        ("https://ollama.example:11500", 11434), ("[::1]:11500", 11500), ("[bad", 11434), ("localhost:99999", 11434),
    ],
)  # fmt: skip
def test_ollamas_own_variable_names_a_port_and_never_another_host(
    host: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert usual_ports() == {**PORTS, OLLAMA: port}


@pytest.mark.parametrize(
    ("value", "port"), [("8090", 8090), ("0", 8080), ("99999", 8080), ("x", 8080), ("9" * 9, 8080)]
)
def test_llama_cpps_own_variable_names_a_port(value: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.setenv("LLAMA_ARG_PORT", value)
    assert usual_ports()[LLAMA_CPP] == port


def test_a_line_names_a_few_models() -> None:
    assert LocalServer(OLLAMA, "", []).names() == "no model yet"
    assert LocalServer(OLLAMA, "", [f"m{place}" for place in range(9)]).names() == "m0, m1, m2, m3 and 5 more"


def test_every_server_can_be_chosen_and_stands_in_the_guide_with_its_port() -> None:
    assert {provider.server for provider in PROVIDERS.values() if provider.server} == set(PORTS)
    guide = (PROJECT / "docs/models.md").read_text("utf-8")
    for title, port in PORTS.items():
        assert re.search(rf"port {port} .*# {title}|# {title}: port {port}", guide), title
