"""Versions of a run's report: the first as it was written, and one for each change of it."""

import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, Field

from leadline.runs.store import Home, RunRecord
from schemas.reporter import Report
from services.reports.checking.bundle import BundleCheck, verify_bundle, write_bundle
from services.run.errors import BadInput

MAX_VERSIONS = 1_000


class Version(BaseModel):
    """One version of a report."""

    number: int
    """1 for the report as it was written."""
    request: str = ""
    """By which it was made; empty for the first."""
    created: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    report: Report


def _place(record: RunRecord) -> tuple[str, str]:
    return ("versions", record.id)


async def save_version(home: Home, record: RunRecord, report: Report) -> None:
    """Keep a report as the version that the last of the run's changes has made; the first where there are none."""
    number = 1 + len(record.revisions)
    request = record.revisions[-1].request if record.revisions else ""
    version = Version(number=number, request=request, report=report)
    await home.store.aput(_place(record), f"{number:04}", version.model_dump(mode="json"), index=False)


async def versions_of(home: Home, record: RunRecord, report: Report) -> list[Version]:
    """Return all versions, the first one first.

    Args:
        home: of the runs.
        record: of a finished run.
        report: its present one, which is the only version where nothing was ever changed.
    """
    items = await home.store.asearch(_place(record), limit=MAX_VERSIONS)
    versions = sorted((Version.model_validate(item.value) for item in items), key=lambda version: version.number)
    return versions or [Version(number=1, created=record.created, report=report)]


async def version_of(home: Home, record: RunRecord, report: Report, number: int | None) -> Version:
    """Return one version, by default the latest.

    Raises:
        BadInput: there is no such version; the message says which there are.
    """
    versions = await versions_of(home, record, report)
    if number is None:
        return versions[-1]
    found = next((version for version in versions if version.number == number), None)
    if found is None:
        there = "only version 1" if len(versions) == 1 else f"versions 1 to {versions[-1].number}"
        raise BadInput(f"Run {record.id} has no version {number}: it has {there}.")
    return found


async def verified(home: Home, version: Version) -> BundleCheck:
    """Check a version as `leadline verify` checks the folder of a report: it is written out, and read again.

    Raises:
        StoreError: a text of it is not in the store.
    """
    with tempfile.TemporaryDirectory(prefix="leadline-version-") as place:
        await write_bundle(version.report, Path(place), home.evidence)
        return await asyncio.to_thread(verify_bundle, Path(place))
