"""The result of the background investigation."""

from pydantic import BaseModel, Field

from schemas.clean_text import CleanLine
from schemas.evidence import Excerpt


class Background(BaseModel):
    """One quick search of the question; the reporter answers simple questions from it."""

    excerpts: list[Excerpt] = Field(default_factory=list)
    failures: list[str] = Field(default_factory=list)
    """Searches that failed, in words."""
    folders: list[CleanLine] = Field(default_factory=list)
    """What the user's folders hold, a line each; empty where no plan follows."""
    only_folders: bool = False
    """Whether nothing else can be searched."""
    titles: list[CleanLine] = Field(default_factory=list)
    """Titles of the texts that the search brought, nearest first."""
