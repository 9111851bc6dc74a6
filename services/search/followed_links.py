"""Selects links of read pages to follow, by comparing their text with the queries that are still open.

A page cannot force a link to be followed. A link's score is the number of query words in its text, at most three, so
that repeating a whole question is worth no more than naming its subject. Words in many links of a page do not count.
Pages take turns, so that one page cannot displace the links of others, and none has more than five in a step. Text
around a link is ignored. An address that logs in or out, buys, orders, deletes or subscribes is never followed, and the
reader's guard and robots.txt hold as for any page.
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
"""Maximum query words in a link's text that count."""
LEAST = 2
"""Minimum query words in a link's text; all of them if the query has fewer."""
COMMON = 5
"""Maximum links of a page that may hold a word for it to count."""
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
"""Parts of an address, without hyphens, that trigger an action or belong to an account."""
_NO_PAGE = re.compile(
    r"\.(?:jpe?g|png|gif|svg|webp|ico|mp[34]|avi|mov|webm|wav|zip|gz|tar|7z|rar|exe|dmg|msi|apk|iso|css|js|json|xml|rss|atom)$"
)


class Followed(NamedTuple):
    """A link to follow."""

    page: str
    """Address of the page with the link."""
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
    """Select links of pages, best first, to follow for the open queries. Blocking, in linear time.

    A page has at most `per_page` of them in a step, with those `followed` before; `known` addresses were read or will be.
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
    """Tell whether an address looks like a page to read, not like an action or an account."""
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
