"""One cluster for all tests of this folder, where everything that it needs is installed."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.deploy.cluster import AEGRA, Cluster
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.fakes.postgres import PostgresServer, binaries_of_postgres


def missing() -> str:
    """Say what these tests lack; empty if nothing."""
    if not os.environ.get("TEST_DEPLOY"):
        return "`make test-deploy` runs these: they start PostgreSQL, Redis and three processes of Aegra"
    if not (AEGRA / "ready").exists():
        return "Aegra is not installed: `make test-deploy` installs it where there is Python 3.12 or later"
    if binaries_of_postgres() is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if shutil.which("redis-server") is None:
        return "Redis is not installed (Debian: apt-get install redis-server)"
    return ""


@pytest.fixture(scope="session")
def model() -> Iterator[OpenAIServer]:
    with openai_server() as server:
        yield server


@pytest.fixture(scope="session")
def cluster(model: OpenAIServer) -> Iterator[Cluster]:
    lacking = missing()
    if lacking:
        pytest.skip(lacking)
    binaries = binaries_of_postgres()
    assert binaries is not None
    folder = Path(tempfile.mkdtemp(prefix="leadline-aegra-"))
    folder.chmod(0o755)
    (folder / "postgres").mkdir()
    postgres = PostgresServer(binaries, folder / "postgres")
    postgres.start()
    started = Cluster(folder, postgres, {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url})
    try:
        started.start(workers=2)
        yield started
    finally:
        started.stop()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def client(cluster: Cluster) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=cluster.address) as connected:
        yield connected


@pytest.fixture(autouse=True)
def _quiet_model(model: OpenAIServer) -> Iterator[None]:
    yield
    model.on_request = None
