"""What endpoints teach is kept on disk: the next process makes no call too many."""

import asyncio
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from typer.testing import CliRunner

from leadline.cli.app import app
from schemas.reflector import Reflection
from services.models import ask
from services.models.endpoint import forget_endpoints
from services.models.endpoint_memory import FILE
from services.run.settings import settings
from tests.fakes.openai_server import OpenAIServer
from tests.services.models.conftest import PROMPT


def kept() -> Path:
    return settings().leadline_home / FILE


async def test_the_next_process_meets_no_refusal_twice(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"temperature", "response_format"}
    await ask("reflector", PROMPT, Reflection)
    before = len(endpoint.requests)
    assert before > 1
    forget_endpoints()
    await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == before + 1


async def test_the_file_is_its_owners_alone_and_holds_no_key(endpoint: OpenAIServer) -> None:
    await ask("reflector", PROMPT, Reflection)
    assert stat.S_IMODE(kept().stat().st_mode) == 0o600
    assert endpoint.key not in kept().read_text()


async def test_what_was_learned_long_ago_is_learned_anew(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"temperature"}
    await ask("reflector", PROMPT, Reflection)
    entries = json.loads(kept().read_text())
    for entry in entries.values():
        entry["learned_on"] = (datetime.now(UTC) - timedelta(days=31)).isoformat()
    kept().write_text(json.dumps(entries))
    forget_endpoints()
    endpoint.refuses, endpoint.requests = set(), []
    await ask("reflector", PROMPT, Reflection)
    assert "temperature" in endpoint.requests[0]


async def test_a_broken_file_is_written_anew(endpoint: OpenAIServer) -> None:
    kept().parent.mkdir(parents=True, exist_ok=True)
    kept().write_text('{"http://x m": {"learned_on": "soon", "facts": []}, "y": [')
    await ask("reflector", PROMPT, Reflection)
    assert len(json.loads(kept().read_text())) == 1


async def test_a_home_that_takes_no_file_ends_no_run(endpoint: OpenAIServer) -> None:
    kept().mkdir(parents=True)
    assert (await ask("reflector", PROMPT, Reflection)) is not None


async def test_what_the_check_of_the_models_finds_costs_the_run_no_call(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"response_format", "tools"}
    await asyncio.to_thread(CliRunner().invoke, app, ["doctor", "--models"])
    forget_endpoints()
    before = len(endpoint.requests)
    await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == before + 1
