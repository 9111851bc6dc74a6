"""Answering the parts of a question over a table: the answer of each part first, what it rests on after."""

import sys

from services.models.offline.table_program.asking import Ask, understand
from services.models.offline.table_program.groups import tell_distribution, tell_groups
from services.models.offline.table_program.naming import Names
from services.models.offline.table_program.reading import Table, load
from services.models.offline.table_program.teller import Teller
from services.models.offline.table_program.totals import tell_columns, tell_correlation, tell_total


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
        tell_distribution(teller, ask.group)
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
