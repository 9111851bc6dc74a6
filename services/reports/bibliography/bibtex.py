"""Exports a report's cited sources as BibTeX in UTF-8, which `bibtex` and its successors read."""

from collections.abc import Iterable

from schemas.reporter import Report
from services.reports.bibliography.items import Item, cited_sources, csl_items
from services.reports.bibliography.names import Name

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",  # BibTeX counts all braces, including escaped ones
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{char: f"\\{char}" for char in "&%$#_"},
    }
)
_VERBATIM = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})
"""Escapes in addresses, which LaTeX reads verbatim."""
_TYPES = {"article-journal": "article"}
"""BibTeX types by CSL type; all others are `misc`."""
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def bibtex(report: Report) -> bytes:
    """Return the sources that a report cites as a BibTeX file."""
    return "\n".join(map(_entry, csl_items(cited_sources(report)))).encode()


def _entry(item: Item) -> str:
    fields = {name: value for name, value in _fields(item) if value}
    lines = "".join(f"  {name} = {value},\n" for name, value in fields.items())
    return f"@{_TYPES.get(item['type'], 'misc')}{{{item['id']},\n{lines}}}\n"


def _fields(item: Item) -> Iterable[tuple[str, str]]:
    """Yield the fields with their values in BibTeX syntax; a title has double braces to keep its capitals."""
    journal = item["type"] in _TYPES
    issued = item.get("issued", {}).get("date-parts", [[]])[0]
    accessed = item.get("accessed", {}).get("date-parts", [[]])[0]
    yield "author", _braced(" and ".join(map(_name, item.get("author", []))))
    yield "title", _braced(_braced(latex(item["title"])))
    yield "journal", _braced(latex(item.get("container-title", ""))) if journal else ""
    yield "publisher", _braced(latex(item.get("publisher", "") if journal else _publisher(item)))
    yield "howpublished", _braced(latex(item.get("note", "")))
    yield "year", _braced(str(issued[0])) if issued else ""
    yield "month", _MONTHS[issued[1] - 1] if len(issued) > 1 else ""
    yield "doi", _braced(item.get("DOI", "").translate(_VERBATIM))
    yield "url", _braced(item.get("URL", "").translate(_VERBATIM))
    read = "-".join(f"{part:02}" for part in accessed)
    yield "urldate", _braced(read) if "URL" in item else ""
    yield "note", _braced(f"accessed {read}") if read and "URL" not in item else ""


def _publisher(item: Item) -> str:
    return str(item.get("publisher") or item.get("container-title") or "")


def latex(text: str) -> str:
    """Escape all characters with a meaning in LaTeX or BibTeX."""
    return text.translate(_LATEX)


def _name(name: Name) -> str:
    if "literal" in name:
        return _braced(latex(name["literal"]))
    suffix = f", {latex(name['suffix'])}" if "suffix" in name else ""
    return f"{latex(name['family'])}{suffix}, {latex(name['given'])}"


def _braced(text: str) -> str:
    return f"{{{text}}}" if text else ""
