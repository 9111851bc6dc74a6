"""Answers over all rows that are meant: one figure, how many, whether two columns go together."""

import statistics
import sys

from services.models.offline.table_program.figures import Figure, figure, shown
from services.models.offline.table_program.naming import Names
from services.models.offline.table_program.teller import Teller

GROUPS_TOLD = 12

ROWS_TOLD = 10


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
