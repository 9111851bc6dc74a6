"""Reads what a web page says about itself: its card, and the name and the kind of its site, from meta tags, JSON-LD, its list of fields, and `<time>`."""

import json
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

from schemas.card import Card
from services.search.files.cards import Field, card_of, plain
from services.search.pages.extraction import Claimed

MAX_PAIRS = 40
"""Pairs of the first list of terms (`<dl>`) that are read."""
_META = ("title", "author", "creator", "published", "modified", "date", "issued", "created", "report_number")
"""What the name of a meta tag must hold to be a field: others are about the site and its programs."""
_ONE_AUTHOR = re.compile(r"citation_author|dc(?:terms)?\.creator", re.IGNORECASE)
"""Meta tags of which each is one author, `Family, Given` as a rule."""
_ARTICLE = frozenset({"headline", "datePublished", "author", "reportNumber"})
"""What JSON-LD of a text has, and of a site or a list of links has not."""
_FIELDS = "headline name author creator datePublished dateModified dateCreated version creativeWorkStatus reportNumber".split()

MAX_BLOCKS, LONGEST_BLOCK, MAX_THINGS = 5, 200_000, 500
"""Maximum JSON-LD blocks of a page, characters of a block, and items examined in them."""
MAX_META = 500
LONGEST_NAME = 1_000
_SITE_NAMES = ("og:site_name", "citation_journal_title", "dc.publisher")
_TYPES: dict[Claimed, frozenset[str]] = {
    "academic": frozenset({"ScholarlyArticle", "MedicalScholarlyArticle"}),
    "news": frozenset(
        "NewsArticle ReportageNewsArticle AnalysisNewsArticle OpinionNewsArticle BackgroundNewsArticle".split()
    ),
    "code": frozenset({"SoftwareSourceCode"}),
    "reference": frozenset({"DefinedTerm", "DefinedTermSet"}),
    "forum": frozenset({"DiscussionForumPosting", "QAPage"}),
    "company": frozenset({"Corporation", "LocalBusiness", "OnlineBusiness", "OnlineStore", "Product"}),
    "personal": frozenset({"Blog", "BlogPosting", "ProfilePage"}),
}
"""Types of schema.org that indicate the kind of a page."""
_ACADEMIC = frozenset({"citation_doi", "citation_journal_title", "citation_arxiv_id", "citation_conference_title"})
"""Names of meta tags on pages of academic publishers."""


def html_card(tree: HtmlElement, title: str = "", published: str = "") -> Card:
    """Return the card of a page with its scripts; the title that readers see goes before others, and the earlier date of publication counts."""
    shown = card_of([("title", title), *_listed(tree)])
    tags = [
        (
            plain(name),
            " ".join(reversed(text.split(", "))) if _ONE_AUTHOR.match(name) and text.count(", ") == 1 else text,
        )
        for name, text in _tags(tree)
        if any(word in name.casefold() for word in _META)
    ]
    card = shown.filled(card_of([*_article(tree), *tags, *_times(tree)]))
    titled = " ".join(
        (tree.findtext(".//title") or "").split()
    )  # `RFC 9204 - QPACK` above a heading without the number
    if not card.name and card.title and titled.endswith(card.title):
        card = card.model_copy(update={"name": card_of([("title", titled)]).name})
    published = min(filter(None, [published, card.published]), default="")  # the other is of a change
    dates = {label: day for label, day in card.dates.items() if day != published or label in shown.dates}
    return card.model_copy(update={"published": published, "dates": dates})


def _listed(tree: HtmlElement) -> Iterator[Field]:
    """Yield the pairs of the page's first list of terms, unless text or a section stands between it and the heading: the header of a document."""
    first, below = None, False
    for element in tree.iter("h1", "h2", "p", "dl"):
        if element.tag != "dl":
            below = element.tag != "h1"
        elif not below:
            first = element
            break
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
    values = value[:MAX_PAIRS] if isinstance(value, list) else [value]
    names = (entry.get("name") if isinstance(entry, dict) else entry for entry in values)
    return [name for name in names if isinstance(name, str)]


def _tags(tree: HtmlElement) -> Iterator[Field]:
    for element in islice(tree.iter("meta"), MAX_META):
        if content := (element.get("content") or "").strip():
            yield element.get("property") or element.get("name") or "", content


def _times(tree: HtmlElement) -> Iterator[Field]:
    first = next(tree.iter("time"), None)
    if first is not None:
        yield "created", first.get("datetime") or _text(first)


def publisher_of(tree: HtmlElement) -> tuple[str, Claimed]:
    """Return the site name and the kind that a page, its scripts included, states; an empty name if it states none."""
    tags: dict[str, str] = {}
    for name, content in _tags(tree):
        tags.setdefault(name.lower(), content)
    things = list(json_ld(tree))
    types = {name for thing in things for name in _values(thing.get("@type"))}
    names = [tags[name] for name in _SITE_NAMES if tags.get(name)]
    names += [name.strip() for thing in things for name in _values(thing.get("publisher"))[:1] if name.strip()]
    claimed = next((category for category, known in _TYPES.items() if known & types), None)
    if claimed is None and _ACADEMIC & tags.keys():
        claimed = "academic"
    return names[0][:LONGEST_NAME] if names else "", claimed or "general"


def json_ld(tree: HtmlElement) -> Iterator[dict[str, Any]]:
    """Yield the top-level items of a page's JSON-LD, in lists and graphs."""
    waiting: deque[Any] = deque()
    for place, script in enumerate(tree.iterfind(".//script[@type='application/ld+json']")):
        text = script.text or ""
        if place < MAX_BLOCKS and len(text) <= LONGEST_BLOCK:
            try:
                waiting.append(json.loads(text))
            except (ValueError, RecursionError):
                continue
    for _ in range(MAX_THINGS):
        if not waiting:
            return
        thing = waiting.popleft()
        if isinstance(thing, list):
            waiting += thing[:MAX_THINGS]
        elif isinstance(thing, dict):
            yield thing
            if "@graph" in thing:
                waiting.append(thing["@graph"])
