"""Versions of a local run's report."""

import asyncio
import tempfile
from pathlib import Path

from leadline.runs.store import Home, RunRecord
from schemas.reporter import Report
from schemas.revision import Version
from services.reports.bundle import BundleCheck, verify_bundle, write_bundle
from services.turn.thread_data import kept_versions, numbered_version


async def versions_of(home: Home, record: RunRecord, report: Report) -> list[Version]:
    """Return all versions, the original first.

    Args:
        home: home of the runs.
        record: record of a finished run.
        report: its present report, the only version of an unchanged report.
    """
    values = await home.values(record)
    versions = await kept_versions(home.store, record.id, values["turn"], report)
    only = len(versions) == 1
    return [versions[0].model_copy(update={"created": record.created}), *versions[1:]] if only else versions


async def version_of(home: Home, record: RunRecord, report: Report, number: int | None) -> Version:
    """Return a version by number, by default the latest.

    Raises:
        BadInput: the version does not exist; the message lists the existing ones.
    """
    return numbered_version(await versions_of(home, record, report), number, record.id)


async def verified(home: Home, version: Version) -> BundleCheck:
    """Check a version as `leadline verify` checks a report's folder: write it, and read it again.

    Raises:
        StoreError: a text of the version is not in the store.
    """
    with tempfile.TemporaryDirectory(prefix="leadline-version-") as place:
        await write_bundle(version.report, Path(place), home.evidence)
        return await asyncio.to_thread(verify_bundle, Path(place))
