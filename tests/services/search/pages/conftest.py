"""Readers for the tests: one that may read the loopback site, and one that believes it is on the open Internet."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpcore
import pytest
import pytest_asyncio

from services.search.pages.addresses import HostAllowance
from services.search.pages.fetch import Limits
from services.search.pages.reader import PageReader
from tests.fakes.site import Site, site

PUBLIC = "93.184.215.14"
"""A public address; the dialler of the tests takes every connection to the loopback site instead."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of the shared reader in the event loop that its processes belong to."""
    shared = pytest.mark.asyncio(loop_scope="module")
    for item in items:
        if item.path.parent == Path(__file__).parent and "reader" in getattr(item, "fixturenames", ()):
            item.add_marker(shared, append=False)


@dataclass
class Internet(httpcore.AsyncNetworkBackend):
    """Names and addresses as the reader sees them, and every connection that it makes."""

    port: int
    """Of the loopback site behind every address."""
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    """What a name resolves to, the first time, the second time …; the last answer stays."""
    looked_up: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> list[str]:
        self.looked_up.append(host)
        answers = self.names.get(host, [[PUBLIC]])
        return answers[min(self.looked_up.count(host), len(answers)) - 1]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        *args: object,
        **kwargs: object,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append((host, port))
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", self.port, timeout)


@pytest.fixture
def served() -> Iterator[Site]:
    """A site on loopback."""
    with site() as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader() -> AsyncIterator[PageReader]:
    """A reader that may read the loopback sites; its processes, which take long to start, serve all tests of a module."""
    limits = Limits(seconds=20, wire_bytes=300_000, body_bytes=1_000_000)
    async with PageReader(HostAllowance.parse("127.0.0.1"), limits) as one:
        yield one


@pytest.fixture
def internet(served: Site) -> Internet:
    """Names that lead to the loopback site."""
    return Internet(served.port)


@pytest.fixture
async def outside(internet: Internet) -> AsyncIterator[PageReader]:
    """A reader on the open Internet, allowed nothing."""
    async with PageReader(HostAllowance(), resolver=internet.resolve, dialler=internet) as one:
        yield one
