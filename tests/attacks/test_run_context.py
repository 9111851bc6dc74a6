"""What a server's user chooses for a run: no key goes to an address of theirs, no prompt holds the server up.

And what they chose holds when they go on without saying it again.
"""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from schemas.context import STEMS
from tests.leadline.conftest import Leadline
from tests.server.conftest import dev_server, papers

GRAPH = "deep_research"
QUESTION = "Who owned the schooner Lalla Rookh?"
TWO_PARTS = "Why was tallow pressed into the lead, and who mended the copper kettle?"
OFFLINE = {"default": "offline"}
SECRET = "sk-of-the-operator-0123456789"
TOKENS = {"ada": "ada-0123456789abcdef", "grace": "grace-0123456789abcdef"}
KEYS = ("ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY")
MODELS = (
    "anthropic:claude-sonnet-4-5",
    "mistralai:mistral-small-latest",
    "google_genai:gemini-2.5-flash",
    "gpt-4.1-mini",
)
LONGEST = 3.0
"""Seconds within which another user must be answered, whatever one sends, on a machine that is busy with tests."""


@dataclass(slots=True)
class Trap:
    """A loopback port that hears everything and answers nothing."""

    listening: socket.socket
    heard: list[bytes] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def listen(self) -> None:
        """Note what arrives until the socket is closed."""
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    self.heard.append(connection.recv(65_536))
                except OSError:
                    self.heard.append(b"")


@pytest.fixture(scope="module")
def traps() -> Iterator[tuple[Trap, Trap]]:
    """Open an attacker's address, and one that stands for the operator's own endpoint."""
    opened = tuple(Trap(socket.create_server(("127.0.0.1", 0))) for _ in range(2))
    for trap in opened:
        threading.Thread(target=trap.listen, daemon=True).start()
    yield opened[0], opened[1]
    for trap in opened:
        trap.listening.shutdown(socket.SHUT_RDWR)
        trap.listening.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, traps: tuple[Trap, Trap]) -> Iterator[str]:
    """Serve two users with an operator's keys in the environment."""
    home = tmp_path_factory.mktemp("attacked")
    folder = papers(home) / "kettles"
    folder.mkdir()
    (folder / "kettle.md").write_text(
        "# The copper kettle\n\nThe copper kettle was mended by Hester Bateman in 1780.\n\n"
        "# Tallow\n\nTallow was pressed into the lead so that sand stuck to it.\n"
    )
    settings = {
        "LEADLINE_DOCS": str(home / "papers"),
        "LEADLINE_TOKENS": ",".join(f"{name}:{token}" for name, token in TOKENS.items()),
        "LEADLINE_EMBEDDINGS_MODEL": "none",
        "LEADLINE_MAX_RETRIES": "0",
        "OPENAI_BASE_URL": f"{traps[1].address}/v1",
        **dict.fromkeys(KEYS, SECRET),
    }
    with dev_server(home, **settings) as (address, _):
        yield address


@pytest.fixture
async def ada(server: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server, headers={"Authorization": f"Bearer {TOKENS['ada']}"}) as client:
        yield client


async def refusal(client: LangGraphClient, question: str = QUESTION, **context: Any) -> str:
    """Return what a user is told of a run that is refused."""
    with pytest.raises(Exception) as refused:
        await client.runs.wait(None, GRAPH, input={"question": question}, context={"advanced": context})
    return str(refused.value)


@pytest.mark.parametrize("of_profile", [False, True], ids=["context", "profile"])
@pytest.mark.parametrize(
    ("model", "name"),
    [
        (MODELS[0], "base_url"), (MODELS[0], "anthropic_api_url"), (MODELS[0], "default_headers"), (MODELS[1], "endpoint"),
        (MODELS[2], "base_url"), (MODELS[2], "client_options"), (MODELS[3], "base_url"), ("ollama:qwen3:8b", "base_url"),
    ],
)  # fmt: skip
async def test_no_address_of_a_user_receives_the_operators_key(
    ada: LangGraphClient, traps: tuple[Trap, Trap], model: str, name: str, of_profile: bool
) -> None:
    value = {"api_endpoint": traps[0].address} if name == "client_options" else traps[0].address
    models = {"default": {"model": model, "extra": {"top_p": 0.9, name: value}}}
    message = await refusal(
        ada, **({"profile": {"name": "mine", "models": models}} if of_profile else {"models": models})
    )
    assert f"models.default.extra cannot be used: {name}: no run and no profile chooses that" in message
    assert "top_p" in message
    assert "anything else is for the operator of Leadline to set" in message
    assert "\n" not in message.strip()
    assert traps[0].heard == []


async def test_an_endpoint_is_chosen_by_a_name_of_the_operators_and_never_by_an_address(
    ada: LangGraphClient, traps: tuple[Trap, Trap]
) -> None:
    message = await refusal(ada, models={"planner": {"endpoint": traps[0].address}})
    assert "models.planner.endpoint cannot be" in message
    message = await refusal(ada, models={"planner": {"endpoint": "mine"}})
    assert "There is no endpoint 'mine'. There are: default." in message
    assert SECRET not in message
    assert traps[0].heard == []


async def test_a_provider_that_the_operator_has_not_set_up_is_not_reached(ada: LangGraphClient) -> None:
    message = await refusal(ada, models={"default": {"model": "ollama:qwen3:8b"}})
    assert "its provider is not set up here. Choose another under" in message


async def test_a_named_parameter_goes_where_the_operator_says(ada: LangGraphClient, traps: tuple[Trap, Trap]) -> None:
    context: Any = {
        "models": {"default": {"model": "own", "timeout": 5, "extra": {"top_p": 0.125}}},
        "deep_research": False,
    }
    await ada.runs.wait(None, GRAPH, input={"question": QUESTION}, context=context, raise_error=False)
    assert any(b"Bearer " + SECRET.encode() in heard for heard in traps[1].heard)
    assert traps[0].heard == []


@pytest.mark.parametrize(
    ("context", "field"),
    [
        ({"documents": ["x"] * 101}, "documents"),
        ({"include_domains": ["x" * 254]}, "include_domains"),
        ({"mcp_servers": {str(place): {"url": "https://x.org"} for place in range(21)}}, "mcp_servers"),
        ({"mcp_servers": {"x": {"url": "https://x.org/" + "x" * 2_000}}}, "mcp_servers.x.url"),
        ({"max_tokens": 10**18}, "max_tokens"),
        ({"profile": {"name": "x", "tone": "x" * 5_001}}, "profile.tone"),
        ({"profile": {"name": "x", "scope": {"core": [{"topic": "x"}] * 201}}}, "profile.scope.core"),
        ({"profile": {"name": "x", "scope": {"core": [{"topic": "x" * 2_000}] * 150}}}, "profile"),
        ({"prompts": {"planner": "x" * 20_001}}, "prompts.planner"),
    ],
)
async def test_all_that_a_context_holds_has_an_end(ada: LangGraphClient, context: dict[str, Any], field: str) -> None:
    message = await refusal(ada, **context)
    assert f"{field} cannot be " in message
    assert len(message) < 700


def test_the_command_line_refuses_a_profile_that_names_an_address(
    traps: tuple[Trap, Trap], tmp_path: Path, leadline: Leadline
) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text(
        f"name: mine\nmodels:\n  default:\n    model: {MODELS[0]}\n    extra:\n      base_url: {traps[0].address}\n"
    )
    ended = leadline("research", QUESTION, "--profile", profile)
    assert ended.code == 2
    assert "models.default.extra cannot be used: base_url: no run and no profile chooses that" in ended.err
    assert traps[0].heard == []


PROMPTS: dict[str, tuple[dict[str, Any], str]] = {
    "all prompts that include one another": (
        {
            "prompts": {
                stem: f"{{% include '{following}.md' %}}" * (20_000 // (len(following) + 19))
                for stem, following in zip(STEMS, [*STEMS[1:], "planner"], strict=True)
            }
        },
        "prompts.coder, line 1: 'reflector.md' cannot be included",
    ),
    "a text over and over": (
        {"prompts": {"coordinator": "{{ question }}" * 60}},
        "prompts.coordinator cannot be used: it comes to more than 1,000,000 characters",
    ),
    "conditions in each other": (
        {"prompts": {"coordinator": "{% if 1 %}" * 800 + "{% endif %}" * 800}},
        "prompts.coordinator: its parts stand too deep in each other",
    ),
}


@pytest.mark.parametrize("attack", PROMPTS)
async def test_no_prompt_holds_the_server_up(server: str, ada: LangGraphClient, attack: str) -> None:
    prompts, reason = PROMPTS[attack]
    refused = asyncio.create_task(refusal(ada, "Who? " * 3_900, models=OFFLINE, **prompts))
    slowest = 0.0
    async with httpx.AsyncClient(
        base_url=server, headers={"Authorization": f"Bearer {TOKENS['grace']}"}, timeout=30
    ) as grace:
        while not refused.done():
            asked = time.monotonic()
            assert (await grace.post("/threads", json={})).status_code == 200
            slowest = max(slowest, time.monotonic() - asked)
            await asyncio.sleep(0.02)
    assert reason in await refused
    assert slowest < LONGEST


async def test_a_review_is_gone_on_with_as_it_was_begun_though_nobody_says_how(
    ada: LangGraphClient, traps: tuple[Trap, Trap]
) -> None:
    thread = str((await ada.threads.create())["thread_id"])
    context: Any = {
        "review_plan": True, "models": OFFLINE, "documents": ["kettles"], "max_step_num": 1, "max_plan_iterations": 2,
        "max_searches": 3, "output_formats": ["md", "html"],
    }  # fmt: skip
    before = len(traps[1].heard)
    await ada.runs.wait(thread, GRAPH, input={"question": TWO_PARTS}, context=context)
    edit = {"action": "edit", "feedback": "also cover the kettle"}
    await ada.runs.wait(thread, GRAPH, command={"resume": edit})
    waiting: Any = await ada.threads.get_state(thread)
    [interrupt] = waiting["interrupts"]
    assert len(interrupt["value"]["plan"]["steps"]) == 1
    state: Any = await ada.runs.wait(thread, GRAPH, command={"resume": {"action": "accept"}})
    assert {source["url"].rpartition("/")[2] for source in state["report"]["sources"]} == {"kettle.md"}
    assert state["plan_iterations"] <= 2
    assert state["usage"]["searches"] <= 3
    assert len(traps[1].heard) == before, "the models of the run were not kept"
    fresh: Any = await ada.runs.wait(
        thread, GRAPH, input={"question": QUESTION}, context={"models": OFFLINE, "max_plan_iterations": 1}
    )
    assert fresh["report"]
    assert any("kettle.md" not in source["url"] for source in fresh["report"]["sources"])
