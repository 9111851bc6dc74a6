"""Draws a table's column of comparable figures as a chart: numbers of one unit, one in every row."""

import re

from schemas.chart import MAX_POINTS, Chart, Series
from schemas.document import Drawing, Table
from services.reports.document import citations_in, words

MIN_BARS = 3
"""Minimum rows for a chart."""
_UNIT_IN_HEADER = re.compile(r"^(.*\S)\s*[(（]([^()（）\d]{1,20})[)）]$")
_FIGURE = re.compile(r"([-−]?)(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,10})?\s?([^\W\d_]{1,12}|%|°C)?")
"""A cell that is a number with an optional unit."""


def chart_of(table: Table, title: str) -> Drawing | None:
    """Return the chart of the first column of figures that have one unit, which the header or every cell names; else None.

    A table without citations, without names in its first column, or in which a row has no figure or several gets none.
    """
    names = [words(row[0]) for row in table.rows]
    cited = dict.fromkeys(citation for row in table.rows for cell in row for citation in citations_in(cell))
    sources = list(dict.fromkeys(key for citation in cited for key in citation.excerpts))
    if not MIN_BARS <= len(names) <= MAX_POINTS or len(set(names)) < len(names) or not all(names) or not sources:
        return None
    for column in range(1, len(table.header)):
        found = [_FIGURE.fullmatch(words(row[column])) for row in table.rows]
        name, unit = _name_and_unit(words(table.header[column]))
        units = {match[4] or "" for match in found if match}
        if None in found or len(units) > 1 or not (unit or units - {""}):
            continue
        values = [
            float(f"{'-' if match[1] else ''}{match[2].replace(',', '')}{match[3] or ''}") for match in found if match
        ]
        chart = Chart(
            type="bar",
            title=f"{title}: {name}"[:120],
            categories=[name[:120] for name in names],
            series=[Series(values=values)],
            unit=unit or units.pop(),
            sources=sources[:50],
        )
        return Drawing(chart, tuple(cited))
    return None


def _name_and_unit(header: str) -> tuple[str, str]:
    match = _UNIT_IN_HEADER.match(header)
    return (match[1], match[2]) if match else (header, "")
