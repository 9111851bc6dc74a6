"""Replaces snippets of web hits by the texts of their pages, each read once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from services.run.errors import PageError
from services.search.filters import Filters
from services.search.hit import Hit
from services.search.pages.reader import Page

Read = Callable[[str], Awaitable[Page]]
"""Reads the page of an address; a PageError gives the reason of a failure."""


async def complete(
    results: Sequence[Sequence[Hit]], read: Read, urls: Sequence[str], filters: Filters | None = None
) -> tuple[list[list[Hit]], list[str]]:
    """Read the pages of web hits with snippets.

    Args:
        results: hits of several searches, each list best first.
        read: reads one page.
        urls: permitted addresses.
        filters: excluded sites, checked again after redirects.

    Returns:
        The same lists, with texts for the hits whose pages were read; and the reasons of failures, each once.
    """
    pages: dict[str, Hit] = {}
    failures: list[str] = []
    for url, page in zip(urls, await asyncio.gather(*(_page_or_error(read, url) for url in urls)), strict=True):
        if isinstance(page, PageError):
            failures.append(str(page))
        elif filters is None or filters.permit(page.final_url):
            pages[url] = page.hit()
    return [[_completed(hit, pages) for hit in hits] for hits in results], list(dict.fromkeys(failures))


async def _page_or_error(read: Read, url: str) -> Page | PageError:
    try:
        return await read(url)
    except PageError as error:
        return error


def in_turns(results: Sequence[Sequence[Hit]]) -> list[str]:
    """Return the addresses of the snippets in turns: the first of every search, then the second of every search, and so on."""
    longest = max(map(len, results), default=0)
    ordered = [hits[place] for place in range(longest) for hits in results if place < len(hits)]
    return list(dict.fromkeys(hit.address_to_read for hit in ordered if hit.kind == "web" and hit.snippet_only))


def _completed(hit: Hit, pages: dict[str, Hit]) -> Hit:
    page = pages.get(hit.address_to_read)
    if page is None or not hit.snippet_only:
        return hit
    known: dict[str, object] = {"published": page.published or hit.published, "title": page.title or hit.title}
    if hit.publication is not None:  # a catalogue's data is better than a PDF's first page
        known = {
            "published": hit.published or page.published,
            "title": hit.title,
            "source_kind": hit.source_kind if page.source_kind == "general" else page.source_kind,
            "publication": hit.publication,
        }
    known["card"] = page.card.filled(hit.card) if hit.publication is None else hit.card.filled(page.card)
    return page.model_copy(update=known)
