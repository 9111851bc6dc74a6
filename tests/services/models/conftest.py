"""An endpoint on loopback, and what to ask it."""

import json
from collections.abc import AsyncIterator

import pytest

from schemas.reflector import ReflectorPrompt
from services.models import close_clients, wire
from services.models.endpoint import forget_endpoints
from services.models.prices import forget_prices
from services.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer, openai_server

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
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenAIServer]:
    with openai_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("LEADLINE_MODEL", "test-model")
        monkeypatch.setattr(wire, "FIRST_WAIT", 0.01)
        forget_settings()
        forget_endpoints()
        forget_prices()
        yield server
        await close_clients()
