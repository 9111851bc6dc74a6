"""What an endpoint settles before it is asked: which model, and Ollama by its own API, though it was named by its /v1 address."""

import importlib.util
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.load import dumpd

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.context import RunContext
from schemas.events import Event
from schemas.reflector import Reflection
from services.models import ask, close_clients, local_endpoint
from services.models.chat import build
from services.models.endpoint import forget_endpoints
from services.models.local_endpoint import WINDOW, settled
from services.run.errors import SettingsError
from services.run.roles import DEFAULT_MODEL, role_model
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply, Request, serving
from tests.fakes.ollama_server import OllamaServer, ollama_server
from tests.services.models.conftest import PROMPT
from tests.services.models.test_roles import chosen

QUESTION = "Where was the designer of the wire sounding machine born?"
needs_package = pytest.mark.skipif(
    importlib.util.find_spec("langchain_ollama") is None, reason="The extra `ollama` is not installed."
)


@pytest.fixture
async def ollama(environment: SetEnvironment) -> AsyncIterator[OllamaServer]:
    """Serve Ollama, named by its OpenAI-compatible address."""
    with ollama_server() as server:
        environment(OPENAI_BASE_URL=f"{server.base_url}/v1", LEADLINE_MODEL=server.model)
        forget_endpoints()
        yield server
        forget_endpoints()
        await close_clients()


@needs_package
async def test_a_run_speaks_to_ollama_by_its_own_api_and_asks_about_it_once(ollama: OllamaServer, docs: Path) -> None:
    report = await aresearch(QUESTION, docs=[docs])
    assert "Belfast" in report.markdown
    assert ollama.compatible == []
    assert {request["options"]["num_ctx"] for request in ollama.requests} == {WINDOW}
    assert sorted(ollama.about) == ["/", "/api/show", "/api/version"]
    forget_endpoints()
    assert report.run_id
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(ollama.about) == 3, "a replay asks nothing"


@needs_package
@pytest.mark.parametrize(
    ("chosen_window", "parameters", "longest", "window"),
    [
        ("", "", 40_960, WINDOW),
        ("", "", 8_192, 8_192),
        ("", "stop    <x>\nnum_ctx                        32768", 40_960, 32_768),
        ("24000", "num_ctx 32768", 40_960, 24_000),
        ("200000", "", 40_960, 40_960),
    ],
    ids=["default", "small model", "model file", "chosen", "more than the model has"],
)
async def test_the_context_is_what_was_chosen_within_what_the_model_has(
    ollama: OllamaServer,
    environment: SetEnvironment,
    chosen_window: str,
    parameters: str,
    longest: int,
    window: int,
) -> None:
    ollama.parameters, ollama.context_length = parameters, longest
    environment(LEADLINE_CONTEXT_WINDOW=chosen_window)
    await ask("reflector", PROMPT, Reflection)
    assert ollama.requests[0]["options"]["num_ctx"] == window


@needs_package
async def test_a_key_of_the_address_goes_along(ollama: OllamaServer, environment: SetEnvironment) -> None:
    ollama.key = "of-the-proxy"
    environment(OPENAI_API_KEY=ollama.key)
    await ask("reflector", PROMPT, Reflection)
    assert len(ollama.requests) == 1
    chat = build(await settled(role_model("reflector", RunContext())), 100)
    assert "of-the-proxy" not in f"{chat!r} {dumpd(chat)}", "traces hold what a model is built with"


@needs_package
async def test_a_model_that_thinks_keeps_its_thoughts_apart(ollama: OllamaServer, environment: SetEnvironment) -> None:
    ollama.capabilities = ("completion", "thinking")
    await ask("reflector", PROMPT, Reflection)
    environment(LEADLINE_EXTRA='{"reasoning_effort": "none"}')
    await ask("reflector", PROMPT, Reflection)
    assert [request.get("think") for request in ollama.requests] == [True, False]


async def _run(docs: Path, **choices: Any) -> list[Event]:
    events: list[Event] = []
    await aresearch(QUESTION, docs=[docs], on_event=events.append, deep_research=False, **choices)
    return events


async def test_without_the_package_the_run_goes_on_and_says_once_what_to_install(
    ollama: OllamaServer, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_endpoint, "is_installed", lambda _: False)  # also where the extra is installed
    notices = [event.title for event in await _run(docs) if event.type == "notice"]
    assert ollama.requests == []
    assert len(ollama.compatible) > 1
    [said] = [title for title in notices if "Ollama" in title]
    assert "pip install" in said
    assert not [event for event in await _run(docs) if "Ollama" in event.title]


@needs_package
async def test_a_parameter_that_only_the_compatible_address_takes_is_not_lost(ollama: OllamaServer, docs: Path) -> None:
    events = await _run(docs, models={"default": {"extra": {"presence_penalty": 1.0}}})
    assert ollama.compatible[0]["presence_penalty"] == 1.0
    assert any("presence_penalty" in event.title for event in events if event.type == "notice")


async def test_a_server_that_copies_ollamas_version_is_not_taken_for_it(environment: SetEnvironment) -> None:
    def answer(request: Request) -> Reply:
        return Reply(200, {"version": "0.7.0"} if request.path == "/api/version" else "<html>Kobold</html>")

    with serving(answer) as address:
        environment(OPENAI_BASE_URL=f"{address}/v1", LEADLINE_MODEL="m")
        assert (await settled(role_model("planner", RunContext()))).provider == "openai"


@pytest.mark.parametrize(
    ("listed", "model"),
    [
        (["only-one"], "only-one"),
        (["nomic-embed-text", "llama", "qwen"], "llama"),
        (["gpt-4o-mini", "gpt-9", "gpt-4.1-mini", "gpt-5-mini", "gpt-5-mini-2026-01-01"], "gpt-5-mini"),
        (["bad\nname", 7, None], DEFAULT_MODEL),
        ([], DEFAULT_MODEL),
    ],
    ids=["the only one", "the first", "the newest small one", "none that is one", "none"],
)
async def test_where_nobody_named_a_model_the_endpoint_settles_it(
    environment: SetEnvironment, listed: list[Any], model: str
) -> None:
    def answer(request: Request) -> Reply:
        entries = [{"id": name, "object": "model"} for name in listed]
        return Reply(200, {"data": entries}) if request.path == "/v1/models" else Reply(404, {})

    with serving(answer) as address:
        environment(OPENAI_BASE_URL=f"{address}/v1")
        forget_endpoints()
        assert (await settled(role_model("planner", RunContext()))).model == model
        assert (await settled(role_model("planner", chosen(default="named")))).model == "named"


async def test_an_encrypted_endpoint_with_several_models_is_not_guessed_at(
    environment: SetEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listed(*_: object) -> list[str]:
        return ["deep-1", "deep-2"]

    monkeypatch.setattr(local_endpoint, "listed_models", listed)  # there is no TLS on loopback
    environment(OPENAI_BASE_URL="https://models.example/v1")
    with pytest.raises(SettingsError, match=r"lists 2: deep-1, deep-2\. Name one in LEADLINE_MODEL"):
        await settled(role_model("planner", RunContext()))


@pytest.fixture(autouse=True)
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_endpoint, "_announced", set())
