"""Questions of an evaluation, with the facts, sources and criteria that measure their answers; a set is read from a file.

A file has a question a line, a JSON object a line, or a JSON list.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from leadline.runs.output import slug_of
from schemas.options import Locale
from schemas.regular_file import read_regular
from services.run.errors import BadInput, reason_of
from services.run.ui_text import is_chinese, say, told

MAX_BYTES = 200_000_000
"""Maximum bytes of a set."""
MAX_QUESTIONS = 100_000
MAX_TEXT = 200_000
"""Maximum characters of a question or a criterion."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]
Fact = Annotated[
    list[Text], BeforeValidator(lambda value: [value] if isinstance(value, str) else value), Field(min_length=1)
]
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

    @property
    def folder(self) -> str:
        """Name of the folder of its reports, which no other id has."""
        name = slug_of(self.id)
        return name if name == self.id else f"{name}-{hashlib.sha256(self.id.encode()).hexdigest()[:8]}"


def locale_of(languages: Iterable[str], chosen: str | None = None) -> str:
    """Return the language of the table: the chosen one, else Chinese if most questions are Chinese, else English."""
    if chosen and chosen != "auto":
        return chosen
    chinese = [is_chinese(language) for language in languages]
    return "zh-CN" if 2 * sum(chinese) > len(chinese) else "en-US"


def read_set(file: Path) -> list[EvalQuestion]:
    """Read a set.

    Raises:
        BadInput: the file cannot be read or holds no questions, or a row cannot be used; the message names line and field.
    """
    questions = [_question(row, number, place, file) for number, (place, row) in enumerate(_rows(file), 1)]
    if not questions:
        raise BadInput(**told("set_empty", file=file))
    if len(questions) > MAX_QUESTIONS:
        raise BadInput(**told("set_many", file=file, limit=MAX_QUESTIONS))
    [(name, count)] = Counter(question.id for question in questions).most_common(1)
    if count > 1:
        raise BadInput(**told("set_twice", file=file, id=name))
    return questions


def _question(row: Any, number: int, place: str, file: Path) -> EvalQuestion:
    if not isinstance(row, Mapping):
        raise BadInput(**told("set_no_object", file=file, place=place))
    try:
        question = EvalQuestion.model_validate(row)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part)[:60] for part in problem["loc"])
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            there = ", ".join(EvalQuestion.model_fields)
            raise BadInput(**told("set_no_field", file=file, place=place, field=field, fields=there)) from None
        raise BadInput(**told("set_field", file=file, place=place, field=field, reason=reason_of(problem))) from None
    if not question.question.strip():
        raise BadInput(**told("set_no_question", file=file, place=place))
    return question if question.id else question.model_copy(update={"id": str(number)})


def _rows(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield each row with its position in words."""
    text = _text(file)
    if text.lstrip().startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(**told("set_no_json", file=file, reason=error)) from None
        yield from ((say("set_entry", number=number), row) for number, row in enumerate(listed, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("{"):
            try:
                yield say("set_line", number=number), json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BadInput(**told("set_line_no_json", file=file, line=number, reason=error)) from None
        elif line.strip():
            yield say("set_line", number=number), {"question": line.strip()}


def _text(file: Path) -> str:
    try:
        return read_regular(file, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise BadInput(**told("set_unread", file=file, reason=error.strerror)) from None
    except UnicodeDecodeError:
        raise BadInput(**told("set_no_utf8", file=file)) from None
