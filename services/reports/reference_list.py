"""The list of references of a report in Markdown: plain, or in a citation style."""

from collections.abc import Mapping

from schemas.document import Inline, Inlines, Link, Listing, Paragraph, Text
from schemas.options import CitationStyle
from schemas.reporter import Report
from services.reports.bibliography.styles import entries, is_usable
from services.reports.labels import labels_for
from services.reports.reference import Reference
from services.reports.references import references
from services.reports.rendering import to_markdown

MAX_UNCITED = 5
"""Maximum uncited sources that are listed; of more, only the number is given."""


def entries_of(report: Report) -> Mapping[int, Inlines]:
    """Return a report's references in its citation style, by number; empty for `plain`, or if the packages are missing.

    Blocking: it looks for packages.
    """
    if report.citation_style == "plain" or not is_usable(report.citation_style):
        return {}
    originals = [source for source in report.sources if not source.duplicate_of]
    return entries(originals, report.citation_style, report.locale)


def with_references(report: Report) -> Report:
    """Add the list of references in its citation style to a report without one. Blocking."""
    styled = entries_of(report)
    labels = labels_for(report.locale)
    listed = references(report, labels, styled)
    if not listed:
        return report
    uncited = [reference for reference in listed if not reference.cited]
    folded = uncited if len(uncited) > MAX_UNCITED else []
    lines = [
        to_markdown(
            [Listing(((Paragraph(_line(reference, styled.get(reference.number, ()))),),), True, reference.number)]
        )
        for reference in listed
        if reference not in folded
    ]
    parts = [report.markdown.rstrip(), f"## {labels.references}", "\n".join(lines)]
    if folded:
        parts.append(labels.more_read_elsewhere.format(count=len(folded)))
    text = "\n\n".join(filter(None, parts))
    return report.model_copy(update={"markdown": f"{text}\n"})


def restyled(report: Report, style: CitationStyle) -> Report:
    """Replace a finished report's list of references, its last section, by another style. Blocking.

    All other content and the numbers stay the same.
    """
    told, heading, _ = report.markdown.rpartition(f"\n## {labels_for(report.locale).references}\n")
    if not heading or not report.sources:
        return report.model_copy(update={"citation_style": style})
    return with_references(report.model_copy(update={"citation_style": style, "markdown": told}))


def _line(reference: Reference, entry: Inlines) -> Inlines:
    if entry:
        about = " · ".join(reference.beside_entry)
        return (*entry, Text(f" — {about}")) if about else entry
    address = Link(reference.link, reference.link)
    title = Text(reference.title) if reference.on_the_web else Link(reference.title, reference.link)
    shown: list[Inline] = [address if reference.on_the_web and reference.title == reference.url else title]
    for place, part in enumerate(reference.parts):
        is_address = reference.on_the_web and part == reference.url
        shown += [Text(" · " if place else " — "), address if is_address else Text(part)]
    return tuple(shown)
