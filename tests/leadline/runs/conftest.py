"""What `leadline watch` finds of a run, and a site with pages that a search finds."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.run.settings import forget_settings
from services.search.web import forget_web
from tests.fakes.site import Answer, Site, site
from tests.leadline.conftest import Leadline
from tests.services.search.test_duckduckgo import results

Checked = Callable[..., dict[str, Any]]


@pytest.fixture
def checked(leadline: Leadline) -> Checked:
    """Check a run once, hold the command to its exit code, and return what it found."""

    def check(run_id: str, code: int = 0) -> dict[str, Any]:
        ran = leadline("watch", run_id, "--once", "--json")
        assert ran.code == code, ran.err
        return dict(json.loads(ran.out))

    return check


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Serve pages, and the search that finds them."""
    with site() as served:
        monkeypatch.setenv("LEADLINE_ALLOW_PRIVATE_HOSTS", served.host)
        monkeypatch.setenv("LEADLINE_DUCKDUCKGO_URL", served.url("/html/"))
        forget_settings()
        forget_web()
        yield served


def article(title: str, text: str) -> str:
    """Return a page of one paragraph."""
    head = f"<html><head><title>{title}</title></head>"
    return f"{head}<body><article><h1>{title}</h1><p>{text}</p></article></body></html>"


def found(pages: Site, *hits: tuple[str, str, str]) -> None:
    """Let the search find these pages."""
    pages.pages["/html/"] = Answer(results(*hits).encode())
    forget_web()
