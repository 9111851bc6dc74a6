"""Servers that break: each is reported and left out, the others work, and nothing is left of them."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Literal

import httpx
import pytest
from langchain_core.tools import BaseTool

from schemas.context import RunContext
from services.run.errors import ToolError
from services.run.scope import Run
from services.tools.mcp import sessions, transports
from services.tools.mcp import tools as tools_module
from services.tools.mcp.configuration import Server
from services.tools.mcp.offered_tools import failures_once, offer, servers_once
from services.tools.mcp.registry import close_sessions
from services.tools.mcp.sessions import ServerFailed
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply, Request, serving
from tests.services.tools.mcp.conftest import Configure, fake, listening, tools_of

pytestmark = pytest.mark.long


async def reasons(run: Run) -> dict[str, str]:
    return {failure.server: failure.reason for failure in (await servers_once(run)).failures}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait some seconds for connections, not ten."""
    monkeypatch.setattr(sessions, "CONNECT_SECONDS", 5.0)


async def test_programs_that_are_no_servers_are_left_out_and_the_others_work(
    run: Run, configure: Configure, impatient: None
) -> None:
    configure(
        missing={"command": "no-such-program"},
        crash=fake("crash", env={"SERVICE_TOKEN": "hush-hush-1"}),
        noise=fake("noise"),
        silent=fake("silent"),
        empty=fake("empty"),
        pump=fake(),
    )
    servers = await servers_once(run)
    assert {failure.server: failure.reason for failure in servers.failures} == {
        "missing": "unstartable",
        "crash": "ended",
        "noise": "garbage",
        "silent": "silent",
        "empty": "empty",
    }
    assert [view.name for view in servers.views] == ["pump"]
    assert "missing (no-such-program) cannot be started" in servers.messages("en-US")[0]
    assert "工具服务器 missing" in servers.messages("zh-CN")[0]
    assert "hush-hush-1" not in servers.model_dump_json()


async def test_a_closed_port_is_left_out_at_once(run: Run, configure: Configure) -> None:
    configure(
        http={"url": "http://127.0.0.1:9/mcp?key=hush"},
        sse={"url": "http://user:hush@127.0.0.1:9/sse", "transport": "sse"},
    )
    servers = await servers_once(run)
    assert {failure.server: failure.reason for failure in servers.failures} == {
        "http": "unreachable",
        "sse": "unreachable",
    }
    assert "http://127.0.0.1:9/mcp" in servers.messages("en-US")[0]
    assert "hush" not in servers.model_dump_json()


GARBAGE = {
    "a page": (Reply(headers={"Content-Type": "text/html"}, body="<html>"), "garbage"),
    "JSON that is no message": (Reply(body={"hello": "world"}), "garbage"),
    "an error of its own": (Reply(500, {"error": "no"}), "status"),
    "a refusal": (Reply(401, {"error": "who are you"}), "status"),
    "broken JSON": (Reply(headers={"Content-Length": "3"}, body={"a": 1}), "garbage"),
}


@pytest.mark.parametrize("transport", ["http", "sse"])
@pytest.mark.parametrize(("reply", "reason"), GARBAGE.values(), ids=GARBAGE.keys())
async def test_answers_that_are_none_are_left_out(
    run: Run, configure: Configure, reply: Reply, reason: str, transport: str
) -> None:
    with serving(lambda _: reply) as address:
        configure(web={"url": f"{address}/mcp", "transport": transport})
        assert await reasons(run) == {"web": reason}


async def test_an_address_that_never_answers_is_left_out(
    run: Run, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "CONNECT_SECONDS", 0.5)
    over = threading.Event()

    def sit_on(_: Request) -> Reply:
        over.wait(20)
        return Reply()

    with serving(sit_on) as address:
        configure(web={"url": f"{address}/mcp"})
        assert await reasons(run) == {"web": "silent"}
        over.set()


def run_of(address: str, transport: str = "http") -> Run:
    return Run(context=RunContext.model_validate({"mcp_servers": {"web": {"url": address, "transport": transport}}}))


async def test_a_run_uses_the_address_that_the_operator_allows(environment: SetEnvironment) -> None:
    with listening("pump", "http") as address:
        environment(LEADLINE_ALLOW_PRIVATE_HOSTS=address.split("/")[2])
        run = run_of(address)
        assert await (await tools_of(run, "web"))["web__say"].ainvoke({"words": "hi"}) == "pump says hi"
        await close_sessions(run.journal.key)


@contextmanager
def unasked() -> Iterator[str]:
    """Serve at an address that nobody may ask."""
    asked: list[str] = []

    def secret(request: Request) -> Reply:
        asked.append(request.path)
        return Reply()

    with serving(secret) as address:
        yield address
    assert asked == []


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_runs_address_cannot_lead_on_to_a_private_one(environment: SetEnvironment, transport: str) -> None:
    with unasked() as inside, serving(lambda _: Reply(307, headers={"Location": f"{inside}/"})) as address:
        environment(LEADLINE_ALLOW_PRIVATE_HOSTS=address.removeprefix("http://"))
        run = run_of(f"{address}/mcp", transport)
        assert await reasons(run) == {"web": "status"}
        await close_sessions(run.journal.key)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_the_address_that_is_dialled_is_checked_whatever_the_name_was(
    run: Run, transport: Literal["http", "sse"]
) -> None:
    with unasked() as inside:
        offered = await offer(run, Server("web", transport, url=inside))
    assert [failure.reason for failure in offered.failures] == ["refused"]


async def test_a_server_that_dies_in_a_call_is_left_out_from_then_on_with_all_it_started(
    run: Run, configure: Configure, mark: str
) -> None:
    configure(pump=fake(), other=fake("other"))
    tools = await tools_of(run, "pump", "other")
    with pytest.raises(ServerFailed, match="broke off in the middle of a call"):
        await tools["pump__die"].ainvoke({})
    with pytest.raises(ServerFailed, match="broke off"):
        await tools["pump__say"].ainvoke({"words": "again"})
    assert await tools["other__say"].ainvoke({"words": "hello"}) == "other says hello"
    assert [failure.server for failure in await failures_once(run)] == ["pump"]


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_server_at_an_address_that_dies_in_a_call_is_left_out_at_once(
    run: Run, configure: Configure, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    monkeypatch.setattr(tools_module, "CALL_SECONDS", 20.0)
    with listening("pump", transport) as address:
        configure(pump={"url": address, "transport": transport})
        tools = await tools_of(run, "pump")
        with pytest.raises(ServerFailed, match="broke off in the middle of a call"):
            await tools["pump__die"].ainvoke({})
        assert [failure.reason for failure in await failures_once(run)] == ["died"]


@pytest.mark.parametrize(("piece", "told"), [(b"event: message\n", True), (b"id: 7\nevent: message\n", False)])
async def test_an_answer_that_the_client_asks_for_again_may_break_off(piece: bytes, *, told: bool) -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield piece
        raise httpx.ReadError("gone")

    errors: list[object] = []

    async def note(error: object) -> None:
        errors.append(error)

    with pytest.raises(httpx.ReadError):
        assert [read async for read in transports._Bounded(breaking(), note)] == [piece]
    assert bool(errors) == told


async def test_a_call_that_hangs_is_ended_and_its_server_left_out(
    pump: dict[str, BaseTool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_module, "CALL_SECONDS", 0.5)
    with pytest.raises(ServerFailed, match=r"did not answer within 0\.5 seconds"):
        await pump["pump__hang"].ainvoke({})


async def test_a_tools_own_error_goes_to_the_model_without_secrets_and_leaves_nobody_out(
    run: Run, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REAL_TOKEN", "hush-hush-2")
    configure(pump=fake(env={"SERVICE_TOKEN": "${REAL_TOKEN}"}))
    tools = await tools_of(run, "pump")
    with pytest.raises(ToolError, match="the pump is broken") as caught:
        await tools["pump__fail"].ainvoke({})
    assert "hush-hush-2" not in str(caught.value)
    assert await tools["pump__say"].ainvoke({"words": "still here"}) == "pump says still here"


async def test_a_huge_result_is_cut_and_says_so(pump: dict[str, BaseTool]) -> None:
    text = await pump["pump__huge"].ainvoke({"characters": 3_000_000})
    assert len(text) < 401_000
    assert text.endswith("3,000,000 characters]")


async def test_a_program_sees_no_key_of_ours_and_its_own_secret_does_not_come_back(
    run: Run, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ours")
    monkeypatch.setenv("REAL_TOKEN", "hush-hush-3")
    configure(pump=fake(env={"SERVICE_TOKEN": "${REAL_TOKEN}", "PLAIN": "seen"}))
    text = await (await tools_of(run, "pump"))["pump__environment"].ainvoke({})
    names = {line.partition("=")[0] for line in text.splitlines()}
    assert names <= {
        "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM", "SERVICE_TOKEN", "PLAIN", "LEADLINE_TEST", "LEADLINE_MCP_MARK"
    }  # fmt: skip
    assert "SERVICE_TOKEN=…" in text
    assert "PLAIN=seen" in text
    assert "sk-ours" not in text


async def test_a_variable_that_is_not_set_is_named_and_nothing_is_started(run: Run, configure: Configure) -> None:
    configure(pump=fake(env={"SERVICE_TOKEN": "${NOWHERE_SET}"}))
    servers = await servers_once(run)
    assert "needs NOWHERE_SET, which is not set" in servers.messages("en-US")[0]


async def test_arguments_may_have_the_names_that_libraries_use(pump: dict[str, BaseTool]) -> None:
    arguments = {"config": "c", "run_manager": "m", "runtime": "r"}
    assert await pump["pump__odd"].ainvoke(arguments) == "c m r"
