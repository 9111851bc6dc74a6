"""The files of a thread's report, served beside the API."""

import gzip
import hashlib
import html
import json
import re
import uuid
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.server.test_revising import QUESTION as TWO_PARTS
from tests.server.test_revising import change

QUESTION = "Who designed the wire sounding machine?"


@pytest.fixture
async def thread(client: LangGraphClient) -> str:
    thread = str((await client.threads.create())["thread_id"])
    await client.runs.wait(thread, "deep_research", input={"question": QUESTION})
    return thread


async def test_a_report_is_served_in_every_format_with_its_sources(
    client: LangGraphClient, server: str, thread: str
) -> None:
    state: Any = (await client.threads.get_state(thread))["values"]
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as files:
        markdown = await files.get("report.md")
        assert markdown.text == state["report"]["markdown"]
        page = await files.get("report.html")
        assert page.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in html.unescape(page.text)
        assert (await files.get("slides.html")).status_code == 200
        deck = await files.get("report.pptx")
        assert deck.content.startswith(b"PK")
        assert deck.headers["content-disposition"] == "attachment"
        items = (await files.get("references.json")).json()
        assert items
        evidence = json.loads((await files.get("evidence.json")).text)
        for source in evidence["sources"]:
            text = await files.get(source["text"])
            assert text.headers["content-type"].startswith("text/plain")
            assert hashlib.sha256(text.content).hexdigest() == source["content_hash"]
        cited = {key for claim in state["report"]["citations"] for key in claim["citations"]}
        hashes = {one["content_hash"] for one in state["report"]["excerpts"] if one["id"] in cited}
        assert (await files.get("view.json")).json()["sources"] == len(hashes) < len(evidence["sources"])


async def test_a_text_that_the_report_does_not_link_to_is_served_packed_and_unpacked(
    client: LangGraphClient, server: str, thread: str
) -> None:
    state: Any = (await client.threads.get_state(thread))["values"]
    first = state["report"]["sources"][0]
    first |= {"kind": "web", "url": "https://example.org/"}
    await client.threads.update_state(thread, {"report": state["report"]})
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as files:
        [source] = [
            one for one in json.loads((await files.get("evidence.json")).text)["sources"] if one["kind"] == "web"
        ]
        packed = await files.get(source["text"])
        assert packed.headers["content-type"] == "application/octet-stream"
        assert "content-encoding" not in packed.headers
        plain = await files.get(source["text"].removesuffix(".gz"))
        assert plain.headers["content-type"].startswith("text/plain")
        assert gzip.decompress(packed.content) == plain.content
        assert hashlib.sha256(plain.content).hexdigest() == source["content_hash"]


async def test_what_is_no_file_of_a_report_is_not_there(server: str, thread: str) -> None:
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/") as files:
        for name in ("nothing.txt", "sources/../../langgraph.json", "sources/%2e%2e/x", "report.exe"):
            assert (await files.get(name)).status_code == 404, name


async def test_a_thread_without_a_report_has_no_files(client: LangGraphClient, server: str) -> None:
    empty = str((await client.threads.create())["thread_id"])
    async with httpx.AsyncClient(base_url=server) as files:
        assert "no report yet" in (await files.get(f"/reports/{empty}/report.md")).text
        assert (await files.get(f"/reports/{uuid.uuid4()}/report.md")).status_code == 404
        assert (await files.get("/reports/no-thread/report.md")).status_code == 404


async def test_a_turn_without_research_leaves_the_last_report_standing(
    client: LangGraphClient, server: str, thread: str
) -> None:
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as files:
        before = {name: (await files.get(name)).json() for name in ("view.json", "evidence.json")}
        await client.runs.wait(thread, "deep_research", input={"question": "?!"})
        after = {name: (await files.get(name)).json() for name in before}
        del before["view.json"]["checkpoint"], after["view.json"]["checkpoint"]
        assert after == before


async def test_an_earlier_turn_keeps_its_files_and_versions(client: LangGraphClient, server: str, thread: str) -> None:
    await client.runs.wait(thread, "deep_research", input={"question": TWO_PARTS})
    await change(client, thread, request="Shorter", shorten=True)
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as files:
        before = {name: (await files.get(name)).text for name in ("report.md", "report.md?version=1", "versions.json")}
        await client.runs.wait(thread, "deep_research", input={"question": "Why was a shorter wire used?"})
        assert len((await files.get("versions.json")).json()) == 1
        [_, turn] = (await files.get("turns.json")).json()
        earlier = {"checkpoint": turn["checkpoint"]}
        for name, text in before.items():
            assert (await files.get(name, params={**earlier, **dict(httpx.URL(name).params)})).text == text
        compared = (await files.get("difference.json", params={**earlier, "before": 1, "after": 2})).json()
        assert {"removed", "same"} <= {sentence["state"] for sentence in compared}
        for name in ("view.json", "report.md"):
            assert "no such checkpoint" in (await files.get(name, params={"checkpoint": "zzz"})).text
        head = await files.head("report.md")
        assert (head.status_code, head.text) == (200, "")


async def test_a_question_asked_anew_from_the_beginning_has_no_turn_before_it(
    client: LangGraphClient, server: str, thread: str
) -> None:
    history: Any = await client.threads.get_history(thread, limit=100)
    beginning = history[-1]["checkpoint"]["checkpoint_id"]
    await client.runs.wait(thread, "deep_research", input={"question": TWO_PARTS}, checkpoint_id=beginning)
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as files:
        assert (await files.get("turns.json")).json() == []


async def test_links_in_every_answer_of_a_conversation_lead_to_the_sources(
    client: LangGraphClient, server: str, thread: str
) -> None:
    said: Any = {"messages": [{"role": "user", "content": "When was William Thomson knighted, and why?"}]}
    unclear: Any = {"messages": [{"role": "user", "content": "?!"}]}
    await client.runs.wait(thread, "deep_research", input=said)
    state: Any = await client.runs.wait(thread, "deep_research", input=unclear)
    answers = [one["content"] for one in state["messages"] if one["name"] == "reporter"]
    assert len(answers) == 2
    async with httpx.AsyncClient(timeout=60) as files:
        for answer in answers:
            links = set(re.findall(r"\]\(([^)\s]+)\)", answer))
            assert links
            for link in links:
                assert link.startswith(f"{server}/reports/{thread}/sources/")
                assert (await files.get(link)).status_code == 200
