"""What a question asks of its answer besides the subject: language, length, form, readers, dates and sites."""

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from schemas.answer_schema import AtMost, Reason, Title
from schemas.clean_text import CleanLine, CleanText

WishName = Literal["language", "words", "form", "readers", "after", "before", "sites", "without_sites"]
"""A wish as people see it: shape and columns are part of the form."""
WISH_NAMES: tuple[WishName, ...] = get_args(WishName)
Shape = Literal["", "table", "list", "json"]
MAX_COLUMNS, MAX_SITES = 12, 20
Columns = Annotated[list[Title], AtMost(MAX_COLUMNS)]
_SHAPES_IN_WORDS: dict[Shape, str] = {
    "": "",
    "table": "one table, and nothing else",
    "list": "bullet points, and nothing else",
    "json": "one table, and nothing else: a row for each object, a column for each key; JSON is made from it",
}
Sites = Annotated[list[Title], AtMost(MAX_SITES)]
Day = Annotated[str, AtMost(10)]
"""`YYYY-MM-DD`; a year or a month alone is its first day, or its last one in `before`."""

_DAY = r"^(\d{4}(-\d\d){0,2})?$"


def _day(text: str) -> str:
    if not re.fullmatch(_DAY, text):
        raise ValueError("write a day as 2024-05-31, a month as 2024-05, a year as 2024")
    return text


ChosenDay = Annotated[str, AfterValidator(_day), WithJsonSchema({"type": "string", "pattern": _DAY})]


class Form(BaseModel):
    """How the answer is to look, for whom, and how old its sources may be."""

    shape: Shape = ""
    """What the whole answer is to be; empty for prose, and for what is none of these."""
    columns: Columns = Field(default_factory=list)
    """Columns of the table, or keys of the JSON."""
    form: Reason = ""
    """Any other wish for its form, in words."""
    at_most: bool = False
    """Whether fewer words than asked for will do."""
    readers: Reason = ""
    """Whom it is written for."""
    after: Day = ""
    """First day on which a source may have been published."""
    before: Day = ""
    """Last day."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, fields: Any) -> Any:
        """Drop null fields: models write null for what was not asked for."""
        return (
            {name: value for name, value in fields.items() if value is not None} if isinstance(fields, dict) else fields
        )

    @property
    def asks_form(self) -> bool:
        """Whether it says how the answer is to look, or for whom it is."""
        return bool(self.shape or self.columns or self.form or self.readers)

    @property
    def shape_in_words(self) -> str:
        """The shape, as a writer is told."""
        return _SHAPES_IN_WORDS[self.shape]


class ChosenWishes(Form, extra="forbid"):
    """Wishes that a run chooses itself; what else a question may ask for has settings of its own."""

    after: ChosenDay = ""
    before: ChosenDay = ""
    ignored: list[WishName] = Field(default_factory=list, max_length=len(WISH_NAMES))
    """Wishes of the question that are not followed."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        """Refuse days between which there are none; a year or a month is compared with the same part of the other."""
        known = min(len(self.after), len(self.before))
        if self.after[:known] > self.before[:known]:
            raise ValueError(f"after ({self.after}) is later than before ({self.before})")
        return self


class WishWords(BaseModel):
    """The words of a message that have wishes."""

    said: Annotated[list[Reason], AtMost(8)] = Field(default_factory=list)
    """Verbatim: what no words ask for is no wish. They come first, so that a model reads before it fills in."""


class Wishes(Form, WishWords):
    """Wishes that a question has, as the coordinator read them."""

    language: Annotated[str, AtMost(20)] = ""
    """Of the answer, as a BCP 47 tag."""
    words: int = Field(default=0, ge=0)
    """That the answer is to have."""
    sites: Sites = Field(default_factory=list)
    """Domains that the sources are to be of."""
    without_sites: Sites = Field(default_factory=list)
    """Domains that no source is to be of."""
    pasted: Title = ""
    """First words of a text that the message brings along to work on."""
    pages: SkipJsonSchema[list[CleanLine]] = Field(default_factory=list)
    """Addresses that the message names. Code sets it, and no model is asked for it."""
    text: SkipJsonSchema[CleanText] = ""
    """The text that the message brings along. Code sets it, too."""
