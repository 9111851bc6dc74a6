"""A numbered source of a report with its quotes."""

import re
from dataclasses import dataclass

from services.text.quotable import as_line

_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim excerpt."""

    id: str
    text: str
    cited: bool = False
    """Whether a statement or a chart of the report cites it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A numbered source with the copies of its text."""

    number: int
    title: str
    url: str
    link: str
    """A web address, or the path of the stored text below the report's folder."""
    who: tuple[str, ...]
    """Site, kind and date of publication, as far as known, in the reader's language."""
    by: tuple[str, ...]
    """Its authors and its date, as far as its card has them."""
    details: tuple[str, ...]
    """What else is known: its kind, site, status and version, its copies, and whether it is not cited."""
    cited: bool
    quotes: tuple[Quote, ...]
    text: str = ""
    """Path of the stored text below the report's folder."""

    @property
    def on_the_web(self) -> bool:
        """Tell whether the link leads to the web, not to a file beside the report."""
        return is_web_link(self.link)

    @property
    def parts(self) -> tuple[str, ...]:
        """Return what stands behind its title, in order, each once: authors and date, address, details."""
        return tuple(dict.fromkeys(part for part in (*self.by, self.url, *self.details) if part != self.title))

    @property
    def beside_entry(self) -> tuple[str, ...]:
        """Return the details to add to its entry in a citation style, which contains only web addresses."""
        return self.details if self.on_the_web else (self.url, *self.details)

    @property
    def quoted_texts(self) -> dict[str, str]:
        """Return its quotes, each text once: as shown, and as in the source, both on one line.

        Quotes that no statement cites are left out, unless none is cited.
        """
        cited = [quote for quote in self.quotes if quote.cited]
        return {as_line(quote.text): " ".join(quote.text.split()) for quote in cited or self.quotes}


def is_web_link(link: str) -> bool:
    """Tell whether a link leads to the web."""
    return _WEB.fullmatch(link) is not None
