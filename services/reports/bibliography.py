"""A report's cited sources as CSL-JSON, which reference managers and citation processors read.

Form of CSL: https://docs.citationstyles.org/en/stable/specification.html, appendix III and IV.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from schemas.evidence import Source
from schemas.reporter import Report
from services.reports.references import cited_numbers, is_web_link, link_of
from services.text.dates import iso_date
from services.text.normal_form import normal_form
from services.text.tokens import has_cjk

Item = dict[str, Any]
"""A CSL-JSON item: `id`, `type`, `title` and other known fields."""

PREPRINTS = frozenset(["arxiv", "biorxiv", "medrxiv", "chemrxiv", "psyarxiv", "ssrn", "research square", "zenodo"])
"""Preprint servers; their publications have no journal."""
_TYPES = {"web": "webpage", "database": "dataset"}
"""Types of sources by their kind; others are documents."""
_KEY_WORDS = re.compile(r"[a-z0-9]+")
_EMPTY_WORDS = frozenset("a an and by for from how in is of on the to what when where who why with".split())
Name = dict[str, str]
"""A CSL name: `family` and `given`, or `literal`."""

MAX_INITIALS = 3
"""Maximum capitals after a family name that count as initials, as in `Smith JA`."""
_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])
_ORGANISATION = frozenset(
    "agency and association authority bank board bureau center centre club collaboration commission committee company "
    "consortium corporation council department division federation for foundation gmbh group inc initiative institute "
    "institution laboratory library limited llc ltd ministry museum network of office organisation organization press "
    "program programme project school service services society survey task team the trust union university "
    "working &".split()
)
"""Words that identify an organisation's name; no person's name contains them."""


def csl_json(report: Report) -> bytes:
    """Return the sources that a report cites as a CSL-JSON file, by number and without copies."""
    cited = cited_numbers(report)
    originals = [source for source in report.sources if source.number in cited and not source.duplicate_of]
    items = csl_items(sorted(originals, key=lambda source: source.number or 0))
    return json.dumps(items, ensure_ascii=False, indent=1).encode() + b"\n"


def csl_items(sources: Iterable[Source]) -> list[Item]:
    """Convert sources to CSL-JSON items."""
    items = [(source, _item(source)) for source in sources]
    bases = [_base_key(source, item) for source, item in items]
    taken = Counter(bases)
    return [
        {"id": base if taken[base] == 1 else f"{base}-{source.content_hash[:8]}", **item}
        for base, (source, item) in zip(bases, items, strict=True)
    ]


def _item(source: Source) -> Item:
    publication = source.publication
    item: Item = {"type": _type(source), "title": source.title or source.url}
    if source.card.authors:
        item["author"] = [csl_name(name) for name in source.card.authors]
    if venue := source.publisher:
        item["publisher" if item["type"] in {"article", "dataset", "software"} else "container-title"] = venue
    year = publication.year if publication else None
    if issued := _date_parts(source.published or "") or ([year] if year else []):
        item["issued"] = {"date-parts": [issued]}
    if accessed := _date_parts(source.fetched_at):
        item["accessed"] = {"date-parts": [accessed]}
    link = link_of(source)
    item["URL" if is_web_link(link) else "note"] = link if is_web_link(link) else source.url
    if publication and publication.doi:
        item["DOI"] = publication.doi
    if publication and publication.licence:
        item["license"] = publication.licence
    if has_cjk(item["title"]):
        item["language"] = "zh"
    if source.number is not None:
        item["citation-number"] = source.number
    return item


def _type(source: Source) -> str:
    publication = source.publication
    if source.kind == "web" and publication and source.source_kind == "code":
        return "software"
    if publication and publication.venue:
        return "article" if publication.venue.lower() in PREPRINTS else "article-journal"
    return "article" if publication and publication.doi else _TYPES.get(source.kind, "document")


def _date_parts(written: str) -> list[int]:
    return [int(part) for part in (iso_date(written) or "").split("-") if part]


def _base_key(source: Source, item: Item) -> str:
    """Return author, year and first word of the title in ASCII, such as `sounder2020wire`.

    It depends on the source alone, so it is the same in every report that cites the source, unless two sources of a report have
    the same key.
    """
    first = item.get("author", [{}])[0]
    who = _ascii(first.get("family") or first.get("literal") or source.site.removeprefix("www."))
    year = str(item["issued"]["date-parts"][0][0]) if "issued" in item else ""
    title = next((word for word in _ascii(item["title"]) if word not in _EMPTY_WORDS and not word.isdecimal()), "")
    key = f"{(who or [''])[0][:20]}{year}{title[:20]}"
    return key if key and not key[0].isdecimal() else f"source{key}-{source.content_hash[:8]}"


def _ascii(text: str) -> list[str]:
    return _KEY_WORDS.findall(normal_form("NFKD", text[:300]).encode("ascii", "ignore").decode().lower())


def csl_name(name: str) -> Name:
    """Split a catalogue's name into its parts if they are clear, else return it whole.

    It reads `Ada B. Sounder`, `Sounder, Ada B.` and `Sounder AB`. Names in scripts without capitals, such as Chinese, stay whole, because
    they do not show where the family name ends.
    """
    words = name.split()
    has_no_case = any(char.isalpha() and char.lower() == char.upper() for char in name)
    if len(words) < 2 or has_no_case or not _ORGANISATION.isdisjoint(word.lower().strip(".,") for word in words):
        return {"literal": " ".join(words)}
    if "," in name:
        family, given, *others = [part.strip() for part in name.split(",")]
        return {"literal": " ".join(words)} if others or not family or not given else {"family": family, "given": given}
    if words[-1].lower().strip(".") in _SUFFIXES:
        return {"literal": " ".join(words)}
    if initials := _initials(words):
        return {"family": " ".join(words[:-1]), "given": initials}
    begin = len(words) - 1
    while begin > 1 and words[begin - 1].islower():
        begin -= 1  # particles such as `van der` are part of the family name
    return {"family": " ".join(words[begin:]), "given": " ".join(words[:begin])}


def _initials(words: list[str]) -> str:
    """Return the initials in `Smith JA` with full stops; empty if the last word is a name."""
    letters = words[-1].replace(".", "").replace("-", "")
    are_initials = letters.isalpha() and letters.isupper() and len(letters) <= MAX_INITIALS
    return " ".join(f"{letter}." for letter in letters) if are_initials and not "".join(words[:-1]).isupper() else ""
