"""What every test stands on: no keys, no network beyond loopback, a home of its own."""

import os
import runpy
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.fakes.openai_server import OpenAIServer

GUARD = Path(__file__).parent / "guard"
runpy.run_path(str(GUARD / "sitecustomize.py"))  # in this process, before anything can connect
PROJECT = Path(__file__).parent.parent
os.environ["PYTHONPATH"] = os.pathsep.join([str(GUARD), str(PROJECT)])  # child processes run the code of this checkout
for quiet, value in {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
}.items():
    os.environ[quiet] = value
MEMORY = Path("/dev/shm")
"""Linux's file system in memory; folders of tests lie there if it has room, so that databases wait for no disk."""
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

settings.register_profile("leadline", derandomize=True, deadline=None)  # the same examples each time, however slow
settings.load_profile("leadline")

LONG = frozenset("attacks crash deploy docs examples faults install leadline notebooks pages pictures server".split())
"""Folders whose tests `make test-long` runs, and `make test` does not: whole commands, servers and browsers."""
MODEL = "model"
"""The folder whose tests call the model that is connected: `make test-model` runs them, and neither of the others does."""
EXAMPLES = PROJECT / "examples"
OF_SEARCHES = frozenset(
    "BRAVE_API_KEY EXA_API_KEY SERPER_API_KEY SEARXNG_URL OPENALEX_API_KEY SEMANTIC_SCHOLAR_API_KEY GITHUB_TOKEN".split()
)
CLOSED = Path(__file__).parent / "fakes" / "search_services" / "closed.toml"
SetEnvironment = Callable[..., None]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread what holds no wanted test: importing it takes each worker long."""
    wanted = config.option.markexpr.split(" and ")
    if LONG.intersection(collection_path.relative_to(PROJECT / "tests").parts[:1]):
        return True if "not long" in wanted else None
    marked = collection_path.suffix != ".py" or "mark.long" in collection_path.read_text("utf-8")
    return True if "long" in wanted and not marked else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the long folders, and those of a real model."""
    for item in items:
        folder = item.path.relative_to(PROJECT / "tests").parts[0]
        if folder in LONG:
            item.add_marker(pytest.mark.long)
        if folder == MODEL:
            item.add_marker(pytest.mark.model)


@pytest.fixture(autouse=True)
def own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give each test an empty working folder, a home of its own and an environment without keys."""
    from services.run.log import forget_log
    from services.run.settings import forget_settings

    for name in list(os.environ):
        if name in OF_SEARCHES or name.startswith(("OPENAI_", "TAVILY_", "LEADLINE_", "LANGCHAIN_API", "OTEL_", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LEADLINE_DUCKDUCKGO_URL", "http://127.0.0.1:9/")  # its client does not go through the guard
    monkeypatch.setenv("LEADLINE_SEARCH_SERVICES", str(CLOSED))  # those that need no key
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "none")  # it takes its time; tests of search by meaning name theirs
    forget_settings()
    yield
    forget_settings()
    forget_log()


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> SetEnvironment:
    """Set variables of the environment, or take away those that are None, and let the settings be read anew."""
    from services.run.prices import forget_prices
    from services.run.settings import forget_settings

    def put(**variables: str | None) -> None:
        for name, value in variables.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)
        forget_settings()
        forget_prices()

    return put


@pytest.fixture
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator["OpenAIServer"]:
    """Serve a model on loopback and point the environment to it."""
    from services.models import close_clients
    from services.models.endpoint import forget_endpoints
    from services.run.prices import forget_prices
    from services.run.settings import forget_settings
    from tests.fakes.openai_server import openai_server

    with openai_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        forget_settings()
        forget_endpoints()
        forget_prices()
        yield server
        await close_clients()


@pytest.fixture
def asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the model, try no call again that fails, and write reports in sections."""
    from services.run.settings import forget_settings

    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    monkeypatch.setenv("LEADLINE_ONE_CALL_TOKENS", "0")
    monkeypatch.setenv("LEADLINE_MAX_RETRIES", "0")
    forget_settings()


@pytest.fixture(scope="session")
def example_indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the indexes of the examples, to be `documents` of a home: they are read once for all test processes."""
    from tests.fakes.read_folder import examples_read

    own = tmp_path_factory.getbasetemp()
    return examples_read(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture
def docs(unread_docs: Path) -> Path:
    """Return the small folder of documents, with its index in the home of the test."""
    from tests.fakes.read_folder import read_before

    return read_before(unread_docs)


@pytest.fixture
def unread_docs(tmp_path: Path) -> Path:
    """Return a small folder of documents that nobody has read: a machine, its designer, a copy, and a table."""
    folder = tmp_path / "papers"
    folder.mkdir()
    machine = (
        "# The wire sounding machine\n\nThe wire sounding machine was designed by William Thomson in 1872. It let a ship take "
        "soundings while under way.\n\nPiano wire took the place of hemp rope in the machine. The wire was tried first in the Bay "
        "of Biscay aboard the yacht Lalla Rookh.\n"
    )
    (folder / "machine.md").write_text(machine)
    (folder / "machine-reprint.md").write_text(f"{machine}\nReprinted with kind permission.\n")
    (folder / "thomson.md").write_text(
        "# William Thomson\n\nWilliam Thomson was born in Belfast in 1824. He was knighted in 1866 for his work on the Atlantic "
        "telegraph cable. He became Lord Kelvin in 1892.\n"
    )
    (folder / "tallow.md").write_text(
        "# Arming the lead\n\nTallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it.\n"
    )
    (folder / "soundings.csv").write_text(
        "ship,year,depth_m\nChallenger,1875,8184\nChallenger,1874,7137\nVema,1957,9000\n"
    )
    return folder
