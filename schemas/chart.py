"""A chart as data: what the reporter or a program gives as JSON, and nothing that could run."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat

from schemas.clean_text import clean_line
from schemas.evidence import EXCERPT_ID

ChartKind = Literal["bar", "line", "pie", "scatter"]
MAX_POINTS = 200
"""Numbers of one chart; more cannot be read in a picture."""
MAX_SERIES = 8
MAX_PIE = 12


def _on_one_line(value: object) -> object:
    return " ".join(clean_line(value).split()) if isinstance(value, str) else value


Label = Annotated[str, BeforeValidator(_on_one_line), Field(max_length=120)]
Unit = Annotated[str, BeforeValidator(_on_one_line), Field(max_length=40)]


class Series(BaseModel):
    """Numbers of one name: one for each category, or pairs for a scatter chart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Label = ""
    values: list[FiniteFloat] = Field(default=[], max_length=MAX_POINTS)
    points: list[tuple[FiniteFloat, FiniteFloat]] = Field(default=[], max_length=MAX_POINTS)
    """Of a scatter chart: x and y."""


class Chart(BaseModel):
    """A chart's data. `services/reports/charts/checks.py` tells whether it may be drawn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: ChartKind
    title: Label
    categories: list[Label] = Field(default=[], max_length=MAX_POINTS)
    """Names along the axis, or of the parts of a pie; none for a scatter chart."""
    series: list[Series] = Field(min_length=1, max_length=MAX_SERIES)
    unit: Unit = ""
    """Of the values."""
    x_unit: Unit = ""
    """Of a scatter chart's x; of other charts what their categories are, such as `year`."""
    sources: list[Annotated[str, Field(pattern=rf"^{EXCERPT_ID}$")]] = Field(min_length=1, max_length=50)
    """Ids of the excerpts that hold the numbers."""
