"""`leadline doctor` and the operator's reader: it renders one harmless page, and what is wrong with it is said."""

import json
from collections.abc import Iterator

import pytest

from services.run.settings import forget_settings
from tests.fakes.http import Reply
from tests.fakes.reader_services import KEY, ReaderService, reader_service
from tests.leadline.conftest import Leadline


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReaderService]:
    with reader_service("crawl4ai", html="<html><body><p>An example.</p></body></html>") as service:
        monkeypatch.setenv("LEADLINE_READER_URL", service.address)
        monkeypatch.setenv("LEADLINE_READER_KEY", KEY)
        yield service


def found(leadline: Leadline) -> list[tuple[str, str]]:
    forget_settings()
    checks = json.loads(leadline("doctor", "--json").out)
    return [(check["state"], check["found"]) for check in checks if check["name"] == "LEADLINE_READER_URL"]


def test_a_reader_that_renders_is_fine(leadline: Leadline, reader: ReaderService) -> None:
    [(state, words)] = found(leadline)
    assert reader.urls == ["https://example.com/"]
    assert state == "ok"
    assert words.startswith("crawl4ai rendered https://example.com/: 44 bytes in ")


def test_without_a_reader_and_with_rendering_off_none_is_asked(
    leadline: Leadline, reader: ReaderService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_RENDER", "off")
    assert found(leadline) == [("note", "not used: LEADLINE_RENDER is off")]
    monkeypatch.delenv("LEADLINE_READER_URL")
    assert found(leadline) == []
    assert reader.asked == []


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("LEADLINE_READER_URL", "http://127.0.0.1:9/crawl", "it was not reached"),
        ("LEADLINE_READER_URL", "http://127.0.0.1:9/other", "http://127.0.0.1:11235/crawl for crawl4ai"),
        ("LEADLINE_READER_KEY", "wrong-key", "it refused the key: check LEADLINE_READER_KEY"),
    ],
)
def test_what_cannot_be_asked_is_broken(
    leadline: Leadline, reader: ReaderService, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, words: str
) -> None:
    monkeypatch.setenv(setting, value)
    [(state, said)] = found(leadline)
    assert state == "broken"
    assert words in said
    assert "wrong-key" not in said


def test_a_server_of_another_protocol_is_broken(
    leadline: Leadline, reader: ReaderService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_READER_URL", reader.address.replace("/crawl", "/v2/scrape"))
    assert "it has no such path: check LEADLINE_READER_URL" in found(leadline)[0][1]
    reader.reply = Reply(raw=b"<html>Welcome</html>")
    assert "its answer is a page of HTML" in found(leadline)[0][1]
