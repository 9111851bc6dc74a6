"""Answers group by group: which comes first, how something developed, two of them set against each other."""

from services.models.offline.table_program.figures import Figure, figure, shown
from services.models.offline.table_program.periods import Group
from services.models.offline.table_program.teller import Teller
from services.models.offline.table_program.totals import GROUPS_TOLD, tell_columns


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
        firsts = {one.value for _, one in ranked[: ask.top]}
        listed = ", ".join(f"{key} ({teller.show(one.value)})" for key, one in ranked if one.value in firsts)
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
    if not several and teller.how in {"sum", "mean"} and teller.how not in teller.ask.operations:
        teller.how = "low" if low else "high"  # of one row each there is nothing to add up
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
    if "difference" in operations or ("compare" in operations and teller.ask.compared):
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


def tell_distribution(teller: Teller, group: Group) -> None:
    """Say which share of all each group has: of the rows, or of a column's total."""
    ask = teller.ask
    how = "count" if ask.measure is None or ask.counts else "sum"
    made = [(str(key), figure(ask, group.rows(key, ask.rows), how)) for key in group.keys]
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
