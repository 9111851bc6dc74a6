"""The chart of a computation's results: of a line that tells a figure for each of several groups."""

import json
import re
from collections.abc import Sequence

FEWEST, MOST = 3, 24
"""Groups that a chart shows; of two the sentence says all."""
_LINE = re.compile(
    r"(?:By (?P<by>[^,]+), the (?P<what>.+?)|(?P<zh>(?=[^，]+ 按[^，])[^，]++，[^:：]+))(?:: |：)(?P<told>[^:：]+)[.。]"
)
_GROUP = re.compile(
    r"(?P<name>.+?) (?P<value>-?\d[\d,]*+(?:\.\d++)?+) ?(?P<unit>%|[^\d\s(（]*)(?: ?[(（].{0,100}[)）])?"
)
_TIME = re.compile(r"\d{4}(?:-\d\d){0,2}|[A-Z][a-z]+|\d{1,2}月?")
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())


def chart_of(lines: Sequence[tuple[str, str]]) -> str:
    """Return the first such line as a fenced chart, or nothing.

    Args:
        lines: what was computed, each with its excerpt's id.
    """
    for text, excerpt in lines:
        found = _LINE.fullmatch(text.strip())
        groups = [_GROUP.fullmatch(one.strip()) for one in re.split(r", |，", found.group("told"))] if found else []
        groups = (
            groups
            if groups and not re.match(r"and \d+ more|另有", groups[-1].group("name") if groups[-1] else "")
            else []
        )
        if found is None or not FEWEST <= len(groups) <= MOST or not all(groups):
            continue
        whole = [one for one in groups if one is not None]
        names = [one["name"] for one in whole]
        what = found["what"] or found["zh"]
        chart = {
            "type": "line" if all(_is_time(name) for name in names) else "bar",
            "title": (f"{what[:1].upper()}{what[1:]}" if found["what"] else what)[:110],
            "unit": whole[0]["unit"],
            "categories": names,
            "series": [{"name": "", "values": [float(one["value"].replace(",", "")) for one in whole]}],
            "sources": [excerpt],
        }
        return f"```chart\n{json.dumps(chart, ensure_ascii=False)}\n```"
    return ""


def _is_time(name: str) -> bool:
    return _TIME.fullmatch(name) is not None and (name[0].isdigit() or name[:3].lower() in _MONTHS)
