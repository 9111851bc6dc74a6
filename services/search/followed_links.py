"""Chooses links of read pages to follow: code compares their text with what is still missing.

What a page says cannot make a link be followed. A link counts by the words of the queries in its text, three at most: one that repeats a
whole question counts no more than one that names its subject. Words that many links of a page hold count nothing. Pages take turns, so
that one cannot take the place of another's links, and none has more than five in a step. Text around a link is not looked at. An address
that logs in or out, buys, orders, deletes or subscribes is never followed, and the reader's guard and robots.txt hold as for any page.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from services.search.pages.reader import Page
from services.text.tokens import tokens

ENOUGH = 3
"""Words of a query in a link's text beyond which more of them count nothing."""
LEAST = 2
"""Words of a query that a link's text must hold; all, where the query has fewer."""
COMMON = 5
"""Links of a page that may hold a word for it to tell one of them from the others."""
MAX_PARAMETERS = 4
_ACTS_BY_PREFIX = (
    "login", "logon", "logout", "logoff", "signin", "signon", "signout", "signup", "unsubscribe", "checkout", "addtocart", "wplogin",
    "password", "resetpass", "oauth", "wpadmin",
)  # fmt: skip
_ACTS = frozenset(
    "account accounts activate add admin auth basket buy cancel cart confirm delete donate edit join like logged newsletter optout order "
    "orders pay payment profile purchase register registration remove reply report save session sessions share sso subscribe subscription "
    "token upload verify vote wishlist key sid jsessionid phpsessid sig signature apikey accesstoken".split()
)
"""Parts of an address, without hyphens, that do something or belong to somebody."""
_NO_PAGE = re.compile(
    r"\.(?:jpe?g|png|gif|svg|webp|ico|mp[34]|avi|mov|webm|wav|zip|gz|tar|7z|rar|exe|dmg|msi|apk|iso|css|js|json|xml|rss|atom)$"
)


class Followed(NamedTuple):
    """A link that is followed."""

    page: str
    """Address of the page on which it stands."""
    url: str


def links_to_follow(
    pages: Sequence[Page],
    queries: Sequence[str],
    limit: int,
    *,
    per_page: int,
    followed: Mapping[str, Sequence[str]],
    known: Collection[str],
    permit: Callable[[str], bool],
) -> list[Followed]:
    """Choose links. Blocking, in linear time.

    Args:
        pages: that were read, best first.
        queries: what is still looked for.
        limit: most links.
        per_page: most links of one page in a step.
        followed: addresses that the step has followed, by the page with the link.
        known: addresses that were read or are going to be.
        permit: tells whether an address may be read at all.
    """
    wanted = [terms for query in queries if (terms := frozenset(tokens(query)))]
    taken = {*known, *(url for urls in followed.values() for url in urls)}

    def free(url: str) -> bool:
        return url not in taken and may_be_followed(url) and permit(url)

    columns = [
        islice(_best_links(page, wanted, free), max(0, per_page - len(followed.get(page.final_url, ()))))
        for page in pages
    ]
    chosen: dict[str, Followed] = {}
    for link in filter(None, chain.from_iterable(zip_longest(*columns))):
        chosen.setdefault(link.url, link)
    return list(chosen.values())[: max(0, limit)]


def _best_links(page: Page, wanted: Sequence[frozenset[str]], free: Callable[[str], bool]) -> Iterator[Followed]:
    """Yield the links of a page that may be followed, the best first; of equals that which stands first."""
    terms = [frozenset(tokens(link.text)) for link in page.links]
    holding = Counter(chain.from_iterable(terms))
    scores = [_score(frozenset(term for term in words if holding[term] <= COMMON), wanted) for words in terms]
    for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
        if not scores[place]:
            return
        if free(page.links[place].url):
            yield Followed(page.final_url, page.links[place].url)


def _score(words: frozenset[str], wanted: Sequence[frozenset[str]]) -> int:
    shared = (len(words & terms) if len(words & terms) >= min(LEAST, len(terms)) else 0 for terms in wanted)
    return min(ENOUGH, max(shared, default=0))


def may_be_followed(url: str) -> bool:
    """Tell whether an address seems to be that of a page to read, and of nothing that does something or belongs to somebody."""
    try:
        split = urlsplit(url)
        parameters = [part.partition("=") for part in re.split("[&;]", split.query) if part]
    except ValueError:
        return False
    path = unquote(split.path).lower()
    if split.scheme not in {"http", "https"} or len(parameters) > MAX_PARAMETERS or _NO_PAGE.search(path):
        return False
    hosts = (split.hostname or "").split(".")[:-2]
    segments = [re.sub(r"\.\w{1,5}$", "", segment) for segment in path.split("/")]
    values = [unquote(part).lower() for name, _, value in parameters for part in (name, value)]
    return not any(_acts(re.sub(r"[^a-z0-9]", "", part)) for part in [*hosts, *segments, *values])


def _acts(part: str) -> bool:
    return part in _ACTS or part.startswith(_ACTS_BY_PREFIX)
