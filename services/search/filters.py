"""Filters of a web search: sites and kinds of pages to take or leave out, and the age of pages."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

import idna

from schemas.evidence import SourceCategory
from schemas.options import TimeRange
from services.run.errors import BadInput
from services.search.source_kinds import category_of


@dataclass(frozen=True, slots=True)
class Filters:
    """Which pages a search may name; a domain stands for all below it."""

    only: tuple[str, ...] = ()
    """Domains; if there are any, no others are taken."""
    never: tuple[str, ...] = ()
    """Domains that are left out, even below those that are kept to."""
    time_range: TimeRange | None = None
    """Take what was published within the last day, week, month or year."""
    kinds: tuple[SourceCategory, ...] = ()
    """Kinds of pages that are left out."""

    @classmethod
    def of(
        cls,
        only: Iterable[str] = (),
        never: Iterable[str] = (),
        *,
        time_range: TimeRange | None = None,
        kinds: Iterable[SourceCategory] = (),
    ) -> Self:
        """Read domains as people write them: `example.com`, `*.example.com`, `https://www.example.com/page`.

        Raises:
            BadInput: one of them is no domain.
        """
        included, excluded = (tuple(dict.fromkeys(map(_domain, domains))) for domains in (only, never))
        return cls(included, excluded, time_range, tuple(kinds))

    def permit(self, url: str, kind: SourceCategory = "general") -> bool:
        """Tell whether a page may be taken.

        Args:
            url: its address.
            kind: of the page, where more is known than its address tells.
        """
        if self.kinds and (kind in self.kinds or category_of(url) in self.kinds):
            return False
        try:
            host = (urlsplit(url).hostname or "").rstrip(".").lower()
        except ValueError:
            return False
        if not host or any(_below(host, domain) for domain in self.never):
            return False
        return not self.only or any(_below(host, domain) for domain in self.only)


def _below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _domain(text: str) -> str:
    bare = re.sub(r"^(?:[a-z]+://)?(?:\*?\.)?([^/:?#]*).*$", r"\1", text.strip().lower()).rstrip(".")
    try:
        domain = bare if bare.isascii() else idna.encode(bare, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        domain = ""
    if not re.fullmatch(r"(?:[a-z0-9_-]+\.)*[a-z0-9-]+", domain):
        raise BadInput(f"{text!r} is no domain. Write it like example.com.")
    return domain
