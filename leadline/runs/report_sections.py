"""The sections of a Markdown report, by their headings."""

from schemas.document import Heading
from services.reports.document import words
from services.reports.markdown_blocks import read_markdown
from services.reports.rendering import to_markdown
from services.run.errors import BadInput


def section_of(markdown: str, heading: str) -> str:
    """Return the section with a heading as Markdown, including its subsections.

    Args:
        markdown: a whole report.
        heading: text of the heading, or its beginning, in any case.

    Raises:
        BadInput: the heading does not exist; the message lists the existing ones.
    """
    blocks = read_markdown(markdown)
    heads = [
        (place, block.level, words(block.content)) for place, block in enumerate(blocks) if isinstance(block, Heading)
    ]
    wanted = " ".join(heading.strip("# ").casefold().split())
    found = next((entry for entry in heads if entry[2].casefold().startswith(wanted)), None)
    if found is None:
        there = "; ".join(title for _, _, title in heads) or "none"
        raise BadInput(f"The report has no section {heading!r}. Its headings are: {there}.")
    start, level, _ = found
    end = next((place for place, depth, _ in heads if place > start and depth <= level), None)
    return f"{to_markdown(blocks[start:end])}\n"
