"""Profile files: YAML that describes a deployment."""

from pathlib import Path

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.profile import Profile
from schemas.regular_file import read_regular_text
from services.run.errors import BadInput, reason_of

MAX_BYTES = 1_000_000
"""Maximum bytes of a profile."""


def load_profile(file: Path) -> Profile:
    """Read a profile, with its documents' folders as paths from here.

    Raises:
        BadInput: the file is missing, is not YAML, or is not a valid profile; the message names the key.
    """
    try:
        text = read_regular_text(file, MAX_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "it is not text in UTF-8")
        raise BadInput(f"The profile {file} cannot be read ({why}). Name another with --profile.") from None
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise BadInput(f"The profile {file} is not valid YAML: {line}{getattr(error, 'problem', error)}.") from None
    try:
        profile = Profile.model_validate(content)
    except ValidationError as error:
        raise BadInput(f"The profile {file} cannot be used: {_explained(error.errors()[0])}") from None
    folders = [file.parent / folder for folder in profile.documents]
    for place, folder in enumerate(folders):
        if not folder.is_dir():
            raise BadInput(
                f"The profile {file} cannot be used: documents.{place}: there is no folder {folder}. "
                "Folders are named relative to the profile's file."
            )
    return profile.model_copy(update={"documents": [str(folder) for folder in folders]})


def _explained(problem: ErrorDetails) -> str:
    """Describe a validation error with its key, in pydantic's words where they are clear."""
    key = ".".join(str(part) for part in problem["loc"] if part != "[key]") or "the whole file"
    match problem["type"]:
        case "extra_forbidden":
            return f"{key}: there is no such key. docs/settings.md lists them all."
        case "missing":
            return f"{key}: it is missing."
    value = problem["input"]
    cannot = "cannot be used" if isinstance(value, dict) else f"cannot be {value!r:.80}"
    return f"{key} {cannot}: {reason_of(problem)}."
