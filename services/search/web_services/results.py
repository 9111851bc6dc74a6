"""Extracts hits from a service's answer by the paths of its record: malformed ones are dropped, or reported if all are; markup becomes plain text."""

import math
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from schemas.clean_text import clean_address
from schemas.publication import Publication
from services.run.errors import SearchError
from services.search.hit import Hit
from services.search.web_services.answers import listed, meets, scalar, values_at
from services.search.web_services.service import Paths, Service, placeholders
from services.text.dates import iso_date
from services.text.normal_form import normalise_text, unescape

LONGEST_TEXT = 500_000
"""Maximum characters of a page's text from a service."""
LONGEST_TITLE = 300
MAX_ITEMS = 200
"""Maximum results of one answer that are examined."""
MAX_OTHERS = 3
"""Maximum other pages on the subject of one result."""
MAX_RANK = 1e9
"""Maximum value of a number that orders results."""
MAX_PARTS = 50
"""Maximum parts of one text, such as matching fragments of a file."""

MAX_WORDS = 20_000
"""Maximum words of an abstract in an inverted index."""
_BREAK = re.compile(
    r"</?(?:jats:)?(?:p|br|div|li|ul|ol|h[1-6]|sec|title|list|list-item|disp-formula)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]*|!--[^<>]*--)>")
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")
_HEADING = re.compile(r"^(?:abstract|summary)\s*\n", re.IGNORECASE)


def hits_of(service: Service, answer: Any) -> list[Hit]:
    """Return the hits of an answer, best first and each address once, each followed by other pages on its subject. Blocking.

    Raises:
        SearchError: the list of results is not at the record's path, or no result has an address or a title.
    """
    items = _items(service, answer)
    hits: dict[str, Hit] = {}
    addresses = [_address(item, service.fields.url) for item in items]
    titles = [_title(service, item, service.fields.title) for item in items]
    for name, texts, paths in (("url", addresses, service.fields.url), ("title", titles, service.fields.title)):
        if items and not any(texts):
            raise _changed(service, name, " or ".join(paths))
    for item, address, title in zip(items, addresses, titles, strict=True):
        if address and address not in hits:
            hits[address] = _hit(service, item, address, title or address)
            hits |= {other.url: other for other in _others(service, item) if other.url not in {*addresses, *hits}}
    return list(hits.values())


def _items(service: Service, answer: Any) -> list[dict[str, Any]]:
    values = values_at(answer, service.results)
    listing = values[0] if values else None
    if service.answer == "atom":  # a feed without entries has no list, and a single entry is not in a list
        listing = listed(listing) if listing is not None else []
    if not isinstance(listing, list):
        if service.empty and all(meets(answer, condition) for condition in service.empty):
            return []
        raise _changed(service, "results", service.results or "a list")
    items = [item for item in listing[:MAX_ITEMS] if isinstance(item, dict)]
    if listing and not items:
        raise _changed(service, "results", service.results or "a list")
    return sorted(items, key=lambda item: _number(item, service.order)) if service.order else items


def _changed(service: Service, field: str, paths: str) -> SearchError:
    return SearchError(
        f"{service.title}'s answer has no usable {field} ({paths}): its form has changed, or it is another service that "
        f"answers. Correct the field {field} in the record of {service.name}, or use another search."
    )


def _hit(service: Service, item: dict[str, Any], address: str, title: str) -> Hit:
    fields = service.fields
    text = _text(service, item, "text", fields.text)
    abstract = "" if text else _text(service, item, "abstract", fields.abstract)
    snippet = "" if text or abstract else _text(service, item, "snippet", fields.snippet)
    published = _date(item, fields.published)
    publication = _publication(service, item, published)
    return Hit(
        url=address,
        title=title,
        kind="web",
        text=text or abstract or snippet,
        # An abstract is used alone unless the full text is open: the page behind it is mostly not readable.
        snippet_only=not text and not (abstract and not (publication and publication.open_url)),
        abstract_only=bool(abstract),
        published=published or None,
        source_kind=service.source_kind,
        publication=publication,
    )


def _others(service: Service, item: dict[str, Any]) -> list[Hit]:
    """Return other pages on the subject of a result, without texts, which only their pages have."""
    fields = service.fields
    pages = [other for path in fields.others for other in values_at(item, path) if isinstance(other, dict)][:MAX_OTHERS]
    return [
        Hit(
            url=address,
            title=_title(service, other, fields.other_title) or address,
            kind="web",
            text="",
            snippet_only=True,
            source_kind=service.source_kind,
        )
        for other in pages
        if (address := _address(other, fields.other_url))
    ]


def _publication(service: Service, item: dict[str, Any], published: str) -> Publication | None:
    fields = service.fields
    named = (fields.venue, fields.authors, fields.citations, fields.doi, fields.licence, fields.open_url)
    if not any(named):
        return None
    year = (iso_date(published) or "")[:4]
    known = Publication(
        year=int(year) if year else None,
        venue=without_markup(_first(item, fields.venue)[:2_000]),
        authors=tuple(_authors(service, item)),
        citations=_count(_first(item, fields.citations)),
        doi=_first(item, fields.doi),
        licence=_first(item, fields.licence),
        open_url=_address(item, fields.open_url),
    )
    return known if known != Publication(year=known.year) else None


def _address(item: dict[str, Any], paths: Paths) -> str:
    return next((address for path in paths if (address := clean_address(_first(item, (path,))))), "")


def _first(item: Any, paths: Paths) -> str:
    for path in paths:
        names = placeholders(path)
        if not names:
            text = next((text for value in values_at(item, path) if (text := scalar(value))), "")
        else:
            text = _composed(item, path, names)
        if text:
            return text
    return ""


def _composed(item: Any, template: str, names: Iterable[str]) -> str:
    """Fill a template; empty if one of its paths has no value. Values in addresses are quoted."""
    values = {name: _first(item, (name,))[:LONGEST_TITLE] for name in names}
    if not all(values.values()):
        return ""
    safe = template.startswith(("http://", "https://"))
    for name, value in values.items():
        values[name] = quote(value, safe="/") if safe else value
    pieces = template.split("{")
    return pieces[0] + "".join(values[name] + rest for name, _, rest in (piece.partition("}") for piece in pieces[1:]))


def _title(service: Service, item: dict[str, Any], paths: Paths) -> str:
    title = _first(item, paths)[: 10 * LONGEST_TITLE]
    plain = without_markup(title) if service.forms.get("title") == "markup" else title
    return " ".join(normalise_text(plain).split())[:LONGEST_TITLE]


def _text(service: Service, item: dict[str, Any], name: Any, paths: Paths) -> str:
    """Return a longer text; several values of a path are joined by line breaks."""
    form = service.forms.get(name)
    for path in paths:
        values = values_at(item, path)[:MAX_PARTS]
        if form == "inverted_index":
            parts = [from_inverted_index(value) for value in values]
        else:
            parts = [str(part)[:LONGEST_TEXT] for value in values for part in listed(value)[:MAX_PARTS] if scalar(part)]
        if form == "markup":
            parts = [without_markup(part) for part in parts]
        lines = (part.strip("\n").rstrip() for part in parts)
        if text := normalise_text("\n\n".join(filter(None, lines))[:LONGEST_TEXT]):
            return text
    return ""


def _authors(service: Service, item: dict[str, Any]) -> list[str]:
    for path in service.fields.authors:
        authors = [author for value in values_at(item, path) for author in listed(value)]
        names = [
            _first(author, service.fields.author_name) if isinstance(author, dict) else scalar(author)
            for author in authors[:MAX_PARTS]
        ]
        if any(names):
            return [name for name in names if name]
    return []


def _date(item: dict[str, Any], paths: Paths) -> str:
    """Return a date as written; numbers of year, month and day are combined."""
    for path in paths:
        for value in values_at(item, path):
            numbers = value if isinstance(value, list) else []
            if numbers and all(isinstance(part, int) for part in numbers):
                return "-".join(f"{part:02}" for part in numbers[:3])
            if written := scalar(value):
                return written[:60]
    return ""


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else None


def _number(item: dict[str, Any], path: str) -> float:
    values = values_at(item, path)
    value = values[0] if values else None
    return value if isinstance(value, int | float) and abs(value) < MAX_RANK else math.inf


def without_markup(text: str) -> str:
    """Return the plain text of HTML or JATS in linear time: blocks become lines, tags are dropped, entities decoded once."""
    broken = _TAG.sub("", _BREAK.sub("\n", text))
    lines = (_BLANKS.sub(" ", line).strip() for line in unescape(broken).split("\n"))
    return _HEADING.sub("", "\n".join(line for line in lines if line))


def from_inverted_index(index: Any) -> str:
    """Return the text of an inverted index `{word: [places]}`; malformed parts are dropped."""
    if not isinstance(index, dict):
        return ""
    placed: list[tuple[int, str]] = []
    for word, places in index.items():
        if isinstance(places, list):
            room = MAX_WORDS - len(placed)
            placed += [(place, word) for place in places[:room] if isinstance(place, int) and place >= 0]
    return " ".join(word for _, word in sorted(placed))
