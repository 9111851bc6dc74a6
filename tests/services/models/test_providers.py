"""Anthropic's, Google's, Mistral's and Ollama's own LangChain integrations, each against a loopback server of its protocol."""

import importlib.util
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.setup.model_setup import checked_models
from schemas.reflector import Reflection
from services.models import ask, attempts, close_clients
from services.models.endpoint import forget_endpoints
from services.run.errors import ModelError
from services.tools.loop import use_tools
from tests.conftest import SetEnvironment
from tests.fakes import anthropic_server, google_server, mistral_server, ollama_server
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.google_server import GoogleServer
from tests.fakes.mistral_server import MistralServer
from tests.fakes.ollama_server import OllamaServer
from tests.services.models.conftest import PROMPT
from tests.services.models.test_endpoints_as_they_are import WORKING, depth_of

Server = AnthropicServer | GoogleServer | MistralServer | OllamaServer
QUESTION = "Where was the designer of the wire sounding machine born?"
SERVING: dict[str, Any] = {
    "anthropic": anthropic_server.anthropic_server,
    "google_genai": google_server.google_server,
    "mistralai": mistral_server.mistral_server,
    "ollama": ollama_server.ollama_server,
}
ADDRESSES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "google_genai": "GOOGLE_GEMINI_BASE_URL",
    "mistralai": "MISTRAL_BASE_URL",
    "ollama": "OLLAMA_HOST",
}
KEYS = {"anthropic": "ANTHROPIC_API_KEY", "google_genai": "GOOGLE_API_KEY", "mistralai": "MISTRAL_API_KEY"}
EXTRAS = {"anthropic": "anthropic", "google_genai": "google", "mistralai": "mistral", "ollama": "ollama"}


@pytest.fixture(params=SERVING)
async def provider(request: pytest.FixtureRequest) -> str:
    """Name each provider whose integration is installed."""
    name = str(request.param)
    if importlib.util.find_spec(f"langchain_{name}") is None:
        pytest.skip(f"The extra `{EXTRAS[name]}` is not installed: pip install langchain-{name.replace('_', '-')}")
    return name


@pytest.fixture
async def server(provider: str, monkeypatch: pytest.MonkeyPatch, environment: SetEnvironment) -> AsyncIterator[Server]:
    kept = _kept_by_anthropic(monkeypatch) if provider == "anthropic" else []
    with SERVING[provider]() as server:
        keys = {KEYS[provider]: server.key} if provider in KEYS else {}
        environment(LEADLINE_MODEL=f"{provider}:{server.model}", **{ADDRESSES[provider]: server.base_url}, **keys)
        monkeypatch.setattr(attempts, "FIRST_PAUSE", 0.01)
        forget_endpoints()
        yield server
        forget_endpoints()
        await close_clients()
        for client in kept:
            await client.aclose()


def _kept_by_anthropic(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that gets the clients that the integration keeps for ever."""
    from langchain_anthropic import _client_utils

    kept: list[Any] = []

    def made(**options: Any) -> Any:
        kept.append(client := original(**options))
        return client

    original = _client_utils._AsyncHttpxClientWrapper
    monkeypatch.setattr(_client_utils, "_AsyncHttpxClientWrapper", made)
    _client_utils._get_default_async_httpx_client.cache_clear()
    return kept


async def test_a_whole_run_works(server: Server, docs: Path) -> None:
    report = await aresearch(QUESTION, docs=[docs])
    assert "Belfast" in report.markdown
    assert all(claim.verified for claim in report.citations)
    total = report.usage.total
    assert (total.input_tokens, total.output_tokens) == tuple(map(sum, zip(*server.counted, strict=True)))


async def test_a_model_that_is_not_there_is_said_to_be_missing(
    server: Server, provider: str, environment: SetEnvironment
) -> None:
    environment(LEADLINE_MODEL=f"{provider}:nothing")
    [problem] = {row.problem for row in await checked_models()}
    if provider == "ollama":
        assert problem == f"Ollama has no model nothing. Get it with: ollama pull nothing. It has {server.model}."
        return
    assert "Check LEADLINE_MODEL" in problem
    assert ADDRESSES[provider] in problem
    assert "It said: “" in problem
    assert f"model {provider}:nothing, HTTP 40" in problem


async def test_a_wrong_key_is_said_to_be_wrong(server: Server, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if provider not in KEYS:
        pytest.skip("Ollama wants no key.")
    monkeypatch.setenv(KEYS[provider], "another")
    with pytest.raises(ModelError, match=rf"Check .*{KEYS[provider]}.* It said: “"):
        await ask("reflector", PROMPT, Reflection)


@pytest.mark.parametrize("provider", ["google_genai", "mistralai"], indirect=True)
async def test_a_missing_key_is_said_to_be_missing(server: Server, provider: str, environment: SetEnvironment) -> None:
    environment(**{KEYS[provider]: None})
    [problem] = {row.problem for row in await checked_models()}
    assert "key" in problem.lower()


DONE = "It is 10,935 m deep."
THOUGHT = {"type": "thinking", "thinking": "Weigh it.", "signature": "c2lnbmVk"}
CALLING = {"type": "tool_use", "id": "toolu_9", "name": "depth_of", "input": {"trench": "Mariana"}}
CALL = {"id": "call00009", "index": 0, "function": {"name": "depth_of", "arguments": '{"trench": "Mariana"}'}}
SCRIPTS: dict[str, list[Any]] = {
    "anthropic": [[THOUGHT, CALLING], [{"type": "text", "text": DONE}]],
    "google_genai": [
        [
            {"text": "Weigh it.", "thought": True},
            {"functionCall": {"name": "depth_of", "args": {"trench": "Mariana"}}, "thoughtSignature": "c2lnbmVk"},
        ],
        [{"text": DONE}],
    ],
    "mistralai": [
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "assistant", "content": DONE},
    ],
    "ollama": [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "depth_of", "arguments": {"trench": "Mariana"}}}],
        },
        {"role": "assistant", "content": DONE},
    ],
}
"""A call of a tool and the answer after it, as each provider writes them."""


async def test_tools_are_called_natively_and_signed_thoughts_go_back(server: Server, provider: str) -> None:
    server.script = SCRIPTS[provider]
    worked = await use_tools("researcher", WORKING, [depth_of], must_call=True)
    assert worked.text == DONE
    demands = [re.findall(r"'any'|'ANY'", str(request)) for request in server.requests]
    assert [len(demand) for demand in demands] == [0 if provider == "ollama" else 1, 0]
    assert "10,935 m" in str(server.requests[1])
    assert ("c2lnbmVk" in str(server.requests[1])) == (provider in {"anthropic", "google_genai"})


@pytest.fixture
def ollama(server: Server) -> OllamaServer:
    if not isinstance(server, OllamaServer):
        pytest.skip("This is about Ollama.")
    return server


async def test_ollama_is_given_the_schema_and_the_context_and_a_tool_where_it_takes_no_schema(
    ollama: OllamaServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_CONTEXT_WINDOW="16384")
    await ask("reflector", PROMPT, Reflection)
    [request] = ollama.requests
    assert set(request["format"]["properties"]) == set(Reflection.model_json_schema()["properties"])
    assert not request.get("tools")
    assert request["options"]["num_ctx"] == 16_384
    ollama.takes_schemas = False
    await ask("reflector", PROMPT, Reflection)
    assert [bool(request.get("format")) for request in ollama.requests] == [True, True, False]


async def test_an_answer_of_an_integration_that_repeats_itself_is_stopped(ollama: OllamaServer) -> None:
    ollama.script = [{"role": "assistant", "content": '{"reasoning": "' + "and so on and on, " * 300}]
    assert isinstance(await ask("reflector", PROMPT, Reflection), Reflection)
    first, second = ollama.requests
    assert second["options"]["temperature"] != first["options"]["temperature"]
    assert "repeated itself" in second["messages"][-1]["content"]
