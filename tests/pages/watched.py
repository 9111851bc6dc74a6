"""A server that notices blocking calls, and how many it noticed."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from tests.fakes.browser import Page

if TYPE_CHECKING:
    from tests.pages.conftest import Site

CONTROL = """import os
from leadline.server.app import app

@app.get("/page/control/{kind}")
async def control(kind: str) -> str:
    os.access(".", os.R_OK) if kind == "blocking" else None
    return kind

app.router.routes.insert(0, app.router.routes.pop())
"""
"""The real app with one route more, which makes a blocking call: what the server does with it shows that its check is on."""
BLOCKED = "Blocking call to"


@dataclass(slots=True)
class Watched:
    """A server that wants tokens and searches the examples, and what it writes."""

    site: "Site"
    log: Path

    def blocking_calls(self, client: httpx.Client) -> int:
        """Return how many blocking calls the server noticed, one that is made here included."""
        before = self._noticed()
        assert client.get("/page/control/blocking").status_code == 500
        end = time.monotonic() + 20
        while (noticed := self._noticed()) == before and time.monotonic() < end:  # the log is written in a thread
            time.sleep(0.05)
        return noticed

    def _noticed(self) -> int:
        return self.log.read_text("utf-8", "replace").count(f"BlockingError: {BLOCKED}")


def leave(browser: Page, tab: Page, address: str) -> None:
    """Close a tab, and forget what its site has kept in the browser, such as a token."""
    tab.call("Storage.clearDataForOrigin", origin=address, storageTypes="all")
    browser.close(tab)
