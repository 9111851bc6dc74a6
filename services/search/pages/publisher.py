"""Reads a page's own statements about its publisher: the name and the kind of its site."""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

from services.search.pages.extraction import Claimed

MAX_BLOCKS, LONGEST_BLOCK, MAX_THINGS = 5, 200_000, 500
"""Maximum JSON-LD blocks of a page, characters of a block, and items examined in them."""
MAX_META = 500
LONGEST_NAME = 1_000
_NAMES = ("og:site_name", "citation_journal_title", "dc.publisher")
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


def publisher_of(tree: HtmlElement) -> tuple[str, Claimed]:
    """Return the site name and the kind that a page states; an empty name if it states none.

    Args:
        tree: the page including its scripts.
    """
    tags = _tags(tree)
    things = list(json_ld(tree))
    types = {name for thing in things for name in _strings(thing.get("@type"))}
    names = [tags[name] for name in _NAMES if tags.get(name)]
    names += [name for thing in things for name in _publishers(thing.get("publisher"))]
    claimed = next((category for category, known in _TYPES.items() if known & types), None)
    if claimed is None and _ACADEMIC & tags.keys():
        claimed = "academic"
    return names[0][:LONGEST_NAME] if names else "", claimed or "general"


def _tags(tree: HtmlElement) -> dict[str, str]:
    """Return the contents of the page's meta tags by name; of repeated tags, the first."""
    tags: dict[str, str] = {}
    for place, element in enumerate(tree.iter("meta")):
        if place >= MAX_META:
            break
        name = (element.get("property") or element.get("name") or "").lower()
        if content := (element.get("content") or "").strip():
            tags.setdefault(name, content)
    return tags


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


def _publishers(value: Any) -> list[str]:
    """Return the name of a publisher, given as a text, an organisation, or a list of these."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("name")
    return [value.strip()] if isinstance(value, str) and value.strip() else []


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [name for name in values if isinstance(name, str)]
