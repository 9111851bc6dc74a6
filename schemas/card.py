"""The card of a source: title, name or number, authors, dates, status and version, as the source itself states them."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from schemas.clean_text import CleanLine, short_line, short_names

LONGEST_TITLE = 200
LONGEST_VALUE = 100
"""Characters of a name, an author, a status or a version."""
MAX_AUTHORS = 20
"""Authors that are kept, the first ones."""
MAX_DATES = 8
SHOWN_AUTHORS = 3
"""Maximum authors that a line names; of more it names the first."""
SHOWN_DATES = 4


def _dates(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {short_line(label, LONGEST_VALUE): date for label, date in list(value.items())[:MAX_DATES]}


_Title = Annotated[CleanLine, BeforeValidator(lambda value: short_line(value, LONGEST_TITLE))]
_Value = Annotated[CleanLine, BeforeValidator(lambda value: short_line(value, LONGEST_VALUE))]


class Card(BaseModel):
    """What a source says about itself. What it does not say is empty; what is too long is cut."""

    model_config = ConfigDict(frozen=True)

    title: _Title = ""
    name: _Value = ""
    """Its short name or number as people cite it: `PEP 703`, `RFC 9110`, a report's number."""
    authors: Annotated[
        list[CleanLine], BeforeValidator(lambda value: short_names(value, LONGEST_VALUE, MAX_AUTHORS))
    ] = Field(default_factory=list)
    """In order, at most `MAX_AUTHORS`."""
    published: _Value = ""
    """ISO date; a year or a month where no more is known."""
    status: _Value = ""
    version: _Value = ""
    dates: Annotated[dict[CleanLine, CleanLine], BeforeValidator(_dates)] = Field(default_factory=dict)
    """ISO dates by their labels in the source: `Created`, `Resolution`, `更新日期`."""
    folder: _Value = ""
    """Of a document the path of its folder below the one that the user named: `proposals/csharp-13.0`, which may tell version or status."""

    @property
    def heading(self) -> str:
        """Name and title: `PEP 703 – Making the Global Interpreter Lock Optional in CPython`."""
        if self.name and self.title and self.name.casefold() not in self.title.casefold():
            return f"{self.name} – {self.title}"
        return self.title or self.name

    @property
    def about(self) -> str:
        """What stands beside heading and date of publication, short: `Sam Gross, created 2023-01-09, Final, Python 3.13, in peps`."""
        authors = self.authors if len(self.authors) <= SHOWN_AUTHORS else [f"{self.authors[0]} et al."]
        dates = [f"{label.lower()} {date}" for label, date in list(self.dates.items())[:SHOWN_DATES]]
        folder = f"in {self.folder}" if self.folder else ""
        return ", ".join(filter(None, [*authors, *dates, self.status, self.version, folder]))

    @property
    def line(self) -> str:
        """The card on one line, for people and prompts."""
        unlabelled = self.published and self.published not in self.dates.values()
        details = ", ".join(filter(None, [self.about, f"published {self.published}" if unlabelled else ""]))
        return f"{self.heading} ({details})" if details else self.heading

    @property
    def evidence(self) -> str:
        """What counts as evidence of a statement that cites the source, the heading on the first of its lines."""
        version = f"version {self.version}" if self.version else ""
        dates = [f"{label}: {date}" for label, date in self.dates.items()]
        stated = [self.heading, *self.authors, *dates, self.published, self.status, version, self.folder]
        return "\n".join(filter(None, stated))

    def filled(self, other: "Card") -> "Card":
        """Return it with what another card says where it says nothing."""
        gaps = {key: value for key, value in other.model_dump().items() if value and not getattr(self, key)}
        return self.model_copy(update=gaps) if gaps else self
