"""The report streams as the model writes it, without what the model only thinks."""

import re
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from graph import build_graph
from leadline import aresearch
from schemas.context import RunContext
from schemas.events import Event
from services.search.providers import allow_folders
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion

QUESTION = "Where was the designer of the wire sounding machine born?"
BODY = {"model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True}}


async def parts(docs: Path) -> AsyncIterator[tuple[Any, dict[str, Any]]]:
    """Yield what a run streams: pieces of messages, and where each comes from."""
    allow_folders([docs])
    choices = RunContext(documents=[str(docs)])
    stream: Any = build_graph().compile().astream({"question": QUESTION}, context=choices, stream_mode="messages")
    async for message, about in stream:
        if message.type == "AIMessageChunk":
            yield message, about


async def streamed(docs: Path, on_first: threading.Event | None = None) -> str:
    text = ""
    async for message, _ in parts(docs):
        text += message.text
        if on_first is not None and text:
            on_first.set()
    return text


async def test_the_first_token_leaves_before_the_model_has_written_the_second(
    endpoint: OpenAIServer, docs: Path
) -> None:
    came = threading.Event()
    whole = completion(BODY, "# Belfast\n\nWilliam Thomson was born in Belfast in 1824 [E2-1].")
    endpoint.script["reporter"] = [Reply(events=whole.events, gate=came)]
    assert "born in Belfast" in await streamed(docs, came)


async def test_thinking_is_not_streamed(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.script["reporter"] = [completion(BODY, "<think>Where was he born?</think>\n\n<b>In</b> Belfast [E2-1].")]
    assert await streamed(docs) == "<b>In</b> Belfast [E2-1]."


async def test_no_other_role_streams(endpoint: OpenAIServer, docs: Path) -> None:
    assert {about["langgraph_node"] async for _, about in parts(docs)} == {"reporter"}


async def test_a_call_is_titled_in_the_language_of_the_question(endpoint: OpenAIServer, docs: Path) -> None:
    events: list[Event] = []
    await aresearch("绳索测深机的设计者生于何处？", docs=[docs], locale="zh-CN", on_event=events.append)
    titles = [event.title for event in events if event.type == "call"]
    assert re.fullmatch(r"理解问题：[\d,]+ 词元，[\d.]+ 秒", titles[0])
    assert not [title for title in titles if re.search("[a-z]", title)]
