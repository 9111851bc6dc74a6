"""Comparisons and superlatives that a claim reads out of a table: checked over the column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.evidence.readings import CLOCK, Number, Reading, word_keys
from services.evidence.table_reading import TableRead
from services.text.polarity import negated
from services.text.tokens import has_cjk

_COLUMNS = {
    "deep": "depth 深", "high": "height altitude elevation 高 海拔", "tall": "height", "low": "height altitude", "heavy": "weight mass 重",
    "light": "weight mass", "dens": "density", "expensive": "price cost 价 费用", "cheap": "price cost 价 费用", "dear": "price cost",
    "old": "year founded built 年", "young": "year founded born", "long": "length time 长", "wet": "rain precipitation 降水", "dry": "rain precipitation",
    "warm": "temperature 气温", "hot": "temperature 气温", "cold": "temperature 气温", "populous": "population 人口", "fast": "time speed", "strong": "strength",
    "wide": "width breadth", "narrow": "width breadth", "slow": "speed time", "short": "length time height", "loud": "noise sound", "quiet": "noise sound",
    "长": "长", "短": "长", "深": "深", "浅": "深", "高": "高", "低": "高", "重": "重 质量", "轻": "重 质量", "宽": "宽", "窄": "宽", "厚": "厚", "薄": "厚", "贵": "价 费", "便宜": "价 费",
    "早": "年", "晚": "年", "快": "速度 时间 用时", "慢": "速度 时间 用时",
}  # fmt: skip
"""Words that headings have for what an adjective measures."""
_GRADABLE = re.compile(
    rf"{'|'.join(word[:4] for word in _COLUMNS if word.isascii())}|great|larg|big|small|lat|earl", re.IGNORECASE
)
"""Beginnings of adjectives of which a comparative is made, as `other` and `number` are none."""
_LEAST = re.compile(
    r"^(?:low|least|less|few|short|small|light|cheap|young|narrow|slow|dry|cold|cool|weak|earl|shallow|soon|near|quiet)|^[低少小短轻早浅近慢便]",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"(?:\b(?:the |had the |has the )?(?P<much>most|least|fewest) (?P<noun>[a-z]{4,}(?: [a-z]{4,})?)|\b(?P<root>[a-z]{3,}?)(?:iest|est)\b(?P<after>(?: [a-z]{3,}){0,3})|"
    r"(?P<before>[\u4e00-\u9fff]{2,8}?)(?:也|却)?最(?P<chinese>[高低多少大小长短重轻早晚快慢贵])|(?P<first>[\u4e00-\u9fff]{2,8}?)(?:也|均)?(?:居[\u4e00-\u9fff]{0,8}?之?首|位居第一|排名第一))"
)
_COMPARISON = re.compile(
    r"\b(?:(?P<word>more|less|fewer)|(?P<root>[a-z]{3,}?)(?:ier|er))\b(?=[^.;]{0,60}?\bthan\b)|"
    r"\b(?P<over>overt(?:ook|aken?|akes)|surpass\w*|outnumber\w*|outstrip\w*|outsold)\b|(?P<above>高于|多于|大于|超过|长于|晚于)|(?P<under>低于|少于|小于|不及|短于|早于)|"
    r"(?<![相对占同环])比(?![例重率])[^，,。；;]{2,24}?[更还要也略]{0,2}(?P<than>[多少高低大小长短深浅快慢重轻贵]|便宜)(?![数于度])",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[（(][^（）()]{1,40}[）)]")
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrongReading:
    """What a claim reads out of a table and the table does not say."""

    said: str
    instead: str


def wrong_reading(claim: Reading, quotes: Sequence[Reading]) -> WrongReading | None:
    """Return the first comparison, superlative or text of a claim that a table refutes."""
    for quote in quotes:
        for table in quote.tables:
            numbers = [number for number in quote.numbers if number.row >= 0]
            for check in (
                _superlative,
                _denied_superlative,
                _unsurpassed,
                _two_superlatives,
                _comparison,
                _text_of_another_row,
                _text_of_every_row,
            ):
                if found := next(check(claim, table, numbers), None):
                    return found
    return None


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
        (heads.split() for root, heads in _COLUMNS.items() if adjective and adjective.startswith(root[:4])), []
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


def _superlative(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    rows = rows_named(claim.text, table)
    if len(rows) != 1 or negated(claim.text):
        return
    for found in _SUPERLATIVE.finditer(claim.text):
        column, least = _measured(found, claim.text, table, numbers)
        if column is None:
            continue
        values = {
            number.row: number.signed for number in numbers if number.column == column and not table.is_sum(number.row)
        }
        if rows[0] in values and len(values) > 1:
            extreme = min(values.values()) if least else max(values.values())
            if values[rows[0]] != extreme:
                holder = next(row for row, value in values.items() if value == extreme)
                yield WrongReading(found.group().strip(), f"{table.label(holder)}: {table.rows[holder][column]}")


_NOT_SO = re.compile(
    r"(?:\b(?:not|never)\b|n['’]t\b)[^,;.]{0,24}$|(?:不是|并非|没有|未)[^，；。]{0,12}$", re.IGNORECASE
)
"""A denial right before a superlative."""


def _denied_superlative(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a claim that denies a row to have the greatest or least value of a column, which it has."""
    rows = rows_named(claim.text, table)
    marks = list(_SUPERLATIVE.finditer(claim.text))
    if len(rows) != 1 or len(marks) != 1 or not _NOT_SO.search(claim.text[: marks[0].start()]):
        return
    if _extremes(marks[0], claim.text, table, numbers) == {rows[0]}:
        column, _ = _measured(marks[0], claim.text, table, numbers)
        yield WrongReading(marks[0].group().strip(), f"{table.label(rows[0])}: {table.rows[rows[0]][column or 0]}")


_NOBODY = re.compile(r"\b(?:nobody|no ?one|none|no other)\b", re.IGNORECASE)


def _unsurpassed(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a claim that no row is more of something than one is, where another is: `nobody came sooner than the winner`."""
    nobody = _NOBODY.search(claim.text)
    mark = _COMPARISON.search(claim.text, nobody.end()) if nobody else None
    than = _THAN.search(claim.text, mark.end()) if mark and mark["root"] else None
    if nobody is None or mark is None or than is None:
        return
    rows, adjective = rows_named(claim.text[than.end() :], table), mark["root"].lower()
    column = column_of(claim.text[nobody.end() : mark.start()], adjective, table, numbers)
    if column is None or len(rows) != 1:
        return
    values = {
        number.row: number.signed for number in numbers if number.column == column and not table.is_sum(number.row)
    }
    least = bool(_LEAST.match(adjective)) is not _turns(adjective, table, column, numbers)
    extreme = min(values.values(), default=0.0) if least else max(values.values(), default=0.0)
    if values.get(rows[0], extreme) != extreme:
        holder = next(row for row, value in values.items() if value == extreme)
        yield WrongReading(mark.group(), f"{table.label(holder)}: {table.rows[holder][column]}")


def _two_superlatives(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a claim that no row is both of two things which it says of one row: `the dearest is also the brightest`."""
    marks = list(_SUPERLATIVE.finditer(claim.text))
    if len(marks) != 2 or rows_named(claim.text, table) or negated(claim.text) or _COMPARISON.search(claim.text):
        return
    if claim.numbers or not _IS.search(claim.text[marks[0].end() : marks[1].start()]):
        return
    extremes = [_extremes(mark, claim.text[max(0, mark.start() - 1) : mark.end()], table, numbers) for mark in marks]
    if all(extremes) and extremes[0].isdisjoint(extremes[1]):
        row = min(extremes[0])
        yield WrongReading(marks[1].group().strip(), table.label(row))


_IS = re.compile(r"\b(?:is|are|was|were|has|have|had|also)\b|[是也]")


def _extremes(mark: re.Match[str], words: str, table: TableRead, numbers: Sequence[Number]) -> frozenset[int]:
    """Return the rows with the least or the greatest value in the column that a superlative is of; empty where that is not told."""
    column, least = _measured(mark, words, table, numbers)
    values = {
        number.row: number.signed for number in numbers if number.column == column and not table.is_sum(number.row)
    }
    extreme = min(values.values(), default=0.0) if least else max(values.values(), default=0.0)
    return frozenset(row for row, value in values.items() if value == extreme)


def _measured(mark: re.Match[str], words: str, table: TableRead, numbers: Sequence[Number]) -> tuple[int | None, bool]:
    """Return the column that a superlative is of, and whether it is the least value there that it means."""
    parts = mark.groupdict()
    adjective = (parts["root"] or parts["noun"] or parts["chinese"] or "").lower()
    least = parts["much"] in {"least", "fewest"} or (
        bool(parts["root"] or parts["chinese"]) and bool(_LEAST.match(adjective))
    )
    named = " ".join(filter(None, (parts["noun"], parts["after"], parts["before"], parts["first"])))
    column = column_of(named, adjective, table, numbers)
    if column is None:
        column = column_of(words, "", table, numbers)
    if column is None:
        return None, least
    return column, least is not _turns(adjective, table, column, numbers)


def _turns(adjective: str, table: TableRead, column: int, numbers: Sequence[Number]) -> bool:
    """Tell whether a column counts against an adjective: the oldest has the least year, the fastest the least time."""
    if _SPEED.match(adjective):
        kinds = {number.measure.kind for number in numbers if number.column == column}
        return bool(kinds & {"time", CLOCK}) or "time" in table.heads[column].lower()
    years = all(_YEAR.fullmatch(cells[column]) for cells in table.rows if cells[column])
    return years and _AGE.match(adjective) is not None


def _comparison(claim: Reading, table: TableRead, numbers: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a comparison of two rows, or of two years of one row, that the values refute."""
    found = [mark for mark in _COMPARISON.finditer(claim.text) if mark["root"] is None or _GRADABLE.match(mark["root"])]
    if claim.text.isascii() and len(_THAN.findall(claim.text)) == 1:
        found = found[-1:]  # the comparative beside `than`
    if len(found) != 1 or negated(claim.text):
        return
    mark = found[0]
    chinese = not mark.group().isascii()
    than = None if chinese or mark["over"] else _THAN.search(claim.text, mark.end())
    if not chinese and than is None and not mark["over"]:
        return
    middle = than.start() if than else mark.start() if mark["than"] else mark.end()
    left, right = claim.text[:middle], claim.text[middle + len("比") if mark["than"] else middle :]
    root = (mark["than"] or mark["root"] or "").lower()
    less = _LEAST.match(root or mark.group()) is not None if root or not chinese else bool(mark["under"])
    compared = claim.text[mark.end() : middle] if than else ""
    pairs = [_two_rows(left, right, compared, root, table, numbers), _two_years(left, right, claim, table, numbers)]
    for former, other in filter(None, pairs):
        more = less is _turns(root, table, former.column, numbers)
        if former.signed != other.signed and (former.signed > other.signed) is not more:
            yield WrongReading(mark.group(), f"{former.text} / {other.text}")


def _two_rows(
    left: str, right: str, compared: str, adjective: str, table: TableRead, numbers: Sequence[Number]
) -> tuple[Number, Number] | None:
    first, second = rows_named(left, table), rows_named(right, table)
    if len(first) != 1 or len(second) != 1 or first == second:
        return None
    years = set(re.findall(r"(?<!\d)[12]\d{3}(?!\d)", left + right))
    fitting = [number for number in numbers if not years or any(year in table.heads[number.column] for year in years)]
    column = column_of(left + right, adjective, table, fitting)
    if column is None:
        column = column_of(compared, "", table, fitting)
    former, other = (
        next((number for number in fitting if number.row == rows[0] and number.column == column), None)
        for rows in (first, second)
    )
    return (former, other) if former and other else None


def _two_years(
    left: str, right: str, claim: Reading, table: TableRead, numbers: Sequence[Number]
) -> tuple[Number, Number] | None:
    years = [re.findall(r"(?<!\d)[12]\d{3}(?!\d)", part) for part in (left, right)]
    if len(years[0]) != 1 or len(years[1]) != 1 or years[0] == years[1]:
        return None
    rows = rows_named(claim.text, table)
    sides: list[Number] = []
    for (year,) in years:
        fitting = [
            number
            for number in numbers
            if (int(year), None, None) in number.periods and (not rows or number.row in rows)
        ]
        words = {
            column: len(set(word_keys(table.heads[column])) & set(word_keys(claim.text)))
            for column in {number.column for number in fitting}
        }
        best = max(words.values(), default=0)
        chosen = [number for number in fitting if words[number.column] == best > 0]
        if len(chosen) != 1:
            return None
        sides += chosen
    return sides[0], sides[1]


def _text_of_another_row(claim: Reading, table: TableRead, _: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield a text, or a year, that a claim gives for a row although the table gives it for another one."""
    rows = rows_named(claim.text, table)
    words = set(word_keys(claim.text))
    elsewhere = " ".join([*table.heads, *(cells[0] for cells in table.rows)])
    for column in range(1, len(table.heads)) if len(rows) == 1 else ():
        held = [cells[column] for cells in table.rows]
        mine = held[rows[0]]
        others = {cell for cell in held if cell != mine and cell not in elsewhere and _stands_in(cell, claim.text)}
        if not others or not mine or _stands_in(mine, claim.text):
            continue
        told = min(others)
        telling = (told[0].isupper() and len(told) > _SHORT) or len(word_keys(told)) > 1
        telling = telling or (has_cjk(told) and held.count(told) == 1)
        if telling or words & set(word_keys(table.heads[column])):
            yield WrongReading(told, mine)


def _text_of_every_row(claim: Reading, table: TableRead, _: Sequence[Number]) -> Iterator[WrongReading]:
    """Yield the text of a row that a claim about every row does not fit: another word in the column than its own, or a denial."""
    if (
        rows_named(claim.text, table)
        or not EVERY.search(claim.text)
        or NOT_EVERY.search(claim.text)
        or negated(claim.text)
    ):
        return
    words = set(word_keys(claim.text))
    for column, head in enumerate(table.heads[1:], 1):
        held = dict.fromkeys(
            cells[column] for row, cells in enumerate(table.rows) if cells[column] and not table.is_sum(row)
        )
        told = [cell for cell in held if _stands_in(cell, claim.text)]
        denied = [cell for cell in held if _DENIED.match(cell)] if words & set(word_keys(head)) else []
        others = [cell for cell in held if cell not in told] if len(told) == 1 else denied
        if others and not any(_NUMERIC.match(cell) for cell in held):
            yield WrongReading(claim.text, others[0])


_NUMERIC = re.compile(r"\W?\d")
_DENIED = re.compile(r"(?:no|none|never)\b|[无否]|[不未没]\S", re.IGNORECASE)
EVERY = re.compile(
    r"\b(?:all|every|each|both|everywhere|without exception)\b|各|均(?!价)|(?<![首成])都(?![市城督江])|全部|所有|一律|无一例外",
    re.IGNORECASE,
)
NOT_EVERY = re.compile(
    r"\b(?:but|bar|except|other than|only|overall|in all(?! [a-z])|altogether|total|together|nearly|almost|most)\b|除|只|仅|大多|合计|总|几乎",
    re.IGNORECASE,
)
"""What keeps a claim with a universal word from saying it of all."""
_SPEED = re.compile(r"fast|slow|quick|[快慢]", re.IGNORECASE)
_AGE = re.compile(r"old|young", re.IGNORECASE)
_SHORT = 3
"""Letters up to which a cell may be a word by chance."""
_YEAR = re.compile(r"[12]\d{3}")


def _stands_in(cell: str, text: str) -> bool:
    """Tell whether a text has a cell: words, or a year; numbers are bound elsewhere."""
    if _YEAR.fullmatch(cell) or has_cjk(cell):
        return len(cell) > 1 and cell in text
    if len(cell) <= 2 or re.search(r"[^\W\d_]", cell) is None:
        return False
    words = word_keys(cell)
    return cell in text or (len(words) > 1 and set(words) <= set(word_keys(text)))
