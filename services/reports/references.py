"""The numbered references of a report, each with its quotes."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from schemas.evidence import EXCERPT_ID, Excerpt, Source
from schemas.publication import Publication
from schemas.reporter import Report
from services.reports.labels import Labels
from services.reports.reference import Quote, Reference
from services.reports.source_numbers import link_of, stored_text

MAX_AUTHORS = 3
"""Maximum authors in a reference."""
MAX_ADDRESSES = 20
"""Maximum addresses shown of one text; `evidence.json` has all."""
_CITATION = re.compile(r"\[\[(\d{1,6})\]\]\(")


def numbers_of(report: Report) -> dict[str, int]:
    """Return the number under which each excerpt is cited: that of its source, or of the source's original."""
    sources = {source.content_hash: source for source in report.sources}
    numbers = {}
    for excerpt in report.excerpts:
        source = sources.get(excerpt.content_hash)
        original = sources.get(source.duplicate_of, source) if source and source.duplicate_of else source
        if original and original.number is not None:
            numbers[excerpt.id] = original.number
    return numbers


def cited_numbers(report: Report) -> set[int]:
    """Return the numbers of the sources that the text or a chart of a report cites."""
    told = {int(number) for number in _CITATION.findall(report.markdown)}
    numbers = numbers_of(report)
    return told | {numbers[key] for key in _in_charts(report) if key in numbers}


def references(report: Report, labels: Labels, styled: Collection[int] = ()) -> tuple[Reference, ...]:
    """Return a report's sources by number; copies are listed with their originals.

    Args:
        report: a report with numbered sources.
        labels: labels in its language.
        styled: numbers of the sources with an entry in a citation style, whose details are not repeated.
    """
    numbers = numbers_of(report)
    cited = cited_numbers(report)
    copies: dict[str, list[str]] = {}
    for source in report.sources:
        if source.duplicate_of:
            copies.setdefault(source.duplicate_of, []).extend(source.addresses)
    confirming = confirming_sources(report.excerpts, numbers)
    proving = {key for claim in report.citations for key in claim.citations} | _in_charts(report)
    return tuple(
        Reference(
            number=source.number,
            title=source.card.heading or source.url,
            url=source.url,
            link=link_of(source),
            who=who(source, labels, beside=source.title),
            by=() if source.number in styled else _by(source, labels),
            details=details(
                source,
                copies.get(source.content_hash, []),
                labels,
                cited=source.number in cited,
                confirming=confirming.get(source.number, ()),
                pages=sorted(
                    {
                        excerpt.page
                        for excerpt in report.excerpts
                        if excerpt.page and numbers.get(excerpt.id) == source.number
                    }
                ),
                styled=source.number in styled,
            ),
            cited=source.number in cited,
            quotes=tuple(
                Quote(excerpt.id, excerpt.quote, excerpt.id in proving)
                for excerpt in report.excerpts
                if numbers.get(excerpt.id) == source.number
            ),
            text=stored_text(source),
        )
        for source in report.sources
        if not source.duplicate_of and source.number is not None
    )


def confirming_sources(excerpts: Iterable[Excerpt], numbers: Mapping[str, int]) -> dict[int, list[int]]:
    """Return the numbers of the sources that confirm another source's figures, by its number.

    Args:
        excerpts: all excerpts of the report.
        numbers: number under which each excerpt is cited, by its id.
    """
    found: dict[int, set[int]] = {}
    for excerpt in excerpts:
        if excerpt.id in numbers:
            others = {numbers[key] for key in excerpt.confirmed_by if key in numbers} - {numbers[excerpt.id]}
            found.setdefault(numbers[excerpt.id], set()).update(others)
    return {number: sorted(others) for number, others in found.items() if others}


def details(
    source: Source,
    copies: list[str],
    labels: Labels,
    *,
    cited: bool,
    confirming: Sequence[int] = (),
    pages: Sequence[int] = (),
    styled: bool = False,
) -> tuple[str, ...]:
    """Describe a source in the reader's language.

    Args:
        source: the source.
        copies: addresses of its copies, which follow other addresses of the same text.
        labels: labels in the report's language.
        cited: whether the report cites it.
        confirming: numbers of independent sources that also give its figures.
        pages: numbers of the pages that are quoted.
        styled: whether an entry in a citation style gives author, place and date.
    """
    parts = [labels.kinds[source.kind]] if source.kind in labels.kinds else []
    if not styled:
        parts += filter(None, _publisher(source, labels, beside=f"{source.title} {source.url}"))
        parts += filter(None, [source.card.status, source.card.version])
        parts += _catalogued(source.publication, labels) if source.publication else []
    if pages:
        parts.append(labels.pages.format(pages=labels.enumeration.join(map(str, pages))))
    if source.abstract_only:
        parts.append(labels.abstract_only)
    if source.known_from:
        parts.append(labels.known_from.format(date=source.known_from))
    if confirming:
        parts.append(labels.confirmed.format(numbers=labels.enumeration.join(f"[{number}]" for number in confirming)))
    if same := list(dict.fromkeys([*source.also_at, *copies])):
        more = [labels.more_addresses.format(count=len(same) - MAX_ADDRESSES)] if len(same) > MAX_ADDRESSES else []
        parts.append(labels.copy.format(urls="; ".join([*same[:MAX_ADDRESSES], *more])))
    if not cited:
        parts.append(labels.uncited)
    return tuple(parts)


def who(source: Source, labels: Labels, *, beside: str) -> tuple[str, ...]:
    """Return the publisher, kind and date of a source in the reader's language.

    Args:
        source: the source.
        labels: labels in the report's language.
        beside: text shown beside it; a site in it is not repeated.
    """
    published = labels.published.format(date=source.published) if source.published else ""
    return tuple(filter(None, (*_publisher(source, labels, beside), published)))


def _publisher(source: Source, labels: Labels, beside: str) -> tuple[str, str]:
    site = source.publisher if source.publisher.casefold() not in beside.casefold() else ""
    return site, labels.categories.get(source.source_kind, "")


def _by(source: Source, labels: Labels) -> tuple[str, ...]:
    """Return the authors and the date of a source's card."""
    known = source.card.authors
    authors = labels.enumeration.join(known[:MAX_AUTHORS])
    if len(known) > MAX_AUTHORS:
        authors = labels.more_authors.format(authors=authors)
    return tuple(filter(None, (authors, source.card.published)))


def _catalogued(publication: Publication, labels: Labels) -> list[str]:
    """Return a catalogue's data of a publication besides authors, journal and date."""
    doi = f"doi:{publication.doi}" if publication.doi else ""
    cited = labels.cited_by.format(count=publication.citations) if publication.citations else ""
    licence = labels.licence.format(licence=publication.licence) if publication.licence else ""
    return [part for part in (doi, cited, licence) if part]


def _in_charts(report: Report) -> set[str]:
    """Return the ids of the excerpts that charts cite."""
    fences = re.findall(r"^```chart\n((?>(?:(?!```)[^\n]*+\n)*))```$", report.markdown, re.MULTILINE)
    return {key for fence in fences for key in re.findall(EXCERPT_ID, fence)}
