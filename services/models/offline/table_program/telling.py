"""Answering the parts of a question over a table: the answer of each part first, what it rests on after."""

import statistics
import sys
from typing import Any

from services.models.offline.table_program.asking import Ask, understand
from services.models.offline.table_program.figures import Figure, figure, method, shown
from services.models.offline.table_program.naming import Names
from services.models.offline.table_program.periods import Group
from services.models.offline.table_program.reading import Table, load

GROUPS_TOLD = 12
ROWS_TOLD = 10
_WAYS = {
    "count": ("number of rows", "行数"), "share": ("share of rows", "占比"), "rate": ("share", "比例"), "median": ("median", "中位数"),
    "mean": ("mean", "平均值"), "sum": ("total", "合计"), "high": ("highest", "最大值"), "low": ("lowest", "最小值"),
}  # fmt: skip


class Teller:
    """Tells what was computed for one part, in one language."""

    def __init__(self, table: Table, ask: Ask, chinese: bool) -> None:
        self.table, self.ask, self.chinese = table, ask, chinese
        self.how = method(ask)
        self.heads: list[str] = []
        self.details: list[str] = []

    def say(self, english: str, chinese: str, *, head: bool = True) -> None:
        """Add a sentence, among the answers or what they rest on."""
        (self.heads if head else self.details).append(chinese.replace("） ", "）") if self.chinese else english)

    @property
    def scope(self) -> str:
        """The file, and which rows of it."""
        said = "; ".join(self.ask.conditions.values())
        return self.table.file + ((f"（{said}）" if self.chinese else f" ({said})") if said else "")

    @property
    def by(self) -> str:
        """What the groups are."""
        name = self.ask.group.name if self.ask.group is not None else ""
        return {"month": "月份", "year": "年份", "date": "日期"}.get(name, name) if self.chinese else name

    @property
    def unit(self) -> str:
        """Of the figures."""
        if self.how in {"share", "portion", "rate"}:
            return "%"
        if self.how == "count":
            return ""
        column = self.ask.change[1] if self.ask.change else self.ask.measure
        return column.unit if column is not None else ""

    @property
    def subject(self) -> str:
        """What is computed, without how."""
        ask = self.ask
        if self.how == "count":
            return "number of rows" if not self.chinese else "行数"
        if ask.numerator is not None and self.how == "share":
            return f"share of rows with {ask.numerator[0]}" if not self.chinese else f"{ask.numerator[0]} 的占比"
        if ask.numerator is not None and self.how == "portion":
            name = ask.measure.label if ask.measure else ""
            return (
                f"share of {ask.numerator[0]} in the total {name}"
                if not self.chinese
                else f"{ask.numerator[0]} 占{name}合计的比例"
            )
        if ask.rate is not None:
            return (
                f"{ask.rate[0].label} / {ask.rate[1].label}"
                if not self.chinese
                else f"{ask.rate[0].name}占{ask.rate[1].name}的比例"
            )
        if ask.change is not None:
            return f"{ask.change[1].name} − {ask.change[0].name}"
        return ask.measure.label if ask.measure is not None else ""

    def named(self) -> str:
        """Return what is computed, with how."""
        if self.how in {"count", "share", "portion", "rate"}:
            return self.subject
        english, chinese = _WAYS[self.how]
        return f"{self.subject}的{chinese}" if self.chinese else f"{english} {self.subject}"

    def show(self, value: float, *, exactly: bool = False) -> str:
        """Show a figure with its unit."""
        return shown(value, self.unit, self.chinese, exactly=exactly)

    def of_rows(self, made: Figure) -> str:
        """Say how many rows went into a figure; where that is the figure itself, nothing."""
        if self.how == "count":
            return ""
        if self.how == "share" and self.ask.numerator is not None:
            hits = round(made.value * made.rows / 100)
            return f"（{hits}/{made.rows} 行）" if self.chinese else f" ({hits} of {made.rows} rows)"
        plural = "row" if made.rows == 1 else "rows"
        return f"（{made.rows} 行）" if self.chinese else f" ({made.rows} {plural})"


def tell_total(teller: Teller) -> None:
    """Answer with one figure over all rows that are meant."""
    ask, table = teller.ask, teller.table
    if not ask.rows and teller.how != "count":
        teller.say(
            f"No row of {table.file} meets this: {'; '.join(ask.conditions.values())}.",
            f"{table.file} 中没有符合条件的行：{'；'.join(ask.conditions.values())}。",
        )
        return
    if teller.how == "count":
        _tell_count(teller)
        return
    ways: list[str] = (
        [one for one in ("mean", "median", "sum") if one in ask.operations]
        if teller.how in {"mean", "median", "sum"}
        else []
    )
    if teller.how in {"high", "low"}:
        ways = [one for one, wanted in (("high", ask.high or not ask.low), ("low", ask.low)) if wanted]
    for way in ways or [teller.how]:
        teller.how = way
        made = figure(ask, ask.rows, teller.how)
        if made is None:
            teller.say(
                f"{teller.subject} has no value in {teller.scope}.", f"{teller.scope} 中{teller.subject}没有数值。"
            )
            continue
        named = (
            teller.subject
            if made.rows == 1 and teller.how not in ask.operations and teller.how in {"mean", "sum"}
            else teller.named()
        )
        value = teller.show(made.value, exactly=teller.how != "share")
        teller.say(
            f"The {named} in {teller.scope} is {value}{_over(teller, made)}.",
            f"{teller.scope} 中{named}为 {value}{_over(teller, made)}。",
        )
        if made.place >= 0:
            same = [one for one in ask.rows if ask.measure is not None and ask.measure.values[one] == made.value]
            told = "; ".join(table.row(one) for one in same[:3])
            ending = f" It is that of: {told}." if not teller.chinese else f"对应的行：{told}。"
            teller.heads[-1] += ending
    _tell_growth(teller)


def _over(teller: Teller, made: Figure) -> str:
    if teller.how == "share":
        return teller.of_rows(made)
    plural = "row" if made.rows == 1 else "rows"
    return f"，共 {made.rows} 行" if teller.chinese else f", over {made.rows} {plural}"


def _tell_growth(teller: Teller) -> None:
    ask = teller.ask
    if ask.change is None or "growth" not in ask.operations:
        return
    first = [ask.change[0].values[one] for one in ask.rows if ask.change[0].values[one] is not None]
    made = figure(ask, ask.rows, "mean")
    if made is not None and first and statistics.fmean(first):
        share = shown(made.value / statistics.fmean(first) * 100, "%", teller.chinese)
        teller.say(
            f"That is {share} of the mean of {ask.change[0].name}.",
            f"相当于{ask.change[0].name}均值的 {share}。",
            head=False,
        )


def _tell_count(teller: Teller) -> None:
    """Answer how many: rows, or how many different values a column has."""
    ask, table, count = teller.ask, teller.table, len(teller.ask.rows)
    distinct = ask.group if ask.group is not None and not ask.compared else None
    if "distinct" in ask.operations and distinct is not None:
        keys = [key for key in distinct.keys if distinct.rows(key, ask.rows)]
        listed = ", ".join(map(str, keys[:GROUPS_TOLD]))
        teller.say(
            f"{teller.scope} has {len(keys)} different values of {distinct.name}: {listed}.",
            f"{teller.scope} 中 {distinct.name} 共有 {len(keys)} 种：{listed}。",
        )
        return
    teller.say(f"{teller.scope} has {count} {'row' if count == 1 else 'rows'}.", f"{teller.scope} 共有 {count} 行。")
    if 0 < count <= ROWS_TOLD and count < table.size:
        listed = "; ".join(table.row(one) for one in ask.rows)
        teller.say(f"They are: {listed}.", f"即：{listed}。", head=False)


def tell_groups(teller: Teller, group: Group) -> None:
    """Answer group by group."""
    ask = teller.ask
    made = [(str(key), figure(ask, rows, teller.how)) for key in group.keys if (rows := group.rows(key, ask.rows))]
    results = [(key, one) for key, one in made if one is not None]
    if not results:
        teller.say(
            f"{teller.scope} has no values to tell {group.name} apart by.",
            f"{teller.scope} 中没有可按 {group.name} 比较的数值。",
        )
        return
    picks = ask.operations & {"extreme", "often", "ranking"} and not ask.compared
    ranked = sorted(results, key=lambda one: one[1].value, reverse=not (ask.low and not ask.high))
    if picks or (ask.compared and "extreme" in ask.operations):
        _tell_extremes(teller, group, ranked)
    ordered = results if group.timely or ask.compared else ranked
    told = ", ".join(f"{key} {teller.show(one.value)}{teller.of_rows(one)}" for key, one in ordered[:GROUPS_TOLD])
    more = len(ordered) - GROUPS_TOLD
    if more > 0:
        told += f", and {more} more" if not teller.chinese else f"，另有 {more} 个"
    teller.say(
        f"By {group.name}, the {teller.named()} in {teller.scope}: {told}.",
        f"{teller.scope} 按{teller.by}，{teller.named()}：{told.replace(', ', '，')}。",
        head=not picks,
    )
    if group.timely and len(results) > 1 and not picks:
        _tell_course(teller, results)
    _tell_pair(teller, results if ask.compared else ranked)


def _tell_extremes(teller: Teller, group: Group, ranked: list[tuple[str, Figure]]) -> None:
    """Say which group comes first, with all that share its place, and where asked which comes last."""
    ask = teller.ask
    both = ask.low and ask.high
    first = _tied(ranked, ranked[0][1].value)
    if ask.top > 1:
        listed = ", ".join(f"{key} ({teller.show(one.value)})" for key, one in ranked[: ask.top])
        teller.say(
            f"The first {ask.top} by {teller.named()} in {teller.scope}: {listed}.",
            f"{teller.scope} 中{teller.named()}的前 {ask.top} 名：{listed.replace(', ', '，')}。",
        )
        return
    low = ask.low and not ask.high
    _tell_place(teller, group, first, ranked, low)
    if both and len(ranked) > 1:
        _tell_place(teller, group, _tied(ranked, ranked[-1][1].value), ranked, True)


def _tied(ranked: list[tuple[str, Figure]], value: float) -> list[tuple[str, Figure]]:
    return [(key, one) for key, one in ranked if abs(one.value - value) < 1e-9]


def _tell_place(
    teller: Teller, group: Group, tied: list[tuple[str, Figure]], ranked: list[tuple[str, Figure]], low: bool
) -> None:
    keys = [key for key, _ in tied]
    value, total = teller.show(tied[0][1].value), len(teller.ask.rows)
    names_en = keys[0] if len(keys) == 1 else f"{', '.join(keys[:-1])} and {keys[-1]}"
    names_zh, each = "、".join(keys), " each" if len(keys) > 1 else ""
    if teller.how == "count":
        often_en, often_zh = ("least", "最少") if low else ("most", "最多")
        teller.say(
            f"The {often_en} frequent {group.name} in {teller.scope}: {names_en}, with {value} of {total} rows{each}.",
            f"{teller.scope} 中，{teller.by} 出现次数{often_zh}的是{names_zh}，{'各 ' if len(keys) > 1 else ''}{value} 次（共 {total} 行）。",
        )
        return
    way = "lowest" if low else "highest"
    made = tied[0][1]
    several = any(one.rows > 1 for _, one in ranked)
    named = (
        teller.named()
        if teller.how not in {"high", "low"}
        else f"{'单项' if teller.chinese else 'single '}{teller.subject}"
        if several
        else teller.subject
    )
    rest = (
        f" ({teller.table.row(made.place)})"
        if made.place >= 0 and len(keys) == 1 and made.rows > 1
        else ""
        if made.place >= 0 or len(keys) > 1
        else teller.of_rows(made)
    )
    teller.say(
        f"The {way} {named} in {teller.scope} by {group.name}: {names_en}, with {value}{each}{rest}.",
        f"{teller.scope} 中按{teller.by}，{named}{'最低' if low else '最高'}的是{names_zh}，为 {value}{rest.replace(' (', '（').replace(')', '）')}。",
    )


def _tell_course(teller: Teller, results: list[tuple[str, Figure]]) -> None:
    """Say from where to where something developed."""
    (first, a), (last, b) = results[0], results[-1]
    top, bottom = max(results, key=lambda one: one[1].value), min(results, key=lambda one: one[1].value)
    show = teller.show
    teller.say(
        f"From {first} to {last} it went from {show(a.value)} to {show(b.value)}; the highest was {show(top[1].value)} ({top[0]}), the lowest {show(bottom[1].value)} ({bottom[0]}).",
        f"从 {first} 到 {last}，由 {show(a.value)} 变为 {show(b.value)}；最高为 {show(top[1].value)}（{top[0]}），最低为 {show(bottom[1].value)}（{bottom[0]}）。",
        head="trend" in teller.ask.operations,
    )


def _tell_pair(teller: Teller, results: list[tuple[str, Figure]]) -> None:
    """Set the first two groups against each other, or the highest and the lowest, where the question does."""
    operations = teller.ask.operations
    if len(results) < 2:
        return
    (a_name, a), (b_name, b) = results[0], results[1] if teller.ask.compared else results[-1]
    points = teller.unit == "%"
    if operations & {"difference", "compare"}:
        gap = shown(abs(a.value - b.value), "" if points else teller.unit, teller.chinese)
        teller.say(
            f"The difference between {a_name} and {b_name} is {gap}{' percentage points' if points else ''}.",
            f"{a_name}与{b_name}相差 {gap}{'个百分点' if points else ''}。",
        )
    if "ratio" in operations and b.value:
        times = shown(a.value / b.value, "", teller.chinese)
        teller.say(f"{a_name} has {times} times as much as {b_name}.", f"{a_name}是{b_name}的 {times} 倍。")
    if "growth" in operations and teller.ask.change is None and a.value:
        rise = shown((b.value - a.value) / a.value * 100, "%", teller.chinese)
        teller.say(f"From {a_name} to {b_name} the change is {rise}.", f"从{a_name}到{b_name}的变化为 {rise}。")


def tell_correlation(teller: Teller, names: Names) -> None:
    """Answer whether two columns go together: Pearson's coefficient."""
    ask, numbers = teller.ask, teller.table.of("number")
    ranked = sorted(numbers, key=lambda column: -names.score(column, ask.text))
    if len(ranked) < 2 or names.score(ranked[1], ask.text) < 0.5:
        tell_columns(teller, [])
        return
    one, other = ranked[:2]
    pairs = [
        (one.values[i], other.values[i]) for i in ask.rows if one.values[i] is not None and other.values[i] is not None
    ]
    if len(pairs) < 3 or len({a for a, _ in pairs}) < 2 or len({b for _, b in pairs}) < 2:
        sys.exit("fewer than three rows have both numbers")
    result = shown(statistics.correlation([a for a, _ in pairs], [b for _, b in pairs]), "", teller.chinese)
    teller.say(
        f"The Pearson correlation of {one.label} and {other.label} in {teller.scope} is {result}, over {len(pairs)} rows.",
        f"{teller.scope} 中{one.name}与{other.name}的皮尔逊相关系数为 {result}，共 {len(pairs)} 行。",
    )


def tell_columns(teller: Teller, unknown: list[str]) -> None:
    """Say that nothing matches, and which columns there are."""
    table = teller.table
    listed = ", ".join(column.name for column in table.columns)
    asked = ", ".join(f"“{one}”" for one in unknown) or f"“{teller.ask.text.strip(' ?？')}”"
    teller.say(
        f"{table.file} has no column or value that matches {asked}. Its columns are: {listed}.",
        f"{table.file} 中没有与{asked}对应的列或值。现有的列：{listed.replace(', ', '、')}。",
    )


def answerable(ask: Ask, how: str) -> bool:
    """Tell whether a part names what its computation needs."""
    if ask.unknown:
        return False
    if (
        ask.operations & {"mean", "median", "sum", "growth", "much", "difference", "ratio"}
        and how == "count"
        and not ask.counts
    ):
        return False
    if (
        "share" in ask.operations
        and how not in {"share", "portion", "rate"}
        and (ask.measure is None or ask.measure.unit != "%")
    ):
        return ask.group is not None or ask.measure is not None
    if how == "count" and not ask.counts:
        return ask.group is not None or bool(ask.kept)
    return True


def tell(table: Table, ask: Ask, names: Names, chinese: bool) -> Teller:
    """Answer one part of a question."""
    teller = Teller(table, ask, chinese)
    if "correlation" in ask.operations:
        tell_correlation(teller, names)
    elif not answerable(ask, teller.how):
        tell_columns(teller, ask.unknown)
    elif (
        "share" in ask.operations
        and teller.how in {"count", "sum", "mean", "high", "low"}
        and ask.group is not None
        and (ask.measure is None or ask.measure.unit != "%")
    ):
        _tell_distribution(teller, ask.group)
    elif ask.group is not None and not (teller.how == "count" and "distinct" in ask.operations):
        tell_groups(teller, ask.group)
    else:
        tell_total(teller)
    _tell_missing(teller)
    if ask.unheeded and not ask.unknown:
        listed = ", ".join(f"“{one}”" for one in ask.unheeded)
        teller.say(
            f"No column or value of {table.file} matches {listed}.",
            f"{table.file} 中没有与{listed}对应的列或值。",
            head=False,
        )
    return teller


def _tell_distribution(teller: Teller, group: Group) -> None:
    """Say which share of all each group has: of the rows, or of a column's total."""
    ask = teller.ask
    how = "count" if ask.measure is None or ask.counts else "sum"
    made: list[tuple[str, Any]] = [(str(key), figure(ask, group.rows(key, ask.rows), how)) for key in group.keys]
    parts = sorted(((key, one.value) for key, one in made if one is not None and one.value), key=lambda one: -one[1])
    whole = sum(value for _, value in parts) if how == "sum" else len(ask.rows)
    if not whole:
        tell_columns(teller, [])
        return
    told = ", ".join(f"{key} {shown(100 * value / whole, '%', teller.chinese)}" for key, value in parts[:GROUPS_TOLD])
    english = "rows" if how == "count" else f"total {ask.measure.label if ask.measure else ''}"
    chinese = "行数" if how == "count" else f"{ask.measure.name if ask.measure else ''}合计"
    teller.say(
        f"Shares of the {english} in {teller.scope} by {group.name}: {told}.",
        f"{teller.scope} 中各{teller.by}占{chinese}的比例：{told.replace(', ', '，')}。",
    )


def _tell_missing(teller: Teller) -> None:
    ask = teller.ask
    used = [
        *(ask.rate or ()),
        *(ask.change or ()),
        *([ask.measure] if ask.measure and teller.how not in {"count", "share"} else []),
    ]
    missing = len([one for one in ask.rows if any(column.values[one] is None for column in used)])
    if missing:
        english = "1 row without a value was" if missing == 1 else f"{missing} rows without a value were"
        teller.say(f"{english} left out.", f"{missing} 行缺少数值，未计入。", head=False)


def main(file: str, sheet: str, parts: list[str], concepts: list[list[str]], chinese: bool) -> None:
    """Answer each part of a question by a computation of its own, and print the answers first."""
    table = load(file, sheet)
    names = Names(table, concepts)
    before: Ask | None = None
    heads: list[str] = []
    details: list[str] = []
    for part in parts:
        before = understand(part, names, before)
        told = tell(table, before, names, chinese)
        heads += told.heads
        details += told.details
    for line in dict.fromkeys([*heads, *details]):
        sys.stdout.write(line + "\n")
