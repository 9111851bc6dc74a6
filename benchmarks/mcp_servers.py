"""Two servers with tools and schemas as such servers usually have them: a wiki and a ticket system, with made-up content.

python -m benchmarks.mcp_servers wiki|tickets
"""

import sys
from typing import Annotated, Literal

from mcp.server.fastmcp import FastMCP
from pydantic import BaseModel, Field

Space = Annotated[
    str, Field(description="Key of the space, such as ENG or OPS. Empty: all spaces that the user may read.")
]
Limit = Annotated[int, Field(ge=1, le=100, description="Most results to return.")]


class TicketFilter(BaseModel):
    """Which tickets; all conditions must hold."""

    project: str = Field(description="Key of the project.")
    status: list[Literal["open", "in_progress", "blocked", "done", "rejected"]] = Field(
        default=[], description="Any of these; empty: whatever the status."
    )
    assignee: str | None = Field(default=None, description="User name, or null for tickets that nobody has.")
    labels: list[str] = Field(default=[], description="All of these.")
    updated_after: str | None = Field(default=None, description="ISO 8601 date; leaves out what has not changed since.")


def wiki() -> FastMCP:
    """Return a wiki with eight tools."""
    server = FastMCP("wiki", log_level="ERROR")

    @server.tool()
    def search_pages(
        query: Annotated[
            str, Field(description="Words, or a phrase in quotes. Operators: AND, OR, -, title:, author:.")
        ],
        space: Space = "",
        limit: Limit = 10,
        sort: Annotated[
            Literal["relevance", "modified", "created"], Field(description="Order of results.")
        ] = "relevance",
    ) -> list[str]:
        """Search the pages of the wiki by words. Returns titles, ids, the last change and an excerpt of each page found."""
        return [query]

    @server.tool()
    def get_page(
        page_id: Annotated[str, Field(description="Id of the page, as search_pages returns it.")],
        format: Annotated[  # noqa: A002 - the name that such servers use
            Literal["markdown", "html", "storage"], Field(description="How the body is given.")
        ] = "markdown",
        version: Annotated[int | None, Field(description="A version's number; null: the latest.")] = None,
    ) -> str:
        """Return a page with its title, body, labels, author and version."""
        return page_id

    @server.tool()
    def list_children(
        page_id: Annotated[str, Field(description="Id of the page above.")],
        depth: Annotated[int, Field(ge=1, le=5, description="Levels below it.")] = 1,
        limit: Limit = 50,
    ) -> list[str]:
        """List the pages below a page, in the order of the tree."""
        return [page_id]

    @server.tool()
    def get_history(
        page_id: Annotated[str, Field(description="Id of the page.")],
        since: Annotated[str | None, Field(description="ISO 8601 date from which on versions are listed.")] = None,
        limit: Limit = 20,
    ) -> list[str]:
        """List the versions of a page: number, author, time and comment of each change."""
        return [page_id]

    @server.tool()
    def compare_versions(
        page_id: Annotated[str, Field(description="Id of the page.")],
        first: Annotated[int, Field(description="The older version's number.")],
        second: Annotated[int, Field(description="The newer version's number.")],
    ) -> str:
        """Return what changed between two versions of a page as a unified diff."""
        return page_id

    @server.tool()
    def get_comments(
        page_id: Annotated[str, Field(description="Id of the page.")],
        resolved: Annotated[bool, Field(description="Include comments that were resolved.")] = False,
        limit: Limit = 25,
    ) -> list[str]:
        """Return the comments on a page, inline comments with the text that they are about."""
        return [page_id]

    @server.tool()
    def list_attachments(
        page_id: Annotated[str, Field(description="Id of the page.")],
        media_type: Annotated[str | None, Field(description="Only this type, such as application/pdf.")] = None,
    ) -> list[str]:
        """List the files attached to a page: name, type, size and id."""
        return [page_id]

    @server.tool()
    def list_spaces(
        kind: Annotated[Literal["team", "personal", "archived", "all"], Field(description="Which spaces.")] = "team",
        limit: Limit = 50,
    ) -> list[str]:
        """List the spaces that the user may read, with key, name and description."""
        return [kind]

    return server


def tickets() -> FastMCP:
    """Return a ticket system with seven tools."""
    server = FastMCP("tickets", log_level="ERROR")

    @server.tool()
    def search_tickets(
        where: Annotated[TicketFilter, Field(description="Which tickets.")],
        text: Annotated[str, Field(description="Words in title, description or comments. Empty: any.")] = "",
        limit: Limit = 20,
    ) -> list[str]:
        """Search tickets by fields and words. Returns key, title, status, assignee and time of the last change."""
        return [text]

    @server.tool()
    def get_ticket(
        key: Annotated[str, Field(description="Key of the ticket, such as OPS-1234.", pattern=r"^[A-Z]+-\d+$")],
        fields: Annotated[
            list[Literal["description", "comments", "links", "history", "attachments", "worklog"]],
            Field(description="What to return beside the summary."),
        ] = ["description"],  # noqa: B006 - read only; the SDK makes a schema of it
    ) -> str:
        """Return one ticket with the fields that are asked for."""
        return key

    @server.tool()
    def count_tickets(
        where: Annotated[TicketFilter, Field(description="Which tickets.")],
        by: Annotated[
            Literal["status", "assignee", "label", "week", "month"], Field(description="How they are grouped.")
        ] = "status",
    ) -> dict[str, int]:
        """Count tickets in groups."""
        return {by: 1}

    @server.tool()
    def list_projects(
        archived: Annotated[bool, Field(description="Include archived projects.")] = False,
    ) -> list[str]:
        """List the projects that the user may see, with key, name and lead."""
        return []

    @server.tool()
    def get_sprint(
        board: Annotated[str, Field(description="Name or id of the board.")],
        which: Annotated[Literal["current", "previous", "next"], Field(description="Which sprint.")] = "current",
    ) -> str:
        """Return a sprint of a board with its goal, dates, tickets and burn-down."""
        return board

    @server.tool()
    def get_links(
        key: Annotated[str, Field(description="Key of the ticket.", pattern=r"^[A-Z]+-\d+$")],
        kinds: Annotated[
            list[Literal["blocks", "blocked_by", "duplicates", "relates_to", "parent", "child"]],
            Field(description="Kinds of links; empty: all."),
        ] = [],  # noqa: B006 - as above
        depth: Annotated[int, Field(ge=1, le=3, description="How many links away.")] = 1,
    ) -> list[str]:
        """Return the tickets that a ticket is linked to, with the kind of each link."""
        return [key]

    @server.tool()
    def get_worklog(
        where: Annotated[TicketFilter, Field(description="Which tickets.")],
        since: Annotated[str, Field(description="ISO 8601 date.")],
        until: Annotated[str | None, Field(description="ISO 8601 date; null: today.")] = None,
    ) -> list[str]:
        """Return the hours that were logged on tickets, by person and day."""
        return [since]

    return server


if __name__ == "__main__":
    {"wiki": wiki, "tickets": tickets}[sys.argv[1]]().run()
