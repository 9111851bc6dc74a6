"""The files of a thread's report, served beside the API."""

import gzip
import hashlib
import html
import io
import json
import re
import uuid
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from services.reports.bundle import verify_bundle
from tests.server.conftest import GRAPH, researched, said, thread_of
from tests.server.test_revising import QUESTION as TWO_PARTS
from tests.server.test_revising import change

QUESTION = "Who designed the wire sounding machine?"


@pytest.fixture
async def thread(client: LangGraphClient) -> str:
    return (await researched(client, QUESTION))[0]


async def test_a_report_is_served_in_every_format_with_its_sources(
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    state: Any = (await client.threads.get_state(thread))["values"]
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


async def test_all_files_come_in_one_and_hold_elsewhere(files: httpx.AsyncClient, thread: str, tmp_path: Path) -> None:
    answer = await files.get("report.zip")
    assert answer.headers["content-disposition"] == "attachment"
    zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path)
    checked = verify_bundle(tmp_path)
    assert checked.problems == []
    assert checked.checked["quotes"]


async def test_a_text_that_the_report_does_not_link_to_is_served_packed_and_unpacked(
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    state: Any = (await client.threads.get_state(thread))["values"]
    first = state["report"]["sources"][0]
    first |= {"kind": "web", "url": "https://example.org/"}
    await client.threads.update_state(thread, {"report": state["report"]})
    evidence = json.loads((await files.get("evidence.json")).text)
    [source] = [one for one in evidence["sources"] if one["kind"] == "web"]
    packed = await files.get(source["text"])
    assert packed.headers["content-type"] == "application/octet-stream"
    assert "content-encoding" not in packed.headers
    plain = await files.get(source["text"].removesuffix(".gz"))
    assert plain.headers["content-type"].startswith("text/plain")
    assert gzip.decompress(packed.content) == plain.content
    assert hashlib.sha256(plain.content).hexdigest() == source["content_hash"]


async def test_what_is_no_file_of_a_report_is_not_there(files: httpx.AsyncClient) -> None:
    for name in ("nothing.txt", "sources/../../langgraph.json", "sources/%2e%2e/x", "report.exe"):
        assert (await files.get(name)).status_code == 404, name


async def test_a_thread_without_a_report_has_no_files(client: LangGraphClient, server: str) -> None:
    empty = await thread_of(client)
    async with httpx.AsyncClient(base_url=server) as files:
        assert "no report yet" in (await files.get(f"/reports/{empty}/report.md")).text
        assert (await files.get(f"/reports/{uuid.uuid4()}/report.md")).status_code == 404
        assert (await files.get("/reports/no-thread/report.md")).status_code == 404


async def test_a_turn_without_research_leaves_the_last_report_standing(
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    before = {name: (await files.get(name)).json() for name in ("view.json", "evidence.json")}
    await client.runs.wait(thread, GRAPH, input={"question": "?!"})
    after = {name: (await files.get(name)).json() for name in before}
    del before["view.json"]["checkpoint"], after["view.json"]["checkpoint"]
    assert after == before


async def test_an_earlier_turn_keeps_its_files_and_versions(
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS})
    await change(client, thread, request="Shorter", shorten=True)
    before = {name: (await files.get(name)).text for name in ("report.md", "report.md?version=1", "versions.json")}
    await client.runs.wait(thread, GRAPH, input={"question": "Why was a shorter wire used?"})
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
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    history: Any = await client.threads.get_history(thread, limit=100)
    beginning = history[-1]["checkpoint"]["checkpoint_id"]
    await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS}, checkpoint_id=beginning)
    assert (await files.get("turns.json")).json() == []


async def test_links_in_every_answer_of_a_conversation_lead_to_the_sources(
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    await client.runs.wait(thread, GRAPH, input=said("When was William Thomson knighted, and why?"))
    state: Any = await client.runs.wait(thread, GRAPH, input=said("?!"))
    answers = [one["content"] for one in state["messages"] if one["name"] == "reporter"]
    assert len(answers) == 2
    for answer in answers:
        links = set(re.findall(r"\]\(([^)\s]+)\)", answer))
        assert links
        for link in links:
            assert link.startswith(f"{files.base_url}sources/")
            assert (await files.get(link)).status_code == 200
