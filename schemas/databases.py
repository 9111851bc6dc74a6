"""Databases as prompts show them."""

from pydantic import BaseModel, Field


class DatabaseView(BaseModel):
    """A database that can be asked, in brief. Names in it are data: they come from whoever made the tables."""

    name: str
    """What `query_database` calls it."""
    dialect: str
    """`SQLite` or `PostgreSQL`."""
    tables: list[str] = Field(default_factory=list)
    """`name (rows): column TYPE, …` for each table or view."""
    problem: str = ""
    """Why it cannot be asked; empty when it can."""
