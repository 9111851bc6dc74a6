"""Draws a chart in a terminal: one bar per number; scatter charts are shown as tables."""

from rich.cells import cell_len
from rich.text import Text

from schemas.chart import Chart
from services.reports.charts.checks import format_number

WIDEST_BAR = 40
"""Maximum columns of a bar."""
COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")
"""Colours of series, in turn; terminals have few distinguishable colours."""


def bars(chart: Chart, width: int, *, ascii_only: bool = False) -> list[Text]:
    """Return the lines of a bar, line or pie chart."""
    numbers = [[format_number(value) for value in series.values] for series in chart.series]
    longest = max(abs(value) for series in chart.series for value in series.values)
    label_room = min(max(map(cell_len, chart.categories)), width // 3)
    bar_room = min(WIDEST_BAR, width - label_room - max(cell_len(number) for row in numbers for number in row) - 3)
    lines: list[Text] = []
    for place, series in enumerate(chart.series):
        colour = COLOURS[place % len(COLOURS)]
        if len(chart.series) > 1:
            lines.append(Text(series.name, style=f"bold {colour}"))
        for category, value, number in zip(chart.categories, series.values, numbers[place], strict=True):
            label = Text(category)
            label.truncate(label_room, overflow="ellipsis", pad=True)
            bar = ("#" if ascii_only else "█") * _length(value, longest, bar_room)
            lines.append(Text.assemble(label, "  ", (bar, colour), " " if bar else "", number))
    return lines


def _length(value: float, longest: float, room: int) -> int:
    """Return the columns of a bar: 0 for zero, at least 1 for other numbers."""
    return max(1, round(abs(value) / longest * room)) if value else 0
