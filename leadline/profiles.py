"""Profile files: YAML that says what a deployment is about."""

from pathlib import Path

import yaml
from pydantic import ValidationError

from schemas.profile import Profile
from services.errors import BadInput


def load_profile(file: Path) -> tuple[Profile, list[Path]]:
    """Read a profile.

    Returns:
        The profile, and its documents' folders as paths from here.

    Raises:
        BadInput: the file is missing, is no YAML, or says something that a profile cannot say.
    """
    try:
        content = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The profile {file} cannot be read ({error}). Name another with --profile.") from None
    except yaml.YAMLError as error:
        raise BadInput(f"The profile {file} is not valid YAML: {' '.join(str(error).split())}") from None
    try:
        profile = Profile.model_validate(content)
    except ValidationError as error:
        problem = error.errors()[0]
        raise BadInput(
            f"The profile {file} cannot be used: {'.'.join(map(str, problem['loc'])) or 'file'}: {problem['msg']}."
        ) from None
    return profile, [file.parent / folder for folder in profile.documents]
