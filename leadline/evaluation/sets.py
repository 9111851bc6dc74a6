"""Reads sets of questions: JSON lines, a JSON list or CSV, plain or gzip; errors name line and field."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leadline.evaluation.published_sets import as_ours
from leadline.evaluation.question import EvalQuestion
from schemas.regular_file import read_regular
from services.run.errors import BadInput, reason_of

MAX_BYTES = 200_000_000
"""Maximum decompressed bytes of a set."""
MAX_QUESTIONS = 100_000
FIELDS = "question, id, kind, note, needs_model, facts, gold, documents, criteria, reference, language, docs, dimension_weights, excluded, labelled"
_LISTS = frozenset({"facts", "gold", "gold_ids", "documents", "criteria", "docs", "excluded"})
"""CSV columns with several values, separated by semicolons."""


def read_set(file: Path, references: Path | None = None) -> list[EvalQuestion]:
    """Read a set.

    Args:
        file: file of the questions.
        references: JSON lines with reports to compare with: `id` (or `prompt`), and `article` (or `reference`).

    Raises:
        BadInput: a file cannot be read or holds no questions, or a row cannot be used; the message names line and field.
    """
    questions = [_question(row, number, place, file) for number, (place, row) in enumerate(_rows(file), 1)]
    if not questions:
        raise BadInput(f"The set {file} holds no questions. Write a JSON object a line, with a question in each.")
    if len(questions) > MAX_QUESTIONS:
        raise BadInput(f"The set {file} holds more than {MAX_QUESTIONS:,} questions. Divide it.")
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise BadInput(f"{file}: the id {question.id!r} stands there twice. Give each question its own.")
        seen.add(question.id)
    return questions if references is None else _with_references(questions, references)


def _question(row: Any, number: int, place: str, file: Path) -> EvalQuestion:
    if not isinstance(row, Mapping):
        raise BadInput(f'{file}, {place}: this is no JSON object. Write {{"question": "…"}}.')
    try:
        question = EvalQuestion.model_validate(as_ours(row))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part)[:60] for part in problem["loc"])
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            raise BadInput(f"{file}, {place}: there is no field {field!r}. There are: {FIELDS}.") from None
        raise BadInput(f"{file}, {place}, field {field}: {reason_of(problem)}.") from None
    if not question.question.strip():
        raise BadInput(f"{file}, {place}, field question: it is empty.")
    for index, labels in enumerate(question.labelled):
        if len(labels.met) != len(question.criteria):
            raise BadInput(
                f"{file}, {place}, field labelled.{index}.met: it has {len(labels.met)} entries, and the question has "
                f"{len(question.criteria)} criteria. Give an entry for each criterion."
            )
    return question if question.id else question.model_copy(update={"id": str(number)})


def _rows(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield each row with its position in words."""
    text = _text(file)
    name = file.name.lower().removesuffix(".gz")
    if name.endswith(".csv"):
        yield from _csv_rows(text, file)
    elif text.lstrip().startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"The set {file} is no valid JSON ({error}).") from None
        yield from ((f"entry {number}", row) for number, row in enumerate(listed, 1))
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise BadInput(f"{file}, line {number}: this is no valid JSON ({error}).") from None
                yield f"line {number}", row


def _text(file: Path) -> str:
    try:
        content = read_regular(file, MAX_BYTES)
        if file.suffix.lower() == ".gz":
            with gzip.open(io.BytesIO(content)) as stream:
                content = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or "it is no gzip file"
        raise BadInput(f"The set {file} cannot be read ({why}). Name another file.") from None
    if len(content) > MAX_BYTES:
        raise BadInput(f"The set {file} is larger than {MAX_BYTES // 1_000_000} MB. Divide it.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"The set {file} is no text in UTF-8. Save it as UTF-8.") from None


def _csv_rows(text: str, file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a CSV file with a header; columns with several values are separated by semicolons.

    The forms of a fact have ` | ` between them.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if "question" not in (reader.fieldnames or ()):
        raise BadInput(f"{file}, line 1: a column named question is needed. The first line names the columns.")
    try:
        for row in reader:
            if None in row:
                raise BadInput(f"{file}, line {reader.line_num}: it has more values than columns. Quote its commas.")
            yield (
                f"line {reader.line_num}",
                {name: _values(name, value) for name, value in row.items() if (value or "").strip()},
            )
    except csv.Error as error:
        raise BadInput(f"{file}, line {reader.line_num}: {error}.") from None


def _values(name: str, value: str) -> Any:
    if name not in _LISTS:
        return value.strip()
    parts = [part.strip() for part in value.split(";") if part.strip()]
    return [[form.strip() for form in part.split("|")] for part in parts] if name == "facts" else parts


def _with_references(questions: list[EvalQuestion], file: Path) -> list[EvalQuestion]:
    texts: dict[str, str] = {}
    for place, row in _rows(file):
        text = row.get("article", row.get("reference")) if isinstance(row, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            raise BadInput(f"{file}, {place}, field article: a text is needed.")
        texts |= {str(row[name]): text for name in ("id", "prompt", "question") if name in row}
    references = [
        texts.get(question.id) or texts.get(question.question) or question.reference for question in questions
    ]
    if not any(references):
        raise BadInput(f"{file}: none of its reports is of a question of the set. Their ids must be the same.")
    return [
        question.model_copy(update={"reference": text}) for question, text in zip(questions, references, strict=True)
    ]
