"""Reads a set of questions: a question a line, a JSON object a line, or a JSON list."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leadline.evaluation.question import EvalQuestion
from schemas.regular_file import read_regular
from services.run.errors import BadInput, reason_of

MAX_BYTES = 200_000_000
"""Maximum bytes of a set."""
MAX_QUESTIONS = 100_000


def read_set(file: Path) -> list[EvalQuestion]:
    """Read a set.

    Raises:
        BadInput: the file cannot be read or holds no questions, or a row cannot be used; the message names line and field.
    """
    questions = [_question(row, number, place, file) for number, (place, row) in enumerate(_rows(file), 1)]
    if not questions:
        raise BadInput(f"The set {file} has no questions. Write one question or one JSON object per line.")
    if len(questions) > MAX_QUESTIONS:
        raise BadInput(f"The set {file} holds more than {MAX_QUESTIONS:,} questions. Split it.")
    [(name, count)] = Counter(question.id for question in questions).most_common(1)
    if count > 1:
        raise BadInput(f"{file}: the id {name!r} occurs twice. Give each question its own.")
    return questions


def _question(row: Any, number: int, place: str, file: Path) -> EvalQuestion:
    if not isinstance(row, Mapping):
        raise BadInput(f'{file}, {place}: this is not a JSON object. Write {{"question": "…"}}.')
    try:
        question = EvalQuestion.model_validate(row)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part)[:60] for part in problem["loc"])
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            there = ", ".join(EvalQuestion.model_fields)
            raise BadInput(f"{file}, {place}: there is no field {field!r}. There are: {there}.") from None
        raise BadInput(f"{file}, {place}, field {field}: {reason_of(problem)}.") from None
    if not question.question.strip():
        raise BadInput(f"{file}, {place}, field question: it is empty.")
    return question if question.id else question.model_copy(update={"id": str(number)})


def _rows(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield each row with its position in words."""
    text = _text(file)
    if text.lstrip().startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"The set {file} is not valid JSON ({error}).") from None
        yield from ((f"entry {number}", row) for number, row in enumerate(listed, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("{"):
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BadInput(
                    f"{file}, line {number}: this is not valid JSON ({error}). An object stands on one line; longer ones make a list: [{{…}}, {{…}}]."
                ) from None
        elif line.strip():
            yield f"line {number}", {"question": line.strip()}


def _text(file: Path) -> str:
    try:
        return read_regular(file, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"The set {file} cannot be read ({error.strerror}). Name another file.") from None
    except UnicodeDecodeError:
        raise BadInput(f"The set {file} is not text in UTF-8. Save it as UTF-8.") from None
