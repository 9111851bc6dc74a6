"""Endpoints on loopback, and what to ask them."""

import json
from collections.abc import AsyncIterator

import pytest

from schemas.reflector import ReflectorPrompt
from services.models import attempts, close_clients
from services.models.endpoint import forget_endpoints
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reasoning_server import ReasoningServer, reasoning_server

PROMPT = ReflectorPrompt(
    question="How deep?",
    locale="en-US",
    today="2026-01-01",
    findings=[],
    plan_iterations=1,
    max_plan_iterations=3,
    max_step_attempts=2,
)
ANSWER = json.dumps({"has_enough_context": True, "reasoning": "ok"})


@pytest.fixture
def endpoint(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch, environment: SetEnvironment) -> OpenAIServer:
    """Name the model, and try again at once."""
    monkeypatch.setattr(attempts, "FIRST_PAUSE", 0.01)
    environment(LEADLINE_MODEL="test-model")
    return endpoint


@pytest.fixture
async def thinker(environment: SetEnvironment) -> AsyncIterator[ReasoningServer]:
    """Serve a reasoning model."""
    with reasoning_server() as server:
        environment(OPENAI_API_KEY=server.key, OPENAI_BASE_URL=server.base_url, LEADLINE_MODEL="thinker-1")
        forget_endpoints()
        yield server
        await close_clients()
