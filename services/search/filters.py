"""Filters of a web search: included or excluded sites and kinds of pages, and the age of pages."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self
from urllib.parse import urlsplit

import idna

from schemas.evidence import SourceCategory
from schemas.options import DAYS, TimeRange
from services.run.errors import BadInput
from services.run.ui_text import told
from services.search.source_kinds import category_of
from services.text.dates import in_time


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of pages; a domain includes its subdomains."""

    only: tuple[str, ...] = ()
    """Included domains; if there are any, all others are excluded."""
    never: tuple[str, ...] = ()
    """Excluded domains, even below included ones."""
    time_range: TimeRange | None = None
    """Maximum age: pages of the last day, week, month or year."""
    kinds: tuple[SourceCategory, ...] = ()
    """Excluded kinds of pages."""
    after: str = ""
    """ISO date before which nothing may have been published, as far as its date is known."""
    before: str = ""
    """ISO date after which nothing may."""

    @classmethod
    def of(
        cls,
        only: Iterable[str] = (),
        never: Iterable[str] = (),
        *,
        time_range: TimeRange | None = None,
        kinds: Iterable[SourceCategory] = (),
        after: str = "",
        before: str = "",
    ) -> Self:
        """Parse domains as people write them: `example.com`, `*.example.com`, `https://www.example.com/page`.

        Raises:
            BadInput: a value is not a domain.
        """
        included, excluded = (tuple(dict.fromkeys(map(_domain, domains))) for domains in (only, never))
        return cls(included, excluded, time_range, tuple(kinds), after, before)

    def since(self, today: date) -> date | None:
        """Return the first day of the wanted time; None for any."""
        days = [today - timedelta(days=DAYS[self.time_range])] if self.time_range else []
        return max([*days, *([date.fromisoformat(self.after)] if self.after else [])], default=None)

    def range_at(self, today: date) -> TimeRange | None:
        """Return the shortest range of a search service that reaches back to the first day of the wanted time; None where none does."""
        since = self.since(today)
        return next((name for name, days in DAYS.items() if since and today - timedelta(days=days) <= since), None)

    def in_time(self, published: str | None) -> bool:
        """Tell whether a source is of the wanted dates, as far as its own is known."""
        return in_time(published, self.after, self.before)

    def permit(self, url: str, kind: SourceCategory = "general") -> bool:
        """Tell whether the filters permit a page."""
        if self.kinds and (kind in self.kinds or category_of(url) in self.kinds):
            return False
        try:
            host = (urlsplit(url).hostname or "").rstrip(".").lower()
        except ValueError:
            return False
        if not host or any(_below(host, domain) for domain in self.never):
            return False
        return not self.only or any(_below(host, domain) for domain in self.only)


ANYTHING = Filters()
"""Filters that leave nothing out."""


def _below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _domain(text: str) -> str:
    bare = re.sub(r"^(?:[a-z]+://)?(?:\*?\.)?([^/:?#]*).*$", r"\1", text.strip().lower()).rstrip(".")
    try:
        domain = bare if bare.isascii() else idna.encode(bare, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        domain = ""
    if not re.fullmatch(r"(?:[a-z0-9_-]+\.)*[a-z0-9-]+", domain):
        raise BadInput(**told("no_domain", text=text))
    return domain
