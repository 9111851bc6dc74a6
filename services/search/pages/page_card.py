"""Reads the card of a web page: its meta tags, its data for search engines (JSON-LD), its list of fields, and its `<time>`."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

from schemas.card import Card
from services.search.cards import Field, card_of, plain
from services.search.pages.publisher import MAX_META, json_ld

MAX_PAIRS = 40
"""Pairs of the first list of terms (`<dl>`) that are read."""
_META = ("title", "author", "creator", "published", "modified", "date", "issued", "created", "report_number")
"""What the name of a meta tag must hold to be a field: others are about the site and its programs."""
_ARTICLE = frozenset({"headline", "datePublished", "author", "reportNumber"})
"""What JSON-LD of a text has, and of a site or a list of links has not."""
_FIELDS = "headline name author creator datePublished dateModified dateCreated version creativeWorkStatus reportNumber".split()


def html_card(tree: HtmlElement, title: str = "", published: str = "") -> Card:
    """Return the card of a page.

    Args:
        tree: the page including its scripts.
        title: as readers see it; it goes before what the page tells search engines.
        published: date of publication that was found otherwise; the earlier one counts.
    """
    shown = card_of([("title", title), *_listed(tree)])
    card = shown.filled(card_of([*_article(tree), *_meta(tree), *_times(tree)]))
    published = min(filter(None, [published, card.published]), default="")  # the other is of a change
    dates = {label: told for label, told in card.dates.items() if told != published or label in shown.dates}
    return card.model_copy(update={"published": published, "dates": dates})


def _listed(tree: HtmlElement) -> Iterator[Field]:
    """Yield the pairs of the page's first list of terms, which is the header of a document."""
    first = tree.find(".//dl")
    for term in islice(first.iter("dt"), MAX_PAIRS) if first is not None else ():
        value = term.getnext()
        if value is not None and value.tag == "dd":
            yield _text(term).rstrip(" :："), _text(value)


def _text(element: HtmlElement) -> str:
    return " ".join("".join(islice(element.itertext(), 100)).split())


def _article(tree: HtmlElement) -> Iterator[Field]:
    thing = next((thing for thing in json_ld(tree) if _ARTICLE & thing.keys()), {})
    for name in _FIELDS:
        for value in _values(thing.get(name)):
            yield ("title" if name == "name" else plain(name)), value


def _values(value: Any) -> list[str]:
    """Return the texts of a value: itself, or the names of the people in it."""
    values = value[:MAX_PAIRS] if isinstance(value, list) else [value]
    names = (one.get("name") if isinstance(one, dict) else one for one in values)
    return [name for name in names if isinstance(name, str)]


def _meta(tree: HtmlElement) -> Iterator[Field]:
    for element in islice(tree.iter("meta"), MAX_META):
        name = element.get("property") or element.get("name") or ""
        if any(word in name.casefold() for word in _META):
            yield plain(name), element.get("content") or ""


def _times(tree: HtmlElement) -> Iterator[Field]:
    first = next(tree.iter("time"), None)
    if first is not None:
        yield "created", first.get("datetime") or _text(first)
