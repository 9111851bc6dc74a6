"""A numbered source of a report with what is quoted from it."""

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
    """A numbered source; copies of its text are named with it."""

    number: int
    title: str
    url: str
    link: str
    """A web address, or the place of the stored text below the report's folder."""
    who: tuple[str, ...]
    """Its site, its kind and when it was published, where they are known, in the reader's language."""
    details: tuple[str, ...]
    """The same as far as the title and the address do not tell it, and whether it is a copy or not cited."""
    cited: bool
    quotes: tuple[Quote, ...]
    text: str = ""
    """The place of the stored text below the report's folder."""

    @property
    def on_the_web(self) -> bool:
        """Tell whether the link leads to the web and not to a file beside the report."""
        return is_web_link(self.link)

    @property
    def beside_entry(self) -> tuple[str, ...]:
        """Return what is to be said beside its entry in a citation style, which names addresses of the web alone."""
        return self.details if self.on_the_web else (self.url, *self.details)

    @property
    def quoted_texts(self) -> dict[str, str]:
        """Return what is quoted from it, each text once: as it reads, and as it stands in the source, both on one line.

        What no statement cites is left out, unless nothing of it is cited.
        """
        cited = [quote for quote in self.quotes if quote.cited]
        return {as_line(quote.text): " ".join(quote.text.split()) for quote in cited or self.quotes}


def is_web_link(link: str) -> bool:
    """Tell whether a link leads to the web."""
    return _WEB.fullmatch(link) is not None
