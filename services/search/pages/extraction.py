"""What goes into the process that extracts the text of a page, and what comes back."""

from typing_extensions import TypedDict


class Job(TypedDict):
    """What is known about a body."""

    name: str
    """Of the page: its title, where it has none of its own."""
    kind: str
    charset: str | None
    url: str
    characters: int


class Extracted(TypedDict, total=False):
    """The text of a body, or why there is none."""

    text: str
    title: str
    author: str | None
    published: str | None
    cut: bool
    error: str
