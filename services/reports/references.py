"""The numbered references of a report with their quotes: sources are S1, S2, … in order of citation, and copies of one text share one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote as percent_encoded

from schemas.evidence import EXCERPT_ID, Artifact, Excerpt, Source, root_of
from schemas.publication import Publication
from schemas.reporter import Report
from services.reports.labels import Labels
from services.text.normal_form import slug_of
from services.text.quotable import as_read

MAX_NAME = 40
"""Maximum characters of a source in the name of its text."""
_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
MAX_AUTHORS = 3
"""Maximum authors in a reference."""
PRINTED_QUOTES = 3
"""Quotes of a source that stand on paper, as `page.css` has it, too."""
MAX_ADDRESSES = 20
"""Maximum addresses shown of one text; `evidence.json` has all."""
MAX_UNCITED = 5
"""Maximum uncited sources that are listed; of more, and where no model has read them, only the number is given."""
_CITATION = re.compile(r"\[\[(\d{1,6})\]\]\(")


def number_sources(sources: Mapping[str, Source], excerpts: Sequence[Excerpt], cited: Iterable[str]) -> list[Source]:
    """Number cited sources in the order of the ids of the excerpts that are cited, then uncited ones, then copies.

    Sources, by content hash, are left out if they have no excerpts, unless they are copies of one that has some.
    """
    quoted = {excerpt.id: excerpt.content_hash for excerpt in excerpts}
    used = dict.fromkeys(quoted.values())
    originals = _originals(sources, list(used))
    order = list(dict.fromkeys(originals[key] for key in [*(quoted[key] for key in cited if key in quoted), *used]))
    copies = [key for key, original in originals.items() if key != original and original in order]
    numbered: list[Source] = []
    for number, key in enumerate([*order, *copies], 1):
        place = {"number": number, "file": f"sources/{number:02d}-{name_of(sources[key])}.txt"}
        original = originals[key] if originals[key] != key else None
        numbered.append(sources[key].model_copy(update={**place, "duplicate_of": original}))
    return numbered


def _originals(sources: Mapping[str, Source], used: list[str]) -> dict[str, str]:
    """Map each source to its original, as `settled_copies` has compared them.

    If the original is not among the sources, its first copy takes its place.
    """
    originals: dict[str, str] = {}
    standing_for: dict[str, str] = {}
    for key in sorted(sources, key=lambda source: source not in used):
        root = root_of(key, sources)
        if root in originals:
            originals[key] = originals[root]
            continue
        originals[key] = standing_for.get(root) or (root if root in sources and root in used else key)
        standing_for.setdefault(root, originals[key])
    return originals


def link_of(source: Source) -> str:
    """Return the link target of a citation: the web page, or the stored text beside the report."""
    if source.kind == "web" and source.url.lower().startswith(("http://", "https://")):
        return percent_encoded(source.url.strip(), safe="/:?&=%#+,@~-._!")
    return stored_text(source)


def stored_text(source: Source) -> str:
    """Return the path of a source's text below the report's folder, without the ending of a compressed one.

    Sources of earlier reports have no `file`: their texts are named by the content hash.
    """
    return source.file.removesuffix(".gz") or f"sources/{source.content_hash}.txt"


def name_of(source: Source) -> str:
    """Return what names a source in the name of its text: its short name or number, else its title."""
    name = slug_of(source.card.name or source.card.title or source.url, 2 * MAX_NAME, "source")
    return name if len(name) <= MAX_NAME else name[: MAX_NAME + 1].rpartition("-")[0] or name[:MAX_NAME]


def artifact_path(artifact: Artifact) -> str:
    """Return the path of a step's file below the report's folder: named after the content, so that two files of one name do not meet."""
    name = re.sub(r"[^\w.-]+", "-", artifact.name).strip(".-")[-80:] or "file"
    return f"artifacts/{artifact.content_hash[:12]}-{name}"


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim excerpt."""

    id: str
    text: str
    cited: bool = False
    """Whether a statement or a chart of the report cites it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A numbered source with the copies of its text."""

    number: int
    title: str
    url: str
    link: str
    """A web address, or the path of the stored text below the report's folder."""
    who: tuple[str, ...]
    """Site, kind and date of publication, as far as known, in the reader's language."""
    by: tuple[str, ...]
    """Its authors and its date, as far as its card has them."""
    details: tuple[str, ...]
    """What else is known: its kind, site, status and version, its copies, and whether it is not cited."""
    cited: bool
    quotes: tuple[Quote, ...]
    text: str = ""
    """Path of the stored text below the report's folder."""

    @property
    def on_the_web(self) -> bool:
        """Tell whether the link leads to the web, not to a file beside the report."""
        return is_web_link(self.link)

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the parts after the title, in order, each once: authors and date, address, details."""
        return tuple(dict.fromkeys(part for part in (*self.by, self.url, *self.details) if part != self.title))

    @property
    def quoted_texts(self) -> dict[str, str]:
        """Return its quotes, each text once: as it reads, and as in the source on one line.

        Quotes that no statement cites are left out, unless none is cited.
        """
        cited = [quote for quote in self.quotes if quote.cited]
        return {as_read(quote.text): " ".join(quote.text.split()) for quote in cited or self.quotes}

    @property
    def printed_quotes(self) -> list[str]:
        """Its first quotes, which stand on paper and in notes; `evidence.json` and the page have all of them."""
        return list(self.quoted_texts)[:PRINTED_QUOTES]

    @property
    def further_quotes(self) -> str:
        """The number of quotes that do not stand on paper: `+37`; empty where all do."""
        further = len(self.quoted_texts) - PRINTED_QUOTES
        return f"+{further}" if further > 0 else ""


def is_web_link(link: str) -> bool:
    """Tell whether a link leads to the web."""
    return _WEB.fullmatch(link) is not None


def numbers_of(sources: Iterable[Source], excerpts: Iterable[Excerpt]) -> dict[str, int]:
    """Return the number under which each excerpt is cited: that of its source, or of the source's original."""
    by_hash = {source.content_hash: source for source in sources}
    numbers = {}
    for excerpt in excerpts:
        source = by_hash.get(excerpt.content_hash)
        original = by_hash.get(source.duplicate_of, source) if source and source.duplicate_of else source
        if original and original.number is not None:
            numbers[excerpt.id] = original.number
    return numbers


def cited_numbers(report: Report) -> set[int]:
    """Return the numbers of the sources that the text or a chart of a report cites."""
    in_text = {int(number) for number in _CITATION.findall(report.markdown)}
    numbers = numbers_of(report.sources, report.excerpts)
    return in_text | {numbers[key] for key in _in_charts(report) if key in numbers}


def listed_numbers(report: Report) -> set[int]:
    """Return the numbers of the sources that the text lists: cited ones, and others where a model has read them and they are few."""
    cited = cited_numbers(report)
    own = {each.number for each in report.sources if each.number is not None and not each.duplicate_of}
    return own if len(own - cited) <= (0 if report.by_rules else MAX_UNCITED) else own & cited


def references(report: Report, labels: Labels) -> tuple[Reference, ...]:
    """Return a report's numbered sources, with labels in its language; copies are listed with their originals."""
    numbers = numbers_of(report.sources, report.excerpts)
    cited, shown = cited_numbers(report), listed_numbers(report)
    copies: dict[str, list[str]] = {}
    for source in report.sources:
        if source.duplicate_of:
            copies.setdefault(source.duplicate_of, []).extend(source.addresses)
    confirming = confirming_sources(report.excerpts, {key: each for key, each in numbers.items() if each in shown})
    proving = {key for claim in report.citations for key in claim.citations} | _in_charts(report)
    listed: list[Reference] = []
    for source in report.sources:
        if source.duplicate_of or source.number is None:
            continue
        quoted = [excerpt for excerpt in report.excerpts if numbers.get(excerpt.id) == source.number]
        about = details(
            source,
            copies.get(source.content_hash, []),
            labels,
            cited=source.number in cited,
            confirming=confirming.get(source.number, ()),
            pages=sorted({excerpt.page for excerpt in quoted if excerpt.page}),
        )
        published = labels.published.format(date=source.published) if source.published else ""
        reference = Reference(
            number=source.number,
            title=source.card.heading or source.url,
            url=source.url,
            link=link_of(source),
            who=tuple(filter(None, (*_publisher(source, labels, beside=source.title), published))),
            by=_by(source, labels),
            details=about,
            cited=source.number in cited,
            quotes=tuple(Quote(excerpt.id, excerpt.quote, excerpt.id in proving) for excerpt in quoted),
            text=stored_text(source),
        )
        listed.append(reference)
    return tuple(listed)


def confirming_sources(excerpts: Iterable[Excerpt], numbers: Mapping[str, int]) -> dict[int, list[int]]:
    """Return the numbers of the sources that confirm another source's figures, by its number; excerpts have the numbers by their ids."""
    by_number: dict[int, set[int]] = {}
    for excerpt in excerpts:
        if excerpt.id in numbers:
            others = {numbers[key] for key in excerpt.confirmed_by if key in numbers} - {numbers[excerpt.id]}
            by_number.setdefault(numbers[excerpt.id], set()).update(others)
    return {number: sorted(others) for number, others in by_number.items() if others}


def details(
    source: Source,
    copies: list[str],
    labels: Labels,
    *,
    cited: bool,
    confirming: Sequence[int] = (),
    pages: Sequence[int] = (),
) -> tuple[str, ...]:
    """Describe a source in the labels' language, with the addresses of its copies, which follow other addresses of the same text.

    It also names the independent sources, by their numbers, that confirm its figures, and the pages that are quoted.
    """
    parts = [labels.kinds[source.kind]] if source.kind in labels.kinds else []
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


def _publisher(source: Source, labels: Labels, beside: str) -> tuple[str, str]:
    """Return a source's site, unless the text beside it names that, and its kind in the reader's language."""
    site = source.publisher if source.publisher.casefold() not in beside.casefold() else ""
    return site, labels.categories.get(source.source_kind, "")


def _by(source: Source, labels: Labels) -> tuple[str, ...]:
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
    charts = re.findall(r"^(?:```|<!-- )chart\n((?>(?:(?!```|-->)[^\n]*+\n)*))", report.markdown, re.MULTILINE)
    return {key for chart in charts for key in re.findall(EXCERPT_ID, chart)}
