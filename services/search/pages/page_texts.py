"""From what a search found to what the pages say: snippets are replaced by the texts of their pages, each read once."""

from collections.abc import Sequence
from typing import Protocol

from services.run.errors import PageError
from services.search.filters import Filters
from services.search.hit import Hit
from services.search.pages.reader import Page


class Reader(Protocol):
    """What reads several pages side by side."""

    async def read_all(self, urls: Sequence[str]) -> list[Page | PageError]:
        """Return each page, or why it was not read, in the order of the addresses."""


async def complete(
    found: Sequence[Sequence[Hit]], reader: Reader, most: int, filters: Filters | None = None
) -> tuple[list[list[Hit]], list[str]]:
    """Read the pages of web hits that came as snippets.

    Args:
        found: hits of several searches, each list best first.
        reader: reads the pages.
        most: pages to read at most; the best of every search come first.
        filters: sites that a page must not turn out to be of after its redirects.

    Returns:
        The same lists, where a hit whose page was read has its text, and a hit whose page was not stays a snippet; and why
        pages were not read, each reason once.
    """
    wanted = _in_turns(found)[:most]
    read: dict[str, Hit] = {}
    failures: list[str] = []
    for url, page in zip(wanted, await reader.read_all(wanted), strict=True):
        if isinstance(page, PageError):
            failures.append(str(page))
        elif filters is None or filters.permit(page.final_url):
            read[url] = page.hit()
    return [[_completed(hit, read) for hit in hits] for hits in found], list(dict.fromkeys(failures))


def _in_turns(found: Sequence[Sequence[Hit]]) -> list[str]:
    """Return the addresses of the snippets: the first of every search, then the second of every search, and so on."""
    longest = max(map(len, found), default=0)
    ordered = [hits[place] for place in range(longest) for hits in found if place < len(hits)]
    return list(dict.fromkeys(hit.url for hit in ordered if hit.kind == "web" and hit.snippet_only))


def _completed(hit: Hit, read: dict[str, Hit]) -> Hit:
    page = read.get(hit.url)
    if page is None or not hit.snippet_only:
        return hit
    return page.model_copy(update={"published": page.published or hit.published, "title": page.title or hit.title})
