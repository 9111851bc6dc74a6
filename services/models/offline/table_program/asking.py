"""What one part of a question asks of a table: which computation, of which column, over which rows, told apart by what."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.models.offline.table_program.columns import change_columns, column_group, rate_columns
from services.models.offline.table_program.naming import Named, Names, outcome, words
from services.models.offline.table_program.operations import direction, how_many, operations
from services.models.offline.table_program.periods import Group, date_limits, period_group, years_compared
from services.models.offline.table_program.reading import Column, Table

_BACK = re.compile(r"\b(?:them|those|these|it|its|they|their|that)\b|其中|其|这些|那些|它们?|该", re.IGNORECASE)

_LIKELIER = re.compile(r"\b(?:more|less) (?:often|likely|frequently)\b|更(?:常|容易|可能|多地)", re.IGNORECASE)
"""Whether rows with one outcome differ from others in a measure: `Are heavy things repaired more often?`."""

_ROWS = "row record entry case time|行 条 次 记录"

_NEUTRAL = set(words(
    "two three four five six seven eight nine mostly mainly likely what which when where while whose many much long most least often common frequent popular each every there their they them this that these "
    "those were was have been does did from with than then over under after before during between about into onto only also other same different "
    "distinct kind type sort group thing people time number count amount value figure share percent percentage proportion fraction rate ratio "
    "average mean median total altogether combined typical high low more less fewer record entry case row table data list dataset file "
    "spreadsheet year month day week date first last overall whole part half both compare comparison versus difference differ rank ranking order "
    "sort develop development change trend course evolve look like come came make made made give gave given take took taken spend spent "
    "need cost went goes gone happen occur held hold contain show shown bring brought visit visited measure measured recorded counted listed "
    "reported observed entered registered seen done used being please tell find calculate compute according belong given said every single "
    "result end ended turn turned with without least successful successfully success succeeded failed fail failure work worked able could would "
    "percentage much grow grew growth increase increased decrease fell rose rise drop correlation correlated correlate relationship related"
))  # fmt: skip
"""Words that restrict nothing."""

_LIMITS = (
    (">=", r"(?:at least|no less than|至少|不少于|不低于)\s*{n}|{n}\s*[\u4e00-\u9fff]{{0,2}}及?以上"),
    ("<=", r"(?:at most|no more than|up to|不超过|不高于|至多)\s*{n}|{n}\s*[\u4e00-\u9fff]{{0,2}}及?以下"),
    ("<", r"(?:less|fewer|shallower|smaller|lower|shorter|lighter|cheaper|younger) than\s+{n}|(?:below|under)\s+{n}|(?:小于|低于|少于|不足|浅于|轻于|短于)\s*{n}"),
    (">", r"\b(?:\w+er|more) than\s+{n}|(?:over|above|\bexceed\w*)\s+{n}|(?:超过|大于|高于|多于|深于|重于|长于)\s*{n}"),
)  # fmt: skip
_LIMIT_PATTERNS = tuple(
    (sign, re.compile(pattern.format(n=r"(?<!\d)(?<!\d,)(\d++(?:,\d++)*+(?:\.\d+)?)"), re.IGNORECASE))
    for sign, pattern in _LIMITS
)


@dataclass
class Ask:
    """One part of a question, understood."""

    text: str
    operations: set[str] = field(default_factory=set)
    measure: Column | None = None
    rate: tuple[Column, Column] | None = None
    """Columns of the part and of the whole."""
    change: tuple[Column, Column] | None = None
    """Columns of the start and of the end."""
    group: Group | None = None
    compared: bool = False
    """Whether the groups are things that the question sets against each other."""
    rows: list[int] = field(default_factory=list)
    conditions: dict[str, str] = field(default_factory=dict)
    """What holds of the rows, by column."""
    kept: dict[str, set[int]] = field(default_factory=dict)
    """The rows that meet each condition."""
    numerator: tuple[str, set[int]] | None = None
    """Of a share: what is counted, and its rows."""
    low: bool = False
    high: bool = False
    top: int = 0
    counts: bool = False
    """Whether rows are counted, and not a column computed."""
    unknown: list[str] = field(default_factory=list)
    """Words that restrict the rows and that no column or value matches."""
    single: bool = False
    """Whether a single value is meant that the part before has found: `and in which month was it?`."""
    unheeded: list[str] = field(default_factory=list)
    """Other words that nothing matches."""


def understand(part: str, names: Names, before: Ask | None) -> Ask:
    """Understand a part of a question; what it leaves out is taken from the part before."""
    table = names.table
    ask = Ask(part, operations(part))
    mentioned = names.values(part)
    text = _limited(ask, names, _in_minutes(table, names.masked))
    text = date_limits(
        table,
        text,
        lambda name, said, rows: _keep(ask, name, said, rows),
        "growth" in ask.operations or "difference" in ask.operations,
    )
    noun = _counted_noun(text)
    ask.rate, ask.change = rate_columns(table, part, names), change_columns(table, part)
    ask.measure = names.best(table.of("number"), text)
    if "count" in ask.operations and ask.rate is None and ask.change is None:
        rows = re.search(r"^(?:rows?|records?|entries)\b|^[行条笔]|记录", noun.strip(), re.IGNORECASE) is not None
        other = bool(noun.strip(" 次")) and not names.best(table.of("number"), noun)
        ask.counts = (rows or other or ask.measure is None) and not ask.operations & {
            "mean",
            "median",
            "growth",
            "difference",
            "ratio",
        }
    ask.group = period_group(table, text) or column_group(names, text)
    years = years_compared(table, text)
    if years is not None:
        ask.group, ask.compared = years, True
    _values(ask, names, mentioned, before)
    limits = [name for name, said in ask.conditions.items() if re.search(r" [<>]", said)]
    if "share" in ask.operations and ask.numerator is None and ask.rate is None and limits:
        name = limits[-1]
        ask.numerator = (ask.conditions.pop(name), ask.kept.pop(name))
    if "share" in ask.operations and ask.measure is not None and ask.measure.name in limits:
        ask.measure = None
    ask.low, ask.high = direction(part)
    ask.top = how_many(part)
    ask.unknown, ask.unheeded = _unknown(names, text)
    _inherit(ask, before, part, names)
    ask.rows = [place for place in range(table.size) if all(place in rows for rows in ask.kept.values())]
    return ask


def _in_minutes(table: Table, text: str) -> str:
    """Return a text with its hours as minutes, where the table counts those."""
    if not any(column.unit == "minutes" for column in table.columns) or any(
        column.unit == "hours" for column in table.columns
    ):
        return text
    text = re.sub(r"\bhalf an hour\b|半个?小时", "30 minutes", text, flags=re.IGNORECASE)
    spelled = {"an": 1, "one": 1, "two": 2, "three": 3, "一": 1, "两": 2, "三": 3}
    return re.sub(
        r"\b(an|one|two|three|\d+) hours?\b|([一两三]|(?<!\d)\d++)个?小时",
        lambda found: f"{60 * int(spelled.get((found[1] or found[2]).lower()) or found[1] or found[2])} minutes",
        text,
        flags=re.IGNORECASE,
    )


def _keep(ask: Ask, name: str, said: str, rows: set[int]) -> None:
    ask.kept[name] = ask.kept.get(name, rows) & rows
    ask.conditions[name] = f"{ask.conditions[name]}, {said}" if name in ask.conditions else f"{name} {said}"


def _limited(ask: Ask, names: Names, text: str) -> str:
    """Apply limits on numbers, such as `heavier than 5`, to the column whose name stands near; return the rest of the text."""
    numbers = names.table.of("number")
    for sign, pattern in _LIMIT_PATTERNS:
        for found in list(pattern.finditer(text)):
            value = float(next(one for one in found.groups() if one).replace(",", ""))
            near = text[max(0, found.start() - 25) : found.end() + 15]
            column = names.best(numbers, near) or names.best(numbers, text)
            if column is None or re.fullmatch(r"(?:19|20)\d\d", f"{value:g}"):
                continue
            tests: dict[str, Callable[[float], bool]] = {
                ">": value.__lt__, ">=": value.__le__, "<": value.__gt__, "<=": value.__ge__,
            }  # fmt: skip
            rows = {place for place, one in enumerate(column.values) if one is not None and tests[sign](one)}
            _keep(ask, column.name, f"{sign} {value:g}", rows)
            text = text.replace(found.group(), " \0 ")
    return text


def _counted_noun(text: str) -> str:
    """Return what stands after `how many`, `number of`, `多少`: what is counted."""
    found = re.search(
        r"\b(?:how many|how much|numbers? of)\s+((?:(?!\b(?:did|do|does|was|were|are|is|has|have|had|in|for|of|took|take|takes|need\w*|weigh\w*|cost\w*|last\w*|with|than|from|at|by|which|that)\b)[\w-]+\s*){1,3})",
        text,
        re.IGNORECASE,
    )
    if found:
        return found.group(1)
    found = re.search(r"(?:多少|几)([\u4e00-\u9fff]{1,8})", text)
    return re.split(r"[是在的，]", found.group(1))[0] if found else ""


def _values(ask: Ask, names: Names, mentioned: Sequence[Named], before: Ask | None) -> None:
    """Take the values that are named as conditions, as what is compared, or as what a share is of."""
    columns: dict[str, list[Named]] = {}
    for one in mentioned:
        columns.setdefault(one.column.name, []).append(one)
    share = "share" in ask.operations and ask.rate is None
    numerator = _numerator(ask.text, mentioned) if share else ""
    for name, found in columns.items():
        column = found[0].column
        values = list(dict.fromkeys(one.value for one in found))
        rows = {place for place, value in enumerate(column.values) if (value in values) != found[0].denied}
        said = f"{'≠' if found[0].denied else '='} {', '.join(str(one) for one in values)}"
        several = len({one.start for one in found}) > 1
        shared = before and before.kept.get(name)
        if ask.measure is not None and _LIKELIER.search(ask.text) and outcome(column) is not None:
            ask.group, ask.operations = (
                Group(name, list(column.values)),
                ask.operations - {"often", "extreme"} | {"compare"},
            )
        elif name == numerator:
            ask.numerator = (f"{name} {said}", rows)
        elif several and not found[0].denied and not ask.compared:
            ask.group = Group(name, [value if value in values else None for value in column.values], keys=values)
            ask.compared = True
        elif shared and ask.operations & {"difference", "ratio", "compare"} and before:
            others = list(dict.fromkeys(column.values[place] for place in sorted(before.kept[name])))
            values = [*others, *(one for one in values if one not in others)]
            ask.group = Group(name, [value if value in values else None for value in column.values], keys=values)
            ask.compared = True
        else:
            _keep(ask, name, said, rows)


def _numerator(text: str, mentioned: Sequence[Named]) -> str:
    """Return the column whose values a share counts: what stands after the verb, or before 占; an outcome before others."""
    from_verb = re.search(
        r"\b(?:share|percent\w*|per cent|proportion|fraction|rate)\b.{0,200}?\b(?:was|were|is|are|did|have|been|went|go|come|came|comes|ended)\b",
        text,
        re.IGNORECASE,
    )
    told_of = re.search(r"(?<![^，。])[^，。]*(?:中|里)[，,]|占", text)
    after = [one for one in mentioned if from_verb and one.start >= from_verb.end()]
    if told_of and told_of.group() == "占":
        after = [one for one in mentioned if one.start < told_of.start()]
    elif told_of:
        after = [one for one in mentioned if one.start >= told_of.end()]
    candidates = after or list(mentioned)
    if not candidates:
        return ""
    outcomes = [one for one in candidates if outcome(one.column) is not None]
    return str((outcomes or candidates)[0].column.name)


def _unknown(names: Names, text: str) -> tuple[list[str], list[str]]:
    """Return words that nothing in the table matches: those that restrict the rows (names, years, what was done to them); others."""
    titles = names.table.file.replace("_", " ").replace("-", " ")
    known = {*words(titles), *(one for column in names.table.columns for one in words(column.name))}

    def strange(word: str) -> bool:
        own = set(words(word))
        return (
            not own & known
            and not own & _NEUTRAL
            and not any(names.score(column, word) >= 1 for column in names.table.columns)
        )

    plain = text.replace("\0", " ")
    found = re.findall(r"(?:^|\s)(?:in|at|from|with|for|during|on|by) ([A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*)", plain)
    found += re.findall(r"\b(?:was|were|been|got|being) (?:ever |never )?([a-z]{4,})\b", plain)
    found += [one for one in re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", plain) if not names.table.of("year", "date")]
    found += re.findall(r"[“\"「《]([^“”\"「」《》]+)[”\"」》]", plain)
    restricting = [one for one in dict.fromkeys(found) if strange(one)]
    others = [one for one in re.findall(r"[A-Za-z]{4,}", plain) if strange(one.lower()) and operations(one) == set()]
    return restricting, [one for one in dict.fromkeys(others) if not any(one in each for each in restricting)]


def _inherit(ask: Ask, before: Ask | None, text: str, names: Names) -> None:
    """Fill what a part leaves out from the part before it."""
    if before is None:
        return
    bare = not (ask.measure or ask.rate or ask.change or ask.counts or ask.kept or ask.numerator)
    if not ask.operations - {"much"}:
        ask.operations |= before.operations
    if bare and not (ask.group and "often" in ask.operations):
        ask.measure, ask.rate, ask.change = before.measure, before.rate, before.change
        ask.counts, ask.numerator = before.counts and not ask.measure, before.numerator
        if ask.operations == {"extreme"} or not ask.operations - {"extreme", "much", "count"}:
            ask.operations |= before.operations & {"mean", "median", "sum", "share", "growth", "often"}
        ask.counts = ask.counts or "often" in ask.operations
        ask.group = ask.group or (
            before.group if before.compared or ask.operations & {"extreme", "difference", "ratio"} else None
        )
        ask.compared = ask.compared or (before.compared and ask.group is before.group)
        ask.single = (
            before.group is None and "extreme" in before.operations and not ask.operations & {"mean", "sum", "median"}
        )
        if ask.single:
            ask.low, ask.high = before.low, before.high
        if before.compared and ask.operations & {"difference", "ratio"}:
            ask.group, ask.compared = before.group, True
    elif ask.operations & {"difference", "ratio"} and ask.measure is None and ask.rate is None:
        ask.measure, ask.rate, ask.change = before.measure, before.rate, before.change
        ask.operations |= before.operations & {"mean", "median", "sum", "share", "growth"}
    if ask.operations & {"difference", "ratio"}:
        ask.operations |= before.operations & {"mean", "median", "sum"}
    if bare or _BACK.search(text) or not _has_subject(ask, text, names):
        taken = {ask.group.name} if ask.compared and ask.group else set()
        numbered = ask.numerator[0].split(" ")[0] if ask.numerator else ""
        for name, rows in before.kept.items():
            if name not in ask.kept and name not in taken and name != numbered:
                ask.kept[name], ask.conditions[name] = rows, before.conditions[name]


def _has_subject(ask: Ask, text: str, names: Names) -> bool:
    """Tell whether a part says itself what it is about, be it only the rows as such."""
    title = set(words(re.sub(r"[-_.]|csv|xlsx|tsv", " ", names.table.file)))
    nouns = {*title, *words(_ROWS.partition("|")[0])} | {
        one for column in names.table.of("text") for one in words(column.name)
    }
    return bool(ask.measure or ask.group or ask.rate or ask.change or ask.kept) or bool(
        nouns & set(words(names.masked))
    )
