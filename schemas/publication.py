"""The catalogue entry of a publication: authors, journal, date, and where it can be read."""

import re
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from schemas.clean_text import clean_address, clean_line, short_line, short_names

LONGEST_LINE = 300
"""Characters of a name, a venue or a licence."""
MAX_AUTHORS = 20
"""Authors that are kept, the first ones."""
FIRST_YEAR, LAST_YEAR = 1000, 2999
MAX_CITATIONS = 100_000_000
_DOI = re.compile(r"10\.\d{4,9}/\S{1,200}(?!\S)")


def _year(value: object) -> object:
    return value if type(value) is int and FIRST_YEAR <= value <= LAST_YEAR else None


def _count(value: object) -> object:
    return value if type(value) is int and 0 <= value <= MAX_CITATIONS else None  # True is an int, too


def _doi(value: object) -> object:
    match = _DOI.search(value[:LONGEST_LINE]) if isinstance(value, str) else None
    return clean_line(match.group()).lower() if match else ""


def _address(value: object) -> object:
    return clean_address(value) if isinstance(value, str) else ""


_Line = Annotated[str, BeforeValidator(lambda value: short_line(value, LONGEST_LINE))]


class Publication(BaseModel):
    """A paper, a preprint, a book or a repository, as its catalogue describes it. What cannot be right is left out."""

    model_config = ConfigDict(frozen=True)

    year: Annotated[int | None, BeforeValidator(_year)] = None
    venue: _Line = ""
    """The journal, conference or server on which it appeared."""
    authors: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: short_names(value, LONGEST_LINE, MAX_AUTHORS))
    ] = ()
    """Names in order, at most `MAX_AUTHORS`."""
    citations: Annotated[int | None, BeforeValidator(_count)] = None
    """Other publications that cite it, as the catalogue counts them."""
    doi: Annotated[str, BeforeValidator(_doi)] = ""
    """Such as `10.1000/xyz`, in lower case."""
    licence: _Line = ""
    """As the catalogue writes it: `cc-by`, an address, a name."""
    open_url: Annotated[str, BeforeValidator(_address)] = ""
    """Where its whole text can be read without paying; empty where the catalogue knows no such place."""
