"""Answers of the searches of the whole web, and of those of code, in the forms that their documentation shows."""

from typing import Any

from tests.fakes.search_services.twin import Form

SEARXNG: dict[str, Any] = {
    "query": "echo sounding",
    "number_of_results": 0,
    "results": [
        {
            "url": "https://a.example/echo",
            "title": "Echo sounding",
            "content": "Sound travels to the floor and back.",
            "publishedDate": "2024-05-06T00:00:00",
            "engine": "mojeek",
            "engines": ["mojeek", "brave"],
            "score": 4.0,
            "category": "general",
        },
        {
            "url": "https://b.example/wire",
            "title": "Piano wire",
            "content": "A weight on a wire came before.",
            "publishedDate": None,
            "engine": "mojeek",
        },
    ],
    "answers": [],
    "corrections": [],
    "infoboxes": [],
    "suggestions": [],
    "unresponsive_engines": [["qwant", "timeout"]],
}
BRAVE: dict[str, Any] = {
    "type": "search",
    "query": {"original": "echo sounding", "more_results_available": True},
    "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": False}]},
    "web": {
        "type": "search",
        "results": [
            {
                "title": "Echo &amp; sounding",
                "url": "https://a.example/echo",
                "description": "Sound travels to the <strong>floor</strong> and back.",
                "page_age": "2024-05-06T08:00:00",
                "age": "May 6, 2024",
                "language": "en",
                "meta_url": {"hostname": "a.example"},
            },
            {"title": "Piano wire", "url": "https://b.example/wire", "description": "A weight on a wire came before."},
        ],
    },
}
EXA: dict[str, Any] = {
    "requestId": "r-1",
    "resolvedSearchType": "neural",
    "results": [
        {
            "id": "https://a.example/echo",
            "url": "https://a.example/echo",
            "title": "Echo sounding",
            "publishedDate": "2024-05-06T00:00:00.000Z",
            "author": "A. Sounder",
            "text": "Sound travels to the floor and back.\n\nThe time of travel gives the depth.",
        },
        {"id": "x", "url": "https://b.example/wire", "title": None, "publishedDate": None, "text": "A wire."},
    ],
    "costDollars": {"total": 0.005},
}
SERPER: dict[str, Any] = {
    "searchParameters": {"q": "echo sounding", "type": "search", "num": 5, "engine": "google"},
    "organic": [
        {
            "title": "Echo sounding",
            "link": "https://a.example/echo",
            "snippet": "Sound travels to the floor and back.",
            "date": "May 6, 2024",
            "position": 1,
        },
        {
            "title": "Piano wire",
            "link": "https://b.example/wire",
            "snippet": "A weight on a wire came before.",
            "date": "3 days ago",
            "position": 2,
        },
    ],
    "credits": 1,
}
GITHUB: dict[str, Any] = {
    "total_count": 2,
    "incomplete_results": False,
    "items": [
        {
            "id": 1,
            "name": "echo",
            "full_name": "sounder/echo",
            "owner": {"login": "sounder", "type": "User"},
            "html_url": "https://github.com/sounder/echo",
            "description": "Reads the traces of echo sounders.",
            "created_at": "2021-01-01T10:00:00Z",
            "pushed_at": "2024-05-06T10:00:00Z",
            "stargazers_count": 12,
            "license": {"key": "mit", "name": "MIT License", "spdx_id": "MIT"},
        },
        {
            "id": 2,
            "full_name": "wire/weights",
            "owner": {"login": "wire"},
            "html_url": "https://github.com/wire/weights",
            "description": None,
            "pushed_at": "2019-02-03T10:00:00Z",
            "license": None,
        },
    ],
}
GITHUB_CODE: dict[str, Any] = {
    "total_count": 1,
    "incomplete_results": False,
    "items": [
        {
            "name": "depth.py",
            "path": "src/depth.py",
            "sha": "0a1b",
            "html_url": "https://github.com/sounder/echo/blob/0a1b/src/depth.py",
            "repository": {"full_name": "sounder/echo", "html_url": "https://github.com/sounder/echo"},
            "text_matches": [
                {"property": "content", "fragment": "def depth(seconds):", "matches": []},
                {"property": "content", "fragment": "    return seconds * SPEED / 2", "matches": []},
            ],
        }
    ],
}

FORMS: dict[str, Form] = {
    "searxng": Form("/search", "q", SEARXNG, {**SEARXNG, "results": [], "unresponsive_engines": []}, needs={"format": "json"}, no_key_status=403),
    "brave": Form(
        "/res/v1/web/search",
        "q",
        BRAVE,
        {key: value for key, value in BRAVE.items() if key != "web"},
        limit="count",
        key=("X-Subscription-Token", "{key}"),
        needs_key=True,
        no_key_status=422,
    ),
    "exa": Form(
        "/search", "query", EXA, {**EXA, "results": []}, limit="numResults", key=("x-api-key", "{key}"), needs_key=True, post=True
    ),
    "serper": Form(
        "/search",
        "q",
        SERPER,
        {**SERPER, "organic": []},
        limit="num",
        key=("X-API-KEY", "{key}"),
        needs_key=True,
        post=True,
        no_key_status=403,
    ),
    "github": Form(
        "/search/repositories",
        "q",
        GITHUB,
        {**GITHUB, "total_count": 0, "items": []},
        limit="per_page",
        key=("Authorization", "Bearer {key}"),
    ),
    "github-code": Form(
        "/search/code",
        "q",
        GITHUB_CODE,
        {**GITHUB_CODE, "total_count": 0, "items": []},
        limit="per_page",
        key=("Authorization", "Bearer {key}"),
        needs_key=True,
    ),
}  # fmt: skip
