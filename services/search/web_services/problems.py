"""Error messages for a service that refuses or fails: its name, the problem, and advice."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from schemas.clean_text import clean_line
from services.run.errors import SearchError, SearchRefused
from services.run.secrecy import without_secrets
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
    return SearchRefused(text) if refused else SearchError(text)


def _problem(service: Service, status: int, headers: Mapping[str, str], *, has_key: bool) -> str:
    title = service.title
    if is_limit(status, headers):
        more = (
            f" With a key ({service.key_setting}) it takes more." if service.key == "optional" and not has_key else ""
        )
        wait = retry_after(headers)
        how_long = "a while" if wait is None else f"{wait:.0f} seconds"
        return f"{title}'s usage limit is reached. Wait {how_long}, or use another search.{more}"
    if text := service.errors.get(str(status)):
        return f"{title}: {text}"
    if status in {401, 403}:
        if has_key:
            return f"{title} rejected the key or its rights. Check {service.key_setting}."
        if service.key != "none":
            return f"{title} requires a key. Set {service.key_setting}, or use another search."
        return f"{title} accepts no searches from here (HTTP {status}). {advice(service)}"
    if status == 402:
        return f"{title} requires payment: the credit is used up. Check the plan of the account."
    if status in _OF_QUERY:
        return f"{title} could not use the query (HTTP {status}). Use other words, and fewer."
    if 300 <= status < 400:
        return f"{title} redirected the search (HTTP {status}), which is not followed. {advice(service)}"
    if status == 404:
        return f"{title} is not found at its address (HTTP 404). {advice(service)}"
    return f"{title}'s service failed (HTTP {status}). Try again later. {advice(service)}"


def advice(service: Service) -> str:
    """Return advice for a service that cannot be used."""
    if service.address_setting:
        return f"Check {service.address_setting}, or use another search."
    return "Check the network, or use another search."


def not_in_form(service: Service, why: str) -> SearchError:
    """Return the error for an answer in an invalid form."""
    form = "JSON" if service.answer == "json" else "Atom"
    return SearchError(f"{service.title}'s answer is not {form}: {why}. {advice(service)}")


def own_words(service: Service, words: str) -> SearchError:
    """Return the error for an answer with its own error message."""
    line = " ".join(clean_line(without_secrets(words[: 10 * LONGEST_QUOTE])).split())
    return SearchError(f"{service.title} could not answer: {line[:LONGEST_QUOTE]!r}. Use other words, and fewer.")


def without_results(service: Service, reasons: Iterable[Any]) -> SearchError:
    """Return the error for an answer that has no results and says why: a text, or a name and a reason each."""
    reasons_text = "; ".join(": ".join(str(part) for part in listed(reason)[:3]) for reason in reasons)
    line = " ".join(clean_line(without_secrets(reasons_text[: 10 * LONGEST_QUOTE])).split())
    return SearchError(
        f"{service.title} found nothing, and not all of it answered: {line[:LONGEST_QUOTE]}. {advice(service)}"
    )


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
