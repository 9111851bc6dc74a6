"""An endpoint on loopback, and what to ask it."""

import json

import pytest

from schemas.reflector import ReflectorPrompt
from services.models import attempts
from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer

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
def endpoint(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    """Name the model, and try again at once."""
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    monkeypatch.setattr(attempts, "POLICY", attempts.RetryPolicy(first_pause=0.01))
    forget_settings()
    return endpoint
