"""Reads a bundle from its folder: `evidence.json`, the report, and the texts of the sources."""

import json
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.evidence import Answered, Artifact, Claim, Contradiction, Excerpt, Source, by_content_hash
from schemas.planner import Plan
from schemas.results import StepResult
from schemas.usage import Usage
from services.reports.checking.source_texts import text_names, unpacked
from services.reports.source_numbers import link_of
from services.run.errors import BundleError, reason_of

READABLE = (1, 2)
"""Supported versions; in version 1, every text is uncompressed."""
_HASH = re.compile(r"[0-9a-f]{64}")


class StoredSource(Source):
    """A source, and where its text lies."""

    model_config = ConfigDict(extra="forbid")
    text: str


class StoredArtifact(Artifact):
    """A file of a step, and where it lies."""

    file: str


class BundleContent(BaseModel):
    """The form of `evidence.json`."""

    version: int
    question: str
    title: str = ""
    run_id: str = ""
    answered: Answered = ""
    sources: list[StoredSource]
    excerpts: list[Excerpt]
    claims: list[Claim]
    plans: list[Plan]
    results: list[StepResult]
    contradictions: list[Contradiction]
    follow_up_questions: list[str] = []
    usage: Usage
    limits: list[str]
    artifacts: list[StoredArtifact] = []
    report_sha256: str
    evidence_sha256: str = ""


def read_bundle(folder: Path) -> tuple[dict[str, Any], BundleContent, bytes]:
    """Return `evidence.json` as raw and parsed data, and the bytes of the report.

    Raises:
        BundleError: the folder or a file that every bundle has is missing, or `evidence.json` cannot be read.
    """
    if not folder.is_dir():
        raise BundleError(
            f"There is no file or folder {folder}. Name the folder of a report, the one that holds evidence.json."
        )
    file = folder / "evidence.json"
    try:
        report = (folder / "report.md").read_bytes()
        raw = json.loads(file.read_bytes())
    except OSError as error:
        raise BundleError(
            f"{error.filename} cannot be read ({error.strerror}). A report's folder holds report.md and evidence.json; "
            "write the report again."
        ) from None
    except (ValueError, RecursionError) as error:
        raise BundleError(
            f"{file} is no valid JSON ({str(error)[:120]}). Write the report again, or restore the file."
        ) from None
    if not isinstance(raw, dict) or raw.get("version") not in READABLE:
        raise BundleError(
            f"{file} is of none of the versions that this program reads ({', '.join(map(str, READABLE))}). "
            "Write the report again, or read it with the version that wrote it."
        )
    try:
        return raw, BundleContent.model_validate(by_content_hash(raw)), report
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BundleError(
            f"{file} does not have the form of version {raw['version']}: {where}: {reason_of(first)}. "
            "Write the report again."
        ) from None


def read_below(folder: Path, name: str) -> bytes | None:
    """Read a file below the folder; None if its name or a link leads outside, or if it does not exist."""
    place = folder / name
    try:
        if not place.resolve().is_relative_to(folder.resolve()) or not place.is_file():
            return None
        return place.read_bytes()
    except (OSError, ValueError):
        return None


def source_text(folder: Path, source: StoredSource, version: int) -> bytes:
    """Return the text of a source as bytes; raises a BundleError if it cannot be read."""
    plain, compressed = text_names(source.content_hash)
    allowed = {plain} if version == 1 or link_of(source) == plain else {plain, compressed}
    if not _HASH.fullmatch(source.content_hash) or source.text not in allowed:
        raise BundleError(f"{source.text[:100]!r} is not where the text of its content hash lies")
    data = read_below(folder, source.text)
    if data is None:
        raise BundleError(f"its text {source.text} is missing or lies outside the folder")
    return unpacked(source.text, data)
