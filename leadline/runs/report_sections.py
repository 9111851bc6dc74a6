"""The sections of a Markdown report, by their headings."""

from markdown_it import MarkdownIt

from services.run.errors import BadInput


def section_of(markdown: str, heading: str) -> str:
    """Return the section with a heading, including its subsections.

    Args:
        markdown: a whole report.
        heading: text of the heading, or its beginning, in any case.

    Raises:
        BadInput: the heading does not exist; the message lists the existing ones.
    """
    tokens = MarkdownIt().parse(markdown)
    headings = [
        (int(token.tag[1]), token.map[0], tokens[place + 1].content)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.map
    ]
    wanted = " ".join(heading.strip("# ").casefold().split())
    found = next((place for place, entry in enumerate(headings) if entry[2].casefold().startswith(wanted)), None)
    if found is None:
        there = "; ".join(title for _, _, title in headings) or "none"
        raise BadInput(f"The report has no section {heading!r}. Its headings are: {there}.")
    level, start, _ = headings[found]
    end = next((line for depth, line, _ in headings[found + 1 :] if depth <= level), None)
    return "\n".join(markdown.splitlines()[start:end]).strip() + "\n"
