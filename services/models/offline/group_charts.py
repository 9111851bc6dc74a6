"""Charts of results that programs computed by groups: one for each result line with at least three groups."""

import json
import re
from collections.abc import Sequence

from schemas.evidence_view import EvidenceView

MIN_GROUPS = 3
MAX_CHARTS = 2
LONGEST_LABEL = 120
"""Maximum characters of a title or a name; see `schemas/chart.py`."""
_HEAD = re.compile(r"^(?P<title>[^:：]{1,400}?)(?:: |：)(?P<groups>[^\n]{1,4000})$")
_GROUP = re.compile(r"(?P<name>\S.{0,118}?) (?P<value>-?\d[\d,]*(?:\.\d+)?)(?P<percent>%?)")


def group_charts(evidence: Sequence[EvidenceView]) -> list[str]:
    """Return charts of the computations in the evidence, as fenced blocks."""
    drawn = (_chart(excerpt.quote.strip(), excerpt.id) for excerpt in evidence if excerpt.kind == "computation")
    return [chart for chart in drawn if chart][:MAX_CHARTS]


def _chart(line: str, excerpt_id: str) -> str:
    """Return a chart of a line such as `By method, the mean of depth (22 rows): wire 8,333.78, rope 5,917.57, twine 3,658`."""
    head = _HEAD.match(line)
    if head is None or len(head["title"]) > LONGEST_LABEL:
        return ""
    groups = [_GROUP.fullmatch(part) for part in re.split(r", |、", head["groups"].rstrip(".。"))]
    found = [group for group in groups if group is not None]
    names = [group["name"] for group in found]
    if len(found) < max(MIN_GROUPS, len(groups)) or len(set(names)) < len(names):
        return ""
    chart = {
        "type": "bar",
        "title": head["title"],
        "unit": "%" if all(group["percent"] for group in found) else "",
        "categories": names,
        "series": [{"values": [float(group["value"].replace(",", "")) for group in found]}],
        "sources": [excerpt_id],
    }
    return f"```chart\n{json.dumps(chart, ensure_ascii=False)}\n```"
