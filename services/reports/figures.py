"""Key figures: numbers with a unit that stand in verified claims, the report's first ones first."""

import re

from schemas.reporter import Report
from services.evidence.numbers import Quantity, quantities
from services.reports.numbering import link_of
from services.reports.parsed import Citation, KeyFigure
from services.reports.proofs import Proofs

MOST = 4
LONGEST = 180
"""Characters of a claim that fit on a card."""
_UNIT = re.compile(
    r"\s?(?:(?:square |cubic |nautical )?(?:met(?:re|er)s?|kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|miles?|"
    r"feet|foot|inch(?:es)?|fathoms?|knots?|tonn?e?s?|kilograms?|grams?|lit(?:re|er)s?|years?|months?|weeks?|days?|hours?|"
    r"minutes?|seconds?|people|persons?|patients?|children|participants?|dollars?|euros?|degrees?|km²?|m²?|cm|mm|kg|mg|g|"
    r"t|s|ms|Hz|kHz|MHz|GHz|GB|MB|TB|kW|MW|GW|kWh|MWh|°C|K)\b|"
    r"平方公里|平方米|公里|千米|厘米|毫米|英里|海里|英寻|米|公斤|千克|吨|克|毫克|升|亿元|万元|元|美元|人次|名|人|例|个月|年|周|天|小时|分钟|秒|"
    r"度|倍|屈光度|D\b)"
)
_NAME = re.compile(r"\s?(?:组|浓度|-?(?:groups?|arms?|dose|concentration|strength|atropine)\b)")
"""What follows a number that only names something: the 0.05 % group."""
_CURRENCY = re.compile(r"(?:US\$|[$€£¥])\s?$")


def key_figures(report: Report, proofs: Proofs) -> tuple[KeyFigure, ...]:
    """Choose the numbers that a reader looks for: measured ones, each once; none is better than a bare one."""
    links = {int(one.id[1:]): link_of(one) for one in report.sources if one.id[1:].isdecimal()}
    found: dict[str, KeyFigure] = {}
    for claim in report.citations:
        said = " ".join(claim.text.split())
        if not claim.verified or len(said) > LONGEST or any(said == one.claim for one in found.values()):
            continue
        value = next((shown for one in quantities(said) if (shown := _measured(one, said))), "")
        if not value or value in found:
            continue
        cited: dict[int, list[str]] = {}
        for one in claim.citations:
            if one in proofs.numbers:
                cited.setdefault(proofs.numbers[one], []).append(one)
        citations = tuple(
            Citation(number, links[number], tuple(ids)) for number, ids in cited.items() if number in links
        )
        if citations:
            found[value] = KeyFigure(value, said, citations)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _measured(one: Quantity, said: str) -> str:
    """Return a number as written with its unit; empty where it has none."""
    start = said.find(one.text)
    if start < 0 or one.kind not in {"number", "percent"} or not any(char.isdigit() for char in one.text):
        return ""
    if _NAME.match(said, start + len(one.text)):
        return ""
    currency = _CURRENCY.search(said, 0, start)
    before = currency.group() if currency else ""
    unit = _UNIT.match(said, start + len(one.text))
    if one.kind == "percent" or before or unit:
        return f"{before}{one.text}{unit.group() if unit and one.kind != 'percent' else ''}"
    return ""
