"""How the files of a run's folders were read."""

from pydantic import BaseModel, Field


class FileNote(BaseModel):
    """What is to be known of how some files were read."""

    note: str
    """What is to be known: the part of `Converted.note` before its colon, or the reason why the files could not be read."""
    count: int
    """Number of the files."""
    files: list[str]
    """Their paths, each with what the note says of it; a few of many."""


class FilesRead(BaseModel):
    """How the files of some folders were read."""

    unsearched: list[FileNote] = Field(default_factory=list)
    """Files that could not be read, by reason; without empty ones of text."""
    unread: list[str] = Field(default_factory=list)
    """Files that were not read in time; a few of many."""
    unread_count: int = 0
    """Number of such files."""
    other_kinds: dict[str, int] = Field(default_factory=dict)
    """Number of files of each kind that is not read, most files first."""
    notes: list[FileNote] = Field(default_factory=list)
    """What is to be known of how files were read."""
    files: int = 0
    """Number of files of searchable kinds, whether they could be read or not."""


def furthest(old: FilesRead, new: FilesRead) -> FilesRead:
    """Take the account of the search that got furthest: each reads what the one before it left."""
    return min(old, new, key=lambda read: (not read.files, read.unread_count, -read.files, read.model_dump_json()))
