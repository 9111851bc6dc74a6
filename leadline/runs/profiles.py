"""Profile files: YAML that describes a deployment."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from schemas.profile import Profile
from schemas.regular_file import read_regular_text
from services.run.errors import BadInput, reason_of

MAX_BYTES = 1_000_000
"""Maximum bytes of a profile."""


def load_profile(file: Path) -> Profile:
    """Read a profile.

    Returns:
        The profile, with its documents' folders as paths from here.

    Raises:
        BadInput: the file is missing, is not YAML, or is not a valid profile; the message names the line and the key.
    """
    try:
        text = read_regular_text(file, MAX_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "it is not text in UTF-8")
        raise BadInput(f"The profile {file} cannot be read ({why}). Name another with --profile.") from None
    try:
        content, tree = yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise BadInput(f"The profile {file} is not valid YAML: {line}{getattr(error, 'problem', error)}.") from None
    try:
        profile = Profile.model_validate(content)
    except ValidationError as error:
        raise BadInput(f"The profile {file} cannot be used: {_explained(error.errors()[0], tree)}") from None
    folders = [file.parent / folder for folder in profile.documents]
    for place, folder in enumerate(folders):
        if not folder.is_dir():
            where = _place(tree, ("documents", place))
            raise BadInput(
                f"The profile {file} cannot be used: {where}: there is no folder {folder}. "
                "Folders are named relative to the profile's file."
            )
    return profile.model_copy(update={"documents": [str(folder) for folder in folders]})


def _explained(problem: Any, tree: yaml.Node | None) -> str:
    """Describe a validation error with its place: unknown keys with the known ones, other errors with pydantic's message."""
    loc: tuple[str | int, ...] = problem["loc"]
    if problem["type"] == "extra_forbidden":
        known = ", ".join(_fields(loc[:-1]))
        return f"{_place(tree, loc)}: there is no such key. There are: {known}."
    if problem["type"] == "missing":
        return f"{_place(tree, loc)}: it is missing."
    value = problem["input"]
    cannot = "cannot be used" if isinstance(value, dict) else f"cannot be {value!r:.80}"
    return f"{_place(tree, loc)} {cannot}: {reason_of(problem)}."


def _place(tree: yaml.Node | None, loc: Sequence[str | int]) -> str:
    """Return line and key of a location in the file; for a missing key, the line of its parent."""
    node, line = tree, 1
    for part in loc:
        child: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            for key, element in node.value:
                if key.value == str(part):
                    child, line = element, key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            child = node.value[part]
            line = child.start_mark.line + 1
        if child is None:
            break
        node = child
    named = ".".join(str(part) for part in loc if part != "[key]")
    return f"line {line}, {named}" if named else "the whole file"


def _fields(loc: Sequence[str | int]) -> list[str]:
    """Return the keys that are valid at a location of a profile."""
    model: Any = Profile
    for part in loc:
        if isinstance(part, str) and isinstance(model, type) and issubclass(model, BaseModel):
            field = model.model_fields.get(part)
            model = field.annotation if field is not None else None
        for inner in get_args(model):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                model = inner
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
