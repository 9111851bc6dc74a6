"""`kill -9` of the server: when it is up again it goes on with the run, and asks nothing again that was answered."""

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

from langgraph_sdk import get_client

from tests.fakes.openai_server import openai_server
from tests.server.conftest import dev_server, papers
from tests.server.test_dev_server import GRAPH, TWO_PARTS

FLUSH = 10
"""Seconds after which the dev server has written down which threads and runs there are; checkpoints are written at once."""


async def test_a_run_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    with openai_server() as endpoint:
        settings = {
            "LEADLINE_DOCS": str(papers(tmp_path)),
            "OPENAI_API_KEY": endpoint.key,
            "OPENAI_BASE_URL": endpoint.base_url,
        }
        with dev_server(tmp_path, **settings) as (address, process):

            def kill(number: int) -> None:
                if number == 3:
                    time.sleep(FLUSH + 1)
                    process.send_signal(signal.SIGKILL)

            endpoint.on_request = kill
            async with get_client(url=address) as client:
                thread = str((await client.threads.create())["thread_id"])
                run: Any = await client.runs.create(thread, GRAPH, input={"question": TWO_PARTS})
                await asyncio.to_thread(process.wait, 60)
        endpoint.on_request = None
        before = list(endpoint.roles)
        assert before[:2] == ["coordinator", "planner"]
        with dev_server(tmp_path, **settings) as (address, _):
            async with get_client(url=address) as client:
                await client.runs.join(thread, run["run_id"])
                state: Any = await client.threads.get_state(thread)
        assert state["values"]["report"]["markdown"]
        assert endpoint.roles.count("coordinator") == 1
        under_way = 1
        assert state["values"]["usage"]["total"]["calls"] == len(endpoint.counted) - under_way
