"""A change of a finished report that somebody asks for."""

from pydantic import BaseModel, Field

from schemas.clean_text import CleanText

MAX_REQUEST = 2_000
"""Characters of a request."""


class Revision(BaseModel):
    """What a finished report is to become."""

    request: CleanText = Field(min_length=1, max_length=MAX_REQUEST)
    """In words: shorter, without a section, in another language, for other readers."""
    locale: str = Field(default="", max_length=35)
    """Language that it is to have; empty where the request tells, or it stays."""
