"""The real dev server, once for all tests of this folder, and the real SDK client."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.conftest import PROJECT


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the graph as `make dev` does, with the examples as its documents."""
    home = tmp_path_factory.mktemp("server")
    documents = home / "papers"
    documents.mkdir()
    for name in (
        "kelvin-sounding-machine.md",
        "william-thomson-lord-kelvin.md",
        "arming-the-lead.md",
        "historic-deep-soundings.csv",
    ):
        shutil.copy(PROJECT / "examples" / "deep-sea" / name, documents)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OPENAI_", "TAVILY_", "LEADLINE_"))
        },
        "LEADLINE_HOME": str(home / "home"),
        "LEADLINE_DOCS": str(documents),
    }
    command = [
        str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload", "--port", str(port),
        "--n-jobs-per-worker", "10", "--config", str(PROJECT / "langgraph.json"),
    ]  # fmt: skip
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=home, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait(address, process, home / "log")
            yield address
        finally:
            process.terminate()
            process.wait(20)
            shutil.rmtree(PROJECT / ".langgraph_api", ignore_errors=True)


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{address}/ok", timeout=1):  # noqa: S310 - the address is our own
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")


@pytest.fixture
async def client(server: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server) as connected:
        yield connected
