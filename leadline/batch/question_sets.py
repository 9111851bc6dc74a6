"""Question sets: questions with the facts of a right answer and the documents that hold them.

A set is a JSON file with a list of objects, as `examples/deep-sea.questions.json` is.
"""

import json
from pathlib import Path

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from schemas.regular_file import read_regular_text
from services.run.errors import BadInput, reason_of

MAX_BYTES = 20_000_000
"""Maximum bytes of a question set."""


class Question(BaseModel):
    """A question and what proves that it was answered."""

    id: str
    question: str
    facts: list[list[str]] = Field(default_factory=list)
    """Each fact in all the forms in which a source may write it; one of them is enough."""
    documents: list[str] = Field(default_factory=list)
    """File names of the sources that hold the answer; a copy of one counts as that one."""


def read_questions(file: Path) -> list[Question]:
    """Read a question set.

    Raises:
        BadInput: the file is missing, is not JSON, or holds no questions.
    """
    try:
        found = TypeAdapter(list[Question]).validate_python(json.loads(read_regular_text(file, MAX_BYTES)))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "it is no text in UTF-8")
        raise BadInput(f"The questions {file} cannot be read ({why}). Name another file.") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"The questions {file} are no valid JSON ({error}).") from None
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "file"
        raise BadInput(
            f"The questions {file} cannot be used: {place}: {reason_of(problem)}. A list of objects is needed, each with "
            "id, question, facts (lists of the forms of a fact) and documents (file names)."
        ) from None
    if not found:
        raise BadInput(f"The questions {file} are an empty list.")
    return found


def documents_beside(file: Path) -> list[Path]:
    """Return the documents' folder of a question set: `deep-sea.questions.json` belongs to the folder `deep-sea` beside it.

    Raises:
        BadInput: the folder does not exist.
    """
    folder = file.with_name(file.name.split(".")[0])
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder} that these questions could be about. Name one with --docs.")
    return [folder]
