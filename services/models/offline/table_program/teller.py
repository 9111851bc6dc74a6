"""Telling what was computed for one part of a question, in one language."""

from services.models.offline.table_program.asking import Ask
from services.models.offline.table_program.figures import Figure, method, shown
from services.models.offline.table_program.reading import Table

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
