"""Answers that mean harm: too much, too deep, addresses that are none, texts that obey nobody, XML that unfolds."""

import gzip
import json
from typing import Any

import pytest

from services.run.errors import SearchError
from services.search.hit import Hit
from services.search.web_services import client
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import services
from tests.attacks.processor_time import processor_time
from tests.fakes.http import Reply
from tests.fakes.search_services.forms import FORMS
from tests.fakes.search_services.twin import twin
from tests.fakes.site import Answer, endless, site
from tests.services.search.web_services.ask import search_of

GOOD = {"url": "https://a.example/", "title": "Good", "content": "Text."}


async def hits_of(name: str, raw: bytes, **headers: str) -> list[Hit]:
    with twin(FORMS[name]) as served:
        served.replies.append(Reply(raw=raw, headers=headers))
        return await search_of(name, served).search("echo sounding", 50)


async def searxng(*results: Any) -> list[Hit]:
    return await hits_of("searxng", json.dumps({"results": list(results)}).encode())


async def test_an_answer_without_end_is_not_read_to_it() -> None:
    with site() as served:
        served.pages["/search?q=depths&format=json&language=en"] = Answer(stream=endless, kind="application/json")
        with pytest.raises(SearchError, match="SearXNG's answer is longer than 8 MB and was not read"):
            await ServiceSearch(services()["searxng"], None, served.url()[:-1], seconds=30).search("depths", 5)


async def test_what_a_small_answer_unfolds_to_counts() -> None:
    bomb = gzip.compress(b"[" + b" " * (2 * client.MAX_BODY) + b"]")
    assert len(bomb) < client.MAX_BODY / 10
    with pytest.raises(SearchError, match="longer than 8 MB"):
        await hits_of("searxng", bomb, **{"Content-Encoding": "gzip"})


@pytest.mark.parametrize("opened", ["[", '{"results":', '{"results": [{"url":'])
async def test_deep_nesting_is_no_crash(opened: str) -> None:
    closed = "".join({"[": "]", "{": "}"}[mark] for mark in reversed(opened) if mark in "[{")
    for depth in (900, 200_000):
        body = opened * depth + "1" + closed * depth
        with pytest.raises(SearchError, match=r"SearXNG's answer (?:is not JSON|has no usable)"):
            await hits_of("searxng", body.encode())


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "ftp://a.example/",
        "//a.example/",
        "/relative",
        "https://",
        "https://[",
        "https://a.example/\nX-More: yes",
        "https://a.example/ b",
        "https://a.example/\u202efdp",
        "https://a.example/" + "x" * 5_000,
    ],
)
async def test_what_is_no_address_of_the_web_is_left_out(address: str) -> None:
    hits = await searxng({**GOOD, "url": address}, GOOD)
    assert [hit.url for hit in hits] == ["https://a.example/"]
    with pytest.raises(SearchError, match="no usable url"):
        await searxng({**GOOD, "url": address})


async def test_titles_and_texts_hold_nothing_that_acts() -> None:
    title = "A\x1b]0;owned\x07 ti\u202etle\r\nof\x00 two\u2028lines \ud800" + "x" * 10_000
    (hit,) = await searxng({**GOOD, "title": title, "content": "Te\x1b[2Jxt\x00\ud800.\r\nMore."})
    assert hit.title.startswith("A]0;owned title of two lines")
    assert len(hit.title) <= 300
    assert hit.text == "Te[2Jxt.\nMore."


async def test_what_a_catalogue_says_is_bounded() -> None:
    result = {
        **FORMS["openalex"].found["results"][0],
        "cited_by_count": 10**300,
        "publication_date": "99999999-01-01",
        "publication_year": -5,
        "doi": "https://doi.org/10.1234/" + "x" * 100_000,
        "authorships": [{"author": {"display_name": f"A\x1b{number}" + "n" * 2_000}} for number in range(1_000)],
        "primary_location": {"landing_page_url": "https://a.example/", "source": {"display_name": "V\u202e" * 9_000}},
        "best_oa_location": {"pdf_url": "javascript:alert(1)", "license": {"a": [1]}},
        "open_access": {"oa_url": "file:///etc/passwd"},
        "abstract_inverted_index": {"deep": list(range(300_000)), "odd": "x", "odder": [None, -1, "y", 2.5]},
    }
    (hit,) = await hits_of("openalex", json.dumps({"results": [result]}).encode())
    known = hit.publication
    assert known is not None
    assert (known.citations, known.year, known.open_url, known.licence) == (None, None, "", "")
    assert hit.url == "https://a.example/"
    assert len(known.doi) < 250
    assert len(known.authors) == 20
    assert max(map(len, known.authors)) <= 300
    assert "\x1b" not in str(known.authors)
    assert "\u202e" not in known.venue
    assert len(hit.text) < 200_000


async def test_numbers_that_are_none_or_too_long_are_no_crash() -> None:
    body = '{"batchcomplete": true, "query": {"pages": [%s]}}'
    page = '{"title": "T", "canonicalurl": "https://a.example/%s", "extract": "x", "index": %s}'
    values = ["NaN", "-Infinity", "1e999", "null", '"x"', "2", "1", "true", "9" * 400]
    raw = body % ",".join(page % (place, value) for place, value in enumerate(values))
    assert len(await hits_of("wikipedia", raw.encode())) == len(values)
    with pytest.raises(SearchError, match="is not JSON"):
        await hits_of("wikipedia", (body % (page % (0, "9" * 10_000))).encode())


async def test_more_results_than_anybody_wants_are_not_all_looked_at() -> None:
    hits = await searxng(*({**GOOD, "url": f"https://a.example/{number}"} for number in range(20_000)))
    assert len(hits) == 50


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + ']><feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://a.example/</id><title>&j;</title></entry></feed>'
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://a.example/</id><title>&x;</title></entry></feed>'
)


@pytest.mark.parametrize("feed", [LAUGHS, OUTSIDE])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_entities_are_refused(feed: str, encoding: str) -> None:
    with pytest.raises(SearchError, match=r"arXiv's answer is not Atom: it (?:declares a document type|is not XML)"):
        await hits_of("arxiv", feed.replace("?>", f' encoding="{encoding}"?>', 1).encode(encoding))


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (b"<entry " + b" ".join(b"a%d=''" % number for number in range(60_000)) + b"/>", "more than 100 attributes"),
        (b"<entry/>" * 150_000, "more than 100,000 elements"),
    ],
    ids=["attributes", "elements"],
)
async def test_a_feed_beyond_its_limits_is_refused_at_once(entry: bytes, reason: str) -> None:
    """libxml2 took 32 s of processor time for 60,000 attributes of one element."""
    feed = b'<feed xmlns="http://www.w3.org/2005/Atom">' + entry + b"</feed>"
    with processor_time(5), pytest.raises(SearchError, match=reason):
        await hits_of("arxiv", feed)


async def test_a_number_beyond_all_characters_is_no_crash() -> None:
    (hit,) = await hits_of("crossref", json.dumps({"message": {"items": [_work("&#" + "1" * 5_000 + ";")]}}).encode())
    assert "\ufffd" in hit.text


def _work(abstract: str) -> dict[str, Any]:
    return {"URL": "https://a.example/", "title": ["Good"], "abstract": f"<jats:p>Text {abstract}</jats:p>"}


async def test_deep_feeds_are_no_crash() -> None:
    for depth in (200, 100_000):
        deep = b'<feed xmlns="http://www.w3.org/2005/Atom">' + b"<entry>" * depth + b"</entry>" * depth + b"</feed>"
        with pytest.raises(SearchError, match=r"arXiv's answer (?:is not Atom|has no usable url)"):
            await hits_of("arxiv", deep)
