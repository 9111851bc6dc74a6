"""What may go wrong with a service, and that the message names it and says what to do."""

import asyncio
import gzip
import json
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from services.run.errors import BadInput, SearchError, SearchRefused
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import placeholders, services
from tests.fakes.http import Reply
from tests.fakes.search_services.forms import FORMS
from tests.fakes.search_services.twin import KEY, changed, twin
from tests.fakes.site import Answer, drip, site
from tests.services.search.web_services.ask import search_of

JSON = sorted(FORMS.keys() - {"arxiv"})


def names_of(name: str, field: str) -> set[str]:
    """Return the names that a field goes by in an answer."""
    service = services()[name]
    paths = (service.results,) if field == "results" else getattr(service.fields, field)
    return {part.rpartition(".")[2] for path in paths for part in placeholders(path) or {path}}


async def answered(name: str, *replies: Reply, **options: Any) -> list[str]:
    """Search a twin that replies so, and return the addresses of the hits."""
    with twin(FORMS[name]) as served:
        served.replies += replies
        return [hit.url for hit in await search_of(name, served, **options).search("depths by echo", 5)]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("headers", "advice"), [({}, "Wait a while"), ({"Retry-After": "90"}, "Wait 90 seconds")])
async def test_a_limit_is_a_refusal_that_says_how_long_to_wait(name: str, headers: dict[str, str], advice: str) -> None:
    with pytest.raises(SearchRefused, match=rf"{services()[name].title}'s usage limit is reached\. {advice}"):
        await answered(name, Reply(429, {}, headers=headers))


async def test_a_limit_that_soon_ends_is_waited_for_once() -> None:
    past, future = (format_datetime(datetime.now(UTC) + timedelta(days=days), usegmt=True) for days in (-1, 1))
    found = Reply(body=FORMS["crossref"].found)
    for soon in ("0", past):
        limited = Reply(429, {}, headers={"Retry-After": soon})
        assert await answered("crossref", limited, found)
        with pytest.raises(SearchRefused, match="usage limit"):
            await answered("crossref", limited, limited, found)
    for later, advice in ((future, r"Wait \d{5} seconds"), ("after lunch ¹", "Wait a while")):
        with pytest.raises(SearchRefused, match=advice):
            await answered("crossref", Reply(429, {}, headers={"Retry-After": later}))


async def test_githubs_403_at_its_limit_is_one() -> None:
    with pytest.raises(SearchRefused, match=r"usage limit is reached.*With a key \(GITHUB_TOKEN\) it takes more"):
        await answered("github", Reply(403, {}, headers={"X-RateLimit-Remaining": "0"}), key=None)


@pytest.mark.parametrize("name", FORMS)
async def test_a_refusal_says_what_to_set(name: str) -> None:
    service = services()[name]
    with pytest.raises(SearchRefused) as caught:
        await answered(name, Reply(403, {}))
    wanted = service.key_setting or service.address_setting or "another search"
    assert str(caught.value).startswith(service.title)
    assert wanted in str(caught.value)
    assert KEY not in str(caught.value)


async def test_searxng_without_json_says_what_its_operator_must_write() -> None:
    with pytest.raises(SearchRefused, match=r"Add json to search\.formats in its settings\.yml"):
        await answered("searxng", Reply(403, {}))


async def test_searxng_without_results_says_which_engines_did_not_answer() -> None:
    engines = [["google", "Suspended: CAPTCHA"], ["duckduckgo", "timeout"]]
    with pytest.raises(
        SearchError, match=r"found nothing.*google: Suspended: CAPTCHA; duckduckgo: timeout\. Check SEARXNG_URL"
    ):
        await answered("searxng", Reply(body={"results": [], "unresponsive_engines": engines}))
    found = {"results": [{"url": "https://a.example/", "title": "A"}], "unresponsive_engines": engines}
    assert len(await answered("searxng", Reply(body=found))) == 1
    assert await answered("searxng", Reply(body={"results": [], "unresponsive_engines": []})) == []


async def test_a_service_that_takes_keys_says_so_to_who_has_none() -> None:
    with pytest.raises(SearchRefused, match=r"requires a key\. Set SEMANTIC_SCHOLAR_API_KEY"):
        await answered("semanticscholar", Reply(403, {}), key=None)


@pytest.mark.parametrize(
    ("status", "advice"),
    [(302, "redirected the search"), (400, "other words"), (404, "not found"), (500, "HTTP 500"), (503, "later")],
)
async def test_a_failure_is_named_and_is_no_refusal(status: int, advice: str) -> None:
    with pytest.raises(SearchError, match=f"Crossref.*{advice}") as caught:
        await answered("crossref", Reply(status, {}, headers={"Location": "http://127.0.0.1:9/"}))
    assert not isinstance(caught.value, SearchRefused)


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        *((name, b"  <!doctype html><p>Sign in</p>", "not JSON: it is a page of HTML") for name in JSON),
        *(("crossref", body, "not JSON: it is empty") for body in (b"", b"  ")),
        *(("crossref", body, "not JSON: it is malformed") for body in (b'{"message": {"items": [', b"\xff\xfe", b"not json")),
        *(("arxiv", body, "not Atom: it is") for body in (b"", b"<html><p>Sign in</p></html>", b"<feed", b'{"entry": []}')),
    ],
)  # fmt: skip
async def test_a_malformed_answer_is_named(name: str, body: bytes, problem: str) -> None:
    with pytest.raises(SearchError, match=f"{services()[name].title}'s answer is {problem}"):
        await answered(name, Reply(raw=body))


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("field", ["url", "title", "results"])
async def test_a_changed_field_is_named_with_its_service(name: str, field: str) -> None:
    found = changed(FORMS[name].found, *names_of(name, field))
    with pytest.raises(SearchError, match=rf"{services()[name].title}'s answer has no usable {field} \(") as caught:
        await answered(name, Reply(body=found))
    assert f"the field {field} in the record of {name}" in str(caught.value)


@pytest.mark.parametrize(
    "body", [[], 7, None, "x", {"message": 5}, {"message": {"items": {}}}, {"message": {"items": ["x"]}}]
)
async def test_an_answer_of_another_shape_is_named(body: object) -> None:
    with pytest.raises(SearchError, match=r"Crossref's answer has no usable results \(message\.items\)"):
        await answered("crossref", Reply(raw=json.dumps(body).encode()))


async def test_odd_results_among_good_ones_are_left_out() -> None:
    items = FORMS["crossref"].found["message"]["items"]
    odd = [
        {},
        {"URL": None},
        "text",
        None,
        7,
        {"URL": 5, "title": "x"},
        {"URL": ["https://x.example"], "title": {"a": 1}},
    ]
    urls = await answered("crossref", Reply(body={"message": {"items": [*odd, *items, items[0]]}}))
    assert urls == ["https://x.example", "https://doi.org/10.1234/echo.1", "https://doi.org/10.1234/wire.2"]


async def test_an_error_inside_an_answer_is_repeated_without_the_key_and_within_bounds() -> None:
    service = services()["wikipedia"].model_copy(update={"key": "optional", "key_setting": "WIKI_KEY"})
    words = f"The search\x1b[31m term with {KEY} is \u202e too long. " + "x" * 5_000
    with twin(FORMS["wikipedia"]) as served:
        served.replies.append(Reply(body={"error": {"code": "cirrussearch-query-too-long", "info": words}}))
        with pytest.raises(SearchError, match="Wikipedia could not answer: 'The search") as caught:
            await ServiceSearch(service, KEY, served.address).search("depths", 5)
    message = str(caught.value)
    assert len(message) < 400
    assert not any(hidden in message for hidden in (KEY, "\x1b", "\u202e"))


async def test_a_service_that_cannot_be_reached_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SearchError, match=r"SearXNG was not reached\. Check SEARXNG_URL"):
            await ServiceSearch(services()["searxng"], None, address).search("depths", 5)


async def test_a_service_that_never_ends_is_given_up() -> None:
    async def quiet(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    for stream in (quiet, drip):
        with site() as served:
            path = "/search?q=depths&format=json&language=en"
            served.pages[path] = Answer(stream=stream, kind="application/json")
            with pytest.raises(SearchError, match="SearXNG did not answer in time"):
                await ServiceSearch(services()["searxng"], None, served.url()[:-1], seconds=0.4).search("depths", 5)


async def test_a_connection_that_breaks_off_is_named() -> None:
    with pytest.raises(SearchError, match="Crossref was not reached"):
        await answered("crossref", Reply(body=FORMS["crossref"].found, cut_after=100))


async def test_compressed_answers_are_read_and_broken_ones_named() -> None:
    data = gzip.compress(json.dumps(FORMS["crossref"].found).encode())
    assert await answered("crossref", Reply(raw=data, headers={"Content-Encoding": "gzip"}))
    for encoding in ("br", "gzip, gzip", "x-unknown"):
        with pytest.raises(SearchError, match="Crossref's answer cannot be read"):
            await answered("crossref", Reply(raw=data, headers={"Content-Encoding": encoding}))


def test_a_setting_that_cannot_be_used_is_named() -> None:
    with pytest.raises(BadInput, match="SEARXNG_URL is not set"):
        ServiceSearch(services()["searxng"])
    with pytest.raises(BadInput, match="SEARXNG_URL is not an address"):
        ServiceSearch(services()["searxng"], None, "javascript:alert(1)")
    with pytest.raises(BadInput, match="BRAVE_API_KEY is not a key"):
        ServiceSearch(services()["brave"], "two words\r\nX-More: yes")
    with pytest.raises(BadInput, match="LEADLINE_CONTACT is not an e-mail address"):
        ServiceSearch(services()["crossref"], contact="me@x.example\r\nX-More: yes")


async def test_the_pause_of_a_service_holds_for_all_searches_of_the_process() -> None:
    slow = services()["arxiv"].model_copy(update={"pause": 1_000.0})
    with twin(FORMS["arxiv"]) as served:
        assert await ServiceSearch(slow, None, served.address).search("depths by echo", 5)
        with pytest.raises(SearchError, match="arXiv accepts one search every 1000 seconds"):
            await ServiceSearch(slow, None, served.address).search("depths by echo", 5)
    assert len(served.asked) == 1


async def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert await answered("crossref", Reply(body=FORMS["crossref"].found))
