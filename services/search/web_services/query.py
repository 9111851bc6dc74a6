"""Builds the request of a query to a service by the service's record."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import quote

from services.search.filters import Filters
from services.search.pages.fetch import USER_AGENT
from services.search.web_services.service import Service, Words
from services.text.normal_form import normal_form
from services.text.tokens import STOP_WORDS, message_language

ACCEPTED_TYPES = {"json": "application/json", "atom": "application/atom+xml"}
MAX_SITES = 10
"""Maximum domains named in a query; results are checked against all domains in any case."""
_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
"""A word without signs that services treat as operators, and without hyphens, which some do not match."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """One request to a service."""

    method: str
    address: str
    parameters: dict[str, str]
    """Parameters of the address; empty with POST."""
    body: dict[str, Any] | None
    headers: dict[str, str] = field(repr=False)
    """Headers, which may include the key."""
    secret: dict[str, str] = field(default_factory=dict, repr=False)
    """Address parameters with the key: sent, but never logged."""


def request_for(
    service: Service,
    query: str,
    limit: int,
    *,
    key: str = "",
    address: str = "",
    contact: str = "",
    filters: Filters,
    today: date,
) -> ServiceRequest:
    """Return the request for a query; the other arguments are those of `ServiceSearch`."""
    code = message_language(query)
    contact = contact if service.sends_contact else ""
    since, span = filters.since(today), filters.range_at(today)
    values = {
        "limit": str(max(1, min(limit, service.max_results))),
        "language": service.languages.get("zh" if code == "zh" else "en", code),
        "contact": contact,
        "key": key,
        "time_range": service.time_ranges.get(span, "") if span else "",
        "since": since.isoformat() if since else "",
        "since_day": f"{since:%Y%m%d}" if since else "",
    }
    values["query"] = _query(service, query, filters, values)
    lists = {"only": list(filters.only), "never": list(filters.never)}
    filled = _filled_object(service.parameters, values, lists)
    headers = {name: text for name, template in service.headers.items() if (text := fill(template, values)) is not None}
    defaults = {
        "User-Agent": f"{USER_AGENT} (mailto:{contact})" if contact else USER_AGENT,
        "Accept": ACCEPTED_TYPES[service.answer],
    }
    base = address.rstrip("/") or service.address.replace("{language}", quote(values["language"], safe=""))
    post = service.method == "POST"
    written = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in filled.items()}
    parameters = {} if post else written
    secret = {name for name in parameters if "{key}" in str(service.parameters[name])}
    return ServiceRequest(
        method=service.method,
        address=f"{base}{service.path}",
        parameters={name: value for name, value in parameters.items() if name not in secret},
        body=filled if post else None,
        headers={**defaults, **headers},
        secret={name: parameters[name] for name in secret},
    )


def fill(template: str, values: Mapping[str, str]) -> str | None:
    """Fill a template in one pass, so that values cannot contain placeholders; None if a value is empty."""
    if any(not values.get(name) for name in _PLACEHOLDER.findall(template)):
        return None
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def _query(service: Service, query: str, filters: Filters, values: Mapping[str, str]) -> str:
    """Return the query in the service's form within its maximum length; words and sites are dropped whole."""
    line = " ".join(query.split())
    sites = _sites(filters, service.max_query // 2) if service.site_operators else ""
    room = service.max_query - len(sites)
    if service.words is not None:
        line = _words(line, service.words, room) or line
    line = f"{line[:room].strip()}{sites}"
    return fill(service.since_query, {**values, "query": line}) or line if service.since_query else line


def _words(query: str, words: Words, room: int) -> str:
    all_words = dict.fromkeys(_WORD.findall(normal_form("NFKC", query).lower()))
    wanted = [word for word in all_words if word not in STOP_WORDS][: words.most]
    forms = [words.form.replace("{word}", word) for word in wanted]
    while forms and len(words.between.join(forms)) > room:
        forms.pop()
    return words.between.join(forms)


def _sites(filters: Filters, room: int) -> str:
    """Return ` (site:a.example OR site:b.example) -site:c.example`, as far as it fits."""
    only, never = filters.only[:MAX_SITES], filters.never[:MAX_SITES]
    while only or never:
        wanted = " OR ".join(f"site:{domain}" for domain in only)
        wanted = f" ({wanted})" if len(only) > 1 else f" {wanted}" if only else ""
        text = wanted + "".join(f" -site:{domain}" for domain in never)
        if len(text) <= room:
            return text
        only, never = (only, never[:-1]) if never else (only[:-1], never)
    return ""


def _filled_object(
    template: Mapping[str, Any], values: Mapping[str, str], lists: Mapping[str, list[str]]
) -> dict[str, Any]:
    filled = {name: _filled(value, values, lists) for name, value in template.items()}
    return {name: value for name, value in filled.items() if value is not None}


def _filled(template: Any, values: Mapping[str, str], lists: Mapping[str, list[str]]) -> Any:
    """Fill a parameter; None if a placeholder is empty. A limit alone becomes a number, domains become a list."""
    if isinstance(template, dict):
        return _filled_object(template, values, lists)
    if isinstance(template, list):
        return [value for part in template if (value := _filled(part, values, lists)) is not None]
    if not isinstance(template, str):
        return template
    if template == "{limit}":
        return int(values["limit"])
    name = template[1:-1] if template.startswith("{") and template.endswith("}") else ""
    return (lists[name] or None) if name in lists else fill(template, values)
