"""Input and output of the process that extracts a page's text."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from services.search.files.missing_text import NeedsScripts

Claimed = Literal["general", "academic", "news", "code", "reference", "forum", "company", "personal"]
"""Kind of source that a page claims to be; only an address shows that a source is official."""

MAX_LINKS = 100
"""Maximum links of a page that are kept, in order."""
AROUND = frozenset("nav footer aside form button menu head".split())
"""Elements around a page's text, and forms, whose links are ignored."""


class Job(TypedDict):
    """What is known about a body."""

    name: str
    """Of the page: its title, where it has none of its own."""
    kind: str
    charset: str | None
    url: str
    characters: int
    links: NotRequired[bool]
    """Whether its links are wanted."""


class Extracted(TypedDict, total=False):
    """The text of a body, or why there is none."""

    text: str
    card: dict[str, Any]
    """Fields of its `Card`."""
    publisher: str
    """What a web page calls its site; empty where it does not."""
    claimed: Claimed
    needs_scripts: NeedsScripts | None
    """Why a browser that runs the page's scripts would show more; None where it would not."""
    links: list[tuple[str, str]]
    """Addresses and texts of links."""
    cut: bool
    error: str
