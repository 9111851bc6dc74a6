"""Computes over one table what a question asks: count, sum, mean, median, minimum, maximum, share; of all rows or by groups.

What it does not understand it says, with the columns that there are.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

MOSTLY = 0.8
"""Share of a column's cells that must be numbers, or dates, for the column to be one of numbers, or of dates."""
MAX_GROUPS, MAX_CELLS = 12, 4
"""Groups, and cells of a row, that are listed."""
OPERATIONS = {
    "median": re.compile(r"\bmedian\b|中位数", re.I),
    "share": re.compile(r"\b(?:share|percentage|per ?cent|proportion|fraction)\b|占比|占|百分比|比例|率", re.I),
    "mean": re.compile(r"\b(?:average|mean)\b|平均", re.I),
    "count": re.compile(r"\bhow many\b|\bnumber of\b|多少[条行家次个名辆笔]|几[条行家次个名]", re.I),
    "sum": re.compile(r"\b(?:total|sum|altogether|combined|in all)\b|总[和计额数]|合计|一共|加起来", re.I),
}
HIGH = re.compile(r"\b(?:most|highest|largest|greatest|longest|deepest|best|maximum|max)\b|最[高大长深多好]", re.I)
LOW = re.compile(r"\b(?:least|lowest|smallest|shortest|shallowest|fewest|worst|minimum|min)\b|最[低小短浅少差]", re.I)
GROUPED = re.compile(r"\b(?:which|by|per|each|every)\b|哪|各|每", re.I)
COMPARED = re.compile(r"\bthan\b|比|相差")
BARE_COUNT = re.compile(
    r"\bhow (?:many|much) (?:by|per|for|in|at|from|of|each|every)\b|^[^多]{0,12}(?:各|每).{0,6}(?:是|为|有)?多少$", re.I
)
"""`how many by each branch`: what is counted stands in the clause before."""
WORD, NAME = re.compile(r"[a-zA-Z]{3,}"), re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
MONTH = re.compile(r"(\d{4})年(\d{1,2})月")
UNSUPPORTED = re.compile(
    r"\b(?:(?:more|less|fewer) than|over(?! (?:the (?:years|rows|whole|table)|all|time)\b)|above|under|below|after|before|since|different) \w+|(?:超过|大于|少于|小于|低于|不足)\s?\d+|\d{4}年以?[前后]",
    re.I,
)
"""Conditions on numbers, and different values, which are not computed."""
CHANGE = re.compile(
    r"\b(?:lost|gained|grew|increased?|decreased?|declined?|changed?|dropped|shrank|between \d+ and \d+)\b|增长|减少|增加|下降|上升|变化",
    re.I,
)
"""A change of something, which is not computed unless a column tells it."""
CJK = "[\u4e00-\u9fff]+"
COMMON = frozenset(
    "average mean median total table share percentage number rows records different kinds most least highest lowest what which many much "
    "there were have took than more less over under after before does did was each has had the how who of in is are and all any it".split()
)
"""Words of questions that need not stand in the table."""
YES = ("是", "yes", "true")
ENGLISH = {
    "count": "number of rows", "sum": "total of {of}", "mean": "mean of {of}", "median": "median of {of}",
    "max": "highest {of}", "min": "lowest {of}", "share": "share of {of}", "subject": "{what} in {file}", "by": "by {group}, the {subject}",
    "result": "The {subject}{scope} is {value}.", "best": "B{by} is {side} for {names}{scope}: {value}.", "groups": "B{by}{scope}: {listed}.",
    "max side": "highest", "min side": "lowest", "differ": "{one} and {other} differ by {value}.", "row": "The {what} in {file} is {value} ({cells}).",
    "rows": "rows", "missing": "Rows without a value, which were left out: {count}.",
    "unknown": "No column or value of {file} matches {names}. Its columns are: {columns}.", "question": "the question",
}  # fmt: skip
CHINESE = {
    "count": "行数", "sum": "{of} 合计", "mean": "{of} 的平均值", "median": "{of} 的中位数",
    "max": "{of} 的最大值", "min": "{of} 的最小值", "share": "{of} 的占比", "subject": "{file} 中 {what}", "by": "按 {group}，{subject}",
    "result": "{subject}{scope}为 {value}。", "best": "{by}{side}的是 {names}{scope}：{value}。", "groups": "{by}{scope}：{listed}。",
    "max side": "最高", "min side": "最低", "differ": "{one} 与 {other} 相差 {value}。", "row": "{file} 中 {what}为 {value}（{cells}）。",
    "rows": "行", "missing": "{count} 行缺少数值，未计入。",
    "unknown": "{file} 中没有与{names}对应的列或值。现有的列：{columns}。", "question": "问题",
}  # fmt: skip


@dataclass
class Ask:
    """What one clause of a question asks of the table."""

    operation: str = ""
    measure: str = ""
    """Column of numbers; empty where rows are counted."""
    label: str = ""
    """Column of numbers that tells the asked row: `which size has the highest price`."""
    group: str = ""
    """Column whose values are the groups."""
    extremes: list[str] = field(default_factory=list)
    """`max`, `min` or both, where these of the groups or rows are asked for."""
    numerator: tuple[str, str] = ("", "")
    """Column and value whose rows a share counts."""
    divisor: str = ""
    """Column that a rate divides its measure by."""
    values: dict[str, list[str]] = field(default_factory=dict)
    """Values by their column, that rows must have."""
    year: tuple[str, float] = ("", 0.0)
    """Column and year that rows must have."""
    unknown: list[str] = field(default_factory=list)
    """Words that match nothing in the table; `question` where none does."""


def words(text: str) -> list[str]:
    """Return the words of a text without the endings of plurals, Chinese in pairs of characters."""
    single = [re.sub(r"(?<=[a-z]{3})s$", "", word) for word in re.findall(r"[a-z0-9]+", text.lower())]
    runs = re.findall(r"[\u4e00-\u9fff]+", text)
    return [*single, *(run[place : place + 2] for run in runs for place in range(max(1, len(run) - 1)))]


def read(file: str, sheet: str, chinese: bool) -> pd.DataFrame:
    """Read a CSV, TSV or Excel file; a column of dates gets one of its months and one of its years beside it."""
    if file.lower().endswith((".xlsx", ".xls")):
        table = pd.read_excel(file, sheet_name=sheet or 0, dtype=str)
    else:
        separator = "\t" if file.lower().endswith(".tsv") else ","
        try:
            table = pd.read_csv(file, dtype=str, sep=separator, encoding="utf-8-sig")
        except UnicodeDecodeError:
            table = pd.read_csv(file, dtype=str, sep=separator, encoding="gb18030")
    table.columns = pd.Index([str(name).strip() for name in table.columns])
    table = table.dropna(how="all")
    for name in list(table.columns):
        cells = table[name].str.strip()
        numbers = pd.to_numeric(cells.str.replace(r"[,%％€$£¥\s]", "", regex=True), errors="coerce")
        dates = cells.str.extract(r"^(\d{4})[-/.年](\d{1,2})")
        least = MOSTLY * max(1, int(cells.notna().sum()))
        table[name] = numbers if int(numbers.notna().sum()) >= least else cells
        if int(dates[0].notna().sum()) >= least:
            table["月份" if chinese else "month"] = dates[0] + "-" + dates[1].str.zfill(2)
            table["年份" if chinese else "year"] = pd.to_numeric(dates[0])
    return table


class Reader:
    """Recognises columns and values of a table in the clauses of a question."""

    def __init__(self, table: pd.DataFrame, file: str, translations: Sequence[Sequence[str]]) -> None:
        self.table, self.file, self.translations = table, file, translations
        numeric = [name for name in table.columns if pd.api.types.is_numeric_dtype(table[name])]
        self.years = [name for name in numeric if re.fullmatch(r"(?:.*[\s_])?year|.*(?:年份|年度)", name.lower())]
        self.numbers = [name for name in numeric if name not in self.years]
        self.texts = [name for name in table.columns if name not in numeric]
        self.values = [(name, str(value)) for name in self.texts for value in table[name].dropna().unique()]
        self.known = set(words(" ".join([file, *table.columns, *(value for _, value in self.values)])))

    def understand(self, clause: str, before: Ask | None) -> Ask | None:
        """Return what a clause asks, with what it leaves out from the clause before; None where that answers it already."""
        text = " ".join([clause, *(name for word, *names in self.translations if word in clause for name in names)])
        operation = next((name for name, pattern in OPERATIONS.items() if pattern.search(text)), "")
        extremes = [name for name, pattern in (("max", HIGH), ("min", LOW)) if pattern.search(text)]
        measures, columns = self.named(self.numbers, text), self.named([*self.texts, *self.years], text)
        ask = Ask(operation, measures[0] if measures else "", extremes=extremes, values=self.values_in(text))
        years = re.findall(r"(?<!\d)[12]\d{3}(?!\d)", MONTH.sub(" ", text))
        ask.year = (self.years[0], float(years[0])) if self.years and years else ask.year
        if extremes and len(measures) > 1 and self.is_asked(measures[0], text):
            ask.label, ask.measure = measures[:2]
        ask.group = self.group_in(columns, text, ask)
        if before is not None:
            if not (measures or operation or extremes or ask.values):
                return None
            self._complete(ask, before, clause)
        if ask.operation == "count" and ask.measure and not re.search("[多几]", clause):
            ask.operation = "sum"
        if ask.operation == "share":
            self._complete_share(ask, columns, text)
        several = [name for name, values in ask.values.items() if len(values) > 1]
        ask.group = several[0] if several else ask.group
        ask.unknown = self.unknown(clause, ask)
        named = before is not None or measures or columns or ask.values or ask.numerator[0] or ask.year[0]
        if not ask.unknown and not (named and self._is_computable(ask)):
            ask.unknown = ["question"]
        return ask

    def _is_computable(self, ask: Ask) -> bool:
        if ask.operation == "share":
            return bool(ask.numerator[0] or (ask.measure and (ask.divisor or ask.values or ask.group)))
        if ask.measure or ask.operation in {"mean", "median", "sum"}:
            return bool(ask.measure)
        if self.translations and not (ask.group or ask.values):
            return False
        return bool(ask.operation or (ask.extremes and ask.group))

    def _complete(self, ask: Ask, before: Ask, clause: str) -> None:
        compared = COMPARED.search(clause) is not None
        if not (ask.values or ask.group or ask.year[0]):
            ask.values, ask.year, ask.group = dict(before.values), before.year, before.group
        for name, values in before.values.items() if compared else ():
            ask.values[name] = list(dict.fromkeys([*values, *ask.values.get(name, [])]))
        bare = BARE_COUNT.search(clause) is not None
        if compared or (not ask.measure and (ask.extremes or bare or not ask.operation)):
            ask.measure = ask.measure or before.measure
            ask.operation = before.operation if bare else ask.operation or before.operation
            ask.numerator = before.numerator

    def _complete_share(self, ask: Ask, columns: Sequence[str], text: str) -> None:
        """Find what a share divides by: a column for a rate; else all rows, of which it counts those with the last value named."""
        if ask.measure:
            end = words(ask.measure)[-1:]
            whole = self.table.dropna(subset=[ask.measure])
            others = [name for name in self.numbers if name != ask.measure and words(name)[-1:] == end]
            ask.divisor = next((name for name in others if bool((whole[name] >= whole[ask.measure]).all())), "")
            return
        for name, value in self.values:
            if name in columns and value.lower() in YES:
                ask.numerator, ask.group = (name, value), "" if ask.group == name else ask.group
        if ask.values and not ask.numerator[0]:
            last = max(ask.values, key=lambda name: text.lower().rfind(ask.values[name][0].lower()[:4]))
            ask.numerator = (last, ask.values.pop(last)[0])

    def named(self, columns: Sequence[str], text: str) -> list[str]:
        """Return the columns whose names have words in a text, or words that begin like them, those with most of them first."""
        for pattern in OPERATIONS.values():
            text = pattern.sub(" ", text)
        wanted = set(words(text))
        begun = tuple(word for word in wanted if len(word) > 3)
        held = {name: sum(word in wanted or word.startswith(begun) for word in words(name)) for name in columns}
        if "月" in text and "月份" in held:
            held["月份"] = 1
        return sorted((name for name in columns if held[name]), key=lambda name: (-held[name], len(words(name))))

    def is_asked(self, column: str, text: str) -> bool:
        """Tell whether a column's name follows a word such as `which` at once."""
        match, name = GROUPED.search(text), words(column)
        return match is not None and words(text[match.end() :])[: len(name)] == name

    def group_in(self, columns: Sequence[str], text: str, ask: Ask) -> str:
        """Return the column of groups that is named soonest after a word such as `which`; none whose values are all different."""
        match = GROUPED.search(text)
        fit = [name for name in columns if name not in ask.values and self.table[name].nunique() < len(self.table)]
        if match is None or not fit:
            return ""
        for asked in (words(text[match.start() :]), words(text)):
            places = {name: [asked.index(word) for word in words(name) if word in asked] for name in fit}
            if any(places.values()):
                return min((name for name in fit if places[name]), key=lambda name: min(places[name]))
        return fit[0]

    def values_in(self, text: str) -> dict[str, list[str]]:
        """Return the values that a text names, the longest first, so that `not open` is not `open`; a name also by its last word."""
        rest = MONTH.sub(lambda match: f" {match[1]} {match[2].zfill(2)} ", text)
        rest = f" {' '.join(words(re.sub(CJK, ' ', rest)))} {rest if re.search(CJK, text) else ''}"
        values: dict[str, list[str]] = {}
        for whole in (True, False):
            for name, value in sorted(self.values, key=lambda pair: -len(pair[1])):
                own, chinese = words(value), re.search(CJK, value) is not None
                form = value if chinese else f" {' '.join(own if whole else own[-1:])} "
                fits = whole or not (chinese or value.islower())
                if fits and len(form.strip()) > 1 and form in rest and value not in values.get(name, []):
                    values.setdefault(name, []).append(value)
                    rest = rest.replace(form, " | ")
        return {
            name: sorted(own, key=lambda value: text.lower().find(value.lower()[-4:])) for name, own in values.items()
        }

    def unknown(self, clause: str, ask: Ask) -> list[str]:
        """Return what of a clause matches nothing: conditions on numbers, names, and where rows are counted every word."""
        every = ask.operation in {"count", "share"} and not ask.measure
        asked = (WORD if every else NAME).findall(clause)
        known = tuple(f"{word}{'d' if word[-1] == 'e' else 'e'}" for word in self.known if len(word) > 2)
        fresh = {word: words(word)[0] for word in asked if word.lower() not in COMMON}
        names = [
            name for name, word in fresh.items() if not any(known_word.startswith(word) for known_word in self.known)
        ]
        names = [name for name in names if not fresh[name].startswith(known)]
        changes = [
            change for change in CHANGE.findall(clause) if ask.extremes and not self.known.issuperset(words(change))
        ]
        return [*UNSUPPORTED.findall(clause), *changes, *names]


class Computation:
    """Computes what is asked, and tells it in one language."""

    def __init__(self, reader: Reader, ask: Ask, chinese: bool) -> None:
        self.table, self.file, self.ask = reader.table, reader.file, ask
        self.texts, self.phrases, self.chinese = reader.texts, CHINESE if chinese else ENGLISH, chinese
        extreme = "" if not ask.extremes else "sum" if ask.group else ask.extremes[0]
        self.operation = ask.operation or (extreme or "sum" if ask.measure else "count")
        self.whole = ask.operation == "share" and bool(ask.measure) and not ask.divisor
        """Whether a share is one of the measure's total."""
        self.comma = "、" if chinese else ", "
        self.rows = self.filtered()

    def say(self, phrase: str, **values: object) -> str:
        """Return a phrase with its values."""
        return self.phrases[phrase].format(file=self.file, **values)

    def lines(self) -> list[str]:
        """Return sentences with the results, or one that says what matches nothing."""
        ask = self.ask
        if ask.unknown:
            names = [self.phrases["question"] if word == "question" else f"“{word}”" for word in ask.unknown]
            return [self.say("unknown", names=", ".join(names), columns=", ".join(self.table.columns))]
        counted = " = ".join(ask.numerator) if self.operation == "share" and not ask.measure else ask.measure
        of = f"{counted} / {ask.divisor}" if ask.divisor else counted
        subject = self.say("subject", what=self.say(self.operation, of=of))
        lines: list[str] = []
        if ask.group:
            parts = self.rows.groupby(ask.group, sort=False)
            lines += self.groups({str(key): self.result(part) for key, part in parts}, subject)
        elif not (ask.extremes and ask.measure):
            value = self.shown(self.result(self.rows))
            lines.append(self.say("result", subject=subject, scope=self.scope(), value=value))
        if ask.measure and ask.operation not in {"share", "mean"} and len(self.rows):
            lines += [self.extreme_row(extreme) for extreme in ask.extremes]
        missing = int(self.rows[ask.measure].isna().sum()) if ask.measure else 0
        return [*lines, self.say("missing", count=missing)] if missing else lines

    def filtered(self) -> pd.DataFrame:
        """Return the rows that a question is about."""
        rows = self.table
        for name, values in self.ask.values.items():
            if not self.whole or name == self.ask.group:
                rows = rows[rows[name].isin(values)]
        name, year = self.ask.year
        return rows[rows[name] == year] if name else rows

    def result(self, rows: pd.DataFrame) -> float:
        """Return one number; a share in per cent."""
        ask = self.ask
        if self.operation == "count":
            return float(len(rows))
        if self.operation != "share":
            return float(rows[ask.measure].agg(self.operation)) if len(rows) else 0.0
        if ask.divisor:
            both = rows.dropna(subset=[ask.measure, ask.divisor])
            part, whole = both[ask.measure].sum(), both[ask.divisor].sum()
        elif ask.measure:
            own = rows
            for name, values in ask.values.items():
                own = own[own[name].isin(values)]
            part, whole = own[ask.measure].sum(), self.rows[ask.measure].sum()
        else:
            part, whole = (rows[ask.numerator[0]] == ask.numerator[1]).sum(), len(rows)
        return float(part) / float(whole) * 100 if whole else 0.0

    def scope(self) -> str:
        """Say which rows, and how many."""
        ask = self.ask
        told = [f"{name} = {', '.join(values)}" for name, values in ask.values.items()]
        told += [f"{ask.year[0]} = {ask.year[1]:g}"] if ask.year[0] else []
        told.append("1 row" if len(self.rows) == 1 and not self.chinese else f"{len(self.rows)} {self.phrases['rows']}")
        return f"（{'，'.join(told)}）" if self.chinese else f" ({'; '.join(told)})"

    def groups(self, results: dict[str, float], subject: str) -> list[str]:
        """Tell the group that is asked for, if any, and the result of each group, the highest first."""
        by, scope = self.say("by", group=self.ask.group, subject=subject)[not self.chinese :], self.scope()
        ordered = sorted(results, key=lambda name: -results[name])
        listed = (f"{name} {self.shown(results[name])}" for name in ordered[:MAX_GROUPS])
        lines: list[str] = []
        for extreme in self.ask.extremes if ordered else ():
            best = results[ordered[0 if extreme == "max" else -1]]
            names = self.comma.join(name for name in ordered if results[name] == best)
            side = self.phrases[f"{extreme} side"]
            lines.append(self.say("best", by=by, side=side, names=names, scope=scope, value=self.shown(best)))
        lines.append(self.say("groups", by=by, scope=scope, listed=self.comma.join(listed)))
        if len(ordered) == 2 and len(self.ask.values.get(self.ask.group, [])) == 2:
            points = "个百分点" if self.chinese else " percentage points"
            value = self.shown(results[ordered[0]] - results[ordered[1]]).replace("%", points)
            lines.insert(1, self.say("differ", one=ordered[0], other=ordered[1], value=value))
        return lines

    def extreme_row(self, extreme: str) -> str:
        """Tell the single row with the highest or lowest value."""
        column = self.rows[self.ask.measure]
        row = self.rows.loc[[column.idxmax() if extreme == "max" else column.idxmin()]]
        labels = [self.ask.label] if self.ask.label else self.texts[:MAX_CELLS]
        cells = self.comma.join(str(row[name].iloc[0]) for name in labels)
        value = self.shown(float(row[self.ask.measure].iloc[0]))
        return self.say("row", what=self.say(extreme, of=self.ask.measure), value=value, cells=cells)

    def shown(self, value: float) -> str:
        """Return a result as it is read."""
        text = f"{value:.3f}" if 0 < abs(value) < 1 else f"{value:,.2f}"
        return text.rstrip("0").rstrip(".") + ("%" if self.operation == "share" else "")


def main(file: str, sheet: str, clauses: Sequence[str], translations: Sequence[Sequence[str]], chinese: bool) -> None:
    """Answer each clause of a question by a computation of its own."""
    reader = Reader(read(file, sheet, chinese), file, translations)
    before: Ask | None = None
    lines: list[str] = []
    for clause in clauses:
        ask = reader.understand(clause, before)
        if ask is not None:
            lines += Computation(reader, ask, chinese).lines()
            before = ask
    sys.stdout.write("\n".join(dict.fromkeys(lines)) + "\n")
