"""The place of a step's file in a report's folder."""

import re

from schemas.evidence import Artifact


def artifact_path(artifact: Artifact) -> str:
    """Return a path below the report's folder: named after the content, so that two files of one name do not meet."""
    name = re.sub(r"[^\w.-]+", "-", artifact.name).strip(".-")[-80:] or "file"
    return f"artifacts/{artifact.content_hash[:12]}-{name}"
