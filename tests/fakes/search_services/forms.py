"""What each search service takes, and what it answers in the form that its documentation shows (`answers/`)."""

import json
from pathlib import Path
from typing import Any

from tests.fakes.search_services.twin import Form

_ANSWERS = Path(__file__).parent / "answers"


def answer(name: str) -> Any:
    """Return a kept answer: an object of JSON, or the bytes of a feed."""
    file = _ANSWERS / f"{name}.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else file.with_suffix(".xml").read_bytes()


FORMS: dict[str, Form] = {
    "searxng": Form(
        "/search",
        "q",
        answer("searxng"),
        answer("searxng") | {"results": [], "unresponsive_engines": []},
        needs={"format": "json"},
        no_key_status=403,
    ),
    "brave": Form(
        "/res/v1/web/search",
        "q",
        answer("brave"),
        {"type": "search"},
        limit="count",
        key=("X-Subscription-Token", "{key}"),
        needs_key=True,
        no_key_status=422,
    ),
    "exa": Form(
        "/search",
        "query",
        answer("exa"),
        answer("exa") | {"results": []},
        limit="numResults",
        key=("x-api-key", "{key}"),
        needs_key=True,
        post=True,
    ),
    "serper": Form(
        "/search",
        "q",
        answer("serper"),
        answer("serper") | {"organic": []},
        limit="num",
        key=("X-API-KEY", "{key}"),
        needs_key=True,
        post=True,
        no_key_status=403,
    ),
    "wikipedia": Form(
        "/w/api.php",
        "gsrsearch",
        answer("wikipedia"),
        {"batchcomplete": True},
        limit="gsrlimit",
        needs={
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "generator": "search",
            "inprop": "url",
            "lllang": "en",
            "llprop": "url",
        },
    ),
    "openalex": Form(
        "/works",
        "search",
        answer("openalex"),
        {"meta": {"count": 0}, "results": []},
        limit="per_page",
        key=("?api_key", "{key}"),
    ),
    "crossref": Form(
        "/works",
        "query.bibliographic",
        answer("crossref"),
        {"status": "ok", "message": {"total-results": 0, "items": []}},
        limit="rows",
    ),
    "arxiv": Form("/api/query", "search_query", answer("arxiv"), answer("arxiv-nothing"), limit="max_results"),
    "europepmc": Form(
        "/europepmc/webservices/rest/search",
        "query",
        answer("europepmc"),
        {"version": "6.9", "hitCount": 0, "resultList": {"result": []}},
        limit="pageSize",
        needs={"format": "json", "resultType": "core"},
    ),
    "semanticscholar": Form(
        "/graph/v1/paper/search",
        "query",
        answer("semanticscholar"),
        {"total": 0, "offset": 0},
        limit="limit",
        key=("x-api-key", "{key}"),
    ),
    "github": Form(
        "/search/repositories",
        "q",
        answer("github"),
        answer("github") | {"total_count": 0, "items": []},
        limit="per_page",
        key=("Authorization", "Bearer {key}"),
    ),
    "github-code": Form(
        "/search/code",
        "q",
        answer("github-code"),
        answer("github-code") | {"total_count": 0, "items": []},
        limit="per_page",
        key=("Authorization", "Bearer {key}"),
        needs_key=True,
    ),
}
