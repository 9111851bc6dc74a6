"""Searches of the web and of code, each against its twin: what is sent, and the hits that come of the answer."""

import logging
from base64 import b64encode
from datetime import date

import pytest

from services.run.errors import SearchRefused
from services.search.filters import Filters
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import services
from tests.fakes.search_services.forms import FORMS
from tests.fakes.search_services.twin import KEY, twin
from tests.services.search.web_services.ask import search_of

OF_THE_WEB = ["searxng", "brave", "exa", "serper"]


@pytest.mark.parametrize("name", OF_THE_WEB)
async def test_addresses_titles_and_texts_come_in_order(name: str) -> None:
    with twin(FORMS[name]) as served:
        hits = await search_of(name, served).search("echo sounding", 5)
    assert [hit.url for hit in hits] == ["https://a.example/echo", "https://b.example/wire"]
    assert hits[0].title == {"brave": "Echo & sounding"}.get(name, "Echo sounding")
    assert hits[0].text.startswith("Sound travels to the floor and back.")
    assert (hits[0].published, hits[0].publication, hits[0].abstract_only) == ("2024-05-06", None, False)
    assert hits[0].snippet_only == (name != "exa")


@pytest.mark.parametrize("name", FORMS)
async def test_nothing_found_is_an_answer(name: str) -> None:
    with twin(FORMS[name]) as served:
        assert await search_of(name, served).search("nothing", 5) == []
    assert len(served.asked) == 1


async def test_brave_without_pages_may_write_null() -> None:
    with twin(FORMS["brave"]) as served:
        served.found = {**FORMS["brave"].nothing, "web": None}
        assert await search_of("brave", served).search("echo sounding", 5) == []


@pytest.mark.parametrize("name", FORMS)
async def test_no_more_than_wanted_is_asked_for_or_returned(name: str) -> None:
    with twin(FORMS[name]) as served:
        assert len(await search_of(name, served).search("echo sounding", 1)) == 1
        await search_of(name, served).search("echo sounding", 100_000)
        search = search_of(name, served)
        assert await search.search("echo sounding", 0) == []
        assert await search.search("  ", 5) == []
    limit = FORMS[name].limit
    assert len(served.asked) == 2
    if limit:
        assert [int(asked[limit]) for asked in served.asked] == [1, search.service.max_results]


async def test_a_page_without_a_title_has_its_address_as_one() -> None:
    with twin(FORMS["exa"]) as served:
        hits = await search_of("exa", served).search("echo sounding", 5)
    assert hits[1].title == "https://b.example/wire"


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.key])
async def test_the_key_is_where_the_service_wants_it_and_nowhere_else(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    place, written = FORMS[name].key or ("", "")
    with twin(FORMS[name]) as served, caplog.at_level(logging.DEBUG):
        await search_of(name, served).search("echo sounding", 5)
    held = {**{f"?{key}": value for key, value in served.asked[0].items()}, **served.headers[0]}
    wanted = place if place.startswith("?") else place.title()
    assert {key: value for key, value in held.items() if KEY in str(value)} == {wanted: written.format(key=KEY)}
    assert "HTTP Request" in caplog.text
    assert KEY not in caplog.text


async def test_a_password_in_an_own_address_is_sent_as_one_and_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with twin(FORMS["searxng"]) as served, caplog.at_level(logging.DEBUG):
        address = served.address.replace("http://", "http://me:se%20cret@")
        assert await ServiceSearch(services()["searxng"], None, address).search("echo sounding", 5)
    assert served.headers[0]["Authorization"] == f"Basic {b64encode(b'me:se cret').decode()}"
    assert "HTTP Request" in caplog.text
    assert "cret" not in caplog.text


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.key and not form.needs_key])
async def test_a_key_that_is_optional_can_be_missing(name: str) -> None:
    place, _ = FORMS[name].key or ("", "")
    with twin(FORMS[name]) as served:
        assert await search_of(name, served, key=None).search("echo sounding", 5)
    assert place.removeprefix("?") not in served.asked[0]
    assert place.title() not in served.headers[0]


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.needs_key])
async def test_a_wrong_key_is_named_and_not_shown(name: str) -> None:
    with twin(FORMS[name]) as served:
        search = search_of(name, served, key="wrong-key")
        with pytest.raises(Exception, match=search.service.key_setting) as caught:
            await search.search("echo sounding", 5)
    assert "wrong-key" not in str(caught.value)
    assert isinstance(caught.value, SearchRefused) == (FORMS[name].no_key_status != 422)


async def test_repositories_come_with_owner_and_licence() -> None:
    with twin(FORMS["github"]) as served:
        first, second = await search_of("github", served).search("echo sounder traces", 5)
    assert (first.title, first.url) == ("sounder/echo", "https://github.com/sounder/echo")
    assert (first.text, first.snippet_only, first.source_kind) == ("Reads the traces of echo sounders.", True, "code")
    assert first.publication is not None
    assert (first.publication.authors, first.publication.licence) == (("sounder",), "MIT")
    assert (second.text, second.snippet_only) == ("", True)
    assert served.headers[0]["Accept"] == "application/vnd.github+json"


async def test_code_comes_with_the_fragments_that_fit() -> None:
    with twin(FORMS["github-code"]) as served:
        (hit,) = await search_of("github-code", served).search("depth seconds", 5)
    assert hit.title == "sounder/echo: src/depth.py"
    assert hit.text == "def depth(seconds):\n\n    return seconds * SPEED / 2"
    assert "text-match" in served.headers[0]["Accept"]


SINCE = date(2024, 4, 30)
RANGES = {
    "searxng": ("time_range", "week"),
    "brave": ("freshness", "pw"),
    "exa": ("startPublishedDate", "2024-04-30T00:00:00.000Z"),
    "serper": ("tbs", "qdr:w"),
    "openalex": ("filter", "from_publication_date:2024-04-30"),
    "crossref": ("filter", "from-pub-date:2024-04-30"),
    "arxiv": ("search_query", "(all:echo OR all:sounding) AND submittedDate:[202404300000 TO 299912312359]"),
    "europepmc": ("query", "(echo sounding) AND (FIRST_PDATE:[2024-04-30 TO 3000-01-01])"),
    "semanticscholar": ("publicationDateOrYear", "2024-04-30:"),
    "github": ("q", "echo sounding pushed:>=2024-04-30"),
}


@pytest.mark.parametrize("name", FORMS)
async def test_a_time_range_is_passed_on_and_what_is_older_is_left_out(name: str) -> None:
    filters = Filters.of(time_range="week")
    with twin(FORMS[name]) as served:
        now = search_of(name, served, filters=filters, today=lambda: date(2024, 5, 7))
        later = search_of(name, served, filters=filters, today=lambda: date(2034, 5, 7))
        hits = [await now.search("echo sounding", 5), await later.search("echo sounding", 5)]
        await search_of(name, served).search("echo sounding", 5)
    assert not [hit for hit in hits[0] if hit.published and hit.published < SINCE.isoformat()]
    assert not [hit for hit in hits[1] if hit.published]
    if name in RANGES:
        parameter, wanted = RANGES[name]
        assert served.asked[0][parameter] == wanted
        assert served.asked[2].get(parameter) != wanted


@pytest.mark.parametrize("name", OF_THE_WEB)
async def test_sites_are_passed_on_and_results_of_others_left_out(name: str) -> None:
    filters = Filters.of(["a.example", "c.example"], ["bad.a.example"])
    with twin(FORMS[name]) as served:
        hits = await search_of(name, served, filters=filters).search("echo sounding", 5)
        unwanted = await search_of(name, served, filters=Filters.of((), ["a.example"])).search("echo sounding", 5)
    assert [hit.url for hit in hits] == ["https://a.example/echo"]
    assert [hit.url for hit in unwanted] == ["https://b.example/wire"]
    if name == "exa":
        assert served.asked[0]["includeDomains"] == ["a.example", "c.example"]
        assert served.asked[0]["excludeDomains"] == ["bad.a.example"]
        assert "includeDomains" not in served.asked[1]
    else:
        assert served.asked[0]["q"] == "echo sounding (site:a.example OR site:c.example) -site:bad.a.example"
