"""Where a report's files go: a folder of its own below the output folder, named after the question."""

import json
import os
import re
import unicodedata
from pathlib import Path

from schemas.reporter import Report
from services.errors import BadInput
from services.evidence.store import EvidenceStore

MAX_SLUG = 60


def slug_of(question: str) -> str:
    """Return a folder name for a question: its words in lower case joined by hyphens, in any script."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", question).lower())
    return "-".join(words)[:MAX_SLUG].strip("-_") or "report"


def check_writable(folder: Path) -> None:
    """Make the output folder and try to write there, before any work is done.

    Raises:
        BadInput: it cannot be written.
    """
    probe = folder / f".leadline-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadInput(
            f"The output folder {folder} cannot be written ({error.strerror}). Name another with --out."
        ) from None


async def write_report(report: Report, out: Path, evidence: EvidenceStore) -> Path:
    """Write report, evidence and source texts.

    A folder of the same question is replaced; one of another question is left alone, and a number is added.

    Returns:
        The report's folder.
    """
    from services.evidence.bundle import write_bundle

    folder = out / slug_of(report.question)
    number = 1
    while _holds_other(folder, report.question):
        number += 1
        folder = out / f"{slug_of(report.question)}-{number}"
    await write_bundle(report, folder, evidence)
    return folder


def _holds_other(folder: Path, question: str) -> bool:
    if not folder.exists():
        return False
    try:
        return bool(json.loads((folder / "evidence.json").read_text("utf-8")).get("question") != question)
    except (OSError, ValueError, AttributeError):
        return True
