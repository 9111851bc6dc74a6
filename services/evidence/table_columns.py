"""Which row and which column of a table a text speaks of, and whether less of it is more of an adjective."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.evidence.readings import CLOCK, Number, word_keys
from services.text.tables import TableRead

COLUMNS = {
    "deep": "depth 深", "high": "height altitude elevation 高 海拔", "tall": "height", "low": "height altitude", "heavy": "weight mass 重",
    "light": "weight mass", "dens": "density", "expensive": "price cost 价 费用", "cheap": "price cost 价 费用", "dear": "price cost",
    "old": "year founded built 年", "young": "year founded born", "long": "length time 长", "wet": "rain precipitation 降水", "dry": "rain precipitation",
    "warm": "temperature 气温", "hot": "temperature 气温", "cold": "temperature 气温", "populous": "population 人口", "fast": "time speed", "strong": "strength",
    "wide": "width breadth", "narrow": "width breadth", "slow": "speed time", "short": "length time height", "loud": "noise sound", "quiet": "noise sound",
    "长": "长", "短": "长", "深": "深", "浅": "深", "高": "高", "低": "高", "重": "重 质量", "轻": "重 质量", "宽": "宽", "窄": "宽", "厚": "厚", "薄": "厚", "贵": "价 费", "便宜": "价 费",
    "早": "年", "晚": "年", "快": "速度 时间 用时", "慢": "速度 时间 用时",
}  # fmt: skip
"""Words that headings have for what an adjective measures."""
LEAST = re.compile(
    r"^(?:low|least|less|few|short|small|light|cheap|young|narrow|slow|dry|cold|cool|weak|earl|shallow|soon|near|quiet)|^[低少小短轻早浅近慢便]",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[（(][^（）()]{1,40}[）)]")


@dataclass(frozen=True, slots=True)
class WrongReading:
    """What a claim reads out of a table and the table does not say."""

    said: str
    instead: str


def rows_named(text: str, table: TableRead) -> list[int]:
    """Return the rows whose label a text names, in the order of the text."""
    text = text.lower()
    places = {}
    for row in range(len(table.rows)):
        if table.is_sum(row):
            continue  # `all`, which a text may say without naming a row
        label = table.label(row).lower()
        found = (
            re.search(rf"(?<![\da-z]){re.escape(label)}(?![\da-z])" if label.isascii() else re.escape(label), text)
            if label
            else None
        )
        if found:
            places[row] = found.start()
    return sorted(places, key=lambda row: places[row])


_WORKED_OUT = re.compile(
    r"\b(?:rate|ratio|share|margin|density|progress|improvement|growth|change|increase|decrease|rise|fall|gain|loss|difference|per|average|mean)\b|[率比每]|增[长幅]|降幅|平均|差距",
    re.IGNORECASE,
)
"""Words of what is worked out of several columns, unless a heading has them."""
_PARTICIPLES = {
    word: participle
    for participle, words in (
        ("won", "win wins victor"),
        ("drawn", "draw drew draws"),
        ("lost", "lose loses losses defeat"),
    )
    for word in words.split()
}
"""Words of results that headings have as participles, by their keys."""


def column_of(words: str, adjective: str, table: TableRead, numbers: Sequence[Number]) -> int | None:
    """Return the one column of numbers whose heading a text or an adjective speaks of."""
    measured = next(
        (heads.split() for root, heads in COLUMNS.items() if adjective and adjective.startswith(root[:4])), []
    )
    wanted = set(word_keys(words))
    wanted |= {_PARTICIPLES[word] for word in wanted & _PARTICIPLES.keys()}
    if any(word not in head.lower() for word in _WORKED_OUT.findall(words.lower()) for head in [" ".join(table.heads)]):
        return None
    scores: dict[int, float] = {}
    for column in {number.column for number in numbers}:
        head = table.heads[column]
        keys = set(word_keys(head))
        scores[column] = len(keys & wanted) + 3 * any(_names(head.lower(), name) for name in measured)
    best = max(scores.values(), default=0)
    chosen = [column for column, score in scores.items() if score == best]
    if len(chosen) > 1:  # the heading that says least besides
        lengths = {column: len(set(word_keys(_ASIDE.sub("", table.heads[column])))) for column in chosen}
        chosen = [column for column in chosen if lengths[column] == min(lengths.values())]
    return chosen[0] if best > 0 and len(chosen) == 1 else None


def _names(head: str, measured: str) -> bool:
    """Tell whether a heading has a word for what is measured; 高 of 最高 is none."""
    place = head.find(measured[:6])
    return place >= 0 and head[max(0, place - 1) : place] != "最"


def turns(adjective: str, table: TableRead, column: int, numbers: Sequence[Number]) -> bool:
    """Tell whether a column counts against an adjective: the oldest has the least year, the fastest the least time."""
    if _SPEED.match(adjective):
        kinds = {number.measure.kind for number in numbers if number.column == column}
        return bool(kinds & {"time", CLOCK}) or "time" in table.heads[column].lower()
    years = all(YEAR.fullmatch(cells[column]) for cells in table.rows if cells[column])
    return years and _AGE.match(adjective) is not None


_SPEED = re.compile(r"fast|slow|quick|[快慢]", re.IGNORECASE)
_AGE = re.compile(r"old|young", re.IGNORECASE)
YEAR = re.compile(r"[12]\d{3}")
