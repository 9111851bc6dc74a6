"""Error messages for a service that refuses or fails: its name, the problem, and advice."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from schemas.clean_text import clean_line
from services.run.errors import SearchError, SearchRefused
from services.run.secrecy import without_secrets
from services.run.ui_text import say, told
from services.search.web_services.answers import listed
from services.search.web_services.service import Service

LONGEST_QUOTE = 200
"""Maximum characters of a service's own message to repeat."""
_REFUSALS = frozenset({401, 402, 403, 429})
_OF_QUERY = frozenset({400, 413, 414, 422})


def status_problem(service: Service, status: int, headers: Mapping[str, str], *, has_key: bool) -> SearchError:
    """Return the error for a status other than 200."""
    text = _problem(service, status, headers, has_key=has_key)
    refused = status in _REFUSALS or is_limit(status, headers)
    return SearchRefused(**text) if refused else SearchError(**text)


def _problem(service: Service, status: int, headers: Mapping[str, str], *, has_key: bool) -> dict[str, str]:
    title, setting = service.title, service.key_setting
    if is_limit(status, headers):
        more = say("search_more_with_key", setting=setting) if service.key == "optional" and not has_key else ""
        wait = retry_after(headers)
        how_long = say("search_a_while") if wait is None else say("search_seconds", seconds=round(wait))
        return told("search_limited", title=title, wait=how_long, more=more)
    if text := service.errors.get(str(status)):
        return told("search_own_problem", title=title, problem=text)
    if status in {401, 403} and (has_key or service.key != "none"):
        return told("search_key_rejected" if has_key else "search_needs_key", title=title, setting=setting)
    if status == 402:
        return told("search_paid", title=title)
    if status in _OF_QUERY:
        return told("search_query_status", title=title, status=status)
    redirected = 300 <= status < 400
    key = {401: "forbids", 403: "forbids", 404: "not_found"}.get(status, "redirected" if redirected else "failed")
    return told(f"search_{key}", title=title, status=status, advice=advice(service))


def advice(service: Service) -> str:
    """Return advice for a service that cannot be used."""
    setting = service.address_setting
    return say("search_check_setting", setting=setting) if setting else say("search_check_network")


def not_in_form(service: Service, why: str) -> SearchError:
    """Return the error for an answer in an invalid form."""
    form = "JSON" if service.answer == "json" else "Atom"
    return SearchError(**told("search_form", title=service.title, form=form, why=why, advice=advice(service)))


def own_words(service: Service, words: str) -> SearchError:
    """Return the error for an answer with its own error message."""
    return SearchError(**told("search_own_words", title=service.title, words=_line(words)))


def without_results(service: Service, reasons: Iterable[Any]) -> SearchError:
    """Return the error for an answer that has no results and says why: a text, or a name and a reason each."""
    words = _line("; ".join(": ".join(str(part) for part in listed(reason)[:3]) for reason in reasons))
    return SearchError(**told("search_partly", title=service.title, words=words, advice=advice(service)))


def _line(words: str) -> str:
    return " ".join(clean_line(without_secrets(words[: 10 * LONGEST_QUOTE])).split())[:LONGEST_QUOTE]


def is_limit(status: int, headers: Mapping[str, str]) -> bool:
    """Tell whether an answer reports a limit; GitHub does so with status 403."""
    return status == 429 or (
        status == 403 and ("retry-after" in headers or headers.get("x-ratelimit-remaining") == "0")
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a service accepts requests again; None if it does not say."""
    written = headers.get("retry-after", "").strip()[:40]
    if written.isascii() and written.isdecimal():
        return float(written[:9])
    try:
        until = parsedate_to_datetime(written)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
