"""A question of an evaluation, with the facts, sources and criteria that measure its answer."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from schemas.options import Locale
from services.run.ui_text import is_chinese

MAX_TEXT = 200_000
"""Maximum characters of a question or a criterion."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]


def _alternatives(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Fact = Annotated[list[Text], BeforeValidator(_alternatives), Field(min_length=1)]
"""The forms of a fact, of which one suffices."""


class Criterion(BaseModel):
    """A property of a good answer, the sources that hold it, and its weight."""

    model_config = ConfigDict(extra="forbid")

    text: Text
    weight: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] = 1.0
    gold: list[Text] = []


class EvalQuestion(BaseModel):
    """A question and any of the facts, sources and criteria by which its answer is measured."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    question: Text
    id: Annotated[str, Field(max_length=200)] = ""
    """By which its result is found again; by default its place in the file."""
    facts: list[Fact] = []
    gold: list[Text] = []
    """Sources that hold the answer: addresses, DOIs, file names or their stems."""
    documents: list[Text] = []
    """File names of documents that hold the answer; they count as `gold` does."""
    criteria: list[Criterion] = []
    language: Annotated[Locale, Field(max_length=35)] = ""
    """Of the report, as a language tag; empty: that of the question."""
    docs: list[str] = []
    """Folders of documents for this question beside those that all share."""
    kind: Annotated[str, Field(max_length=200)] = ""
    """Sort of question; for whoever reads the set, as `note` and `needs_model` are."""
    note: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    needs_model: bool = False

    @property
    def sources(self) -> list[str]:
        """All names of sources that hold the answer."""
        return list(dict.fromkeys([*self.gold, *self.documents]))


def locale_of(languages: Iterable[str], chosen: str | None = None) -> str:
    """Return the language of the table: the chosen one, else Chinese if most questions are Chinese, else English."""
    if chosen and chosen != "auto":
        return chosen
    chinese = [is_chinese(language) for language in languages]
    return "zh-CN" if 2 * sum(chinese) > len(chinese) else "en-US"
