"""Lists of domains that a search keeps to or leaves out; a domain stands for all below it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

import idna

from services.errors import BadInput


@dataclass(frozen=True, slots=True)
class Domains:
    """Which sites a search may name; what is left out stays out even where it is kept to."""

    only: tuple[str, ...] = ()
    """If there are any, no others are taken."""
    never: tuple[str, ...] = ()

    @classmethod
    def of(cls, only: Iterable[str] = (), never: Iterable[str] = ()) -> Self:
        """Read domains as people write them: `example.com`, `*.example.com`, `https://www.example.com/page`.

        Raises:
            BadInput: one of them is no domain.
        """
        return cls(*(tuple(dict.fromkeys(_domain(one) for one in many)) for many in (only, never)))

    def permit(self, url: str) -> bool:
        """Tell whether a page may be taken."""
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
