"""A provider of another kind: the real LangChain integration of Anthropic, against a loopback server of its protocol."""

import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langchain_anthropic._client_utils import _AsyncHttpxClientWrapper, _get_default_async_httpx_client
from langchain_core.tools import tool

from leadline import aresearch
from schemas.researcher import ResearcherPrompt
from services.models import attempts
from services.models.endpoint import forget_endpoints
from services.run.errors import ModelError
from services.run.settings import forget_settings
from services.tools.loop import use_tools
from tests.fakes.anthropic_server import AnthropicServer, anthropic_server, failure

QUESTION = "Where was the designer of the wire sounding machine born?"


@pytest.fixture
async def anthropic(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AnthropicServer]:
    with anthropic_server() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", server.key)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url)
        monkeypatch.setenv("ANTHROPIC_API_URL", server.base_url)
        monkeypatch.setenv("LEADLINE_MODEL", "anthropic:claude-sonnet-4-6")
        monkeypatch.setattr(attempts, "POLICY", attempts.RetryPolicy(first_pause=0.01))
        forget_settings()
        forget_endpoints()
        yield server
        forget_endpoints()
        for client in gc.get_objects():  # the integration keeps its connections for ever
            if isinstance(client, _AsyncHttpxClientWrapper):
                await client.aclose()
        _get_default_async_httpx_client.cache_clear()


async def test_a_whole_run_works_through_another_provider(anthropic: AnthropicServer, docs: Path) -> None:
    report = await aresearch(QUESTION, docs=[docs])
    assert "Belfast" in report.markdown
    assert all(claim.verified for claim in report.citations)
    total = report.usage.total
    assert (total.input_tokens, total.output_tokens) == tuple(map(sum, zip(*anthropic.counted, strict=True)))
    assert total.cost is not None
    assert all(isinstance(body["system"], str | list) for body in anthropic.requests)
    assert {body["messages"][0]["role"] for body in anthropic.requests} == {"user"}


async def test_a_passing_fault_is_tried_again(anthropic: AnthropicServer, docs: Path) -> None:
    anthropic.script = [failure(529, "overloaded_error", "Overloaded")]
    assert "Belfast" in (await aresearch(QUESTION, docs=[docs])).markdown


async def test_a_wrong_key_is_said_to_be_wrong(
    anthropic: AnthropicServer, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
    with pytest.raises(ModelError, match=r"rejected the key\. Check ANTHROPIC_API_KEY"):
        await aresearch(QUESTION, docs=[docs])


async def test_tools_are_called_natively(anthropic: AnthropicServer) -> None:
    @tool
    async def depth_of(trench: str) -> str:
        """Return the depth of a trench in metres."""
        return f"{trench}: 10,935 m"

    calling = {"type": "tool_use", "id": "toolu_9", "name": "depth_of", "input": {"trench": "Mariana"}}
    thinking = {"type": "thinking", "thinking": "Weigh it.", "signature": "c2lnbmVk"}
    anthropic.script = [[thinking, calling], [{"type": "text", "text": "It is 10,935 m deep."}]]
    prompt = ResearcherPrompt(
        question="How deep?",
        locale="en-US",
        title="",
        description="",
        queries=[],
        feedback="",
        findings=[],
        passages=[],
    )
    worked = await use_tools("researcher", prompt, [depth_of], must_call=True)
    assert worked.text == "It is 10,935 m deep."
    assert [request.get("tool_choice") for request in anthropic.requests] == [{"type": "any"}, None]
    assert anthropic.requests[1]["messages"][-2]["content"] == [thinking, calling]
    [result] = [block for block in anthropic.requests[1]["messages"][-1]["content"] if block["type"] == "tool_result"]
    assert (result["tool_use_id"], "10,935 m" in str(result["content"])) == ("toolu_9", True)
