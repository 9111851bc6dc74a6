"""What a service is sent for a query: its form, its language, its bounds, and nothing that a query could smuggle in."""

from datetime import date
from typing import Any

import pytest

from services.search.filters import Filters
from services.search.web_services.query import ServiceRequest, request_for
from services.search.web_services.service import services

TODAY = date(2026, 3, 1)


def sent(name: str, query: str, filters: Filters | None = None, **changes: Any) -> ServiceRequest:
    service = services()[name]
    own = "https://s.example/" if service.address_setting else ""
    return request_for(service, query, 5, address=own, filters=filters or Filters(), today=TODAY, **changes)


QUESTION = "How deep is the Challenger Deep, and who measured it in 1875?"


@pytest.mark.parametrize(
    ("name", "query", "parameter", "value"),
    [
        ("openalex", QUESTION, "search", "deep challenger measured 1875"),
        ("openalex", "GPT4 at 3.5 O'Neill's COVID-19", "search", "gpt4 3.5 o'neill's covid 19"),
        ("arxiv", QUESTION, "search_query", "all:deep OR all:challenger OR all:measured OR all:1875"),
        ("wikipedia", "挑战者深渊 1960", "gsrsearch", "挑战者深渊 1960"),
        ("crossref", QUESTION, "query.bibliographic", QUESTION),
        ("searxng", "深度", "language", "zh-CN"),
        ("brave", "深度", "search_lang", "zh-hans"),
        ("serper", "depth", "hl", "en"),
        ("exa", "depth", "numResults", 5),
    ],
)
def test_a_query_and_its_language_are_written_as_the_service_wants_them(
    name: str, query: str, parameter: str, value: object
) -> None:
    request = sent(name, query, key="k")
    assert (request.body or request.parameters)[parameter] == value


def test_no_more_words_are_sent_than_the_service_can_use() -> None:
    query = " ".join(f"word{number}x" for number in range(40))
    for name in ("wikipedia", "europepmc", "github"):
        words = services()[name].words
        assert words is not None
        sent_words = next(value for value in sent(name, query).parameters.values() if "word" in value).split()
        assert len([word for word in sent_words if word.startswith("word")]) == words.most


@pytest.mark.parametrize("name", services())
def test_long_queries_are_cut_to_what_the_service_takes(name: str) -> None:
    service = services()[name]
    filters = Filters.of([f"{'a' * 50}{n}.example" for n in range(30)], [f"{'b' * 50}{n}.example" for n in range(30)])
    request = sent(name, "sounding " * 3_000 + "x" * 9_000, filters)
    values = [str(value) for value in (request.body or request.parameters).values() if "sounding" in str(value)]
    assert values
    assert max(map(len, values)) <= service.max_query


def test_operators_of_a_query_do_not_reach_services_that_obey_them() -> None:
    query = 'depths) OR all:* user:root "x" {key} {since} pushed:>1'
    for name in ("arxiv", "github", "europepmc", "wikipedia"):
        value = next(value for value in sent(name, query, key="secret").parameters.values() if "depths" in value)
        assert "secret" not in value
        assert not {")", '"', "*", ">", "{"} & set(value)


def test_what_stands_in_braces_in_a_query_is_text() -> None:
    assert sent("crossref", "what {key} and {limit} mean", key="s").parameters["query.bibliographic"].count("{") == 2


@pytest.mark.parametrize(
    ("query", "host"),
    [
        ("the Challenger Deep", "en.wikipedia.org"),
        ("挑战者深渊有多深", "zh.wikipedia.org"),
        ("チャレンジャー海淵の深さ", "en.wikipedia.org"),
    ],
)
def test_wikipedia_is_asked_in_the_language_of_the_query(query: str, host: str) -> None:
    assert sent("wikipedia", query).address == f"https://{host}/w/api.php"


def test_an_operators_address_takes_the_path_of_the_service() -> None:
    assert sent("searxng", "depth").address == "https://s.example/search"


def test_sites_that_do_not_fit_into_a_query_are_left_to_the_check_of_results() -> None:
    filters = Filters.of((), [f"site{number}.example" for number in range(40)])
    query = sent("searxng", "depth", filters).parameters["q"]
    assert query.startswith("depth -site:site0.example")
    assert query.endswith(".example")


def test_a_request_does_not_show_its_headers() -> None:
    assert "secret" not in repr(sent("brave", "depth", key="secret"))
